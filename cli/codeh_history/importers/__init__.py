"""Other programs' forms of a session, as records; a new one is a module and a line in `IMPORTERS`.

An importer takes the bytes of a file and returns the records of one session (messages without ids, times
where the source has them), or None when the bytes are not of its form.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import BadData
from ..model import Json
from ..records import MAX_DEPTH, Log, depth_exceeds
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


def read(data: bytes, form: str, name: str, *, tell: Callable[[Log], None] | None = None) -> list[Json]:
    """The records of a file in this form; `auto` finds the one form that fits.

    `tell` is called with the lines of a session of our own, of which damaged ones are left out.
    """
    session = native.session(data) if form in ("auto", "contents") else None
    if session is None and depth_exceeds(data):
        raise BadData(f"{name}: nested deeper than {MAX_DEPTH} levels")
    if session is not None:
        if tell is not None:
            tell(session)
        return native.records(session)
    for candidate in IMPORTERS if form == "auto" else (form,):
        try:
            records = IMPORTERS[candidate](data)
        except BadData as error:
            raise BadData(f"{name}: {error}") from None
        if records is not None:
            return records
    if form == "auto":
        raise BadData(f"{name}: none of the known forms ({', '.join(IMPORTERS)})")
    raise BadData(f"{name}: not in the form {form}")
