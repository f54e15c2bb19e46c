"""Arrange messages as turns, as every provider requires: results directly after their calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from ..base.lazy import Pattern
from ..base.mime import decoded_size
from ..session.model import CONTINUATION as CONTINUATION  # noqa: PLC0414
from ..session.model import SUMMARY_HEAD, Json, Message, Part
from ..session.pairing import Answer, Call, Walk

_LINES, _LETTERS = Pattern("claude|gemini|gpt"), Pattern("[a-z]+")
_MAJOR = Pattern(r"(?<![0-9])(\d{1,2})(?![0-9])")
EMPTY_MESSAGE = "(empty message)"  # for providers that refuse an empty user message


class Turn:
    """Parts to send together: a user's, a model's, or the results of one model turn's calls.

    `calls` are those of a model turn. The parts of a `results` turn are functionResponses, one for each
    call, in the order of the calls; `answers` has the call of each.
    """

    __slots__ = ("answers", "calls", "message", "parts", "role")

    def __init__(
        self,
        role: str,
        message: Message | None,
        parts: list[Part],
        calls: Sequence[Call] = (),
        answers: list[Answer] | None = None,
    ) -> None:
        self.role = role  # user, model or results
        self.message = message
        self.parts = parts
        self.calls = calls
        self.answers = [] if answers is None else answers

    @property
    def opening(self) -> str | None:
        """The only text before its calls; "" if it has only calls, None if it has anything else."""
        rest = len(self.parts) - len(self.calls)
        if rest > 1 or (self.message is not None and "item" in self.message.fields):
            return None
        if rest and len(self.parts[0]) == 1:
            return self.parts[0].get("text") or None
        return "" if self.calls and not rest else None

    @property
    def id(self) -> str:
        """The id of its first message; "" if it comes from no message."""
        return self.message.id if self.message is not None else ""

    @property
    def item(self) -> Json:
        """An imported message's fields besides role and content; {} if there are none."""
        item = self.message.fields.get("item") if self.message is not None else None
        return item if isinstance(item, dict) else {}

    @property
    def sources(self) -> list[str]:
        """The id of the message that contains each result."""
        return [answer.message.id for answer in self.answers]

    def made_by(self, provider: str, model: str | None) -> bool:
        """Whether this provider and model family made the turn, so that its signatures are valid there.

        A turn without a recorded provider counts as Gemini's, because it has Gemini's spelling.
        """
        message = self.message
        if message is None or (message.provider or "gemini") != provider:
            return False
        name = message.model
        return not name or not model or name == model or family(name) == family(model)


@cache
def family(model: str) -> str:
    """A model's family, within which signatures stay valid: product line and major version.

    `gemini-2.5-pro` → `gemini-2`, `gpt-5.1-mini` → `gpt-5`, `us.anthropic.claude-opus-4-8` → `claude-4`.
    """
    name = model.rsplit("/", 1)[-1].lower()
    line, major = _LINES.search(name) or _LETTERS.match(name), _MAJOR.search(name)
    return f"{line[0] if line else name}-{major[1] if major else ''}"


def turns_of(
    messages: Sequence[Message], summaries: Sequence[str] = (), *, faithful: bool = False
) -> Iterator[Turn]:
    """Yield messages as turns; a `results` turn directly follows its calls and answers each of them.

    The messages must be curated by `pairs`. `faithful`: nothing is moved, so results may answer no call.
    """
    if summaries:
        yield Turn("user", None, [{"text": "\n\n".join([SUMMARY_HEAD, *summaries])}])
    spoken = False  # whether there was a model turn
    results: Turn | None = None  # the results of the last model turn's calls
    later: list[Turn] = []  # the user turns since then, which follow the results
    for message, calls, answers in Walk().through(messages):
        if message.role == "model":
            if results is not None:
                yield _in_call_order(results)
                results = None
            yield from later
            later = []
            spoken = True
            yield Turn("model", message, message.parts, calls, answers)
            continue
        parts = message.parts
        if answers:
            results = results or Turn("results", message, [])
            results.parts += [parts[answer.part] for answer in answers]
            results.answers += answers
        if faithful and results is not None:
            yield results
            results = None
        if answers and len(answers) == len(parts):
            continue
        user = Turn("user", message, [part for part in parts if "functionResponse" not in part])
        if faithful or not (spoken or results):
            yield user
        else:
            later.append(user)
    if results is not None:
        yield _in_call_order(results)
    yield from later


def _in_call_order(results: Turn) -> Turn:
    answers = results.answers
    if len(answers) == 1:
        return results
    order = sorted(range(len(answers)), key=lambda n: (answers[n].number < 0, answers[n].number))
    results.parts = [results.parts[n] for n in order]
    results.answers = [answers[n] for n in order]
    return results


def media_stub(part: Part, why: str) -> str:
    """The text that replaces a part that a provider does not accept: its type and size."""
    blob = part.get("inlineData")
    if isinstance(blob, dict):
        data = blob.get("data")
        size = decoded_size(data) if isinstance(data, str) else 0
        name = f" {blob['displayName']}" if blob.get("displayName") else ""
        return f"[{blob.get('mimeType', 'data')}{name}, {size} bytes: {why}]"
    file = part.get("fileData")
    if isinstance(file, dict):
        return f"[{file.get('mimeType', 'file')} {file.get('fileUri', '')}: {why}]"
    return f"[{', '.join(sorted(part))}: {why}]"
