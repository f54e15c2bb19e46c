"""Explain a compaction by comparing views: what the remaining tokens are spent on, and what was removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...base.read_json import strings_in
from ...session.exchanges import is_ide_context, is_prompt, is_thought
from ...session.labels import SAID, SHOWN, USER
from ...session.model import Json, Message, Part
from ...session.ops import NEXT, shown_parts
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import cost_beside_messages, part_tokens, summary_text, unscaled_costs
from ..costs import largest
from . import stubs
from .summary import KINDS as HEADING_OF
from .summary import entries_of
from .units import units

# In request order; `frame` is the fixed overhead.
SPENT = (
    "system", "tools", "ledger", "prompts", "sentences", "summaries", "stubs", "pins", "recent", "frame",
)  # fmt: skip
KINDS = (
    "prompts", "answers", "thoughts", "calls", "results", "files", "context", "summaries", "other",
)  # fmt: skip
_OF_PARTS = {
    "functionCall": "calls", "functionResponse": "results", "inlineData": "files", "fileData": "files",
}  # fmt: skip
MOST = 10  # largest remaining parts to list
_WHOLE = -1  # in place of a part's position: the overhead of the message


class Piece(NamedTuple):
    """A part or the overhead of a message: its kind, unscaled tokens, and its name in `spent`."""

    kind: str
    tokens: int
    spent: str


Pieces = Mapping[tuple[str, int], Piece]


def explained(
    before: View, after: View, counter: Counter, system: str | None, tools: Sequence[Json] | None
) -> Json:
    """Return `{counter, before, after, spent, let_go, largest}` for a view and its compacted form.

    `spent` has every name of SPENT, and its values sum to `after`. `let_go` has for each kind the number
    of `parts` that were removed or shrank, and by how many `tokens`; stubs that replace them count in
    `spent`.
    """
    before, after = rendered(before), rendered(after)
    old, new = _pieces(before, counter), _pieces(after, counter)
    beside = {
        "system": cost_beside_messages(counter, system, (), ()),
        "tools": cost_beside_messages(counter, None, tools, ()), "frame": counter.history,
    }  # fmt: skip
    whole = (
        sum(beside.values()) + _record_cost(before, counter) + sum(piece.tokens for piece in old.values())
    )
    spent = dict.fromkeys(SPENT, 0) | beside
    for name, tokens in _record(after, counter).items():
        spent[name] += tokens
    for piece in new.values():
        spent[piece.spent] += piece.tokens
    total = counter.scale(sum(spent.values()))
    dearest = largest(counter, after, MOST, system, tools, total)
    position = {message.id: number for number, message in enumerate(before.messages, 1)}
    for part in dearest:
        if "n" in part:
            part["n"] = position[part["id"]]  # as in the original view
        elif part.get("id", "").startswith(NEXT):
            del part["id"]  # a summary that is not stored yet
    return {
        "counter": counter.name, "before": counter.scale(whole), "after": total,
        "spent": _scaled(spent, total), "let_go": _let_go(before, after, old, new, counter),
        "largest": dearest,
    }  # fmt: skip


def _scaled(amounts: Mapping[str, int], total: int) -> dict[str, int]:
    """Scale amounts in proportion so that they sum to the total; `frame` takes what rounding leaves."""
    whole = sum(amounts.values()) or 1
    parts = {name: amount * total // whole for name, amount in amounts.items()}
    parts["frame"] += total - sum(parts.values())
    return parts


def _pieces(view: View, counter: Counter) -> Pieces:
    """The parts that are sent, by message id and original position."""
    messages = view.sent
    pinned = {number for number, message in enumerate(messages) if message.pinned}
    with_pins = (
        {n for unit in units(messages) if not pinned.isdisjoint(unit) for n in unit} if pinned else ()
    )
    tokens = part_tokens(counter, messages)
    wholes = unscaled_costs(counter, messages, tokens)
    pieces: dict[tuple[str, int], Piece] = {}
    for number, (message, costs, whole) in enumerate(zip(messages, tokens, wholes, strict=True)):
        first: Part = message.parts[0] if message.parts else {"text": ""}
        parts = [(_WHOLE, first, whole - sum(costs))]
        parts += zip(shown_parts(message), message.parts, costs, strict=False)
        for place, part, cost in parts:
            stub = any(map(stubs.is_stub, strings_in(part))) or place in (message.replaced or ())
            spent = "stubs" if stub else "pins" if number in with_pins else "recent"
            pieces[message.id, place] = Piece(_kind(message, part), cost, spent)
    return pieces


def _kind(message: Message, part: Part) -> str:
    kind = next((kind for key, kind in _OF_PARTS.items() if key in part), "")
    if kind or is_thought(part) or "text" not in part:
        return kind or ("thoughts" if is_thought(part) else "other")
    if message.role == "model":
        return "answers"
    return "prompts" if is_prompt(message) else "context" if is_ide_context(message) else "other"


def _record_cost(view: View, counter: Counter) -> int:
    """The cost of the message with all summaries."""
    return cost_beside_messages(counter, None, (), [summary.text for summary in view.summaries])


def _record(view: View, counter: Counter) -> dict[str, int]:
    """Split the cost of the summaries by content; the heading and separators count as `frame`."""
    if not view.summaries:
        return {}
    texts = {"frame": [summary_text(())]}
    for summary in view.summaries:
        entries = entries_of(summary)
        if entries is None:
            texts.setdefault("summaries", []).append(summary.text)
        for entry in entries or ():
            sentence = HEADING_OF[entry.kind] in (SAID, SHOWN)
            by_user = entry.kind == "asked" or (sentence and entry.label == USER)
            name = "prompts" if by_user else "sentences" if sentence else "ledger"
            texts.setdefault(name, []).append(entry.text)
    counts = counter.counts(["\n".join(group) for group in texts.values()])
    return _scaled(dict(zip(texts, counts, strict=True)), _record_cost(view, counter))


def _let_go(before: View, after: View, old: Pieces, new: Pieces, counter: Counter) -> Json:
    """Count the parts of each kind that were removed or shrank, and their tokens, if there are any."""
    parts, tokens = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for key, piece in old.items():
        saved = piece.tokens - (new[key].tokens if key in new else 0)
        parts[piece.kind] += saved > 0 and key[1] != _WHOLE
        tokens[piece.kind] += saved
    remaining = {summary.id for summary in after.summaries}
    removed = [summary.text for summary in before.summaries if summary.id not in remaining]
    parts["summaries"], tokens["summaries"] = len(removed), sum(counter.counts(removed))
    return {
        kind: {"parts": parts[kind], "tokens": counter.scale(tokens[kind])}
        for kind in KINDS
        if tokens[kind]
    }
