"""The workbench of chapter 8: everything at once, on the reader's own numbers.

| file       | what it holds                                                   |
|------------|-----------------------------------------------------------------|
| `controls` | what a reader sets                                              |
| `setup`    | the same as a Setup, and what does not go together              |
| `parts`    | capacities, splits, a log, the next measurement, what is left out |
| `queue`    | simulated runs, and the rates that meet the target              |
| `notes`    | what is typed and not used, or assumed                          |
| `compare`  | two set-ups side by side                                        |
| `answers`  | all of it as one result, with texts to copy                     |
"""

from kvlib.apps.workbench.answers import APPS

__all__ = ["APPS"]
