// What the reader has answered, in this browser's own storage and nowhere else.
// {"1.2": {answer, state, tries, right}}: the text last checked, "right",
// "slip" or "wrong" for it, how often, and the day of the first right one.
const site = new URL("../../../", import.meta.url); // a host may hold several books
const KEY = `The Cost of Moving KV: progress ${site.pathname}`;
const QUESTION = /^\d\.(predict|\d+)$/;
const LONGEST = 1_000; // characters of an answer
const LARGEST = 1_000_000; // bytes of a file

let unsaved; // where a browser keeps nothing: for as long as the page is open
const listeners = [];

// Nothing that is read back is trusted: it may come from a file.
function cleaned(found) {
  const questions = {};
  for (const [key, kept] of Object.entries(found ?? {})) {
    if (!QUESTION.test(key) || typeof kept?.answer !== "string") continue;
    const {answer, state, tries, right} = kept;
    questions[key] = {
      answer: answer.slice(0, LONGEST),
      state: ["right", "slip", "wrong"].includes(state) ? state : "wrong",
      tries: Number.isSafeInteger(tries) && tries > 0 ? tries : 1,
      ...(/^\d{4}-\d\d-\d\d$/.test(right) && {right}),
    };
  }
  return questions;
}

function all() {
  if (unsaved) return unsaved;
  try {
    return cleaned(JSON.parse(localStorage.getItem(KEY)));
  } catch {
    return {};
  }
}

function save(questions) {
  try {
    localStorage.setItem(KEY, JSON.stringify(questions));
    unsaved = undefined;
  } catch {
    unsaved = questions;
  }
  for (const tell of listeners) tell();
}

export const stored = (key) => all()[key];

export function record(key, answer, state) {
  const questions = all();
  const {tries = 0, right} = questions[key] ?? {};
  const today = new Date().toLocaleDateString("sv"); // 2026-11-29
  const first = right ?? (state === "right" ? today : undefined);
  questions[key] = {answer, state, tries: tries + 1, ...(first && {right: first})};
  save(cleaned(questions));
}

// Returns the text of a file that merge() reads back.
export const exported = () =>
  JSON.stringify({book: "The Cost of Moving KV", questions: all()}, null, 1);

// Add what a saved file holds; a right answer is never lost to a wrong one.
// Throws if the file is none of ours.
export function merge(text) {
  const {book, questions} = JSON.parse(text);
  if (book !== "The Cost of Moving KV" || text.length > LARGEST) throw new Error("another file");
  const mine = all();
  for (const [key, theirs] of Object.entries(cleaned(questions))) {
    if (!mine[key]?.right || theirs.right) mine[key] = theirs;
  }
  save(mine);
}

export const clear = () => save({});
export const keeps = () => unsaved === undefined;

// Call `tell` whenever the progress changes, here or in another tab.
export function onchange(tell) {
  listeners.push(tell);
}
addEventListener("storage", ({key}) => {
  if (key === KEY || key === null) for (const tell of listeners) tell();
});
