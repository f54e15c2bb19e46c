"""Split messages into lines: sentences of what people and models say, whole lines of tool input and
output.

A line knows its speaker, and whether the words are the speaker's: text in a fence, quote, tag, table, log
or long paste is `pasted`, whoever sent it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...session.exchanges import NOT_USERS, is_ide_context, tools_named
from ...session.labels import MODEL, USER, is_ours
from ...session.model import Part
from ...session.pairing import Call
from ...summaries import cues, prose
from ...summaries.calls import command_of, paths_of, without_cd
from ...summaries.clipped import clip
from ...summaries.own_words import LONG, rows
from ...summaries.results import result_value
from . import stubs, words
from .units import CHAT, PEOPLE, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .draft import History

PROSE = ("asked", "said")
WHOLE = 1_500_000  # characters up to which a history is read whole
READ = 200_000  # at least so many characters of a longer one
BRIEF = 40  # characters of a call's label
HEAD = 100  # characters of the head of a list, and of an item that needs it
LONG_FIELD = 200  # longer fields get a line of their own
DULL = re.compile(
    r"\s*(?:import\b|from \S+ import\b|export \{|export \* from|#include\b|using [\w.]+;|use [\w:]+;"
    r"|require\b|package [\w.]+;|[\W_]*$)"
)
_NUMBERED = re.compile(r" *\d+(?:→|\t|[|:] ?)")  # line numbers, as tools print them
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_MARK = re.compile(r"^(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+|#{1,6}\s+)+")
_SPEAKER = re.compile(r"([^\W\d_a-z][\w.'-]*(?: [^\W\d_a-z][\w.'-]*){0,3})(?:: +|：)(?=\S)")
_NO_SPEAKER = frozenset("""
answer cause change conclusion constraint context decided decision done error example fix fixed fixme goal
hint idea important info later measured missing next note notes open option outcome output pending plan
problem question reason remaining remember requirement result results rule status step summary task tbd tip
todo update warning rules requirements
""".split())  # fmt: skip


@dataclass(slots=True, eq=False)
class Line:
    """A sentence, or a line of tool input or output.

    `kind`: asked, said, pasted, called, gave, or file, failed, done (ledger). `topic`: rule, decision,
    open, or "". `head`: the line above a list that its items need. `number`: position of the message;
    `row`: of the line in it; `place`: among all lines; `first`: the first own sentence
    of a prompt.
    """

    kind: str
    speaker: str
    text: str
    id: str
    cost: float
    number: int = 0
    row: int = 0
    topic: str = ""
    head: str = ""
    first: bool = False
    place: int = 0
    words: frozenset[str] = frozenset()


class Reader:
    """Splits the messages of a history into lines; of a very long history only the beginning of
    each part.
    """

    def __init__(self, history: History, room: float) -> None:
        self._messages = history.messages
        self._tokens = history.tokens
        self._calls: Mapping[Place, Call] = history.layout.calls
        self._shape = history.shape
        sizes = [cost * history.counter.characters for costs in history.tokens for cost in costs]
        most = max(READ, int(room * history.counter.characters))
        self._most = WHOLE if sum(sizes) <= WHOLE else words.water_level(sizes, most)

    def lines(self, number: int) -> list[Line]:
        """Return the lines of a message, without thoughts and editor context."""
        message = self._messages[number]
        if is_ide_context(message):
            return []
        lines: list[Line] = []
        for place, part in enumerate(message.parts):
            if "functionCall" in part or "functionResponse" in part:
                lines += self._tool(number, place, part)
            elif "inlineData" in part or "fileData" in part:
                lines.append(Line("gave", "File", stubs.described(part, message.id), message.id, 20))
            elif not part.get("thought"):
                text = part.get("text") or ""
                rate = self._rate(number, place, len(text))
                speaker = MODEL if message.role == "model" else USER
                lines += spoken(cut(text, self._most), speaker, message.id, rate, self._shape)
        used = tools_named(message)  # some histories name tools without their calls
        if used:
            text = f"used {', '.join(used)}"
            lines.append(Line("done", "", text, message.id, len(text) / 3 + 1))
        for line in lines:
            line.number = number
        return lines

    def _tool(self, number: int, place: int, part: Part) -> Iterator[Line]:
        call = self._calls.get((number, place))
        if "functionCall" in part:
            kind, name, value = "called", part["functionCall"]["name"], part["functionCall"].get("args")
        else:
            result = part["functionResponse"]
            kind, name, value = "gave", result["name"], result_value(result.get("response"))
        label = brief(name, call.args if call is not None else {})
        texts = list(flat(cut(value, self._most) if isinstance(value, str) else value))
        rate = self._rate(number, place, sum(map(len, texts)))
        read = 0
        for row, text in enumerate(texts):
            read += len(text)
            if read > self._most:
                break
            if text.rpartition(": ")[2] not in label:
                cost = len(text) * rate + 1 + len(label) * 0.06
                yield Line(kind, label, text, self._messages[number].id, cost, row=row)

    def _rate(self, number: int, place: int, size: int) -> float:
        """Tokens per character."""
        return min(1.5, max(0.1, self._tokens[number][place] / max(1, size)))


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, cut at the end of a sentence or line, else of a word."""
    if len(text) <= most:
        return text
    head = text[:most]
    end = max(head.rfind(sign) + len(sign) for sign in ("\n", ". ", "? ", "! ", "。", "？", "！"))
    return head[:end] if end > most // 2 else f"{head[: max(head.rfind(' '), most // 2)].rstrip()}…"


def spoken(text: str, speaker: str, id: str, rate: float, shape: str = "") -> Iterator[Line]:
    """Split a text into sentences, and pasted text into lines.

    In a chat with an assistant nothing counts as open, because the next answer closes it. Among people a
    turn that begins with its speaker's name is the speaker's, however long.
    """
    user, chat = speaker == USER, shape == CHAT
    turn = shape == PEOPLE and _named(text.partition("\n")[0], speaker)[0] != speaker
    others = user and text.startswith(NOT_USERS)
    head, first = "", user and not others
    for row, (line, own, early) in enumerate(rows(text, len(text) if turn else LONG, user=user)):
        bare = line.strip()
        if not bare or (user and bare[0] == "/" and bare[1:].isalpha()):
            continue
        if others or not own:
            for piece in words.lines_of(line.rstrip()):
                yield Line("pasted", speaker, piece, id, len(piece) * rate + 1, row=row)
            continue
        item = _ITEM.match(line) is not None
        head = head if item else ""
        who, rest = (speaker, _MARK.sub("", bare)) if item else _named(_MARK.sub("", bare), speaker)
        for sentence in prose.split(rest):
            topic = cues.topic(sentence, user=user) if early else ""
            topic = "" if chat and topic == "open" else topic
            its_head = head if item and len(sentence) <= HEAD else ""
            cost = (len(sentence) + len(its_head) / 3) * rate + 1.5
            yield Line(
                "asked" if user else "said", who, sentence, id, cost,
                row=row, topic=topic, head=its_head, first=first,
            )  # fmt: skip
            first = False
        if rest.endswith(":") or bare[0] == "#" or (bare[:2] == bare[-2:] == "**"):
            head = clip(rest.strip("*"), HEAD)


def _named(text: str, speaker: str) -> tuple[str, str]:
    """Split `Ann: Hi.` into speaker and text; our own labels are not speakers."""
    who = _SPEAKER.match(text)
    if who is None or is_ours(who[1]) or who[1].split()[-1].lower() in _NO_SPEAKER:
        return speaker, text
    return who[1], text[who.end() :]


def brief(name: str, args: Any) -> str:
    """Label a call: its command in backticks, else its file, else its name and an argument."""
    fields = args if isinstance(args, dict) else {}
    command = command_of(fields)
    if command:
        return f"`{clip(without_cd(command), BRIEF)}`"
    path = next(iter(paths_of(fields)), "")
    if path:
        return clip("/".join(path.split("/")[-2:]), BRIEF)
    plain = [str(value) for value in fields.values() if isinstance(value, (str, int))]
    return clip(f"{name} {min(plain, key=len, default='')}", BRIEF)


def flat(value: Any) -> Iterator[str]:
    """Flatten a value into lines: a text into its own, JSON into one for the plain fields of each
    object.
    """
    if isinstance(value, str):
        texts = words.lines_of(value)
        if sum(_NUMBERED.match(line) is not None for line in texts) * 2 > len(texts) > 1:
            texts = [_NUMBERED.sub("", line, count=1) for line in texts]
        yield from (line.rstrip() for line in texts if len(line.strip()) > 2)
    elif isinstance(value, Mapping):
        line = ""
        for field in (f"{key}: {_plain(item)}" for key, item in value.items() if _is_plain(item)):
            if line and len(line) + len(field) > LONG_FIELD:
                yield line
                line = ""
            line = f"{line}, {field}" if line else field
        yield from [line] if line else []
        yield from (text for item in value.values() if not _is_plain(item) for text in flat(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in flat(item))
    elif value is not None:
        yield _plain(value)


def texts_of(part: Part) -> str:
    """All text of a part, except thoughts."""
    if part.get("thought"):
        return ""
    if "functionCall" in part:
        return "\n".join(flat(part["functionCall"].get("args")))
    if "functionResponse" in part:
        return "\n".join(flat(part["functionResponse"].get("response")))
    return part.get("text", "")


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) < 9 and not any(isinstance(item, (dict, list)) for item in value)
    if isinstance(value, str):
        return "\n" not in value and len(value) <= LONG_FIELD
    return value is not None and not isinstance(value, Mapping)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_plain, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
