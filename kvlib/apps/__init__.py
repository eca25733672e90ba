"""Predictions, explorers and exercises as apps: controls and one pure function each."""

from kvlib import _check
from kvlib.apps import (
    bandwidth,
    budget,
    hits,
    layout,
    overlap,
    payload,
    quantization,
    queueing,
    workbench,
)
from kvlib.apps.app import App, Outcome, Result, defaults, run
from kvlib.apps.question import as_app
from kvlib.exercises import QUESTIONS

__all__ = ["APPS", "App", "Outcome", "Result", "defaults", "find", "run"]

APPS: dict[str, App] = {
    app.key: app
    for app in (
        *payload.APPS,
        *bandwidth.APPS,
        *hits.APPS,
        *layout.APPS,
        *quantization.APPS,
        *overlap.APPS,
        *budget.APPS,
        *queueing.APPS,
        *workbench.APPS,
        *(as_app(question) for question in QUESTIONS.values()),
    )
}


def find(key: str) -> App:
    """Return the app called `key`, such as "1.explore". Raises ValueError for an unknown one."""
    return APPS[_check.one_of("find", "key", key, APPS)]
