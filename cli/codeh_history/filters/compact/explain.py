"""Explain a compaction: what the remaining tokens are spent on, and what was removed, by kind.

Nothing is decided in this module: it compares a view with its compacted form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...base.read_json import strings_in
from ...session.exchanges import is_ide_context, is_prompt, is_thought
from ...session.labels import SAID, SHOWN, USER
from ...session.model import Json, Message, Part, Summary
from ...session.ops import NEXT, shown_parts
from ...session.sources import rendered
from ...session.view import View
from ...tokens import Counter, part_tokens
from ...tokens.formula import cost_beside_messages, is_sent, summary_text, unscaled_costs
from ..costs import largest
from . import stubs
from .summary import KINDS as HEADING_OF
from .summary import Entry, entries_of, fields_of
from .units import units

# In request order; `frame` is the fixed overhead.
SPENT = (
    "system", "tools", "ledger", "prompts", "sentences", "summaries", "stubs", "pins", "recent", "frame",
)  # fmt: skip
KINDS = (
    "prompts", "answers", "thoughts", "calls", "results", "files", "context", "summaries", "other",
)  # fmt: skip
MOST = 10  # largest remaining parts to list
_WHOLE = -1  # pseudo part: the message's own overhead


class Piece(NamedTuple):
    """A part of a message, or the message's own overhead: its kind and unscaled tokens."""

    kind: str
    tokens: int
    stub: bool


Pieces = Mapping[tuple[str, int], Piece]


def explained(
    before: View, after: View, counter: Counter, system: str | None, tools: Sequence[Json]
) -> Json:
    """Return `{counter, before, after, spent, let_go, largest}` for a view and its compacted form.

    `spent` has every name of SPENT, and its values sum to `after`. `let_go` has for each kind the number
    of `parts` that were removed or shrank, and by how many `tokens`; stubs that replace them count in
    `spent`.
    """
    before, after = rendered(before), rendered(after)
    old, new = _pieces(before, counter), _pieces(after, counter)
    spent = dict.fromkeys(SPENT, 0)
    spent["system"] = cost_beside_messages(counter, system, (), ())
    spent["tools"] = cost_beside_messages(counter, None, tools, ())
    beside = spent["system"] + spent["tools"] + counter.history + _record_cost(before, counter)
    spent |= _record(after, counter)
    spent["frame"] += counter.history
    pinned = _pinned(after)
    for (id, _), piece in new.items():
        spent["stubs" if piece.stub else "pins" if id in pinned else "recent"] += piece.tokens
    left = counter.scale(sum(spent.values()))
    return {
        "counter": counter.name,
        "before": counter.scale(beside + sum(piece.tokens for piece in old.values())), "after": left,
        "spent": dict(zip(spent, shared(left, list(spent.values())), strict=True)),
        "let_go": _let_go(before, after, old, new, counter),
        "largest": [_named(part, before) for part in largest(counter, after, MOST, system, tools, left)],
    }  # fmt: skip


def _named(part: Json, before: View) -> Json:
    """Number a large part as in the original view; a summary that is not stored yet has no id."""
    if "n" in part:
        return {**part, "n": [message.id for message in before.messages].index(part["id"]) + 1}
    return {key: value for key, value in part.items() if key != "id" or not value.startswith(NEXT)}


def shared(total: int, amounts: Sequence[int]) -> list[int]:
    """Scale the amounts in proportion so that they sum to the total."""
    whole, before, done = sum(amounts), 0, 0
    parts: list[int] = []
    for amount in amounts:  # cumulative, so that rounding errors cancel
        before += amount
        parts.append((before * total // whole if whole else 0) - done)
        done += parts[-1]
    return parts


def _pieces(view: View, counter: Counter) -> Pieces:
    """All parts that are sent, by message and position in the original message."""
    messages = [message for message in view.messages if is_sent(message)]
    tokens = part_tokens(counter, messages)
    pieces: dict[tuple[str, int], Piece] = {}
    for message, costs, whole in zip(
        messages, tokens, unscaled_costs(counter, messages, tokens), strict=True
    ):
        first: Part = message.parts[0] if message.parts else {"text": ""}
        parts = [(_WHOLE, first, whole - sum(costs))]
        parts += zip(shown_parts(message), message.parts, costs, strict=False)
        for place, part, cost in parts:
            stub = any(map(stubs.is_stub, strings_in(part))) or place in (message.replaced or ())
            pieces[message.id, place] = Piece(_kind(message, part), cost, stub)
    return pieces


def _kind(message: Message, part: Part) -> str:
    if "functionCall" in part or "functionResponse" in part:
        return "calls" if "functionCall" in part else "results"
    if "inlineData" in part or "fileData" in part:
        return "files"
    if is_thought(part):
        return "thoughts"
    if "text" not in part:
        return "other"
    if message.role == "model":
        return "answers"
    return "prompts" if is_prompt(message) else "context" if is_ide_context(message) else "other"


def _pinned(view: View) -> set[str]:
    """The pinned messages and their units."""
    messages = [message for message in view.messages if is_sent(message)]
    pinned = {number for number, message in enumerate(messages) if message.pinned}
    with_pins = (unit for unit in units(messages) if not pinned.isdisjoint(unit)) if pinned else ()
    return {messages[number].id for unit in with_pins for number in unit}


def _record_cost(view: View, counter: Counter) -> int:
    """The cost of the record that holds all summaries."""
    return cost_beside_messages(counter, None, (), [summary.text for summary in view.summaries])


def _record(view: View, counter: Counter) -> dict[str, int]:
    """Split that cost by content; the heading and separators count as `frame`."""
    if not view.summaries:
        return {}
    lines: list[tuple[str, str]] = [("frame", summary_text(()))]
    lines += (section for summary in view.summaries for section in _sections(summary))
    texts = {name: "\n".join(text for its, text in lines if its == name) for name in dict(lines)}
    counts = dict(zip(texts, counter.counts([f"{text}\n" for text in texts.values()]), strict=True))
    counts["frame"] += counter.message
    return dict(zip(counts, shared(_record_cost(view, counter), list(counts.values())), strict=True))


def _sections(summary: Summary) -> Iterator[tuple[str, str]]:
    """The lines of a summary, each with what it counts as."""
    entries = entries_of(summary)
    if entries is None:
        yield "summaries", summary.text
    sections: dict[tuple[str, str], list[Entry]] = {}
    for line in entries or ():
        heading = HEADING_OF[line.kind]
        sentence = heading in (SAID, SHOWN)
        by_user = line.kind == "asked" or (sentence and line.label == USER)
        name = "prompts" if by_user else "sentences" if sentence else "ledger"
        sections.setdefault((name, heading), []).append(line)
    yield from ((name, fields_of(lines)["summary"]) for (name, _), lines in sections.items())


def _let_go(before: View, after: View, old: Pieces, new: Pieces, counter: Counter) -> Json:
    """Count the parts of each kind that were removed or shrank, and their tokens; omit kinds
    without any.
    """
    parts, tokens = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for key, piece in old.items():
        gone = piece.tokens - (new[key].tokens if key in new else 0)
        parts[piece.kind] += gone > 0 and key[1] != _WHOLE
        tokens[piece.kind] += gone
    kept = {summary.id for summary in after.summaries}
    earlier = [summary.text for summary in before.summaries if summary.id not in kept]
    parts["summaries"], tokens["summaries"] = len(earlier), sum(counter.counts(earlier))
    return {
        kind: {"parts": parts[kind], "tokens": counter.scale(tokens[kind])}
        for kind in KINDS
        if tokens[kind]
    }
