"""`exchanges`: a JSON array of history entries, one an exchange, the oldest first."""

from __future__ import annotations

import orjson

from ..session.exchanges import exchanges
from ..session.fold import View
from .entries import written


def export(view: View, last: int | None = None) -> bytes:
    """Every exchange, or the `last` so many."""
    found = [written(group) for group in exchanges(view.messages)]
    return orjson.dumps(found if last is None else found[-last:], option=orjson.OPT_INDENT_2) + b"\n"
