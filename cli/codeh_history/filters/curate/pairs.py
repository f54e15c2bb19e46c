"""`pairs`: ensure that a response follows every call directly, and that every response has a call.

Once a pair is broken, every provider refuses all later requests ("number of function response parts",
"must be followed by tool messages", "tool_use ids were found without tool_result blocks").
"""

from __future__ import annotations

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
    messages = view.messages
    pairing = pair(messages)
    units = [calls for calls in pairing.units if not _is_complete(calls, messages)]
    if not (units or pairing.misplaced or pairing.orphans or pairing.doubles):
        return []
    at_end = set(map(id, open_at_end(messages, pairing)))
    changes = _Repair(view, unanswered, at_end)
    for answers, why in ((pairing.orphans, WITHOUT_CALL), (pairing.doubles, DUPLICATE)):
        for answer in answers:
            changes.remove(answer.message, answer.part, why)
    for message, number in pairing.misplaced:
        changes.remove(message, number, MISPLACED)
    for calls in units:
        changes.complete(calls)
    return changes.ops()


class _Repair:
    """Collects the changes to each message and returns them as ops."""

    def __init__(self, view: View, unanswered: str, at_end: set[int]) -> None:
        self.view = view
        self.unanswered = unanswered
        self.at_end = at_end
        self.removed: dict[str, dict[int, str]] = {}
        self.renamed: list[Op] = []
        self.inserts: list[Op] = []
        self.messages = {message.id: message for message in view.messages}

    def remove(self, message: Message, part: int, why: str) -> None:
        self.removed.setdefault(message.id, {})[part] = why

    def complete(self, calls: list[Call]) -> None:
        """Ensure that responses to all calls of a model message follow it directly."""
        open_end = [call for call in calls if id(call) in self.at_end]
        if open_end and self.unanswered == "drop":
            message = calls[0].message
            whole = len(open_end) == len(calls)
            for part in range(len(message.parts)) if whole else [call.part for call in open_end]:
                self.remove(message, part, "an open call at the end")
            calls = [call for call in calls if id(call) not in self.at_end]
        kept_open = self.at_end if self.unanswered == "error" else set()
        missing = any(call.answer is None and id(call) not in kept_open for call in calls)
        if missing or not _in_place(calls, self.view.messages):
            self._rebuild(calls, kept_open)
            return
        for call in calls:
            answer = call.answer
            if answer is not None and answer.name != call.name:
                why = f"{RENAMED} {call.name}"
                self.renamed.append(
                    replace_shown(answer.message, answer.part, _with_name_of(answer, call), why)
                )

    def _rebuild(self, calls: list[Call], kept_open: set[int]) -> None:
        """Insert one message with all results, in call order, right after the calls."""
        message = calls[0].message
        parts: list[Part] = []
        why = MOVED
        for call in calls:
            if call.answer is not None:
                parts.append(_with_name_of(call.answer, call))
                self.remove(call.answer.message, call.answer.part, MOVED)
            elif id(call) not in kept_open:
                identity: Json = {"id": call.id} if call.has_id else {}
                lost: Json = {**identity, "name": call.name, "response": {"error": LOST}}
                parts.append({"functionResponse": lost})
                why = MISSING
        # derived from the calls' message, so that a second run yields the same id
        name = f"{message.id}-results"
        ids = chain([name], (f"{name}-{number}" for number in count(2)))
        new_id = next(id for id in ids if id not in self.view.all and id not in self.messages)
        new: Json = {"id": new_id, "kind": "tool", "role": "user", "parts": parts, "ts": message.ts}
        self.inserts.append(insert(message.id, new, why))

    def ops(self) -> list[Op]:
        ops: list[Op] = []
        dropped: dict[str, list[str]] = {}
        for name, parts in self.removed.items():
            message = self.messages[name]
            if len(parts) == len(message.parts):
                dropped.setdefault(next(iter(parts.values())), []).append(name)
            else:
                ops += (replace_shown(message, part, None, why) for part, why in sorted(parts.items()))
        drops = [drop(ids, why) for why, ids in dropped.items()]
        return [*ops, *self.renamed, *self.inserts, *drops]


def _is_complete(calls: list[Call], messages: list[Message]) -> bool:
    """Whether every call has a response in place and with its name."""
    next_place, elsewhere = calls[0].place + 1, False
    for call in calls:
        answer = call.answer
        if answer is None or answer.name != call.name:
            return False
        elsewhere = elsewhere or answer.place != next_place or answer.part >= len(calls)
    return _in_place(calls, messages) if elsewhere else messages[next_place].role == "user"


def _in_place(calls: list[Call], messages: list[Message]) -> bool:
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
