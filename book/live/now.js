// The first sentence of a long form's result, in sight while its controls are.

// Call it whenever the result has changed.
export function showNow(form) {
  if (!form.querySelector(".kv-group")) return;
  const result = form.querySelector(".kv-result");
  let line = form.querySelector(".kv-now");
  if (!line) {
    line = document.createElement("p");
    line.className = "kv-now";
    line.setAttribute("aria-hidden", "true"); // it is said when it changes, and stands below
    form.querySelector(".kv-controls").append(line);
    new IntersectionObserver(([{isIntersecting}]) => line.classList.toggle("kv-below", !isIntersecting))
      .observe(result);
  }
  line.textContent = result.querySelector(".kv-headline").textContent;
  line.classList.toggle("kv-stale", result.querySelector(".kv-kept") !== null);
}
