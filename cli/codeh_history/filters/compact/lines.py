"""What a message says, as sentences of what was said, and whole lines of what tools took and gave."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

from ...session.exchanges import is_ide_context
from ...session.model import Message, Part
from ...session.pairing import Call, Pairing
from ...summaries import cues, prose
from ...summaries.calls import command_of, here, paths_of
from ...summaries.results import result_value
from . import stubs, words
from .extent import Extent

# What a line is worth beside another of the same words, by whose it is.
FACTORS = {
    "asked": 4.0, "said": 3.0, "earlier": 3.0, "pasted": 0.8, "called": 1.0, "gave": 1.3, "ledger": 1.0,
}  # fmt: skip
RULE, DECISION, OPEN, FILLER = 3.0, 1.6, 1.3, 0.2  # times that
RULE_LENGTH = 240  # characters of a rule
LONGEST = 480  # and of what has a topic: who talks longer tells something
WEIGHT = 0.15  # more of a sentence, for each kind of words in it that rules and decisions are made of
DULL = 0.03  # the same for a line of imports, which says nothing about what it names
PASTED = 2000  # characters of a prompt beyond which it is what somebody pasted
TYPED = 400  # characters of a line that somebody typed
PROSE = ("asked", "said", "earlier")
OWN_LINE, LABEL = 0.3, 0.2  # tokens that part lines, and of a label for each character
FRAGMENT = 1.5  # tokens more for a sentence: many short ones are harder to follow than a long one
SHARED = 0.3  # of a label: what lines of one file bear of it, which stand together
ALONE = 0.6  # and those of one command
BRIEF = 40  # characters of a call's label
_DULL = re.compile(
    r"\s*(?:import\b|from \S+ import\b|export \{|export \* from|#include\b|using [\w.]+;|use [\w:]+;"
    r"|require\b|package [\w.]+;|[\W_]*$)"
)
_PICTURE = re.compile(  # the path of one, as it is dropped on a terminal
    r"['\"<\[(]*(?:file:/|[A-Za-z]:\\|~|\.{0,2})?[/\\].{0,300}"
    r"\.(?:png|jpe?g|gif|webp|heic|bmp|tiff?|svg|mov|mp4|webm)['\">\])]*",
    re.IGNORECASE,
)
_NAME = r"[^\W\d_a-z][\w.'-]*"
_SPEAKER = re.compile(rf"({_NAME}(?: {_NAME}){{0,3}})(?:: +|：)(?=\S)")
_NO_SPEAKER = frozenset(
    """
answer beschluss cause change conclusion constraint context decided decision done error example fix fixed
fixme fyi goal hint idea important info later measured missing next note notes open option outcome output
pending plan problem question reason remaining remember requirement resolution result results rule status
step summary task tbd tip todo update verdict warning word antwort aufgabe beispiel entscheidung ergebnis
fehlt frage grund hinweis idee offen problem regel ursache wichtig 待办 决定 规则 注意 问题 结论 原因 要求
""".split()
)  # what stands before a colon and says what kind of thing follows
_POINTS_BACK = re.compile(r"(?:so |and |but |then )?(?:that|this|it|these|das|dies)\b", re.IGNORECASE)
_ABOUT = ("query", "pattern", "url", "name", "id")


class Line:
    """A sentence or a line: whose it is, what it costs, and what kind of thing it says.

    `number` is its message's place, `row` the line of it that it stands in, `kind` one of
    `FACTORS`, `topic` what has a section of its own (`rule`, `decision`, `open`, `file`, `failed`) or "".
    `first`: the sentence that a prompt is known by.
    """

    __slots__ = (
        "cost", "factor", "features", "first", "kind", "label", "number", "place", "row", "text", "topic",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - the fields of one slotted value
        self, text: str, kind: str, number: int, *, label: str = "", row: int = 0, rate: float = 0.3,
        topic: str = "", first: bool = False, factor: float = 1.0,
    ) -> None:  # fmt: skip
        self.text = text
        self.kind = kind
        self.number = number
        self.label = label
        self.row = row
        self.topic = topic
        self.first = first
        self.cost = len(text) * rate + _beside(kind, label)
        self.factor = FACTORS[kind] * factor
        self.features: frozenset[str] | None = None
        self.place = 0  # among all lines there are

    def shorter(self) -> Line:
        """The same without its filler; code as it is."""
        from ...summaries.terse import terse

        text = terse(self.text)
        if not text or len(text) >= len(self.text):
            return self
        short = copy(self)
        short.text = text
        short.features = None
        short.cost -= (self.cost - OWN_LINE) * (1 - len(text) / len(self.text))
        return short

    def again(self) -> Line:
        """The same, to be placed among others."""
        same = Line.__new__(Line)
        same.text, same.kind, same.number, same.label, same.row = (
            self.text, self.kind, self.number, self.label, self.row,
        )  # fmt: skip
        same.topic, same.first, same.cost, same.factor = self.topic, self.first, self.cost, self.factor
        same.features, same.place = None, 0
        return same


def _beside(kind: str, label: str) -> float:
    """What a line costs beside its text."""
    if kind in PROSE:
        return OWN_LINE + FRAGMENT + len(label) * LABEL
    if kind == "ledger":
        return OWN_LINE
    return OWN_LINE + len(label) * LABEL * (ALONE if label.startswith("`") else SHARED)


class Known(NamedTuple):
    """The lines of the first `most` characters of a part, which has `size`; `on`: what they hang on too."""

    part: Part
    on: tuple[object, ...]
    most: int
    size: int
    lines: list[Line]

    def holds(self, most: int) -> bool:
        """Whether so many characters say the same."""
        return most == self.most or self.size <= min(most, self.most)


Memo = dict[int, Known]  # by where the part is in memory


class Reader:
    """Reads messages as lines, as far as there is time."""

    def __init__(
        self,
        messages: Sequence[Message],
        pairing: Pairing,
        costs: Sequence[Sequence[int]],
        extent: Extent,
        memo: Memo,
        *,
        terse: bool = False,
    ) -> None:
        """`costs` of the messages' parts; `memo`: what was read before; `terse`: no filler."""
        self._messages = messages
        self._terse = terse
        self._costs = costs
        self._extent = extent
        self._memo = memo
        if len(memo) > 2 * sum(map(len, costs)):
            memo.clear()
        self._calls: dict[tuple[str, int], Call] = {}
        for call in pairing.calls:
            self._calls[call.message.id, call.part] = call
            if call.answer is not None:
                self._calls[call.answer.message.id, call.answer.part] = call

    @property
    def whole(self) -> bool:
        """Whether all is read."""
        return self._extent.whole

    def lines(self, number: int) -> list[Line]:
        """The lines of a message, in order; nothing of thoughts and of an editor's context."""
        message = self._messages[number]
        read = [
            (place, message.parts[place], most)
            for place, most in enumerate(self._extent.of(number))
            if most and not message.parts[place].get("thought")
        ]
        if not read or is_ide_context(message):
            return []
        return [line for place, part, most in read for line in self._once(number, place, part, most)]

    def _once(self, number: int, place: int, part: Part, most: int) -> list[Line]:
        """The lines of a part, as they were read before if all that they hang on is the same."""
        message = self._messages[number]
        call = self._calls.get((message.id, place))
        cost, asked = self._costs[number][place], call.message.parts[call.part] if call else None
        on = number, message.id, message.role, cost, asked, self.whole, self._terse
        known = self._memo.get(id(part))
        if known is not None and known.part is part and known.on == on and known.holds(most):
            return [line.again() for line in known.lines]
        lines, size = self._of_part(number, place, part, most)
        self._memo[id(part)] = Known(part, on, most, size, lines)
        return lines

    def _of_part(self, number: int, place: int, part: Part, most: int) -> tuple[list[Line], int]:
        """The lines of its first `most` characters, and how many it has."""
        message = self._messages[number]
        if "functionCall" in part or "functionResponse" in part:
            return self._of_tool(number, place, part, most)
        if "inlineData" in part or "fileData" in part:
            return [Line(stubs.described(part, message.id), "gave", number, label="File")], 0
        text = part.get("text") or ""
        rate = self._rate(number, place, len(text))
        user = message.role == "user"
        if not (user or self._extent.whole):
            found = plainly(text[:most], number, rate)
        else:
            found = typed(text[:most], number, user=user, rate=rate)
        return [line.shorter() for line in found] if self._terse else list(found), len(text)

    def _of_tool(self, number: int, place: int, part: Part, most: int) -> tuple[list[Line], int]:
        call = self._calls.get((self._messages[number].id, place))
        if "functionCall" in part:
            kind, name, value = "called", part["functionCall"]["name"], part["functionCall"].get("args")
        else:
            given = part["functionResponse"]
            kind, name, value = "gave", given["name"], result_value(given.get("response"))
        args = call.args if call is not None else {}
        label = brief(name, args)
        whole, value = (len(value), value[:most]) if isinstance(value, str) else (0, value)
        found = list(told(value))
        size = sum(map(len, found))
        rate = self._rate(number, place, size)
        lines, left = list[Line](), most
        for row, text in enumerate(found):
            left -= len(text)
            if left < 0:
                break
            if text.rpartition(": ")[2] not in label:
                lines.append(
                    Line(text, kind, number, label=label, row=row, rate=rate, factor=dullness(text))
                )
        return lines, max(whole, size)

    def _rate(self, number: int, place: int, size: int) -> float:
        """What a character costs, in tokens."""
        return min(1.5, max(0.1, self._costs[number][place] / max(1, size)))


def plainly(text: str, number: int, rate: float) -> Iterator[Line]:
    """The lines of what the model said, without a look at what they say."""
    for row, line in enumerate(text.split("\n")):
        if line.strip():
            yield Line(line.strip(), "said", number, label="Model", row=row, rate=rate)


def typed(text: str, number: int, *, user: bool, rate: float) -> Iterator[Line]:
    """The sentences of what somebody said; of a line that names its speaker, under that name."""
    kind, label = ("asked", "User") if user else ("said", "Model")
    first = user
    seen = 0
    for row, line in enumerate(text.split("\n")):
        seen += len(line)
        line = line.strip()
        if not line or (user and is_command(line)):
            continue
        if user and _PICTURE.fullmatch(line):
            yield Line(line, "pasted", number, label=label, row=row, rate=rate, factor=FILLER)
            continue
        if user and (seen > PASTED or len(line) > PASTED or dullness(line) < 1 or not prose.is_prose(line)):
            for piece in words.lines_of(line):
                whose = "pasted" if seen > TYPED else kind
                yield Line(piece, whose, number, label=label, row=row, rate=rate,
                           factor=dullness(piece), first=first)  # fmt: skip
                first = False
            continue
        who = _SPEAKER.match(line)
        if who and who[1].split()[-1].lower() in _NO_SPEAKER:
            who = None
        speaker = who[1] if who else label
        rest = line[who.end() :] if who else line
        for sentence, topic, factor in _sentences(rest, user=user):
            yield Line(
                sentence, kind, number,
                label=speaker, row=row, rate=rate, topic=topic, factor=factor, first=first,
            )  # fmt: skip
            first = False


def is_command(line: str) -> bool:
    """Whether a line is nothing but a command of the program that it is typed in: `/theme`."""
    return line[0] == "/" and line[1:].isalpha()


def _sentences(text: str, *, user: bool) -> list[tuple[str, str, float]]:
    """The sentences of a line, with what they say; `So that is decided` goes with the one before."""
    found: list[tuple[str, str, float]] = []
    for sentence in prose.split(text):
        topic, factor = about(sentence, user=user)
        asked = topic == "open" and found and found[-1][0][-1:] in "?？"  # `Does it scale? Nobody knows.`
        if topic in ("decision", "open") and (asked or _POINTS_BACK.match(sentence)):
            if found:
                sentence = f"{found.pop()[0]} {sentence}"
            else:
                topic = ""
        found.append((sentence, topic, factor))
    return found


def about(sentence: str, *, user: bool) -> tuple[str, float]:
    """What kind of thing a sentence says, and what that is worth."""
    if len(sentence) > LONGEST:
        return "", 1.0
    sure = 0.0
    if not cues.none(sentence):  # as most say nothing of the kind
        sure = cues.rule(sentence) if user else 0.0
        if sure >= 2 and len(sentence) <= RULE_LENGTH:
            return "rule", RULE
        if cues.decision(sentence) == 2:
            return "decision", DECISION
        if cues.open_end(sentence):
            return "open", OPEN
    return "", FILLER if prose.is_filler(sentence) else 1.0 + sure / 4 + WEIGHT * cues.weight(sentence)


def dullness(line: str) -> float:
    """The factor of a line of a tool's: imports, and lines without a word, say little."""
    return DULL if _DULL.match(line) else 1.0


def brief(name: str, args: Any) -> str:
    """A call in a few words: its command in backticks, its file, else its name and an argument."""
    given = args if isinstance(args, dict) else {}
    command = command_of(given)
    if command:
        return f"`{prose.clip(here(command), BRIEF)}`"
    path = next(iter(paths_of(given)), "")
    if path:
        return prose.clip("/".join(path.split("/")[-2:]), BRIEF)
    plain = [str(given[key]) for key in (*_ABOUT, *given) if isinstance(given.get(key), (str, int))]
    return prose.clip(f"{name} {next(iter(plain), '')}", BRIEF)


def told(value: Any) -> Iterator[str]:
    """The lines of a value: of a text its own, of JSON one for each object's plain fields."""
    if isinstance(value, str):
        yield from (line.rstrip() for line in words.lines_of(value) if len(line.strip()) > 2)
    elif isinstance(value, Mapping):
        fields: list[str] = []
        inner: list[Any] = []
        for key, item in value.items():
            if (isinstance(item, (Mapping, list)) and not _is_plain(item)) or (
                isinstance(item, str) and ("\n" in item or len(item) > words.LONG_FIELD)
            ):
                inner.append(item)
            elif item is not None:
                fields.append(f"{key}: {_plain(item)}")
        yield from _joined(fields)
        for item in inner:
            yield from told(item)
    elif isinstance(value, list):
        for item in value:
            yield from told(item)
    elif value is not None:
        yield _plain(value)


def pieces(part: Part) -> list[str]:
    """What stands between blanks in a part, whatever it is; nothing of thoughts."""
    if part.get("thought"):
        return []
    if "functionCall" in part:
        texts = scalars(part["functionCall"].get("args"))
    elif "functionResponse" in part:
        texts = scalars(part["functionResponse"].get("response"))
    else:
        texts = [part.get("text", "")]
    return " ".join(texts).split()


def scalars(value: Any) -> list[str]:
    """All plain values in a JSON value, as texts."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in scalars(item)]
    if isinstance(value, list):
        return [text for item in value for text in scalars(item)]
    return [] if value is None else [_plain(value)]


def _joined(fields: Sequence[str]) -> Iterator[str]:
    """The fields of an object in as few lines as are not too long."""
    line = ""
    for field in fields:
        if line and len(line) + len(field) > words.LONG_FIELD:
            yield line
            line = ""
        line = f"{line}, {field}" if line else field
    if line:
        yield line


def _is_plain(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) < 9 and not any(isinstance(v, (dict, list)) for v in value)
    )


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_plain, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
