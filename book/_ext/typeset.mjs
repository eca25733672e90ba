// One formula a line in, one line of HTML and MathML out. Run by typeset.py.
import {createInterface} from "node:readline";
import katex from "../browser/node_modules/katex/dist/katex.mjs";

for await (const line of createInterface({input: process.stdin})) {
  const {tex, displayMode} = JSON.parse(line);
  let answer;
  try {
    answer = {html: katex.renderToString(tex, {displayMode, strict: "error"})};
  } catch (error) {
    answer = {error: error.message};
  }
  console.log(JSON.stringify(answer));
}
