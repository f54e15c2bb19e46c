"""The cost of a history in tokens: `3 + Σ messages`, a message `4 + Σ parts`, a system prompt `4 + tokens`.

A text costs its tokens; a functionCall `tokens(name) + tokens(compact JSON of args)`, a functionResponse
likewise with `response`; attached files the tokens of their list; media by dimensions, duration or pages,
never by the length of their base64; summaries as the one user-side record in which they are sent; tools
their compact JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

import orjson

from ..base.errors import BadData
from ..session.model import SUMMARY_HEAD, Json, Message, Part
from ..session.sources import listing
from . import media
from .counter import Counter

_CONTENT = {"functionCall": "args", "functionResponse": "response"}
_FILES = ("inlineData", "fileData")
_FREE_FIELDS = frozenset(("thought", "thoughtSignature", "videoMetadata"))
Costs = Sequence[Sequence[int]]  # of parts, by message


class ByteBound(Counter):
    """An upper bound of another counter's counts: bytes instead of tokens, without tokenising.

    A byte-level BPE starts from the UTF-8 bytes of a text and only merges neighbours, so a text has at most
    as many tokens as bytes. Lone surrogates become U+FFFD, which has three bytes too. The approximate count
    is at most one per character.
    """

    def __init__(self, other: Counter) -> None:
        super().__init__(other.vocabulary, media=other.media, percent=other.percent)
        self.history, self.message, self.names = other.history, other.message, other.names

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [len(t) if t.isascii() else len(t.encode("utf-8", "surrogatepass")) for t in texts]


def text_tokens(counter: Counter, text: str) -> int:
    return counter.scale(counter.counts([text])[0])


def system_tokens(counter: Counter, system: str | None) -> int:
    """Return the cost of a system prompt; 0 without one."""
    return counter.scale(cost_beside_messages(counter, system, (), ()))


def tools_tokens(counter: Counter, tools: Sequence[Json] | None) -> int:
    """Return the cost of tool declarations: their compact JSON."""
    return counter.scale(cost_beside_messages(counter, None, tools, ()))


def history_tokens(
    counter: Counter,
    messages: Sequence[Message],
    *,
    system: str | None = None,
    tools: Sequence[Json] | None = None,
    summaries: Sequence[str] = (),
    parts: Costs | None = None,
) -> int:
    """Return the cost of sending this history; a calibrated counter scales the total once."""
    costs = zip(messages, unscaled_costs(counter, messages, parts), strict=True)
    total = counter.history + sum(cost for message, cost in costs if message.is_sent)
    return counter.scale(total + cost_beside_messages(counter, system, tools, summaries))


def cost_beside_messages(
    counter: Counter, system: str | None, tools: Sequence[Json] | None, summaries: Sequence[str]
) -> int:
    """Return the unscaled cost of system prompt, tools and summaries."""
    texts = [system] if system else []
    texts += [summary_text(summaries)] if summaries else []
    declarations = [compact(list(tools))] if tools else []
    return counter.message * len(texts) + sum(counter.counts(texts + declarations))


def summary_text(summaries: Sequence[str]) -> str:
    """Return the text of the one user-side record in which the summaries are sent."""
    return "\n\n".join([SUMMARY_HEAD, *summaries])


def message_tokens(counter: Counter, messages: Sequence[Message], parts: Costs | None = None) -> list[int]:
    """Return each message's cost; 0 for messages that are not sent (error, info, uncommitted)."""
    costs = zip(messages, unscaled_costs(counter, messages, parts), strict=True)
    return [counter.scale(cost) if message.is_sent else 0 for message, cost in costs]


def unscaled_costs(counter: Counter, messages: Sequence[Message], parts: Costs | None = None) -> list[int]:
    """Return the unscaled cost of each message, as if all were sent; `parts`: known costs of parts."""
    costs = [counter.message + sum(each) for each in parts or part_tokens(counter, messages)]
    lists = {n: listing(m) for n, m in enumerate(messages) if "attached" in m.fields and m.is_sent}
    for number, tokens in zip(lists, counter.counts([*lists.values()]), strict=True):
        costs[number] += tokens
    return costs


def part_tokens(counter: Counter, messages: Iterable[Message]) -> list[list[int]]:
    """Return the unscaled cost of every part, by message, counted in one batch."""
    groups = [message.parts if message.is_sent else () for message in messages]
    costs = iter(parts_tokens(counter, chain.from_iterable(groups)))
    return [list(islice(costs, len(parts))) for parts in groups]


def parts_tokens(counter: Counter, parts: Iterable[Part]) -> list[int]:
    """Return the unscaled cost of each part, counted in one batch."""
    texts: list[str] = []
    shapes: list[tuple[int, int]] = []  # the number of a part's texts, and the rest of its cost
    for part in parts:
        before = len(texts)
        fixed = _collect_texts(part, texts, counter)
        shapes.append((len(texts) - before, fixed))
    counts = iter(counter.counts(texts))
    return [fixed + sum(islice(counts, number)) for number, fixed in shapes]


def _collect_texts(part: Any, texts: list[str], counter: Counter) -> int:
    """Append a part's texts to `texts`, to be counted; return the rest of its cost."""
    fixed = 0
    for key, value in part.items():
        if key == "text":
            texts.append(value)
        elif key in _CONTENT:
            texts += [value["name"]] if counter.names else []
            texts.append(compact(value.get(_CONTENT[key]) or {}))
            files = value.get("parts") if key == "functionResponse" else None
            for item in files if isinstance(files, list) else ():
                kind = next((name for name in _FILES if isinstance(item, dict) and name in item), "")
                if kind:
                    fixed += _file_cost(kind, item[kind], texts, counter.media)
                else:
                    texts.append(compact(item))
        elif key in _FILES:
            fixed += _file_cost(key, value, texts, counter.media)
        elif key == "native":  # its compact JSON, except media, which is counted by its rule
            blobs: list[tuple[str, str]] = []
            texts.append(compact(media.without_media(value.get("value"), blobs)))
            fixed += sum(media.file_tokens(mime, data, counter.media) for mime, data in blobs)
        elif key not in _FREE_FIELDS:
            texts.append(compact(value))
    return fixed


def _file_cost(kind: str, blob: object, texts: list[str], rule: str) -> int:
    """Return the cost of a file; for a text file, append its text to `texts` and return 0."""
    mime, data = media.mime_and_data(blob)
    if kind == "inlineData" and media.is_text(mime):
        texts.append(media.decoded(data).decode("utf-8", "replace"))
        return 0
    return media.file_tokens(mime, data if kind == "inlineData" else None, rule)


def compact(value: object) -> str:
    """Return compact JSON; raise BadData for a value that is nested too deeply."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        raise BadData("a part nests more than 254 levels deep and cannot be sent: undo it") from None
