// Run Python of this repository under Pyodide in Node. In, as JSON: the
// repository's folder, code that defines run(text), and its text; out: what
// run returns.
import {text} from "node:stream/consumers";

const {root, code, argument} = JSON.parse(await text(process.stdin));
const {loadPyodide} = await import(`${root}/book/browser/node_modules/pyodide/pyodide.mjs`);
const python = await loadPyodide({packages: []});
python.FS.mkdirTree("/repository");
python.FS.mount(python.FS.filesystems.NODEFS, {root}, "/repository");
python.runPython("import sys; sys.path.insert(0, '/repository'); sys.dont_write_bytecode = True");
python.runPython(code);
process.stdout.write(python.globals.get("run")(argument));
