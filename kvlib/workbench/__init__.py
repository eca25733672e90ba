"""Workbench: everything at once, on your numbers. Chapter 8.

    from kvlib.models import load
    from kvlib.units import Gbit_s
    from kvlib.workbench import Setup, report

    print(report(Setup(model=load("deepseek-v3"), link_rate=100 * Gbit_s)))

| file        | what it answers                                                            |
|-------------|----------------------------------------------------------------------------|
| `setup`     | everything that a reader states, checked together                          |
| `sizes`     | payload, moved, wire and held bytes: hits, TP, pages and format composed   |
| `reports`   | bytes, times, capacities, splits and load of one set-up                    |
| `measure`   | the measurement to take next, from what gives way first                    |
| `counters`  | the counter or log line that answers it, and the unit that it really means |
| `uncounted` | what the report leaves out                                                 |
| `sentences` | what the report says in words                                              |
| `text`      | the report as plain text and as Markdown                                   |
| `data`      | the report as a dict for JSON                                              |
| `typed`     | options of the command line, typed with their units                        |

No formula stands here that another package has: this one composes them, and refuses in one
sentence what they do not know together. `python -m kvlib` prints the same report.
"""

from kvlib.workbench.counters import COUNTERS, Counter
from kvlib.workbench.data import as_json
from kvlib.workbench.measure import MEASUREMENTS, Advice, Measurement, next_measurement
from kvlib.workbench.reports import Report, report
from kvlib.workbench.setup import Setup
from kvlib.workbench.sizes import Sizes, sizes
from kvlib.workbench.text import as_markdown, as_text, conclusions, tables
from kvlib.workbench.uncounted import not_counted

__all__ = [
    "COUNTERS",
    "MEASUREMENTS",
    "Advice",
    "Counter",
    "Measurement",
    "Report",
    "Setup",
    "Sizes",
    "as_json",
    "as_markdown",
    "as_text",
    "conclusions",
    "next_measurement",
    "not_counted",
    "report",
    "sizes",
    "tables",
]
