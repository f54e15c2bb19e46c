"""Split messages into lines: the sentences of people and models, and whole lines of tool input and output.

A line has its speaker. Text in a fence, quote, tag, table, log or long paste is `pasted`, because its
sender did not write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...base.lazy import Pattern
from ...session.exchanges import NOT_USERS, is_ide_context, tools_named
from ...session.labels import MODEL, PASTED, USER, is_ours
from ...session.model import Part
from ...session.view import text_of
from ...summaries import authorship, cues, prose
from ...summaries.calls import command_of, paths_of, result_value
from . import stubs, words
from .units import CHAT, PEOPLE, SPEAKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .draft import History

WHOLE = 1_500_000  # characters up to which a history is read whole
READ = 200_000  # at least so many characters of a longer one
BRIEF = 40  # characters of a call's label
HEAD = 100  # characters of the head of a list, and of an item that needs it
SHORT = 200  # characters of a field that shares a line with others
_NUMBERED = Pattern(r" *\d+(?:→|\t|[|:] ?)")  # line numbers, as tools print them
_MARK = Pattern(r"^(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+|#{1,6}\s+)+")


@dataclass(slots=True, eq=False)
class Line:
    """A sentence, or a line of tool input or output, with the facts by which it is chosen.

    `spoken`: of a sentence, `asked` (by a user) or `said`, whatever its kind. `head`: the line above a list
    that an item needs. `rules`: whether it may state or revoke a rule. `number`: position of the message;
    `row`: of the line in the message; `place`: among all lines; `first`: the user's first sentence in a
    prompt; `calls`: whether the message makes a call.
    """

    kind: str
    label: str
    text: str
    id: str
    cost: float
    spoken: str = ""
    number: int = 0
    row: int = 0
    head: str = ""
    rules: bool = False
    first: bool = False
    calls: bool = False
    place: int = 0
    words: frozenset[str] = frozenset()


class Reader:
    """Splits the messages of a history into lines; in a very long history, only the start of each part."""

    def __init__(self, history: History, room: float) -> None:
        self._history = history
        sizes = [int(cost * history.counter.characters) for costs in history.tokens for cost in costs]
        most = max(READ, int(room * history.counter.characters))
        self._most = WHOLE if sum(sizes) <= WHOLE else words.water_level(sizes, most)

    def lines(self, number: int) -> Iterator[Line]:
        """Yield the lines of a message, without thoughts and editor context."""
        message = self._history.messages[number]
        if is_ide_context(message):
            return
        calls = any("functionCall" in part for part in message.parts)
        quoted = False
        for place, part in enumerate(message.parts):
            if "inlineData" in part or "fileData" in part:
                text = stubs.described(part, message.id)
                yield Line("shown", "File", text, message.id, 20, number=number)
                continue
            tokens = self._history.tokens[number][place]
            if "functionCall" in part or "functionResponse" in part:
                lines = self._shown(number, place, part)
            else:
                text = "" if part.get("thought") else part.get("text") or ""
                speaker = MODEL if message.role == "model" else USER
                rate = tokens / max(1, len(text))
                text = cut(text, self._most)
                own = not (quoted or self._expands_command(number))
                quoted = message.role == "user" and authorship.quoting(text, quoted=quoted)
                lines = spoken(text, speaker, message.id, rate, self._history.shape, own=own)
            for line in lines:
                line.number, line.calls = number, calls
                yield line
        used = tools_named(message)  # some histories name tools without their calls
        if used:
            text = f"used {', '.join(used)}"
            yield Line("done", "", text, message.id, len(text) / 3 + 1, number=number)

    def _expands_command(self, number: int) -> bool:
        """Whether a message is the template that Claude Code sends for the `/command` before it."""
        before = self._history.messages[number - 1] if number else None
        return before is not None and text_of(before).startswith("<command-")

    def _shown(self, number: int, place: int, part: Part) -> Iterator[Line]:
        """The lines of a call or a result."""
        call = self._history.layout.calls.get((number, place))
        if "functionCall" in part:
            name, value = part["functionCall"]["name"], part["functionCall"].get("args")
        else:
            result = part["functionResponse"]
            name, value = result["name"], result_value(result.get("response"))
        label = brief(name, call.args if call is not None else {})
        texts = list(flat(cut(value, self._most) if isinstance(value, str) else value))
        rate = self._history.tokens[number][place] / max(1, sum(map(len, texts)))
        for row, text in enumerate(words.upto(self._most, texts, len)):
            if text.rpartition(": ")[2] not in label:
                cost = len(text) * min(1.5, rate) + 1 + len(label) * 0.06
                yield Line("shown", label, text, self._history.messages[number].id, cost, row=row)


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, cut at the end of a sentence or line, else of a word."""
    if len(text) <= most:
        return text
    head = text[:most]
    end = max(head.rfind(sign) + len(sign) for sign in ("\n", ". ", "? ", "! ", "。", "？", "！"))
    return head[:end] if end > most // 2 else f"{head[: max(head.rfind(' '), most // 2)].rstrip()}…"


def spoken(
    text: str, speaker: str, id: str, rate: float, shape: str = "", *, own: bool = True
) -> Iterator[Line]:
    """Split a text into sentences, and pasted text into lines.

    `own`: whether its sender wrote it; a program's text is labelled by its first line. In a chat with an
    assistant nothing counts as open, because the next answer closes it. Among people a name at the start of
    a line applies until the next one. All of such a turn is the speaker's and states no rule.
    """
    user, kind = speaker == USER, "asked" if speaker == USER else "said"
    who = _named(text.partition("\n")[0], speaker)[0] if shape == PEOPLE else speaker
    turn = who != speaker
    own = own and not (user and text.startswith(NOT_USERS))
    other, source = "pasted", PASTED if user else speaker
    if not own:
        other, source = "shown", prose.clip(text.lstrip().partition("\n")[0], BRIEF)
    head, first = "", user and own
    for row, (line, written, early) in enumerate(
        authorship.rows(text, len(text) if turn else authorship.LONG, user=user)
    ):
        bare = line.strip()
        if not bare or (user and bare[0] == "/" and bare[1:].isalpha()):
            continue
        if not (own and written):
            for piece in words.lines_of(line.rstrip()):
                yield Line(other, source, piece, id, len(piece) * rate + 1, row=row)
            continue
        item = authorship.ITEM.match(line) is not None
        head = head if item else ""
        rest = _MARK.sub("", bare)
        if shape == PEOPLE and not item:
            who, rest = _named(rest, who)
        sentences = prose.split(rest)
        ruling = [early and rules for rules in authorship.own_sentences(sentences, user=user)]
        for sentence, rules in zip(sentences, ruling, strict=True):
            own_head = head if item and len(sentence) <= HEAD else ""
            topic = cues.topic(sentence, user=user and who == speaker) if rules else ""
            if rules and user and own_head and not topic:  # `Don't: push`
                topic = cues.topic(f"{head.rstrip(':')} {sentence}", user=who == speaker)
            yield Line(
                kind if shape == CHAT and topic == "open" else topic or kind, who, sentence, id,
                (len(sentence) + len(own_head) / 3) * rate + 1.5, kind, row=row, head=own_head,
                rules=rules, first=first,
            )  # fmt: skip
            first = False
        if rest.endswith(":") or bare[0] == "#" or (bare[:2] == bare[-2:] == "**"):
            head = prose.clip(sentences[-1].replace("**", ""), HEAD)


def _named(text: str, speaker: str) -> tuple[str, str]:
    """Split `Ann: Hi.` into speaker and text; our labels are not speakers."""
    who = SPEAKER.match(text)
    return (speaker, text) if who is None or is_ours(who[1]) else (who[1], text[who.end() :])


def brief(name: str, args: Any) -> str:
    """Label a call: its command in backticks, else its file, else its name and an argument."""
    fields = args if isinstance(args, dict) else {}
    command = command_of(fields)
    if command:
        return f"`{prose.clip(command, BRIEF)}`"
    path = next(iter(paths_of(fields)), "")
    if path:
        return prose.clip("/".join(path.split("/")[-2:]), BRIEF)
    plain = [str(value) for value in fields.values() if isinstance(value, (str, int))]
    return prose.clip(f"{name} {min(plain, key=len, default='')}", BRIEF)


def flat(value: Any) -> Iterator[str]:
    """Flatten a value into lines: a text into its own, JSON into one for the plain fields of each
    object.
    """
    if isinstance(value, str):
        texts = words.lines_of(value)
        if sum(_NUMBERED.match(line) is not None for line in texts) * 2 > len(texts) > 1:
            texts = [_NUMBERED.sub("", line, count=1) for line in texts]
        yield from (line.rstrip() for line in texts if len(line.strip()) > 2)
    elif isinstance(value, Mapping):
        plain = ", ".join(f"{key}: {_plain(item)}" for key, item in value.items() if _is_plain(item))
        yield from words.lines_of(plain) if plain else ()
        yield from (text for item in value.values() if not _is_plain(item) for text in flat(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in flat(item))
    elif value is not None:
        yield _plain(value)


def texts_of(part: Part) -> str:
    """All text of a part, except thoughts."""
    if "functionCall" in part:
        return "\n".join(flat(part["functionCall"].get("args")))
    if "functionResponse" in part:
        return "\n".join(flat(part["functionResponse"].get("response")))
    return "" if part.get("thought") else part.get("text", "")


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) < 9 and not any(isinstance(item, (dict, list)) for item in value)
    if isinstance(value, str):
        return "\n" not in value and len(value) <= SHORT
    return value is not None and not isinstance(value, Mapping)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_plain, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
