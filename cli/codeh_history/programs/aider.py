"""Read aider's Markdown file, to which it appends all its runs in a folder (`.aider.chat.history.md`).

The prefix of a line shows who wrote it. Lines that aider marked also end in two spaces, unlike headings and
quotations in an answer. Each run is a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..session.model import Json
from ..session.records import BOM
from .fields import time_of
from .model import Entry, Session
from .parts import ConversationIds
from .protocol import Head, Program, Source

_START = "# aider chat started at "
_MARKS = {"user": "#### ", "aider": "> "}
_END = "  "
_ASKING = re.compile(r"/(?:ask|code|architect|context|chat-mode)\s+(?=\S)")  # commands whose text is sent
_COMMAND = re.compile(r"[/!]\S")
_MODEL = re.compile(r"(?:Main m|M)odel: (\S+)")
_VERSION = re.compile(r"Aider v?([\d.]+\S*)")
_COUNT = r"(\d[\d,]*(?:\.\d+)?k?)"
_TOKENS = re.compile(
    f"Tokens: {_COUNT} sent,(?: {_COUNT} cache write,)?(?: {_COUNT} cache hit,)? {_COUNT} received"
)

Block = tuple[str, int, str]  # author, number of the first line, text


def recognises(head: Head) -> bool:
    start = _START.encode()
    return head.data.lstrip().startswith(start) or b"\n" + start in head.data


def read(source: Source, program: Program) -> Iterator[Session]:
    """Yield each run that has messages."""
    runs: list[tuple[str, list[tuple[int, str]]]] = [("", [])]  # start time, numbered lines
    for number, raw in enumerate(source.lines(), 1):
        line = (raw.removeprefix(BOM) if number == 1 else raw).decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith(_START):
            runs.append((line.removeprefix(_START).strip(), []))
        else:
            runs[-1][1].append((number, line))
    ids = ConversationIds()
    for started, lines in runs:
        blocks = _blocks(lines)
        first = next((text for who, _, text in blocks if who == "user"), "")
        session = Session(program.name, ids.assign(None, started, first), created=time_of(started))
        digits = "".join(c if c.isalnum() else "-" for c in started)
        session.id = f"{digits}-{session.id[:8]}" if digits else session.id
        _fill(session, blocks)
        if session.items:
            yield session


def _blocks(lines: list[tuple[int, str]]) -> list[Block]:
    """Group consecutive lines by author."""
    marked = any(line.startswith(_MARKS["user"]) and line.endswith(_END) for _, line in lines)
    end = _END if marked else ""  # the spaces may have been stripped by an editor
    blocks: list[tuple[str, int, list[str]]] = []
    for number, line in lines:
        marks = (item for item in _MARKS.items() if line.startswith(item[1]) and line.endswith(end))
        who, mark = next(marks, ("model", ""))
        if not blocks or blocks[-1][0] != who:
            if blocks and who == "model" and not line.strip():
                continue  # a separator
            blocks.append((who, number, []))
        blocks[-1][2].append(line[len(mark) :].removesuffix(end) if mark else line)
    return [(who, number, "\n".join(texts)) for who, number, texts in blocks]


def _fill(session: Session, blocks: list[Block]) -> None:
    """Add a run's prompts and answers, with version, model and usage from aider's notes."""
    model: str | None = None
    for who, session.number, text in blocks:
        sent = _ASKING.sub("", text, count=1)
        if who == "aider":
            session.skip("note of aider")
            for line in text.split("\n"):
                if named := _MODEL.match(line):
                    model = named[1].rstrip(",")
                elif version := _VERSION.match(line):
                    session.version = version[1]
                elif used := _TOKENS.match(line):
                    _add_usage(session, line, used)
        elif who == "user":
            if text.strip() == "<blank>":
                session.skip("blank prompt")
            elif sent == text and _COMMAND.match(text):
                session.skip("command")
            else:
                session.add("user", [{"text": sent}])
        elif text.strip() and session.items:
            session.add("codeh", [{"text": text.strip("\n")}], model=model)
        else:
            session.skip("text before the first prompt", bool(text.strip()))


def _add_usage(session: Session, line: str, counted: re.Match[str]) -> None:
    """Add the usage of the last answer, which aider rounds."""
    last = session.items[-1] if session.items else None
    if isinstance(last, Entry) and last.kind == "codeh":
        counts: Json = {}
        for name, text in zip(("input", "cacheWrite", "cached", "output"), counted.groups(), strict=True):
            if text:
                thousands = 1000 if text.endswith("k") else 1
                counts[name] = round(float(text.rstrip("k").replace(",", "")) * thousands)
        last.fields.setdefault("usage", {**counts, "raw": {"text": line}})


PROGRAM = Program("aider", "aider", recognises, read)
