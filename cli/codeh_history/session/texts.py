"""Conversations of nothing but texts: their view knows who said what, and makes the rest when asked.

Most of the longest sessions are no more than that. Where no record says anything about another and no pass
of curation finds anything to do, a request is made of the texts as they stand, and no message has to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from .depth import MAX_READ, SHALLOW, depth_exceeds
from .exchanges import IDE_MARKERS, SYSTEM_PREFIX
from .fold import fold
from .model import Any, Json, Texts
from .records import VERSION, lines_of, parse
from .view import View

_ROLES = {"user": "user", "codeh": "model"}
_HASH = "#"  # every marker of an editor's context has it


class TextView(View):
    """The view of a log that holds nothing but texts and settings.

    `texts` are all that it shows, until something is asked for that they do not tell: then all of it is
    made as of any log, and `texts` is None, as in any view.
    """

    __slots__ = ("data", "texts")

    def __init__(self, data: bytes | bytearray) -> None:
        self.data = data
        self.texts: Texts | None = Texts()
        self.id = ""
        self.meta: Json = {}
        self.summaries = []

    def __getattr__(self, name: str) -> Any:
        """What was not set: whatever the texts do not tell."""
        if name not in View.__slots__:
            raise AttributeError(name)
        meta, whole = self.meta, fold(parse(lines_of(self.data), self.data))
        for slot in View.__slots__:
            setattr(self, slot, getattr(whole, slot))
        self.texts, self.meta = None, meta
        return getattr(self, name)

    def lacks(self, *keys: str) -> bool:
        return self.texts is not None or super().lacks(*keys)

    def with_settings(self, meta: Json) -> View:
        if self.texts is None:
            return super().with_settings(meta)
        copy = TextView(self.data)
        copy.id, copy.meta, copy.texts = self.id, meta, self.texts
        return copy


def view_of(
    data: bytes | bytearray, asks_more: str, coming: Iterator[bytes] | None = None
) -> TextView | None:
    """The view of a session's bytes; None where they hold more than texts.

    Or a setting whose key begins so, for what asks for more than the texts anyhow. `coming`: their lines
    where they are still to come.
    """
    view = TextView(data)
    lines = lines_of(data) if coming is None else coming
    try:
        return view if _begun(next(lines, b""), view) and _read(lines, view, asks_more) else None
    except (ValueError, KeyError, TypeError):  # no JSON, no record, not a message of one text
        return None


def _begun(line: bytes, view: View) -> bool:
    """Whether a session of this version begins with this line."""
    data = orjson.loads(line)
    if type(data) is not dict or data.get("type") != "session" or data.get("version") != VERSION:
        return False
    view.id = str(data.get("id", ""))
    return True


def _read(lines: Iterable[bytes], view: TextView, asks_more: str) -> bool:
    """Whether these lines are such a conversation; no call in the loop that a long one would wait for."""
    texts = view.texts or Texts()
    loads, said, models = orjson.loads, texts.append, texts.models
    ids: set[str] = set()
    for line in lines:
        data = loads(line)
        if data["type"] == "meta":
            if type(data["set"]) is not dict or any(key.startswith(asks_more) for key in data["set"]):
                return False
            view.meta.update(data["set"])
            continue
        (part,) = parts = data["parts"]
        text = part["text"]
        id = data["id"]
        if (
            data["type"] != "message" or type(id) is not str or len(part) != 1 or type(text) is not str
            or not text or text.isspace() or text.startswith(SYSTEM_PREFIX)
            or (_HASH in text and any(marker in text for marker in IDE_MARKERS))
            or (len(line) > SHALLOW and len(line) - len(text) > SHALLOW and depth_exceeds(line, MAX_READ))
            or "item" in data or "attached" in data or "references" in data  # more than the text is sent
        ):  # fmt: skip
            return False
        if "provider" in data and data["kind"] == "codeh" and type(data.get("model")) is str:
            models[data["provider"]] = data["model"]
        ids.add(id)
        said((_ROLES[data["kind"]], parts, id))
    view.texts = texts
    return bool(texts) and texts[0][0] == texts[-1][0] == "user" and len(ids) == len(texts)
