// What the reader has answered, in this browser's own storage and nowhere else.
// {"1.2": {answer, state, tries, right}}: the text last checked, "right",
// "slip" or "wrong" for it, how many texts, and the day of the first right one.
const BOOK = "The Cost of Moving KV";
const site = new URL("../../../", import.meta.url); // a host may hold several books
const KEY = `${BOOK}: progress ${site.pathname}`;
const QUESTION = /^\d\.(predict|\d+)$/;
const LONGEST = 1_000; // characters of an answer
const LARGEST = 1_000_000; // bytes of a file

const listeners = [];
let unsaved; // where a browser keeps nothing: for as long as the page is open
try {
  localStorage.setItem(KEY, localStorage.getItem(KEY) ?? "{}");
} catch {
  unsaved = {};
}

// Nothing that is read back is trusted: it may come from a file.
function cleaned(found) {
  const questions = {};
  for (const [key, kept] of Object.entries(found ?? {})) {
    if (!QUESTION.test(key) || typeof kept?.answer !== "string") continue;
    const {answer, state, tries, right} = kept;
    const isText = typeof right === "string";
    const isDay = isText && /^\d{4}-\d\d-\d\d$/.test(right) && !Number.isNaN(Date.parse(right));
    questions[key] = {
      answer: answer.slice(0, LONGEST),
      state: ["right", "slip", "wrong"].includes(state) ? state : "wrong",
      tries: Number.isSafeInteger(tries) && tries > 0 ? tries : 1,
      ...(isDay && {right}),
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
  const before = questions[key];
  const tries = (before?.tries ?? 0) + (before?.answer === answer ? 0 : 1);
  const today = new Date().toLocaleDateString("sv"); // 2026-11-29
  const right = before?.right ?? (state === "right" ? today : undefined);
  questions[key] = {answer, state, tries, right};
  save(cleaned(questions));
}

// Returns the text of a file that merge() reads back.
export const exported = () => JSON.stringify({book: BOOK, questions: all()}, null, 1);

// Add what a saved file holds: of two accounts of a question the one with a
// right answer counts, else the one with more tries, else this browser's.
// Returns how many questions it held. Throws if the file is none of ours.
export function merge(text) {
  const {book, questions} = text.length > LARGEST ? {} : JSON.parse(text);
  if (book !== BOOK) throw new Error("another file");
  const mine = all();
  const theirs = cleaned(questions);
  const worth = (kept) => (kept?.right ? Infinity : kept?.tries ?? 0);
  for (const [key, kept] of Object.entries(theirs)) {
    if (worth(kept) > worth(mine[key])) mine[key] = kept;
  }
  save(mine);
  return Object.keys(theirs).length;
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
