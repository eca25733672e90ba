// CPython in a worker: Pyodide's core, with kvlib's own files in it. The page
// posts {id, request}; each is answered with {id, response} or {id, fault}.
// {ready: true}, or {fault} alone, says how the start went.
const here = new URL(".", import.meta.url);
const pyodide = new URL(`../${new URL(import.meta.url).hash.slice(1)}/`, here);

async function start() {
  const [{loadPyodide}, files] = await Promise.all([
    import(new URL("pyodide.mjs", pyodide).href),
    fetch(new URL("kvlib.json", here)).then((found) => {
      if (!found.ok) throw new Error(`kvlib.json: ${found.status}`);
      return found.json();
    }),
  ]);
  const python = await loadPyodide({indexURL: pyodide.href, packages: []});
  for (const [path, text] of Object.entries(files)) {
    const file = `/lib/kvlib-site/${path}`;
    python.FS.mkdirTree(file.slice(0, file.lastIndexOf("/")));
    python.FS.writeFile(file, text);
  }
  python.runPython("import sys; sys.path.insert(0, '/lib/kvlib-site')");
  return python.pyimport("kvlib.show.live").answer;
}

const started = start();
started.then(
  () => postMessage({ready: true}),
  (error) => postMessage({fault: String(error)}),
);

onmessage = async ({data: {id, request}}) => {
  try {
    const answer = await started;
    postMessage({id, response: JSON.parse(answer(JSON.stringify(request)))});
  } catch (error) {
    postMessage({id, fault: String(error)});
  }
};
