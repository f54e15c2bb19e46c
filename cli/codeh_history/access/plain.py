"""A conversation of plain texts, straight from its lines: most of the longest sessions are no more.

Where nothing in a session says anything about another record, its view is its messages as they stand, and
no pass changes them. The result is that of the long way, which everything else goes (a law holds that).
It is kept for its speed: 100,000 such messages take 0.8 of what a script takes that only parses and dumps
them, and 2.1 the long way.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from itertools import chain

import orjson

from ..base.jobs import COMPACT, CURATE, PASSES, Compaction, Request
from ..providers.turns import Texts
from ..session.depth import MAX_READ, SHALLOW, depth_exceeds
from ..session.exchanges import IDE_MARKERS, SYSTEM_PREFIX
from ..session.fold import View
from ..session.records import VERSION, Log

_FOLDED = (  # options that ask for a view; the others change nothing of plain texts
    "context", "persist", "user_template", "system_template", "ide_marker", "remove", "remove_cmd",
    "explain", *Compaction.DEFAULTS,
)  # fmt: skip
_PASSED = {"kinds", "invalid", "ide", "system", "post", "thoughts", "pairs"}  # which change none of these
_ROLES = {"user": "user", "codeh": "model"}
_HASH = "#"  # every marker of an editor's context has it


class Straight:
    """Its texts, a view that holds its id and settings and no message, and each provider's last model."""

    def __init__(self) -> None:
        self.view = View(Log([], [], 0, set()))
        self.texts = Texts()
        self.models: dict[str, str] = {}


def read(blocks: Iterable[bytes | int], given: Request) -> Straight | None:
    """What the session of these blocks of lines holds; None where that needs the long way."""
    if given.given(*_FOLDED) or not _PASSED.issuperset(PASSES):
        return None
    found = Straight()
    lines = chain.from_iterable(map(BytesIO, blocks))  # type: ignore[arg-type]
    try:
        return found if _begun(next(lines, b""), found.view) and _read(lines, found) else None
    except (OSError, ValueError, KeyError, TypeError):  # no JSON, no record, not a message of one text
        return None


def _read(lines: Iterable[bytes], found: Straight) -> bool:
    """Whether these lines are such a conversation; no call in the loop that a long one would wait for."""
    loads, said, models = orjson.loads, found.texts.append, found.models
    ids: set[str] = set()
    for line in lines:
        data = loads(line)
        if data["type"] == "meta":
            if type(data["set"]) is not dict or any(
                key.startswith((CURATE, COMPACT)) for key in data["set"]
            ):
                return False
            found.view.meta.update(data["set"])
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
    texts = found.texts
    return bool(texts) and texts[0][0] == texts[-1][0] == "user" and len(ids) == len(texts)


def _begun(line: bytes, view: View) -> bool:
    """Whether a session of this version begins with this line."""
    data = orjson.loads(line)
    if type(data) is not dict or data.get("type") != "session" or data.get("version") != VERSION:
        return False
    view.id = str(data.get("id", ""))
    return True
