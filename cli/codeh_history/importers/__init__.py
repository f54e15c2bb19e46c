"""Other programs' forms of a session, as records; a new one is a module and a line in `IMPORTERS`.

An importer takes the bytes of a file and returns the records of one session (messages without ids, times
where the source has them), or None when the bytes are not of its form.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import BadData
from ..model import Json
from ..records import MAX_DEPTH, depth_exceeds
from . import native, requests

Importer = Callable[[bytes], list[Json] | None]

IMPORTERS: dict[str, Importer] = {
    "refs": native.refs,
    "contents": native.contents,
    "persisted": native.persisted,
    "gemini": requests.gemini,
    "anthropic": requests.anthropic,
    "openai-responses": requests.openai_responses,
    "openai-chat": requests.openai_chat,
}


def read(data: bytes, form: str, name: str) -> list[Json]:
    """The records of a file in this form; `auto` finds the one form that fits."""
    if depth_exceeds(data) and native.session(data) is None:
        raise BadData(f"{name}: nested deeper than {MAX_DEPTH} levels")
    if form == "auto":
        session = native.session(data)
        if session is not None:
            return session
        for importer in IMPORTERS.values():
            records = importer(data)
            if records is not None:
                return records
        raise BadData(f"{name}: none of the known forms ({', '.join(IMPORTERS)})")
    records = IMPORTERS[form](data)
    if records is None:
        raise BadData(f"{name}: not in the form {form}")
    return records
