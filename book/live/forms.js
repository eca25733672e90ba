// One form made live: what is typed goes to kvlib, its answer into the page.
import {record, stored} from "./progress.js";
import {say} from "./say.js";

const PAUSE = 700; // milliseconds without a key: now a half-typed value is a mistake

// form: as kvlib.show.html wrote it. ask(request): see engine.js.
export function makeLive(form, ask) {
  const isQuestion = form.querySelector("button[type=submit]") !== null;
  const abort = new AbortController();
  const on = (name, listener) => form.addEventListener(name, listener, {signal: abort.signal});
  (isQuestion ? question : explorer)(form, ask, on);
  form.querySelector(".kv-controls").disabled = false;
  form.querySelector(".kv-buttons").hidden = false;
  return () => {
    abort.abort();
    form.querySelector(".kv-controls").disabled = true;
    form.querySelector(".kv-buttons").hidden = true;
  };
}

// Control key to text, as kvlib.apps.run takes it.
function typed(form) {
  return Object.fromEntries(
    [...form.querySelectorAll("[name]")]
      .map(({name}) => [name, form.elements[name].value]),
  );
}

// The same, as the page was built.
function defaults(form) {
  const value = (e) => e.options ? [...e.options].find((o) => o.defaultSelected).value : e.defaultValue;
  return Object.fromEntries([...form.querySelectorAll("[name]")].map((e) => [e.name, value(e)]));
}

function show(form, {errors, html}) {
  for (const control of form.querySelectorAll("[name]")) {
    const error = document.getElementById(`${form.id}-${control.name}-error`);
    error.textContent = errors[control.name] ?? "";
    if (errors[control.name]) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
  form.querySelector(".kv-result").innerHTML = html; // kvlib escapes all text
}

function explorer(form, ask, on) {
  let last = null; // what was typed when all of it could be read
  let busy = false;
  let next; // the newest wish while one is being answered
  let timer;
  const untouched = JSON.stringify(defaults(form));

  function echo() {
    for (const output of form.querySelectorAll("output")) {
      output.value = document.getElementById(output.htmlFor).value;
    }
  }

  async function update(pause) {
    echo();
    clearTimeout(timer);
    if (busy) return void (next = {pause});
    busy = true;
    const now = typed(form);
    const response = await ask({key: form.dataset.kvApp, typed: now, last}).catch(() => null);
    busy = false;
    if (response === null) return; // the page says so
    const wrong = Object.keys(response.errors).length > 0;
    if (!wrong) last = now;
    if (wrong && pause) timer = setTimeout(show, pause, form, response);
    else show(form, response);
    if (!wrong) say(response.say, PAUSE);
    if (next) {
      ({pause} = next);
      next = undefined;
      update(pause);
    }
  }

  on("input", ({target}) => update(target.type === "text" ? PAUSE : 0));
  on("change", () => update(0));
  on("submit", (event) => {
    event.preventDefault();
    update(0);
  });
  on("reset", () => setTimeout(update, 0, 0)); // the fields change after the event
  if (JSON.stringify(typed(form)) !== untouched) update(0); // kept by a browser that reloads
}

function question(form, ask, on) {
  const key = form.dataset.kvApp;
  const result = form.querySelector(".kv-result");
  const answer = stored(key)?.answer;
  if (answer !== undefined && !form.elements.answer.value) form.elements.answer.value = answer;

  on("submit", async (event) => {
    event.preventDefault();
    const now = typed(form);
    const response = await ask({key, typed: now, last: null}).catch(() => null);
    if (response === null) return;
    show(form, response);
    say(response.say);
    if (response.state !== "unreadable") record(key, now.answer, response.state);
  });
  on("input", () => {
    if (result.querySelector(".kv-headline") && !result.querySelector(".kv-kept")) {
      result.insertAdjacentHTML("afterbegin", '<p class="kv-kept">About your answer before:</p>');
    }
  });
}
