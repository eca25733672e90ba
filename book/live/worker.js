// CPython in a worker: Pyodide's core, with kvlib's own files in it. The page
// posts {id, request}; each is answered with {id, response} or {id, fault}.
// {ready: true}, or {fault} alone, says how the start went.
const PACKAGE = "/lib/kvlib.zip";

// Pyodide only warns when its WebAssembly does not arrive whole, and then
// waits for ever. This rejects; and it takes the file from any host, also from
// one that does not know what a .wasm is.
const broken = new Promise((_, reject) => {
  const {instantiateStreaming} = WebAssembly;
  WebAssembly.instantiateStreaming = async (response, imports) => {
    try {
      const found = await response;
      if (!found.ok) throw new Error(`${found.url}: ${found.status} ${found.statusText}`);
      const isNamed = found.headers.get("Content-Type") === "application/wasm";
      return isNamed
        ? await instantiateStreaming(found, imports)
        : await WebAssembly.instantiate(await found.arrayBuffer(), imports);
    } catch (error) {
      reject(error);
      throw error;
    }
  };
});

async function start() {
  // This file's address ends with # and the name of Python's folder.
  const python = new URL(`../${new URL(import.meta.url).hash.slice(1)}/`, import.meta.url).href;
  const [{loadPyodide}, kvlib] = await Promise.all([
    import(`${python}pyodide.mjs`),
    fetch(new URL("kvlib.zip", import.meta.url)),
  ]);
  if (!kvlib.ok) throw new Error(`${kvlib.url}: ${kvlib.status} ${kvlib.statusText}`);
  const cpython = await loadPyodide({indexURL: python, packages: []});
  cpython.FS.writeFile(PACKAGE, new Uint8Array(await kvlib.arrayBuffer()));
  cpython.runPython(`import sys; sys.path.insert(0, "${PACKAGE}")`);
  return cpython.pyimport("kvlib.show.live").answer;
}

const started = Promise.race([start(), broken]);
started.then(
  () => postMessage({ready: true}),
  (error) => postMessage({fault: error.message}),
);

onmessage = async ({data: {id, request}}) => {
  try {
    const answer = await started;
    postMessage({id, response: JSON.parse(answer(JSON.stringify(request)))});
  } catch (error) {
    postMessage({id, fault: error.message});
  }
};
