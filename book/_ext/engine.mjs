// Compile for the browser what a page's Python imports, under that Python.
// Arguments: Pyodide's folder, the folder that holds kvlib, the target. Run by
// live.py; the work is done by archives.py.
import {readFileSync} from "node:fs";

const [pyodide, site, target] = process.argv.slice(2);
const {loadPyodide} = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({packages: []});
for (const [place, root] of Object.entries({"/pyodide": pyodide, "/site": site, "/out": target})) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, {root}, place);
}
python.runPython(readFileSync(new URL("archives.py", import.meta.url), "utf8"));
