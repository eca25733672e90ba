// One form made live: what is typed goes to kvlib, its answer into the page.
import {keeping} from "./keep.js";
import {showNow} from "./now.js";
import {onchange, record, stored} from "./progress.js";
import {hush, say} from "./say.js";
import {fromLink, linkTo, offerCopies} from "./share.js";

const PAUSE = 700; // milliseconds without a key: now a half-typed value is a mistake
const SLOW = 1_000; // milliseconds until a reader is told that Python is busy

// form: as kvlib.show.html wrote it. ask(request): see engine.js. Returns a
// function that makes the form rest again.
export function makeLive(form, ask) {
  const isQuestion = form.querySelector("button[type=submit]") !== null;
  const abort = new AbortController();
  const on = (name, listener) => form.addEventListener(name, listener, {signal: abort.signal});
  const {signal} = abort;
  (isQuestion ? question : explorer)(form, (request) => busy(form, ask(request)), on, signal);
  rest(form, false);
  return () => {
    abort.abort();
    rest(form, true);
  };
}

function rest(form, rests) {
  form.querySelector(".kv-controls").disabled = rests;
  form.querySelector(".kv-controls > .kv-buttons").hidden = rests;
}

// Resolves to an answer, or to null when there is none: the page says why.
async function busy(form, answer) {
  const slow = setTimeout(() => form.classList.add("kv-busy"), SLOW);
  const response = await answer.catch(() => null);
  clearTimeout(slow);
  form.classList.remove("kv-busy");
  if (response === null) outdated(form, "Shown for the values before:");
  return response;
}

const controls = (form) => [...form.querySelectorAll("[name]")];

// Control key to text, as kvlib.apps.run takes it.
const typed = (form) =>
  Object.fromEntries(controls(form).map(({name}) => [name, form.elements[name].value]));

// The same, as the page was built.
function defaults(form) {
  const chosen = (select) => [...select.options].find((option) => option.defaultSelected).value;
  return Object.fromEntries(
    controls(form).map((e) => [e.name, e.options ? chosen(e) : e.defaultValue]),
  );
}

// link: what reopens the result that is shown.
function show(form, {errors, html, state}, link) {
  for (const control of controls(form)) {
    const error = document.getElementById(`${form.id}-${control.name}-error`);
    error.textContent = errors[control.name] ?? "";
    if (errors[control.name] || state === "unreadable") control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
    if (errors[control.name]) unfold(control);
  }
  const result = form.querySelector(".kv-result");
  const folds = () => [...result.querySelectorAll("details")];
  const open = folds().map((fold) => fold.open);
  result.innerHTML = html; // kvlib escapes all text
  offerCopies(result, link);
  showNow(form);
  folds().forEach((fold, place) => (fold.open = open[place] ?? false));
}

function unfold(control) {
  const group = control.closest("details");
  if (group) group.open = true;
}

// Say above a result that what is typed has changed since.
function outdated(form, words) {
  const result = form.querySelector(".kv-result");
  if (result.querySelector(".kv-kept") || !result.querySelector(".kv-headline")) return;
  const line = Object.assign(document.createElement("p"), {className: "kv-kept"});
  line.textContent = words;
  result.prepend(line);
}

function explorer(form, ask, on, signal) {
  let last = null; // what was typed when all of it could be read
  let asking = false;
  let next; // the newest wish while one is being answered
  let timer;

  async function update(pause) {
    for (const output of form.querySelectorAll("output")) {
      output.value = document.getElementById(output.htmlFor).value;
    }
    kept.refresh();
    clearTimeout(timer);
    if (asking) return void (next = {pause});
    asking = true;
    const now = typed(form);
    const response = await ask({key: form.dataset.kvApp, typed: now, last});
    asking = false;
    if (response === null) return;
    if (Object.keys(response.errors).length === 0) {
      last = now;
      show(form, response, link());
      if (form.querySelector(".kv-group")) history.replaceState(null, "", link()); // for a reload
      say(response.say, PAUSE);
    } else {
      hush();
      timer = setTimeout(show, pause, form, response, link());
    }
    if (next) {
      ({pause} = next);
      next = undefined;
      update(pause);
    }
  }

  const link = () => linkTo(form, last ?? defaults(form), defaults(form));

  // Texts into the fields, by control key; the result follows.
  function put(texts) {
    for (const control of controls(form)) {
      if (!Object.hasOwn(texts, control.name) || control.value === texts[control.name]) continue;
      control.value = texts[control.name];
      unfold(control);
    }
    update(0);
  }

  const kept = keeping(form, () => typed(form), put);
  const isTyped = ({type}) => ["text", "textarea"].includes(type);
  on("input", ({target}) => update(isTyped(target) ? PAUSE : 0));
  if (kept.press) on("click", kept.press);
  on("change", () => update(0));
  on("submit", (event) => {
    event.preventDefault();
    update(0);
  });
  on("reset", () => setTimeout(update, 0, 0)); // the fields change after the event
  function openLink() {
    const linked = fromLink(form);
    if (linked) put({...defaults(form), ...linked});
  }
  addEventListener("hashchange", openLink, {signal});
  openLink();
  kept.refresh();
  offerCopies(form.querySelector(".kv-result"), link());
  showNow(form);
  if (JSON.stringify(typed(form)) !== JSON.stringify(defaults(form))) update(0); // started again
}

function question(form, ask, on) {
  const key = form.dataset.kvApp;

  async function check() {
    const now = typed(form);
    const response = await ask({key, typed: now, last: null});
    if (response !== null) show(form, response);
    return {now, response};
  }

  on("submit", async (event) => {
    event.preventDefault();
    const {now, response} = await check();
    if (response === null) return;
    say(response.say);
    if (response.state !== "unreadable") record(key, now.answer, response.state);
  });
  on("input", () => outdated(form, "About your answer before:"));

  // An answer that the browser has kept comes back, and its verdict with it.
  const kept = stored(key)?.answer;
  if (kept !== undefined && !typed(form).answer) form.elements.answer.value = kept;
  if (typed(form).answer) check();
  onchange(() => {
    if (stored(key) || !form.querySelector(".kv-headline:not(.kv-unreadable)")) return;
    form.reset(); // the reader has cleared the progress
    form.querySelector(".kv-result").replaceChildren();
  });
}
