// The set-up that a reader keeps to compare: its texts lie in a hidden field.

// form: with the buttons that kvlib.show.html gives. typed(): control key to
// text. put(texts): into the fields, and the result follows.
export function keeping(form, typed, put) {
  const field = form.querySelector(".kv-keeping textarea");
  if (!field) return {refresh() {}};

  function own() {
    const {[field.name]: kept, ...rest} = typed();
    return rest;
  }

  const actions = {
    keep: () => put({[field.name]: JSON.stringify(own())}),
    swap: () => put({...JSON.parse(field.value), [field.name]: JSON.stringify(own())}),
    forget: () => put({[field.name]: ""}),
  };

  return {
    // Nothing can be done with what is not kept.
    refresh() {
      for (const button of form.querySelectorAll("[data-kv-do]")) {
        button.disabled = button.dataset.kvDo !== "keep" && !field.value;
      }
    },
    press: ({target}) => actions[target.dataset?.kvDo]?.(),
  };
}
