// What a page with forms does: start the engine once, say how it stands.
import {startEngine} from "./engine.js";
import {makeLive} from "./forms.js";
import {makePanel} from "./panel.js";
import {onchange, stored} from "./progress.js";
import {say} from "./say.js";

const NEAR = "800px"; // a screen ahead of the reader

// forms: all of the page's. python: its folder; megabytes: of a first start.
// questions: chapter to the keys of its questions, as JSON.
export function open(forms, {python, megabytes, questions}) {
  const atRest = new Map(forms.map((form) => [form, form.querySelector(".kv-note").textContent]));
  let undo = []; // what makes the live forms rest again

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
      const button = Object.assign(document.createElement("button"), {type: "button"});
      button.textContent = label;
      button.addEventListener("click", start);
      const line = Object.assign(document.createElement("p"), {className: "kv-buttons kv-start"});
      line.append(button);
      form.querySelector(".kv-controls").after(line);
    }
  }

  function failed({message}) {
    const ran = undo.length > 0;
    const why = `Python ${ran ? "stopped" : "could not start"} in this page: ${message}.`;
    for (const back of undo) back();
    undo = [];
    state("failed", (form) => (ran ? why : `${why} ${atRest.get(form)}`), why);
    offer("Try again");
  }

  async function start() {
    const wait = `Python is starting in this page: a first visit loads ${megabytes} MB.`;
    state("starting", () => `${wait} Until then, these are the default values.`, wait);
    try {
      const ask = await startEngine(python, failed);
      undo = forms.map((form) => makeLive(form, ask));
      const live = "Live: every change is computed in this page.";
      const checked = "Live: your answer is checked in this page.";
      state("live", (form) => (form.querySelector("[type=submit]") ? checked : live), "The forms of this page are live.");
    } catch (error) {
      failed(error);
    }
  }

  function mark() {
    for (const form of forms) {
      const right = stored(form.dataset.kvApp)?.right;
      form.querySelector(".kv-solved")?.remove();
      if (right) {
        const words = Object.assign(document.createElement("span"), {className: "kv-solved"});
        words.textContent = ` answered right on ${right}`;
        form.querySelector(".kv-title").append(words);
      }
    }
  }

  onchange(mark);
  mark();
  const exercises = forms.filter((form) => form.querySelector("[type=submit]"));
  const place = document.querySelector("[data-kv-progress]") ?? exercises.at(-1)?.closest("section");
  if (place) makePanel(JSON.parse(questions), (panel) => place.append(panel));

  if (navigator.connection?.saveData) {
    if (forms.length) offer(`Make the forms live (${megabytes} MB)`);
    return;
  }
  const near = new IntersectionObserver((seen) => {
    if (!seen.some((entry) => entry.isIntersecting)) return;
    near.disconnect();
    start();
  }, {rootMargin: `${NEAR} 0px`});
  for (const form of forms) near.observe(form);
}
