"""Read Gemini's answers: generateContent's body, and streamGenerateContent's events or array elements.

Parts are kept in camel case and without null fields (Python's clients send both), but consecutive unsigned
texts of equal `thought` are joined, and empty unsigned texts are dropped. Other candidates are counted, not
kept.
"""

from __future__ import annotations

from ...session.model import Json, Part
from ...session.view import join
from .. import usage
from ..detect import outcome_of
from ..parts import first, further, list_of, name_of, native, object_of, objects, storable, text_of
from ..protocol import Failure, Reply, StreamReader
from . import NAME, fields

USAGE = {  # the count of candidates excludes thoughts, that of the prompt excludes tool prompts
    "input": "promptTokenCount toolUsePromptTokenCount",
    "output": "candidatesTokenCount thoughtsTokenCount", "cached": "cachedContentTokenCount",
    "reasoning": "thoughtsTokenCount", "total": "totalTokenCount",
}  # fmt: skip


def read(body: Json) -> Reply | Failure:
    reader = Stream()
    reader.feed(body)
    return reader.conclude()


class Stream(StreamReader):
    """Reads a stream of GenerateContentResponse objects; a finishReason completes it."""

    def __init__(self) -> None:
        self._first: Json | None = None
        self._events = 0
        self._parts: list[Part] = []
        self._finish: str | None = None
        self._why = ""
        self._usage: Json | None = None
        self._further: set[int] = set()  # indices of the other candidates

    def belongs(self, event: Json) -> bool:
        """Another response id begins another answer, and so does a repetition of the first event.

        An event without usage may be repeated within an answer; without an id, hardly as the second event.
        """
        event = fields.camelled(event)
        id = name_of(event.get("responseId"))
        if id is not None and self.id is not None and id != self.id:
            return False
        unique = self.done or (id is None and self._events == 1) or "usageMetadata" in event
        return not (unique and event == self._first)

    def feed(self, event: Json) -> list[Part]:
        event = fields.camelled(event)
        self._first = self._first or event
        self._events += 1
        self.id = self.id or name_of(event.get("responseId"))
        self.model = self.model or name_of(event.get("modelVersion"))
        self._usage = usage.merged(self._usage, fields.camelled(event.get("usageMetadata")))
        feedback = object_of(fields.camelled(event.get("promptFeedback")))
        if reason := name_of(feedback.get("blockReason")):
            self.done = True
            words = ("the prompt was blocked", reason, text_of(feedback.get("blockReasonMessage")))
            self._why = ": ".join(filter(None, words))
        self._further |= further(event.get("candidates"))
        candidate = fields.camelled(first(event.get("candidates")))
        content = object_of(candidate.get("content"))
        parts: list[Part] = []
        for value in map(fields.part, list_of(content.get("parts"))):
            if not isinstance(value, dict):
                parts.append(native(NAME, value))
            elif value.get("text") != "" or value.keys() - {"text", "thought"}:
                parts.append(storable(value, NAME))
        self._parts += parts
        finish = name_of(candidate.get("finishReason"))
        if finish:
            self._finish, self.done = finish, True
            ratings = objects(candidate.get("safetyRatings"))
            categories = ", ".join(
                text_of(rating.get("category")) for rating in ratings if rating.get("blocked")
            )
            self._why = text_of(candidate.get("finishMessage")) or categories or self._why
        return parts

    def conclude(self) -> Reply | Failure:
        counts = usage.read(self._usage, USAGE)
        parts, more = join([], self._parts), len(self._further)
        return outcome_of(Reply(parts, NAME, self.model, self._finish, counts, self.id, more), self._why)
