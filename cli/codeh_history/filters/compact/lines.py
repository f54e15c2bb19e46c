"""What a message says, as sentences of what was said, and whole lines of what tools took and gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...session.exchanges import is_ide_context
from ...session.model import Message, Part
from ...session.pairing import Call, Pairing
from ...summaries import prose
from ...summaries.calls import command_of, here, paths_of
from ...summaries.results import result_value
from . import stubs, words
from .extent import Extent
from .line import Line, dullness
from .speech import plainly, typed

BRIEF = 40  # characters of a call's label
_ABOUT = ("query", "pattern", "url", "name", "id")


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
