"""Split messages into lines: the sentences of people and models, and whole lines of tool input and output.

A line has its speaker. Text in a fence, quote, tag, table, log or long paste is `pasted`, because its
sender did not write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...base.lazy import Pattern
from ...session.exchanges import NOT_USERS, is_ide_context, tools_named
from ...session.labels import MODEL, PASTED, USER, is_ours
from ...session.records import dumps
from ...session.view import text_of
from ...summaries import authorship, cues, prose
from ...summaries.calls import command_of, paths_of, result_value
from . import stubs, words
from .draft import History
from .summary import Line
from .units import CHAT, PEOPLE, SPEAKER

WHOLE, READ = 1_500_000, 200_000  # characters of a history that is read whole; least of a longer one
FILLS = 0.6  # share of the budget to read of a longer one, so that it can be filled
BRIEF = 40  # characters of a call's label
HEAD = 100  # characters of the head of a list, and of an item that needs it
SHORT = 200  # characters of a field that shares a line with others
_NUMBERED = Pattern(r" *\d+(?:→|\t|[|:] ?)")  # line numbers, as tools print them
_MARK = Pattern(r"^(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+|#{1,6}\s+)+")


def read(history: History, numbers: Iterable[int]) -> Iterator[Line]:
    """Yield the lines of these messages, without thoughts and editor context.

    Of a very long history, only the beginning of each part is read.
    """
    sizes = [int(cost * history.counter.characters) for costs in history.tokens for cost in costs]
    least = max(READ, int(history.settings.budget * FILLS * history.counter.characters))
    most = WHOLE if sum(sizes) <= WHOLE else words.water_level(sizes, least)
    for number in numbers:
        message = history.messages[number]
        if is_ide_context(message):
            continue
        # the template that Claude Code sends for the `/command` before it
        template = number > 0 and text_of(history.messages[number - 1]).startswith("<command-")
        quoted = False
        for place, part in enumerate(message.parts):
            if "inlineData" in part or "fileData" in part:
                lines = iter([Line("shown", "File", stubs.described(part, message.id), message.id, 20)])
            elif "functionCall" in part or "functionResponse" in part:
                lines = _shown(history, number, place)
            else:
                text = "" if part.get("thought") else part.get("text") or ""
                rate = history.tokens[number][place] / max(1, len(text))
                own = not (quoted or template)
                quoted = message.role == "user" and authorship.quoting(text, quoted=quoted)
                speaker = MODEL if message.role == "model" else USER
                lines = spoken(text, speaker, message.id, rate, history.shape, own=own)
            for line in words.upto(most, lines, lambda line: len(line.text)):
                line.number = number
                yield line
        used = tools_named(message)  # some histories name tools without their calls
        if used:
            yield Line("done", "", f"used {', '.join(used)}", message.id, 8.0 * len(used), number=number)


def _shown(history: History, number: int, place: int) -> Iterator[Line]:
    """The lines of a call or a result."""
    message, call = history.messages[number], history.layout.calls.get((number, place))
    part = message.parts[place]
    content: Any = part.get("functionCall") or part["functionResponse"]
    value = content.get("args") if "functionCall" in part else result_value(content.get("response"))
    label = brief(content["name"], call.args if call is not None else {})
    texts = list(flat(value))
    rate = history.tokens[number][place] / max(1, sum(map(len, texts)))
    for row, text in enumerate(texts):
        if text.rpartition(": ")[2] not in label:
            cost = len(text) * min(1.5, rate) + 1 + len(label) * 0.06
            yield Line("shown", label, text, message.id, cost, row=row)


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
    head = ""
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
        own_words = authorship.own_sentences(sentences, user=user)
        for sentence, rules in zip(sentences, own_words, strict=True):
            rules = rules and early
            own_head = head if item and len(sentence) <= HEAD else ""
            topic = cues.topic(sentence, user=user and who == speaker) if rules else ""
            yield Line(
                kind if shape == CHAT and topic == "open" else topic or kind, who, sentence, id,
                (len(sentence) + len(own_head) / 3) * rate + 1.5, kind, row=row, head=own_head,
                revokes=rules and user and cues.revokes(sentence),
            )  # fmt: skip
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
    """Flatten a value into lines: a text's own, and one for the short fields of each object."""
    if isinstance(value, str):
        texts = words.lines_of(value)
        if sum(_NUMBERED.match(line) is not None for line in texts) * 2 > len(texts) > 1:
            texts = [_NUMBERED.sub("", line, count=1) for line in texts]
        yield from (line.rstrip() for line in texts if len(line.strip()) > 2)
    elif isinstance(value, dict):
        short = {key: _plain(item) for key, item in value.items() if item is not None}
        plain = ", ".join(f"{key}: {text}" for key, text in short.items() if text)
        yield from words.lines_of(plain) if plain else ()
        yield from (line for key, text in short.items() if not text for line in flat(value[key]))
    elif isinstance(value, list):
        yield from (text for item in value for text in flat(item))
    elif value is not None:
        yield _plain(value)


def _plain(value: Any) -> str:
    """A short value on one line; "" if it is long or holds an object."""
    text = value if isinstance(value, str) else dumps(value).decode()
    return text if len(text) <= SHORT and not {"\n", "{"}.intersection(text) else ""
