"""Logs: what lines of real logs say, in the unit that they really mean. Workbench.

| file        | what it answers                                                       |
|-------------|-----------------------------------------------------------------------|
| `shapes`    | how a line is described: its marker, its numbers, printed and meant   |
| `sglang`    | SGLang's lines, as data                                               |
| `vllm`      | vLLM's lines, as data, with its NIXL and Mooncake connectors          |
| `stores`    | the lines of LMCache and of Mooncake's transfer engine, as data       |
| `reader`    | `read_log`: text into readings                                        |
| `known`     | the kinds of lines that are known, by the text that marks them        |
| `digits`    | numbers as text, none of which prints as 0 that is not                |
| `readings`  | what one line says; `explain` says it in sentences, `in_short` in one |
| `summary`   | what many lines of one kind sum up to: hit rate, medians, total rate  |
| `pools`     | tokens and the bytes that hold them, from one line or two             |
| `storage`   | how engines store K and V, and which of it a line may mean            |
| `rows`      | what a model would spend on a token of one rank, at every TP          |
| `fit`       | bytes a token beside a model's: at which TP, in which unit            |
| `transfers` | the rate of a transfer, and whether a link allows it                  |
| `findings`  | what a comparison found: a verdict, sentences, two numbers            |
| `compare`   | all of that for a pasted log                                          |

No engine has code of its own: a line is data, and a number keeps its printed text, its meaning and
what rounding hides. Not read: stack traces, configuration dumps, what a fork prints otherwise.
"""

from kvlib.logs.compare import compare
from kvlib.logs.findings import Finding
from kvlib.logs.known import known
from kvlib.logs.reader import FORMATS, LONGEST, MOST, read_log
from kvlib.logs.readings import Field, Reading, explain, in_short
from kvlib.logs.shapes import Format, Slot
from kvlib.logs.summary import summary

__all__ = [
    "FORMATS",
    "LONGEST",
    "MOST",
    "Field",
    "Finding",
    "Format",
    "Reading",
    "Slot",
    "compare",
    "explain",
    "in_short",
    "known",
    "read_log",
    "summary",
]
