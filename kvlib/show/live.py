"""An app answered as data, text in and text out: what the page's worker calls."""

import json

from kvlib import apps
from kvlib.show import html

__all__ = ["answer"]


def answer(request: str) -> str:
    """Return what an app answers, as JSON, to what a page sends, as JSON.

    In: `key` of the app, `typed` (control key to text), `last` (what was typed when all of it could
    be read, or null). Out: `errors` (control key to sentence), `html` of the result, or of the one
    for `last` while there are errors, its `state`, and `say`, the sentence to read aloud.
    Raises ValueError for an unknown key or a missing control, which no page of the book sends.

    >>> typed = {"key": "1.1", "typed": {"answer": "1 GiB"}, "last": None}
    >>> json.loads(answer(json.dumps(typed)))["say"]
    'Correct: 1.00 GiB.'
    """
    asked = json.loads(request)
    app = apps.find(asked["key"])
    outcome = apps.run(app, asked["typed"])
    kept = outcome.result is None
    shown = apps.run(app, asked["last"] or apps.defaults(app)).result if kept else outcome.result
    return json.dumps(
        {
            "errors": outcome.errors,
            "html": html.joined(html.result(shown, kept=kept)),
            "state": shown.state,
            "say": "" if kept else shown.headline,
        }
    )
