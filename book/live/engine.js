// The page's end of its one worker.
const DEADLINE = 10_000; // milliseconds for one answer: an app takes a few

// Start CPython in a worker. python is the name of its folder, beside the
// folder of this file. Resolves to ask(request), which resolves to what
// kvlib.show.live.answer returns; rejects if Python cannot start. Whatever
// ends the worker later is told to onfault(reason), once.
export function startEngine(python, onfault) {
  // Made here and not by address, the worker inherits this page's policy:
  // nothing that runs in it can reach another site either.
  const address = new URL(`worker.js#${python}`, import.meta.url).href;
  const code = new Blob([`import ${JSON.stringify(address)};`], {type: "text/javascript"});
  const waiting = new Map(); // id: {resolve, reject, timer}
  let last = 0;

  return new Promise((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(code), {type: "module"});
    let end = reject;

    function fail(reason) {
      worker.terminate();
      for (const {reject: refuse, timer} of waiting.values()) {
        clearTimeout(timer);
        refuse(new Error(reason));
      }
      waiting.clear();
      end(new Error(reason));
      end = () => {};
    }

    function ask(request) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(fail, DEADLINE, "no answer in time");
        waiting.set(id, {resolve, reject, timer});
        worker.postMessage({id, request});
      });
    }

    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "the worker could not be loaded");
    };
    worker.onmessage = ({data: {id, ready, response, fault}}) => {
      if (ready) {
        end = onfault;
        resolve(ask);
      } else if (fault !== undefined) fail(fault);
      else {
        clearTimeout(waiting.get(id).timer);
        waiting.get(id).resolve(response);
        waiting.delete(id);
      }
    };
  });
}
