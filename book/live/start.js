// Make the forms of this page live, once one of them comes near. A plain
// script: it also runs in a page opened from disk, and there says why not.
(() => {
  const {dataset, src} = document.currentScript;
  const forms = [...document.querySelectorAll("form[data-kv-app]")];
  for (const form of forms) form.querySelector("noscript")?.remove();

  function rest(reason) {
    for (const form of forms) {
      const note = form.querySelector(".kv-note");
      form.dataset.kvState = "failed";
      note.textContent = `${reason} ${note.textContent}`;
    }
  }

  if (location.protocol === "file:") {
    rest("This page was opened from disk, where browsers let it start nothing. It is live at an address: python3 -m http.server, run in the site's folder, gives it one.");
    return;
  }
  import(new URL("page.js", src).href).then(
    ({open}) => open(forms, dataset),
    () => rest("The script behind this form could not be loaded. Reload the page to try again."),
  );
})();
