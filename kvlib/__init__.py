"""kvlib: what it costs to move a KV cache, one idea per file.

| layer | module      | what it answers                                             |
|-------|-------------|-------------------------------------------------------------|
| 0     | `units`     | GB or GiB, bits or bytes: read and print a quantity         |
| 0     | `palette`   | one colour and one dash a stage, for every drawing          |
| 0     | `wording`   | times, rates and shares in words that mislead nobody        |
| 1     | `payload`   | how many bytes N cached tokens occupy                       |
| 1     | `bandwidth` | how fast a path can move them, at the very best             |
| 1     | `queueing`  | how long requests wait for servers and for a link they share |
| 2     | `models`    | the same for a named model or a Hugging Face `config.json`  |
| 2     | `hits`      | what a cache hit at either end spares: work, or bytes       |
| 2     | `engines`   | how a given engine stores and sends what the model holds    |
| 2     | `layout`    | which rank holds which heads, and who sends what to whom    |
| 3     | `budget`    | which stage of a service gives way first                    |
| 3     | `workbench` | everything at once, on your numbers: `python -m kvlib`      |
| 4     | `figures`   | the drawings that the book repeats                          |
| 4     | `exercises` | questions as data, and the check of an answer               |
| 4     | `apps`      | predictions and explorers: controls and one pure function   |
| 5     | `show`      | an app as Jupyter widgets or as an HTML form                |

Imports point up this table only. Nothing is re-exported here: write
`from kvlib.payload import payload_bytes`.
"""

__all__: list[str] = []
