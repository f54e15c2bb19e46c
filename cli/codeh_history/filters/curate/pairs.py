"""`pairs`: ensure that a response follows every call directly, and that every response has a call.

Once a pair is broken, every provider refuses all later requests ("number of function response parts",
"must be followed by tool messages", "tool_use ids were found without tool_result blocks").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, count

from ...session.model import Json, Message, Part
from ...session.ops import Op, drop, insert, replace_shown
from ...session.pairing import Answer, Call, open_at_end, pair
from ...session.view import View

LOST = "The result of this tool call was lost."
MISSING = "its result was lost"
RENAMED = "the call's name is"
WITHOUT_CALL, DUPLICATE = "a response that no call asked for", "a second response to the same call"
MOVED, MISPLACED = "moved to its call", "a call in a user's message"


def repair(view: View, unanswered: str) -> list[Op]:
    """Return ops that complete every unit; `unanswered`: what to do with open calls at the end."""
    pairing = pair(view.messages)
    changes = _Changes(view)
    for answers, why in ((pairing.orphans, WITHOUT_CALL), (pairing.doubles, DUPLICATE)):
        for answer in answers:
            changes.remove(answer.message, answer.part, why)
    for message, number in pairing.misplaced:
        changes.remove(message, number, MISPLACED)
    at_end = set(map(id, open_at_end(view.messages, pairing)))
    for unit in pairing.units:
        if _is_complete(unit, view.messages):  # most units
            continue
        open_calls = [call for call in unit if id(call) in at_end]
        calls = unit if unanswered == "stub" else [call for call in unit if id(call) not in at_end]
        if open_calls and unanswered == "drop":
            message = open_calls[0].message
            parts = [call.part for call in open_calls] if calls else range(len(message.parts))
            for part in parts:
                changes.remove(message, part, "an open call at the end")
        if any(call.answer is None for call in calls) or not _in_place(calls, view.messages):
            changes.rebuild(calls)
        else:
            changes.rename(calls)
    return changes.ops()


class _Changes:
    """Collects the changes to each message and returns them as ops."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.removed: defaultdict[str, dict[int, str]] = defaultdict(dict)
        self.added: list[Op] = []

    @cached_property
    def used(self) -> set[str]:
        """The ids of all messages."""
        return {*self.view.all, *(message.id for message in self.view.messages)}

    def remove(self, message: Message, part: int, why: str) -> None:
        self.removed[message.id][part] = why

    def rename(self, calls: Sequence[Call]) -> None:
        """Give responses the names of their calls."""
        for call in calls:
            answer = call.answer
            if answer is not None and answer.name != call.name:
                part = _with_name_of(answer, call)
                self.added.append(
                    replace_shown(answer.message, answer.part, part, f"{RENAMED} {call.name}")
                )

    def rebuild(self, calls: Sequence[Call]) -> None:
        """Insert one message with the results of all calls, in their order, right after them."""
        message, parts, why = calls[0].message, [], MOVED
        for call in calls:
            if call.answer is not None:
                parts.append(_with_name_of(call.answer, call))
                self.remove(call.answer.message, call.answer.part, MOVED)
            else:
                identity: Json = {"id": call.id} if call.has_id else {}
                lost: Json = {**identity, "name": call.name, "response": {"error": LOST}}
                parts.append({"functionResponse": lost})
                why = MISSING
        # derived from the calls' message, so that a second run yields the same id
        name = f"{message.id}-results"
        ids = chain([name], (f"{name}-{number}" for number in count(2)))
        new_id = next(id for id in ids if id not in self.used)
        new: Json = {"id": new_id, "kind": "tool", "role": "user", "parts": parts, "ts": message.ts}
        self.added.append(insert(message.id, new, why))

    def ops(self) -> list[Op]:
        removals: list[Op] = []
        dropped: dict[str, list[str]] = {}
        messages = {message.id: message for message in self.view.messages} if self.removed else {}
        for id, parts in self.removed.items():
            message = messages[id]
            if len(parts) == len(message.parts):
                dropped.setdefault(next(iter(parts.values())), []).append(id)
            else:
                removals += (replace_shown(message, part, None, why) for part, why in sorted(parts.items()))
        return [*removals, *self.added, *(drop(ids, why) for why, ids in dropped.items())]


def _is_complete(calls: Sequence[Call], messages: Sequence[Message]) -> bool:
    """Whether the next message begins with exactly the responses to these calls, by their names."""
    place, count = calls[0].place + 1, len(calls)
    for call in calls:
        answer = call.answer
        if answer is None or answer.place != place or answer.part >= count or answer.name != call.name:
            return False
    return messages[place].role == "user"


def _in_place(calls: Sequence[Call], messages: Sequence[Message]) -> bool:
    """Whether the responses follow the calls directly, before any other content."""
    answers = [(call.answer.place, call.answer.part) for call in calls if call.answer is not None]
    if not answers:
        return True
    (last, last_part), begin = max(answers), calls[0].place + 1
    if min(answers)[0] < begin:  # in the model's own message
        return False
    for place in range(begin, last + 1):
        following = messages[place]
        if not following.is_sent:
            continue
        if following.role != "user":
            return False
        for part in following.parts[: last_part + 1] if place == last else following.parts:
            if "functionResponse" not in part:
                return False
    return True


def _with_name_of(answer: Answer, call: Call) -> Part:
    part = answer.message.parts[answer.part]
    if answer.name == call.name:
        return part
    return {**part, "functionResponse": {**part["functionResponse"], "name": call.name}}
