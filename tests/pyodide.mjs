// Run Python in Node on the files of a built page. In, as JSON: the folders of
// its scripts and of its Python, code that defines run(text), and that text;
// out: what run returns.
import {readFileSync} from "node:fs";
import {text} from "node:stream/consumers";

const {scripts, python, code, argument} = JSON.parse(await text(process.stdin));
const {loadPyodide} = await import(`${python}/pyodide.mjs`);
const cpython = await loadPyodide({indexURL: `${python}/`, packages: []});
cpython.FS.writeFile("/lib/kvlib.zip", readFileSync(`${scripts}/kvlib.zip`));
cpython.runPython("import sys; sys.path.insert(0, '/lib/kvlib.zip')");
cpython.runPython(code);
process.stdout.write(cpython.globals.get("run")(argument));
