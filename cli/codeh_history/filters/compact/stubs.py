"""What stands for content that is left out: first and last lines, the last errors, the size, and the id to
expand. No clock, no randomness.

A call's arguments stay valid JSON with the same keys, a response stays an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from ...base.read_json import texts_in
from ...session.model import Json, Part
from ...tokens import media
from . import words

_MARK = " left out; codeh-history expand "
_ERROR_ROOM = 300  # an error line is cut to this many characters, and one that there is no room for
WHOLE_LINE = 1600  # characters of a line up to which it stays or goes as a whole
_SHORT = 80  # strings up to this length are never cut
ERRORS = 0.5  # of a stub: what error lines may take
_ERROR = re.compile(
    r"\b(?:ERROR|FATAL|FAIL|FAILED|FAILURE|PANIC|CRITICAL)\b"
    r"|(?:\berror|Error|Exception)(?:\[\w+\]| \w*\d+|\(s\))?(?::|\s*$)"
    r"|^\W*(?:error|fatal|panic|exception|failed|failure)\b|\b(?:[Ff]ailed|fatal|panicked)\b"
    r"|[Cc]ommand not found|[Nn]o such file|(?:[Pp]ermission|[Aa]ccess) denied|npm ERR!"
    r"|[Ss]egmentation fault"
)


def is_stub(text: str) -> bool:
    """Whether a text was shortened before; it is never shortened again."""
    return _MARK in text


def mark(what: str, id: str) -> str:
    """The note that stands where content was left out."""
    return f"[… {what}{_MARK}{id}]"


class Cut:
    """A text being shortened: its lines, and which of them stay."""

    __slots__ = ("_kept", "_own", "id", "lines", "size")

    def __init__(self, text: str, id: str, own: Sequence[int] = ()) -> None:
        """`own`: the lines that stay in any case."""
        self.lines = text.split("\n") if own else words.lines_of(text, WHOLE_LINE)
        self.size = len(text)
        self.id = id
        self._own = own
        self._kept = dict.fromkeys(own, False)  # the lines that stay, and whether without their middle

    def keep(self, room: int, *, errors: bool) -> None:
        """Keep first and last lines, one of each at least, and the last errors, in `room` characters."""
        found = error_lines(self.lines) if errors else []
        found = (
            list(words.upto(room * ERRORS, reversed(found), lambda number: len(self.lines[number])))
            or found[-1:]
        )
        room -= sum(min(_ERROR_ROOM, len(self.lines[number])) for number in found)
        order = range(len(self.lines))
        self._kept = dict.fromkeys(found, True) | dict.fromkeys(self._own, False)
        for numbers, share in ((order, room * 3 // 5), (order[::-1], room * 2 // 5)):
            self._kept |= {
                number: len(self.lines[number]) >= share for number in _ends(self.lines, numbers, share)
            }

    def __str__(self) -> str:
        """The kept lines in order; the first gap says what is missing, later ones are an ellipsis."""
        out: list[str] = []
        expected = 0
        missing = len(self.lines) - len(self._kept)
        note = mark(f"{missing:,} of {len(self.lines):,} lines, {self.size:,} characters", self.id)
        for number in (*sorted(self._kept), len(self.lines)):
            if number > expected:
                out.append(note)
                note = "…"
            if number < len(self.lines):
                line = self.lines[number]
                out.append(
                    _middle(line, _ERROR_ROOM) if self._kept[number] and len(line) > _ERROR_ROOM else line
                )
            expected = number + 1
        return "\n".join(out)


def error_lines(lines: Sequence[str]) -> list[int]:
    """Which lines report an error; equal ones once."""
    found = {line: number for number, line in reversed([*enumerate(lines)]) if _ERROR.search(line)}
    return sorted(found.values())


def _ends(lines: Sequence[str], order: Sequence[int], room: int) -> list[int]:
    """Lines from one end while they fit; at least the first that is not blank."""
    taken: list[int] = []
    solid = False
    for number in order:
        room -= len(lines[number]) + 1
        if room < 0 and solid:
            break
        taken.append(number)
        solid = solid or bool(lines[number].strip())
    return taken


def _middle(line: str, room: int) -> str:
    """A line's beginning and end."""
    return f"{line[: room * 2 // 3]} … {line[-room // 3 :]}"


class Stub:
    """A part being shortened: its cuts, and the part they make."""

    __slots__ = ("build", "cuts")

    def __init__(self, cuts: Sequence[Cut], build: Callable[[], Part]) -> None:
        self.cuts = cuts
        self.build = build

    def keep(self, room: int, *, errors: bool = True) -> None:
        """Keep the ends of each cut, in about `room` characters together, and the last of its errors."""
        total = sum(cut.size for cut in self.cuts)
        for cut in self.cuts:
            cut.keep(max(_SHORT, room * cut.size // total), errors=errors)


def stub(part: Part, id: str, own: Sequence[int] = ()) -> Stub | None:
    """A response, call, text or media to be shortened; None where it was before, or nothing in it is long.

    `own`: the lines of a text that stay.
    """
    if "functionResponse" in part:
        return _response(part, id)
    if "functionCall" in part:
        return _call(part, id)
    if "text" in part:
        return _text(part, id, own)
    return Stub((), lambda: blob(part, id))


def _response(part: Part, id: str) -> Stub | None:
    """The one long string of a response, else all of it as JSON; its media as text."""
    given = part["functionResponse"]
    content = content_of(part)
    texts = [*texts_in(content)]
    inner = given.get("parts")
    blobs = [described(p, id) for p in inner if isinstance(p, dict)] if isinstance(inner, list) else []
    longest = max(texts, key=len, default="")
    if any(map(is_stub, texts)) or (len(longest) <= _SHORT and not blobs and len(texts) < 2):
        return None
    whole = len(longest) * 2 <= len(orjson.dumps(content))
    if whole:
        longest = orjson.dumps(content).decode()
    cut = Cut(longest, id)

    def build() -> Part:
        new = {_key(content): str(cut)} if whole else _with(content, {longest: str(cut)})
        return _responding(part, {**new, "media": blobs} if blobs else new)

    return Stub([cut], build)


def _call(part: Part, id: str) -> Stub | None:
    """Every long string of the arguments."""
    given = part["functionCall"]
    args = given.get("args") or {}
    texts = [*texts_in(args)]
    cuts = {text: Cut(text, id) for text in texts if len(text) > _SHORT}
    if not cuts or any(map(is_stub, texts)):
        return None

    def build() -> Part:
        short = {text: str(cut) for text, cut in cuts.items()}
        short = {text: new for text, new in short.items() if len(new) < len(text)}
        return {**part, "functionCall": {**given, "args": _with(args, short)}}

    return Stub(list(cuts.values()), build)


def _text(part: Part, id: str, own: Sequence[int]) -> Stub | None:
    """A text; `own`: the lines of it that stay."""
    if is_stub(part["text"]):
        return None
    cut = Cut(part["text"], id, own)
    return Stub([cut], lambda: {**part, "text": str(cut)})


def own_lines(text: str) -> list[int]:
    """Which lines of a text are its author's own words."""
    return [
        number
        for number, (line, own, _) in enumerate(words.rows(text, len(text)))
        if own or not line.strip()
    ]


def bare(part: Part, why: str, id: str, own: Sequence[int] = ()) -> Part:
    """A functionResponse, or a text but for its `own` lines, of nothing but the mark."""
    if "text" in part and own:
        return {**part, "text": str(Cut(part["text"], id, own))}
    if "text" in part:
        return {**part, "text": mark(f"{len(part['text']):,} characters{f' ({why})' if why else ''}", id)}
    content = content_of(part)
    text = mark(f"{len(orjson.dumps(content)):,} bytes{f' ({why})' if why else ''}", id)
    return _responding(part, {_key(content): text})


def is_bare(part: Part) -> bool:
    if "text" in part:
        return is_stub(part["text"])
    texts = [*texts_in(part["functionResponse"].get("response"))]
    return len(texts) == 1 and texts[0].startswith("[… ") and is_stub(texts[0])


def content_of(part: Part) -> Json:
    """What a response says, as an object whatever was stored there."""
    content: object = part["functionResponse"].get("response")
    return content if isinstance(content, dict) else {"output": content}


def _key(content: Json) -> str:
    return "error" if "error" in content else "output"


def _responding(part: Part, content: Json) -> Part:
    """The response with other content, and without media."""
    given = part["functionResponse"]
    kept: Any = {key: value for key, value in given.items() if key not in ("response", "parts")}
    kept["response"] = content
    return {**part, "functionResponse": kept}


def blob(part: Part, id: str) -> Part:
    """The text that stands for inline or linked media."""
    return {"text": described(part, id)}


def described(part: Mapping[str, Any], id: str) -> str:
    """Media by type, dimensions, name and size."""
    file = part.get("fileData")
    if isinstance(file, dict):
        return mark(f"{file.get('mimeType') or 'file'} {file.get('fileUri', '')}".strip()[:100], id)
    mime, data = media.shape(part.get("inlineData"))
    about = [mime or "data"]
    size = media.dimensions(data) if mime.startswith("image/") else None
    if size:
        about.append(f"{size[0]}x{size[1]}")
    count = len(data) * 3 // 4 - data[-2:].count("=")
    return mark(f"{' '.join(about)}, {count:,} bytes", id)


def _with(value: Any, new: Mapping[str, str]) -> Any:
    """A JSON value with some of its strings replaced."""
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, dict):
        return {key: _with(inner, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with(inner, new) for inner in value]
    return value
