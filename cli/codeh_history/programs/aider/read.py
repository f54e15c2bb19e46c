"""A history of aider → a session for each run.

What is whose is told by the beginning of a line, and by the two blanks that aider ends its own marks with:
a heading or a quotation in an answer does not end so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...session.records import BOM
from ..conversation import Conversation, Names
from ..model import Session
from ..protocol import Source
from ..records import time_of
from . import NAME, START

_MARKS = {"user": "#### ", "tool": "> "}
_END = "  "
_ASKING = re.compile(r"/(?:ask|code|architect|context|chat-mode)\s+(?=\S)")  # commands whose text is sent
_COMMAND = re.compile(r"[/!]\S")
_MODEL = re.compile(r"(?:Main m|M)odel: (\S+)")
_VERSION = re.compile(r"Aider v?([\d.]+\S*)")
_TOKENS = re.compile(
    r"Tokens: ([\d.,]+k?) sent,(?: ([\d.,]+k?) cache write,)?"
    r"(?: ([\d.,]+k?) cache hit,)? ([\d.,]+k?) received"
)

Line = tuple[int, str]


def read(source: Source) -> Iterable[Session]:
    """Each run in which something was asked."""
    names = Names()
    for started, lines in _runs(source):
        session = _Run(started, lines, names).session
        if session.items:
            yield session


def _runs(source: Source) -> Iterator[tuple[str, list[Line]]]:
    """When each run began, and its lines."""
    started = ""
    held: list[Line] = []
    for number, raw in enumerate(source.lines(), 1):
        raw = raw.removeprefix(BOM) if number == 1 else raw
        if raw.startswith(START):
            if held:
                yield started, held
            started, held = raw[len(START) :].decode("utf-8", "replace").strip(), []
        else:
            held.append((number, raw.decode("utf-8", "replace").rstrip("\r\n")))
    if held:
        yield started, held


class _Run:
    """The blocks of a run: what was asked, answered, and said by aider itself."""

    def __init__(self, started: str, lines: list[Line], names: Names) -> None:
        marked = any(line.startswith(_MARKS["user"]) and line.endswith(_END) for _, line in lines)
        self.end = _END if marked else ""  # an editor may have taken the blanks away
        blocks = self.blocks(lines)
        first = next((text for whose, _, text in blocks if whose == "user"), "")
        digits = "".join(c if c.isalnum() else "-" for c in started)
        self.session = Session(NAME, names.id(None, started, first), created=time_of(started))
        if digits:
            self.session.id = f"{digits}-{self.session.id[:8]}"
        self.talk = Conversation(self.session)
        self.model: str | None = None
        for whose, number, text in blocks:
            self.talk.number = number
            {"user": self.asked, "tool": self.told, "model": self.answered}[whose](text)

    def blocks(self, lines: list[Line]) -> list[tuple[str, int, str]]:
        """Lines in a row of one: whose they are, the first one's number, their text."""
        found: list[tuple[str, int, list[str]]] = []
        for number, line in lines:
            whose, text = self.whose(line)
            if found and found[-1][0] != whose and whose == "model" and not line.strip():
                continue  # what aider puts between
            if not found or found[-1][0] != whose:
                found.append((whose, number, []))
            found[-1][2].append(text)
        return [(whose, number, "\n".join(texts)) for whose, number, texts in found]

    def whose(self, line: str) -> tuple[str, str]:
        for whose, mark in _MARKS.items():
            if line.startswith(mark) and line.endswith(self.end):
                return whose, line[len(mark) :].removesuffix(self.end)
        return "model", line

    def asked(self, text: str) -> None:
        sent = _ASKING.sub("", text, count=1)
        if text.strip() == "<blank>" or (sent == text and _COMMAND.match(text)):
            self.session.left["blank prompt" if text.strip() == "<blank>" else "command"] += 1
        else:
            self.talk.add("user", [{"text": sent}])

    def answered(self, text: str) -> None:
        if not text.strip():
            return
        if not self.session.items:
            self.session.left["text before the first prompt"] += 1
            return
        self.talk.add("codeh", [{"text": text.strip("\n")}], model=self.model)

    def told(self, text: str) -> None:
        """What aider says: its version, the model, what an answer used."""
        self.session.left["note of aider"] += 1
        for line in text.split("\n"):
            model, version, used = _MODEL.match(line), _VERSION.match(line), _TOKENS.match(line)
            if model:
                self.model = model[1].rstrip(",")
            elif version:
                self.session.version = version[1]
            elif used:
                self.used(line, used)

    def used(self, line: str, found: re.Match[str]) -> None:
        """Counts as aider rounds them."""
        sent, written, hit, received = map(_count, found.groups())
        last = self.session.items[-1] if self.session.items else None
        if last is not None and getattr(last, "kind", None) == "codeh":
            counts = {"input": sent, "output": received, "cached": hit, "cacheWrite": written}
            made = {name: count for name, count in counts.items() if count or name in ("input", "output")}
            last.fields.setdefault("usage", {**made, "raw": {"text": line}})  # type: ignore[union-attr]


def _count(text: str | None) -> int:
    if not text:
        return 0
    try:
        return round(float(text.rstrip("k").replace(",", "")) * (1000 if text.endswith("k") else 1))
    except ValueError:
        return 0
