"""Which response answers which call: one walk over the messages, each response consumed once."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any

import orjson

from .model import Json, Message

# The providers' words for an answer that was cut off, by a limit or a filter.
_CUT = re.compile(
    "length|model_length|max_tokens|MAX_TOKENS|model_context_window_exceeded|content_filter|refusal|SAFETY"
    "|RECITATION|incomplete.*"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Call:
    """A functionCall: where it stands, its id (`call_K` for the K-th id-less one), and its answer."""

    __slots__ = ("answer", "args", "given", "id", "message", "name", "part")

    def __init__(self, message: Message, part: int, id: str, *, given: bool) -> None:
        call = message.parts[part]["functionCall"]
        self.message = message
        self.part = part
        self.id = id
        self.given = given  # whether the history gave the id
        self.name = call["name"]
        self.args: Json = call.get("args") or {}
        self.answer: Answer | None = None

    @property
    def message_id(self) -> str:
        return self.message.id

    @property
    def arguments(self) -> str:
        """The text that its arguments came as, where they could not all be read; else ""."""
        text = dict(self.message.parts[self.part]).get("arguments")
        return text if isinstance(text, str) else ""

    @property
    def damage(self) -> str:
        """Why it is no call that can be run, "" where it is one: half a call is none."""
        part: Any = self.message.parts[self.part]
        given, item = part["functionCall"], part.get("item")
        if not isinstance(given.get("args", {}), (dict, NoneType)) or not (
            self.args or _says_nothing(self.arguments)
        ):
            return "its arguments cannot be read as a JSON object"
        unfinished = isinstance(item, dict) and item.get("status") == "incomplete"
        if given.get("willContinue") or unfinished or self._cut():
            return "its arguments did not all arrive"
        if not self.name:
            return "it names no tool"
        if _CONTROL.search(self.name) or _CONTROL.search(self.id):
            return "its name or id holds control characters"
        return ""

    def _cut(self) -> bool:
        """Whether the answer broke off in this call; nothing arrived of it then, or nobody can tell."""
        message = self.message
        finish = message.fields.get("finish")
        if not isinstance(finish, str) or not _CUT.fullmatch(finish):
            return False
        more = any("functionCall" in part or "text" in part for part in message.parts[self.part + 1 :])
        return not more and (not self.args or message.provider == "anthropic")


def _says_nothing(text: str) -> bool:
    """Whether a text says that there are no arguments; some hosts write `null` for that."""
    try:
        return not text or orjson.loads(text) in ({}, None)
    except ValueError:
        return False


class Answer:
    """A functionResponse and where it stands."""

    __slots__ = ("id", "message", "name", "part")

    def __init__(self, message: Message, part: int) -> None:
        response = message.parts[part]["functionResponse"]
        self.message = message
        self.part = part
        self.id = response.get("id")
        self.name = response["name"]


class Pairing:
    """Every call with its answer; the answers that answer nothing, or what was answered before."""

    __slots__ = ("calls", "doubles", "orphans")

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.orphans: list[Answer] = []
        self.doubles: list[Answer] = []


def pair(messages: Sequence[Message]) -> Pairing:
    """Pair calls and responses of committed messages.

    By id (the newest open call of a reused one); a response without a fitting id answers the oldest open
    call of its name in the model's last turn, else the oldest of all. So a result that came later can
    never change which result an earlier request showed for an earlier call.
    """
    return _walked(messages).pairing


def _walked(messages: Sequence[Message]) -> _Walk:
    walk = _Walk()
    answering = False  # whether a user-role message came since the last model message
    for message in messages:
        if message.role is None or not message.committed:
            continue
        if message.role == "model" and answering:
            walk.next_turn()
        answering = message.role == "user"
        count = message.idless
        for number, part in enumerate(message.parts):
            if "functionCall" in part and message.role == "model":
                given = part["functionCall"].get("id")
                count += not given
                id = str(given) if given else f"call_{count}"
                walk.call(Call(message, number, id, given=bool(given)))
            elif "functionResponse" in part:
                walk.answer(Answer(message, number))
    return walk


class _Walk:
    """The calls still open on the way through a history."""

    def __init__(self) -> None:
        self.pairing = Pairing()
        self.turn = 0
        self.by_id: dict[str, tuple[int, deque[Call]]] = {}  # only the latest turn that used an id
        self.fresh: dict[str, _Named] = {}  # by name, in the model's last turn
        self.stale: dict[str, _Named] = {}

    def call(self, call: Call) -> None:
        self.pairing.calls.append(call)
        turn, calls = self.by_id.get(call.id, (-1, None))
        if calls is not None and turn == self.turn:
            calls.append(call)
        else:
            self.by_id[call.id] = (self.turn, deque([call]))
        self.fresh.setdefault(call.name, _Named()).add(call)

    def next_turn(self) -> None:
        """The model goes on: it no longer waits for what it asked before."""
        self.turn += 1
        for name, calls in self.fresh.items():
            stale = self.stale.setdefault(name, _Named())
            for call in calls.open():
                stale.add(call)
        self.fresh = {}

    def answer(self, answer: Answer) -> None:
        call: Call | None
        if answer.id and answer.id in self.by_id:
            call = _oldest(self.by_id[answer.id][1])
            if call is None:
                self.pairing.doubles.append(answer)
                return
        else:
            call = self.named(self.fresh, answer) or self.named(self.stale, answer)
        if call is None:
            self.pairing.orphans.append(answer)
        else:
            call.answer = answer

    def named(self, calls: dict[str, _Named], answer: Answer) -> Call | None:
        """The oldest open call of that name: one without an id, else (for an answer without) any."""
        named = calls.get(answer.name)
        if named is None:
            return None
        without = _oldest(named.idless)
        return without if without is not None or answer.id else _oldest(named.all)


class _Named:
    """Calls of one name in order, and those without an id; the oldest are let go once they are answered."""

    __slots__ = ("all", "idless")

    def __init__(self) -> None:
        self.all: deque[Call] = deque()
        self.idless: deque[Call] = deque()

    def add(self, call: Call) -> None:
        self.all.append(call)
        if not call.given:
            self.idless.append(call)

    def open(self) -> Iterator[Call]:
        return (call for call in self.all if call.answer is None)


def _oldest(calls: deque[Call]) -> Call | None:
    """The first open one; what stands before it is let go, so that a long row is walked once."""
    while calls and calls[0].answer is not None:
        calls.popleft()
    return calls[0] if calls else None


def awaited(messages: Sequence[Message], name: str) -> Call | None:
    """The open call that a result without an id answers."""
    walk = _walked(messages)
    for calls in (walk.fresh, walk.stale):
        found = _oldest(calls[name].all) if name in calls else None
        if found is not None:
            return found
    return None


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """The calls without a response, in order."""
    return [call for call in pair(messages).calls if call.answer is None]


def only_results(message: Message) -> bool:
    """Whether a user's message holds nothing but results: of functions, or such as one provider knows."""
    of_tools = message.kind == "tool"
    return bool(message.parts) and all(
        "functionResponse" in part or (of_tools and "native" in part) for part in message.parts
    )


def open_at_end(messages: Sequence[Message]) -> list[Call]:
    """The open calls of the last model message, where nothing but its own results follows it."""
    for message in reversed(messages):
        if message.role is None or not message.committed:
            continue
        if message.role == "model":
            break
        if not only_results(message):
            return []
    else:
        return []
    if not any("functionCall" in part for part in message.parts):
        return []
    return [call for call in open_calls(messages) if call.message is message]
