"""What there is to tell of each message: the lines of its parts, under a label that says whose they are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...session.model import Message, Part
from ...session.pairing import Pairing
from . import stubs
from .index import Index
from .said import LINE, said

BESIDE = 3.0  # tokens of a line beside its text and label
USUAL, LEAST_RATE = 0.3, 0.1  # tokens a character
_BRIEF = ("path", "file_path", "file", "filename", "command", "cmd", "query", "pattern", "url")


class Entry:
    """The lines of one part of a message, under a label that says whose they are.

    `named` are the lines that hold names, `kept` those that stay and how many characters of each;
    `rate` is what a character costs.
    """

    __slots__ = ("kept", "kind", "label", "lines", "named", "number", "rate")

    def __init__(
        self, number: int, kind: str, label: str, lines: Sequence[str], named: Sequence[int], rate: float
    ) -> None:
        self.number = number
        self.kind = kind
        self.label = label
        self.lines = lines
        self.named = [place for place in named if len(lines[place]) <= LINE]
        self.rate = rate
        self.kept: dict[int, int] = {}

    def cost(self, place: int, most: int = LINE) -> float:
        """The tokens that a line will take."""
        return min(len(self.lines[place]), most) * self.rate + BESIDE

    @property
    def label_cost(self) -> float:
        return len(self.label) * USUAL


class Entries:
    """The entries of a context's messages, made when they are asked for."""

    def __init__(
        self,
        messages: Sequence[Message],
        prompts: Collection[int],
        pairing: Pairing,
        index: Index,
        costs: Sequence[Sequence[int]],
    ) -> None:
        """`prompts` are the places of real user messages, `costs` what each part cost as it was."""
        self._messages = messages
        self._prompts = prompts
        self._index = index
        self._costs = costs
        self._made: dict[int, list[Entry]] = {}
        self._briefs = {
            (call.answer.message.id, call.answer.part): _brief(call.name, call.args)
            for call in pairing.calls
            if call.answer is not None
        }

    def of(self, number: int) -> list[Entry]:
        """An entry for each part of a message that says something."""
        if number not in self._made:
            self._made[number] = list(self._entries(number))
        return self._made[number]

    def _entries(self, number: int) -> Iterator[Entry]:
        message = self._messages[number]
        for place, part in enumerate(message.parts):
            kind, label = self._about(number, place, part)
            if label == "File":
                lines = [stubs.described(part, message.id)]
                yield Entry(number, kind, label, lines, (), self._rate(number, place))
            elif lines := self._index.lines(number, place):
                named = self._index.named(lines)
                yield Entry(number, kind, label, lines, named, self._rate(number, place))

    def _rate(self, number: int, place: int) -> float:
        """What a character of a part costs, in tokens."""
        size = sum(map(len, said(self._messages[number].parts[place])))
        return min(1.0, max(LEAST_RATE, self._costs[number][place] / max(1, size)))

    def _about(self, number: int, place: int, part: Part) -> tuple[str, str]:
        """A part's kind and label."""
        message = self._messages[number]
        if "functionCall" in part:
            return "call", part["functionCall"]["name"]
        if "functionResponse" in part:
            name = part["functionResponse"]["name"]
            return "result", f"{self._briefs.get((message.id, place), name)} gave"
        if "inlineData" in part or "fileData" in part:
            return "text", "File"
        if number in self._prompts:
            return "request", "User"
        next = number + 1
        if message.role == "model" and (next in self._prompts or next == len(self._messages)):
            return "answer", "Model"
        return "text", "User" if message.role == "user" else "Model"


def _brief(name: str, args: object) -> str:
    """A call in a few words: its name, and the end of the file, command or query it is about."""
    given = args if isinstance(args, dict) else {}
    about = " ".join(next((given[key] for key in _BRIEF if isinstance(given.get(key), str)), "").split())
    about = about.rsplit("/", 1)[-1] if " " not in about else about[:40]
    return f"{name} {about}".strip()
