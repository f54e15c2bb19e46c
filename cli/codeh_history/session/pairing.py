"""Match responses with calls in one pass over the messages; each response answers at most one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import orjson

from ..base.lazy import Pattern
from .model import Any, Json, Message

# Finish reasons of responses that a limit or a filter cut off.
_CUT = Pattern(
    "length|model_length|max_tokens|MAX_TOKENS|model_context_window_exceeded|content_filter|refusal|SAFETY"
    "|RECITATION|incomplete.*"
)
_CONTROL = Pattern(r"[\x00-\x1f\x7f-\x9f]")


class Call:
    """A functionCall: its position, its id (`call_K` for the K-th call without one), and its answer.

    `place` is its message's index. Consecutive model messages form a row: `row` is the row's number,
    `number` the call's index in the row.
    """

    __slots__ = ("answer", "has_id", "id", "message", "name", "number", "part", "place", "row")

    def __init__(self, message: Message, part: int, place: int, row: int, number: int, idless: int) -> None:
        call = message.parts[part]["functionCall"]
        id = call.get("id")
        self.message = message
        self.part = part
        self.place = place
        self.row = row
        self.number = number
        self.has_id = bool(id)  # whether its id is in the history
        self.id = str(id) if id else f"call_{idless + 1}"
        self.name = call["name"]
        self.answer: Answer | None = None

    @property
    def args(self) -> Json:
        return self.message.parts[self.part]["functionCall"].get("args") or {}

    @property
    def arguments(self) -> str:
        """The unparsed arguments if they are not a complete JSON object, else ""."""
        text = dict(self.message.parts[self.part]).get("arguments")
        return text if isinstance(text, str) else ""

    @property
    def damage(self) -> str:
        """Why the call cannot be run, or ""."""
        part: Any = self.message.parts[self.part]
        call, item = part["functionCall"], part.get("item")
        if not (call.get("args") is None or isinstance(call["args"], dict)) or not (
            self.args or _is_empty(self.arguments)
        ):
            return "its arguments cannot be read as a JSON object"
        unfinished = isinstance(item, dict) and item.get("status") == "incomplete"
        if call.get("willContinue") or unfinished or self._cut():
            return "its arguments did not all arrive"
        if not self.name:
            return "it names no tool"
        if _CONTROL.search(self.name) or _CONTROL.search(self.id):
            return "its name or id holds control characters"
        return ""

    def _cut(self) -> bool:
        """Return whether the response was probably cut off within this call."""
        message = self.message
        finish = message.fields.get("finish")
        if not isinstance(finish, str) or not _CUT.fullmatch(finish):
            return False
        more = any("functionCall" in part or "text" in part for part in message.parts[self.part + 1 :])
        return not more and (not self.args or message.provider == "anthropic")


def _is_empty(text: str) -> bool:
    """Return whether a text means no arguments; some hosts write `null`."""
    try:
        return not text or orjson.loads(text) in ({}, None)
    except ValueError:
        return False


class Answer:
    """A functionResponse: its position, and the call it answers if that is in the preceding row.

    `number` is the call's index in the row (-1: not there), `call_id` its stored id, else the response's.
    """

    __slots__ = ("call_id", "id", "message", "name", "number", "part", "place")

    def __init__(self, message: Message, part: int, place: int) -> None:
        response = message.parts[part]["functionResponse"]
        self.message = message
        self.part = part
        self.place = place
        id = response.get("id")
        self.id = self.call_id = str(id) if id else ""
        self.name = response["name"]
        self.number = -1


class Pairing:
    """All calls in order, matched with their answers.

    `units` are the calls of each message that has any. `orphans` are answers without a call, `doubles`
    answers to an answered call; `misplaced` are calls in a user's message, which are ignored.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.units: list[list[Call]] = []
        self.orphans: list[Answer] = []
        self.doubles: list[Answer] = []
        self.misplaced: list[tuple[Message, int]] = []


def pair(messages: Sequence[Message]) -> Pairing:
    """Match calls and responses of committed messages.

    A response answers the call with its id. If an id is reused, it answers the oldest open call with its
    name, else the oldest open call, in the newest row that has the id. A response without a matching id
    answers the oldest open call with its name in the model's last row, else in any row; if it has an id,
    only a call without one. So a later result never changes how an earlier request paired its calls.
    """
    return _walked(messages).pairing


def _walked(messages: Sequence[Message]) -> Walk:
    walk = Walk()
    for _ in walk.through(messages):
        pass
    return walk


class Walk:
    """One pass over a history; `pairing` is the result so far."""

    def __init__(self) -> None:
        self.pairing = Pairing()
        self.row = 0
        self.idless = False  # whether a call had no id
        self.begun = 0  # number of calls before the model's last row
        self.sifted = 0  # number of calls that were filtered into `earlier`
        self.earlier: list[Call] = []  # calls that were open when the last row began
        self.latest: dict[str, list[Call]] = {}  # by id, the calls of the newest row that has it

    def through(self, messages: Iterable[Message]) -> Iterator[tuple[Message, list[Call], list[Answer]]]:
        """Yield each committed message with the calls and answers in its parts."""
        pairing = self.pairing
        answering = False  # whether a user-role message followed the last model message
        for place, message in enumerate(messages):
            role = message.role
            if role is None or (message.own is None and message.blocks is None):
                continue
            if role != "model":
                answering = True
            elif answering:  # a new row of model messages begins
                self.row += 1
                self.begun = len(pairing.calls)
                answering = False
            calls: list[Call] = []
            answers: list[Answer] = []
            idless = message.idless
            for number, part in enumerate(message.parts):
                if "functionResponse" in part and (role != "model" or "functionCall" not in part):
                    answer = Answer(message, number, place)
                    answers.append(answer)
                    self.answer(answer)
                elif "functionCall" not in part:
                    continue
                elif role == "model":
                    call = Call(message, number, place, self.row, len(pairing.calls) - self.begun, idless)
                    idless += not call.has_id
                    self.idless |= not call.has_id
                    calls.append(call)
                    pairing.calls.append(call)
                    same = self.latest.get(call.id)
                    if same is not None and same[0].row == self.row:
                        same.append(call)
                    else:
                        self.latest[call.id] = [call]
                else:
                    pairing.misplaced.append((message, number))
            if calls:
                pairing.units.append(calls)
            yield message, calls, answers

    def answer(self, answer: Answer) -> None:
        pairing = self.pairing
        same = self.latest.get(answer.id) if answer.id else None
        if same is None:
            call, otherwise = self.named(answer), pairing.orphans
        else:
            call, otherwise = oldest(same, answer.name) or oldest(same), pairing.doubles
        if call is None:
            otherwise.append(answer)
            return
        call.answer = answer
        if call.row == self.row:
            answer.number, answer.call_id = call.number, call.id if call.has_id else ""

    def waiting(self) -> tuple[list[Call], list[Call]]:
        """Return the calls of the model's last row, and the earlier ones that were open before it."""
        calls = self.pairing.calls
        self.earlier += [call for call in calls[self.sifted : self.begun] if call.answer is None]
        self.sifted = self.begun
        return calls[self.begun :], self.earlier

    def named(self, answer: Answer) -> Call | None:
        """Return the oldest open call with the answer's name; if the answer has an id, one without."""
        if answer.id and not self.idless:
            return None
        candidates = (
            oldest(calls, answer.name, idless=True) or (None if answer.id else oldest(calls, answer.name))
            for calls in self.waiting()
        )
        return next(filter(None, candidates), None)


def oldest(calls: Iterable[Call], name: str | None = None, *, idless: bool = False) -> Call | None:
    """Return the first open call with this name (None: any); `idless`: only calls without a stored id."""
    for call in calls:
        if call.answer is None and (name is None or name == call.name) and not (idless and call.has_id):
            return call
    return None


def call_to_answer(messages: Sequence[Message], name: str) -> Call | None:
    """Return the open call that a result without an id answers, or None."""
    latest, earlier = _walked(messages).waiting()
    return oldest(latest, name) or oldest(earlier, name)


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """Return the calls without a response, in order."""
    return [call for call in pair(messages).calls if call.answer is None]


def only_results(message: Message) -> bool:
    """Return whether a user's message contains only results, of functions or in a provider's own form."""
    of_tools = message.kind == "tool"
    return bool(message.parts) and all(
        "functionResponse" in part or (of_tools and "native" in part) for part in message.parts
    )


def open_at_end(messages: Sequence[Message], pairing: Pairing | None = None) -> list[Call]:
    """Return the open calls of the last model message, if only results follow it."""
    sent = (message for message in reversed(messages) if message.is_sent)
    last = next((message for message in sent if message.role == "model" or not only_results(message)), None)
    if last is None or last.role != "model" or not any("functionCall" in part for part in last.parts):
        return []
    calls = (pairing or pair(messages)).calls
    return [call for call in calls if call.message is last and call.answer is None]


_BEGINNING, _MIDDLE = "Tool call ", " failed with error: "


def failed_call(name: str, reason: str) -> str:
    """Return the text under `error` in a failed call's result."""
    return f"{_BEGINNING}{name}{_MIDDLE}{reason}"


def is_failed_call(text: object) -> bool:
    """Return whether a text is that of a failed call."""
    return isinstance(text, str) and text.startswith(_BEGINNING) and _MIDDLE in text
