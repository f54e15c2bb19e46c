"""A request body as JSON in pieces, so that a long one is not in memory a second time."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from ..session.model import Json

STEP = 64  # elements of a list that are one piece


def pieces(body: Json) -> Iterator[bytes]:
    """The body and a newline; what is no long list is made before the first piece, should it be no JSON."""
    is_long = {key: type(value) is list and len(value) > STEP for key, value in body.items()}
    short = {key: orjson.dumps(value) for key, value in body.items() if not is_long[key]}
    before = b"{"
    for key, value in body.items():
        before += orjson.dumps(key) + b":"
        if key in short:
            before += short[key]
        else:
            for start in range(0, len(value), STEP):
                yield before + (b"," if start else b"[") + orjson.dumps(value[start : start + STEP])[1:-1]
                before = b""
            before = b"]"
        before += b","
    yield before.removesuffix(b",") + b"}\n"
