// What a reader takes away: the texts of a result, and a link that reopens
// what was typed. It is all in the link's fragment, which no server is sent.
import {say} from "./say.js";

// The address of this page with what differs from the defaults.
export function linkTo(form, typed, defaults) {
  const changed = Object.entries(typed).filter(([name, text]) => text !== defaults[name]);
  const address = new URL(location.href);
  address.hash = changed.length ? `${form.id}?${new URLSearchParams(changed)}` : form.id;
  return address.href;
}

// Control key to text, as the page's address has it; null if it is not about this form.
export function fromLink(form) {
  const [, id, query] = location.hash.match(/^#([^?]*)\??(.*)$/s) ?? [];
  return id === form.id && query ? Object.fromEntries(new URLSearchParams(query)) : null;
}

async function copy(area) {
  try {
    await navigator.clipboard.writeText(area.value);
    return true;
  } catch { // no permission, or a page without https
    area.closest("details").open = true;
    area.select();
    return document.execCommand("copy");
  }
}

// Add the link to the copies of a result, and a button for each of them.
export function offerCopies(result, link) {
  const copies = [...result.querySelectorAll(".kv-copy")];
  if (!copies.length || copies.at(-1).dataset.kvLink) return;
  const whole = copies.at(-1).cloneNode(true);
  whole.querySelector("summary").textContent = "As a link";
  whole.dataset.kvLink = "true";
  const text = whole.querySelector("textarea");
  text.textContent = link;
  text.setAttribute("aria-label", "As a link");
  copies.at(-1).after(whole);
  const line = document.createElement("p");
  line.className = "kv-buttons";
  for (const each of [...copies, whole]) {
    const name = each.querySelector("summary").textContent.replace("As", "as");
    const button = Object.assign(document.createElement("button"), {type: "button"});
    button.textContent = `Copy ${name}`;
    button.addEventListener("click", async () => {
      const done = await copy(each.querySelector("textarea"));
      button.textContent = done ? `Copied ${name}` : "Press Ctrl and C to copy";
      say(button.textContent);
      setTimeout(() => (button.textContent = `Copy ${name}`), 3_000);
    });
    line.append(button);
  }
  copies[0].before(line);
}
