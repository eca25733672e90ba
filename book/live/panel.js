// The reader's progress in words, and buttons to save, load and clear it.
import {clear, exported, keeps, merge, onchange, stored} from "./progress.js";
import {say} from "./say.js";

const HTML = `<p><b>Your progress.</b> <span class="kv-count"></span></p>
<p class="kv-buttons"><button type="button" data-do="save">Save as a file</button>
<button type="button" data-do="load">Load a file</button>
<button type="button" data-do="clear">Clear</button></p>
<p class="kv-news"></p>
<input type="file" accept=".json,application/json" aria-label="A saved file" hidden>`;

// questions: chapter to the keys of its questions. place(panel) puts it on the page.
export function makePanel(questions, place) {
  const panel = document.createElement("section");
  panel.className = "kv-progress";
  panel.setAttribute("aria-label", "Your progress");
  panel.innerHTML = HTML;
  const file = panel.querySelector("input");

  function count() {
    const right = (keys) => keys.filter((key) => stored(key)?.right).length;
    const chapters = Object.entries(questions)
      .map(([number, keys]) => `chapter ${number}, ${right(keys)} of ${keys.length}`);
    const where = keeps()
      ? "It is kept in this browser alone and sent nowhere."
      : "This browser keeps nothing: it is lost with this page unless you save it.";
    panel.querySelector(".kv-count").textContent =
      `Predictions and exercises right so far: ${chapters.join("; ")}. ${where}`;
  }

  function tell(sentence) {
    panel.querySelector(".kv-news").textContent = sentence;
    say(sentence);
  }

  const actions = {
    save() {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([exported()], {type: "application/json"}));
      link.download = "cost-of-moving-kv-progress.json";
      link.click();
      setTimeout(URL.revokeObjectURL, 10_000, link.href);
    },
    load: () => file.click(),
    clear() {
      if (!confirm("Clear all answers that this browser has kept?")) return;
      clear();
      tell("Your progress is cleared.");
    },
  };
  panel.addEventListener("click", ({target}) => actions[target.dataset.do]?.());
  file.addEventListener("change", async () => {
    try {
      const held = merge(await file.files[0].text());
      tell(`The file is loaded. Questions in it: ${held}.`);
    } catch {
      tell("Nothing is loaded: this book did not save that file.");
    }
    file.value = "";
  });
  onchange(count);
  count();
  place(panel);
}
