"""Which response answers which call: one walk over the messages, each response consumed once."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Json, Message


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
    """Pair calls and responses of committed messages: by id (the newest open call of a reused one), else
    the oldest open call of that name."""
    pairing = Pairing()
    open_by_id: dict[str, list[Call]] = {}
    open_by_name: dict[str, list[Call]] = {}
    answered: set[str] = set()
    for message in messages:
        if message.role is None or not message.committed:
            continue
        count = message.idless
        for number, part in enumerate(message.parts):
            if "functionCall" in part and message.role == "model":
                given = part["functionCall"].get("id")
                count += not given
                call = Call(message, number, str(given) if given else f"call_{count}", given=bool(given))
                pairing.calls.append(call)
                open_by_id.setdefault(call.id, []).append(call)
                open_by_name.setdefault(call.name, []).append(call)
            elif "functionResponse" in part:
                _answer(Answer(message, number), pairing, open_by_id, open_by_name, answered)
    return pairing


def _answer(
    answer: Answer,
    pairing: Pairing,
    open_by_id: dict[str, list[Call]],
    open_by_name: dict[str, list[Call]],
    answered: set[str],
) -> None:
    call: Call | None = None
    candidates = open_by_id.get(answer.id) if answer.id else None
    if candidates:
        call = candidates.pop()
    elif answer.id and answer.id in answered:
        pairing.doubles.append(answer)
        return
    else:
        named = open_by_name.get(answer.name, [])
        while named and named[0].answer is not None:
            named.pop(0)
        fitting = (c for c in named if c.answer is None and (not answer.id or not c.given))
        call = next(fitting, None)
        if call is not None:
            open_by_id[call.id].remove(call)
    if call is None:
        pairing.orphans.append(answer)
        return
    call.answer = answer
    answered.add(call.id)
    if answer.id:
        answered.add(answer.id)


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """The calls without a response, in order."""
    return [call for call in pair(messages).calls if call.answer is None]


def open_at_end(messages: Sequence[Message]) -> list[Call]:
    """The open calls of the last model message, where nothing but its own results follows it."""
    sent = [m for m in messages if m.role is not None and m.committed]
    last = next((n for n in range(len(sent) - 1, -1, -1) if sent[n].role == "model"), None)
    if last is None:
        return []
    for message in sent[last + 1 :]:
        if not message.parts or any("functionResponse" not in part for part in message.parts):
            return []
    return [call for call in open_calls(sent) if call.message is sent[last]]
