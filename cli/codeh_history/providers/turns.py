"""The conversation as every provider needs it: alternating kinds of turns, results next to their calls."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from ..session.model import SUMMARY_HEAD, FunctionResponse, Message, Part

ROLES = {"user": "user", "model": "assistant"}  # as all but Gemini name them
CONTINUATION = "(The conversation continues from earlier work.)"  # where a provider wants a user first
EMPTY_MESSAGE = "(empty message)"  # where a provider wants a user's message to say something


class Turn:
    """Parts to send together: a user's, a model's, or the results of one model turn's calls.

    `ids` has an id for each part: for a call its own or `call_K`, for a result its call's. `own_ids`
    says for each whether the id was given by the history. In a `results` turn the parts are
    functionResponses in the order of their calls, one a call, and `answers` says for each which call of
    the model turns right before it is answered (counted from 0; -1: none).
    """

    __slots__ = ("answers", "ids", "message", "own_ids", "parts", "role", "sources")

    def __init__(self, role: str, message: Message | None) -> None:
        self.role = role  # user, model or results
        self.message = message
        self.parts: list[Part] = []
        self.ids: list[str] = []
        self.own_ids: list[bool] = []
        self.sources: list[str] = []  # for each part, the id of the message it is from
        self.answers: list[int] = []

    def add(self, part: Part, source: str, id: str = "", *, own: bool = True) -> None:
        self.parts.append(part)
        self.sources.append(source)
        self.ids.append(id)
        self.own_ids.append(own)

    def made_by(self, provider: str, model: str | None) -> bool:
        """Whether this provider and model family made the turn, so that its signatures hold there.

        A turn without a recorded provider is in the Gemini spelling, so Gemini's.
        """
        made = self.message
        if made is None or (made.provider or "gemini") != provider:
            return False
        return not made.model or not model or family(made.model) == family(model)


def family(model: str) -> str:
    """A model's family, within which signatures stay valid: its makers' line and major version.

    `gemini-2.5-pro` → `gemini-2`, `gpt-5.1-mini` → `gpt-5`, `us.anthropic.claude-opus-4-8` → `claude-4`.
    """
    name = model.rsplit("/", 1)[-1].lower()
    line = re.search(r"claude|gemini|gpt", name) or re.match(r"[a-z]+", name)
    major = re.search(r"(?<![0-9])(\d{1,2})(?![0-9])", name)
    return f"{line[0] if line else name}-{major[1] if major else ''}"


def turns(
    messages: Sequence[Message], summaries: Sequence[str] = (), *, faithful: bool = False
) -> list[Turn]:
    """The messages as turns; each results turn follows its calls at once and answers each of them.

    Messages must be curated by `pairs`; what is pending is left out. With `faithful` nothing is moved:
    responses stand where they stand, and may answer nothing.
    """
    result: list[Turn] = []
    if summaries:
        turn = Turn("user", None)
        turn.add({"text": "\n\n".join([SUMMARY_HEAD, *summaries])}, "")
        result.append(turn)
    row = _Row()
    for message in messages:
        if message.role is None or not message.committed:
            continue
        if message.role != "model":
            _user_turns(message, row, result, faithful=faithful)
            continue
        if not result or result[-1].role != "model":
            row = _Row()
        result.append(_model_turn(message, row))
    if not faithful:
        for turn in result:
            if turn.role == "results":
                _in_call_order(turn)
    return result


Said = tuple[str, list[Part], str]  # a message of one plain text: user or model, its part, its id


class Texts(list[Said]):
    """A conversation of plain texts, from a user's to a user's; none is blank or to be curated."""

    @property
    def alternate(self) -> bool:
        """Whether user and model take turns."""
        roles = [role for role, _, _ in self]
        return roles == [*("user", "model") * (len(roles) // 2), "user"]


def runs(
    messages: Sequence[Message] | Texts, summaries: Sequence[str] = (), *, faithful: bool = False
) -> Iterable[Said | Turn]:
    """As `turns`, but a message that is one plain text and nothing else comes as what it says.

    Most messages are, and need no turn made for them. A plain message of the model closes what stands
    before it, for the results of paired calls come before it.
    """
    return messages if isinstance(messages, Texts) else _runs(messages, summaries, faithful)


def _runs(messages: Sequence[Message], summaries: Sequence[str], faithful: bool) -> Iterator[Said | Turn]:  # noqa: FBT001
    if faithful or summaries:
        yield from turns(messages if faithful else (), summaries, faithful=faithful)
    waiting: list[Message] = []  # from a message that is not plain up to the next plain one of the model
    for message in () if faithful else messages:
        parts = message.parts
        role = message.role
        if (
            len(parts) == 1 and len(parts[0]) == 1 and parts[0].get("text")
            and role and (role == "model" or not waiting)
            and "item" not in message.fields and (message.own is not None or message.committed)
        ):  # fmt: skip
            if waiting:
                yield from turns(waiting)
                waiting = []
            yield role, parts, message.id
        else:
            waiting.append(message)
    yield from turns(waiting)


class _Row:
    """The calls of the model turns in a row, and which of them (by number) are still open."""

    __slots__ = ("answered", "calls", "open")

    def __init__(self) -> None:
        self.calls: list[tuple[str, bool]] = []  # id, whether the history gave it
        self.open: dict[
            tuple[str | None, str | None], deque[int]
        ] = {}  # by id and name, and by either alone
        self.answered: set[int] = set()

    def add(self, id: str, name: str, *, own: bool) -> None:
        for key in ((id, name), (id, None), (None, name)):
            self.open.setdefault(key, deque()).append(len(self.calls))
        self.calls.append((id, own))

    def answer(self, response: FunctionResponse) -> tuple[int, str, bool]:
        """The call that a response answers: its number, its id, and whether the history gave that.

        By id, else the first open call of its name; -1 and the response's own id where there is none.
        """
        given, name = str(response.get("id") or ""), response.get("name")
        for key in ((given, name), (given, None), (None, name)) if given else ((None, name),):
            found = self._first(key)
            if found is not None:
                self.answered.add(found)
                return found, *self.calls[found]
        return -1, given, bool(given)

    def _first(self, key: tuple[str | None, str | None]) -> int | None:
        """The first open call of an id, a name or both; answered ones before it are let go."""
        open = self.open.get(key)
        while open and open[0] in self.answered:
            open.popleft()
        return open[0] if open else None


def _model_turn(message: Message, row: _Row) -> Turn:
    turn = Turn("model", message)
    count = message.idless
    for part in message.parts:
        call = part.get("functionCall")
        if not isinstance(call, dict):
            turn.add(part, message.id)
            continue
        own = bool(call.get("id"))
        count += not own
        id = str(call["id"]) if own else f"call_{count}"
        row.add(id, call.get("name", ""), own=own)
        turn.add(part, message.id, id, own=own)
    return turn


def _user_turns(message: Message, row: _Row, result: list[Turn], *, faithful: bool) -> None:
    """A results turn for a message's responses, then a user turn for the rest of it."""
    rest = Turn("user", message)
    for part in message.parts:
        response = part.get("functionResponse")
        if not isinstance(response, dict):
            rest.add(part, message.id)
            continue
        results = _results_turn(message, result, faithful=faithful)
        number, id, own = row.answer(response)
        results.add(part, message.id, id, own=own)
        results.answers.append(number)
    if rest.parts or not any("functionResponse" in part for part in message.parts):
        result.append(rest)


def _results_turn(message: Message, result: list[Turn], *, faithful: bool) -> Turn:
    """The results turn of the model turns before, new right after them whatever stands between."""
    if faithful:
        if result and result[-1].role == "results" and result[-1].message is message:
            return result[-1]
        place = len(result)
    else:
        place = len(result)
        while place and result[place - 1].role == "user":
            place -= 1
        if place and result[place - 1].role == "results":
            return result[place - 1]
        place = place or len(result)
    turn = Turn("results", message)
    result.insert(place, turn)
    return turn


def _in_call_order(results: Turn) -> None:
    last = len(results.parts)
    order = sorted(range(last), key=lambda n: (results.answers[n] < 0, results.answers[n]))
    if order != list(range(last)):
        for name in ("parts", "ids", "own_ids", "sources", "answers"):
            values = getattr(results, name)
            setattr(results, name, [values[n] for n in order])


def described(part: Part, why: str) -> str:
    """The text that stands for a part a provider cannot be sent: its type and size."""
    blob = part.get("inlineData")
    if isinstance(blob, dict):
        data = blob.get("data")
        size = len(data) * 3 // 4 if isinstance(data, str) else 0
        name = f" {blob['displayName']}" if blob.get("displayName") else ""
        return f"[{blob.get('mimeType', 'data')}{name}, {size} bytes: {why}]"
    file = part.get("fileData")
    if isinstance(file, dict):
        return f"[{file.get('mimeType', 'file')} {file.get('fileUri', '')}: {why}]"
    return f"[{', '.join(sorted(part))}: {why}]"
