"""What a message says, as sentences of what was said, and whole lines of what tools took and gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...session.exchanges import is_ide_context, tools_named
from ...session.model import Message, Part
from ...session.pairing import Call
from ...summaries.calls import command_of, here, paths_of
from ...summaries.clipped import clip
from ...summaries.results import result_value
from . import stubs, words
from .extent import Extent
from .line import Line, dullness
from .readings import Place, Readings, Text
from .speech import below_pictures

BRIEF = 40  # characters of a call's label
ENDS = ("\n", ". ", "? ", "! ", "。", "\uff1f", "\uff01")  # of sentences and lines
_ABOUT = ("query", "pattern", "url", "name", "id")

Read = tuple[int, int]  # how many characters of a part were read, and how many it has


class Known(NamedTuple):
    """The lines of a message, and what they hang on: how much of each part was read, and how.

    `asked` are the calls that its results answer.
    """

    message: Message
    costs: Sequence[int]
    how: tuple[bool, bool]
    asked: Sequence[tuple[Place, Part | None]]
    read: Sequence[Read]
    lines: list[Line]

    def holds(self, most: Sequence[int]) -> bool:
        """Whether so many characters of each part say the same."""
        return all(
            new == old or (new and old and size <= min(new, old))
            for new, (old, size) in zip(most, self.read, strict=True)
        )


Memo = dict[int, Known]  # by the message's position


class Reader:
    """Reads messages as lines, as far as there is time."""

    def __init__(
        self,
        messages: Sequence[Message],
        calls: Mapping[Place, Call],
        costs: Sequence[Sequence[int]],
        extent: Extent,
        memo: Memo,
        cache: str | None = None,
        *,
        terse: bool = False,
    ) -> None:
        """`calls`, of each call and each result; `costs` of the messages' parts; `terse`: no filler.

        `memo`: what was read before; its lines are given again. `cache`: what remembers how texts read.
        """
        self._messages = messages
        self._calls = calls
        self._terse = terse
        self._costs = costs
        self.extent = extent
        self._memo = memo
        self._readings = Readings(cache)
        self._texts: dict[Place, Text] = {}

    def all(self, numbers: Iterable[int]) -> list[Line]:
        """The lines of the messages of which anything is read."""
        some = self.extent.some(numbers)
        self._texts = self._begun(number for number in some if number not in self._memo)
        self._readings.recall(self._texts)
        found = [line for number in some for line in self.lines(number)]
        self._readings.remember()
        return found

    def _begun(self, numbers: Iterable[int]) -> dict[Place, Text]:
        """What of these messages is read sentence by sentence."""
        return {
            (number, place): text
            for number in numbers
            if self.extent.whole or self._messages[number].role == "user"
            for place, (part, most) in enumerate(
                zip(self._messages[number].parts, self.extent.of(number), strict=True)
            )
            if (text := self._text(number, part, most)) is not None
        }

    def _text(self, number: int, part: Part, most: int) -> Text | None:
        """The first `most` characters of a part that is read so, if it is one."""
        user = self._messages[number].role == "user"
        if not most or not (user or self.extent.whole) or not part.get("text"):
            return None
        text = part["text"]
        if len(text) > most and user:
            text = below_pictures(text)
        return Text(beginning(text, most), user)

    def lines(self, number: int) -> list[Line]:
        """The lines of a message, in order; nothing of thoughts and of an editor's context."""
        most = self.extent.of(number)
        if not any(most):
            return []
        message, costs, how = self._messages[number], self._costs[number], (self.extent.whole, self._terse)
        known = self._memo.get(number)
        if (
            known is not None and known.message is message and known.costs is costs and known.how == how
            and known.holds(most) and (not known.asked or self._answers(known))
        ):  # fmt: skip
            for line in known.lines:
                line.features = None
            return known.lines
        known = self._memo[number] = self._read(number, most)
        return known.lines

    def _answers(self, known: Known) -> bool:
        """Whether its results answer the same calls."""
        return all(self._asked(place) is part for place, part in known.asked)

    def _asked(self, place: Place) -> Part | None:
        """The call of this part."""
        call = self._calls.get(place)
        return None if call is None else call.message.parts[call.part]

    def _read(self, number: int, most: Sequence[int]) -> Known:
        message = self._messages[number]
        silent = is_ide_context(message)
        lines: list[Line] = []
        read: list[Read] = []
        asked = []
        for place, (part, its_most) in enumerate(zip(message.parts, most, strict=True)):
            size = 0
            if its_most and not silent and not part.get("thought"):
                found, size = self._of_part(number, place, part, its_most)
                lines += found
            if "functionResponse" in part:
                asked.append(((number, place), self._asked((number, place))))
            read.append((its_most, size))
        used = tools_named(message)  # of a history that keeps no calls
        if used:
            lines.append(Line(f"used {', '.join(used)}", "ledger", number, topic="done"))
        return Known(message, self._costs[number], (self.extent.whole, self._terse), asked, read, lines)

    def _of_part(self, number: int, place: int, part: Part, most: int) -> tuple[list[Line], int]:
        """The lines of its first `most` characters, and how many it has."""
        message = self._messages[number]
        if "functionCall" in part or "functionResponse" in part:
            return self._of_tool(number, place, part, most)
        if "inlineData" in part or "fileData" in part:
            return [Line(stubs.described(part, message.id), "gave", number, label="File")], 0
        text = part.get("text") or ""
        rate = self._rate(number, place, len(text))
        said = self._texts.get((number, place)) or self._text(number, part, most)
        if said is None:
            found = list(plainly(beginning(text, most), number, rate))
        else:
            found = self._readings.lines((number, place), said, rate)
        return [line.shorter() for line in found] if self._terse else found, len(text)

    def _of_tool(self, number: int, place: int, part: Part, most: int) -> tuple[list[Line], int]:
        call = self._calls.get((number, place))
        if "functionCall" in part:
            kind, name, value = "called", part["functionCall"]["name"], part["functionCall"].get("args")
        else:
            given = part["functionResponse"]
            kind, name, value = "gave", given["name"], result_value(given.get("response"))
        args = call.args if call is not None else {}
        label = brief(name, args)
        whole, value = (len(value), beginning(value, most)) if isinstance(value, str) else (0, value)
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


def beginning(text: str, most: int) -> str:
    """At most about so many characters of a text's beginning, without the sentence or line that they cut.

    Of one that is more than half of them the first words, and a mark that it goes on: in ASCII, for such
    texts are read in half the time.
    """
    if len(text) <= most:
        return text
    head = text[:most]
    end = max((place + len(sign) for sign in ENDS if (place := head.rfind(sign)) > 0), default=0)
    if end > most // 2:
        return head[:end]
    cut = head.rfind(" ")
    return (head[:cut] if cut > end else head).rstrip(" ,;:") + "..." if head else ""


def plainly(text: str, number: int, rate: float) -> Iterator[Line]:
    """The lines of what the model said, without a look at what they say."""
    for row, line in enumerate(text.split("\n")):
        if line.strip():
            yield Line(line.strip(), "said", number, label="Model", row=row, rate=rate)


def brief(name: str, args: Any) -> str:
    """A call in a few words: its command in backticks, its file, else its name and an argument."""
    given = args if isinstance(args, dict) else {}
    command = command_of(given)
    if command:
        return f"`{clip(here(command), BRIEF)}`"
    path = next(iter(paths_of(given)), "")
    if path:
        return clip("/".join(path.split("/")[-2:]), BRIEF)
    plain = [str(given[key]) for key in (*_ABOUT, *given) if isinstance(given.get(key), (str, int))]
    return clip(f"{name} {next(iter(plain), '')}", BRIEF)


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
