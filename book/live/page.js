// What a page with forms does: start the engine once, say how it stands.
import {startEngine} from "./engine.js";
import {makeLive} from "./forms.js";
import {makePanel} from "./panel.js";
import {onchange, stored} from "./progress.js";
import {say} from "./say.js";
import {fromLink} from "./share.js";

const NEAR = "800px"; // a screen ahead of the reader
const LONG = 15_000; // milliseconds: now a start is slow

const isQuestion = (form) => form.querySelector("[type=submit]") !== null;

function made(tag, className, textContent = "") {
  return Object.assign(document.createElement(tag), {className, textContent});
}

// forms: all of the page's. python: its folder; megabytes: of a first start.
// questions: chapter to the keys of its questions, as JSON.
export function open(forms, {python, megabytes, questions}) {
  const atRest = new Map(forms.map((form) => [form, form.querySelector(".kv-note").textContent]));
  let undo = []; // what makes the live forms rest again
  let ran = false; // then a form may show what was typed, and no defaults

  function state(name, words, spoken) {
    for (const form of forms) {
      form.dataset.kvState = name;
      form.querySelector(".kv-note").textContent = words(form);
      form.querySelector(".kv-start")?.remove();
    }
    say(spoken);
  }

  function offer(label) {
    for (const form of forms) {
      const button = Object.assign(made("button", "", label), {type: "button"});
      button.addEventListener("click", () => start(form));
      const line = made("p", "kv-buttons kv-start");
      line.append(button);
      form.querySelector(".kv-controls").after(line);
    }
  }

  function failed({message}) {
    const held = document.activeElement?.closest("form");
    const what = undo.length ? "stopped" : "could not start";
    const why = `Python ${what} in this page: ${message}.`;
    for (const back of undo) back();
    undo = [];
    state("failed", (form) => (ran ? why : `${why} ${atRest.get(form)}`), why);
    offer("Try again");
    held?.querySelector(".kv-start button")?.focus(); // the reader's place was in a form
  }

  function starting(wait) {
    const until = (form) => isQuestion(form)
      ? "Until then, the hints and the solution can be read."
      : "Until then, you see the result of the default values.";
    state("starting", (form) => (ran ? wait : `${wait} ${until(form)}`), wait);
  }

  // by: the form whose button was pressed, if one was.
  async function start(by) {
    starting(`Python is starting in this page: a first visit loads ${megabytes} MB.`);
    const slow = setTimeout(starting, LONG, `Python is still starting: ${megabytes} MB take a while on a slow connection.`);
    const note = by?.querySelector(".kv-note");
    if (note) {
      note.tabIndex = -1;
      note.focus();
    }
    try {
      const ask = await startEngine(python, failed);
      undo = forms.map((form) => makeLive(form, ask));
      ran = true;
      const live = (form) => isQuestion(form)
        ? "Live: your answer is checked in this page."
        : "Live: every change is computed in this page.";
      state("live", live, "The forms of this page are live.");
      if (note && note === document.activeElement) by.querySelector("[name]").focus();
    } catch (error) {
      failed(error);
    } finally {
      clearTimeout(slow);
    }
  }

  function mark() {
    for (const form of forms) {
      const right = stored(form.dataset.kvApp)?.right;
      form.querySelector(".kv-solved")?.remove();
      if (right) form.querySelector(".kv-title").append(made("span", "kv-solved", ` answered right on ${right}`));
    }
  }

  onchange(mark);
  mark();
  const exercises = forms.filter(isQuestion);
  const place = document.querySelector("[data-kv-progress]") ?? exercises.at(-1)?.closest("section");
  if (place) makePanel(JSON.parse(questions), (panel) => place.append(panel));

  if (navigator.connection?.saveData && forms.length) {
    const words = "Your browser asks to save data, so Python starts here only when you ask for it.";
    state("waiting", () => words, words);
    offer(`Make the forms live (${megabytes} MB)`);
    return;
  }
  forms.find(fromLink)?.scrollIntoView(); // its address is no element's, for a browser
  const near = new IntersectionObserver((seen) => {
    if (!seen.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    start();
  }, {rootMargin: `${NEAR} 0px`});
  for (const form of forms) near.observe(form);
}
