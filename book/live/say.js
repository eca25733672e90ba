// Say a sentence to screen readers, once nothing newer comes for `pause` ms.
const region = document.createElement("p");
region.className = "kv-say";
region.setAttribute("role", "status");
document.body.append(region);

let timer;

export function say(sentence, pause = 0) {
  hush();
  timer = setTimeout(() => {
    // The same words again are news to the reader who pressed again.
    region.textContent = region.textContent === sentence ? `${sentence}\u00a0` : sentence;
  }, pause);
}

// What was to be said is no longer so.
export function hush() {
  clearTimeout(timer);
}
