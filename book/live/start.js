// Make the forms of this page live, once one of them comes near. A plain
// script: it also runs in a page opened from disk, and there says why not.
(() => {
  const {dataset, src} = document.currentScript;
  const forms = [...document.querySelectorAll("form[data-kv-app]")];

  function rest(reason) {
    for (const form of forms) {
      const note = form.querySelector(".kv-note");
      form.dataset.kvState = "failed";
      note.textContent = `${reason} ${note.textContent}`;
    }
  }

  if (location.protocol === "file:") {
    rest("This page was opened from disk, where a browser starts no Python. In the book's folder, make serve serves it.");
    return;
  }
  const page = () => import(new URL("page.js", src).href);
  page().then(
    ({open}) => open(forms, dataset),
    () => rest("The script behind this form could not be loaded. Reload the page to try again."),
  );
})();
