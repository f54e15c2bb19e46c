"""Explain a compaction by comparing views: what the remaining tokens are spent on, and what was removed."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping, Sequence

from ...base.read_json import strings_in
from ...session.exchanges import is_ide_context, is_prompt, is_thought
from ...session.labels import USER
from ...session.model import Json, Message, Part
from ...session.ops import shown_parts
from ...session.sources import rendered
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import cost_beside_messages, part_tokens, summary_text, unscaled_costs
from ..costs import largest, request_tokens
from . import stubs
from .summary import entries_of, opaque

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
# where the lines of a summary count, by kind; those of other kinds are the ledger's
_OF_LINES = {
    "asked": "prompts", "said": "sentences", "pasted": "sentences", "shown": "sentences",
    "earlier": "summaries",
}  # fmt: skip
MOST = 10  # largest remaining parts to list
_WHOLE = -1  # in place of a part's position: the overhead of the message
Piece = tuple[Message, int, Part, int]  # a part with its message, original position and unscaled tokens


def explained(
    before: View, after: View, counter: Counter, system: str | None, tools: Sequence[Json] | None
) -> Json:
    """Return `{counter, before, after, spent, let_go, largest}` for a view and its compacted form.

    `spent` has every name of SPENT, and its values sum to `after`. `let_go` has for each kind the number
    of `parts` that were removed or shrank, and by how many `tokens`; stubs that replace them count in
    `spent`.
    """
    before, after = rendered(before), rendered(after)
    pieces = _pieces(after, counter)
    spent = dict.fromkeys(SPENT, 0) | _spent_on_summaries(after, counter)
    spent["system"] = cost_beside_messages(counter, system, (), ())
    spent["tools"] = cost_beside_messages(counter, None, tools, ())
    spent["frame"] += counter.history
    for message, place, part, tokens in pieces:
        stub = place in (message.replaced or ()) or any(map(stubs.is_stub, strings_in(part)))
        spent["stubs" if stub else "pins" if message.pinned else "recent"] += tokens
    total = counter.scale(sum(spent.values()))
    dearest = largest(counter, after, MOST, system, tools, total, before)
    return {
        "counter": counter.name, "before": request_tokens(counter, before, system, tools), "after": total,
        "spent": _scaled(spent, total), "let_go": _let_go(before, after, pieces, counter),
        "largest": dearest,
    }  # fmt: skip


def _scaled(amounts: Mapping[str, int], total: int) -> dict[str, int]:
    """Scale amounts in proportion so that they sum to the total; `frame` takes what rounding leaves."""
    whole = sum(amounts.values()) or 1
    parts = {name: amount * total // whole for name, amount in amounts.items()}
    parts["frame"] += total - sum(parts.values())
    return parts


def _pieces(view: View, counter: Counter) -> list[Piece]:
    """What is sent: the overhead of each message, and its parts."""
    tokens = part_tokens(counter, view.sent)
    wholes = unscaled_costs(counter, view.sent, tokens)
    pieces: list[Piece] = []
    for message, costs, whole in zip(view.sent, tokens, wholes, strict=True):
        first: Part = message.parts[0] if message.parts else {"text": ""}
        pieces.append((message, _WHOLE, first, whole - sum(costs)))
        parts = zip(shown_parts(message), message.parts, costs, strict=False)
        pieces += ((message, place, part, cost) for place, part, cost in parts)
    return pieces


def _spent_on_summaries(view: View, counter: Counter) -> dict[str, int]:
    """Split the cost of the summaries by content; the heading and separators count as `frame`."""
    texts = {"frame": [summary_text(())]}
    for summary in view.summaries:
        for entry in entries_of(summary) or opaque(summary):
            name = _OF_LINES.get(entry.kind, "ledger")
            name = "prompts" if name == "sentences" and entry.label == USER else name
            texts.setdefault(name, []).append(entry.text)
    counts = counter.counts(["\n".join(group) for group in texts.values()])
    cost = cost_beside_messages(counter, None, (), [summary.text for summary in view.summaries])
    return _scaled(dict(zip(texts, counts, strict=True)), cost)


def _let_go(before: View, after: View, pieces: Sequence[Piece], counter: Counter) -> Json:
    """Count the parts of each kind that were removed or shrank, and their tokens, if there are any."""
    left = {(message.id, place): tokens for message, place, _, tokens in pieces}
    parts: Counts[str] = Counts()
    tokens: Counts[str] = Counts()
    for message, place, part, cost in _pieces(before, counter):
        kind, saved = _kind(message, part), cost - left.get((message.id, place), 0)
        parts[kind] += saved > 0 and place != _WHOLE
        tokens[kind] += saved
    remaining = {summary.id for summary in after.summaries}
    removed = [summary.text for summary in before.summaries if summary.id not in remaining]
    parts["summaries"], tokens["summaries"] = len(removed), sum(counter.counts(removed))
    kinds = [kind for kind in KINDS if tokens[kind]]
    return {kind: {"parts": parts[kind], "tokens": counter.scale(tokens[kind])} for kind in kinds}


def _kind(message: Message, part: Part) -> str:
    if is_thought(part):
        return "thoughts"
    if "text" not in part:
        return next((kind for key, kind in _OF_PARTS.items() if key in part), "other")
    if message.role == "model":
        return "answers"
    return "prompts" if is_prompt(message) else "context" if is_ide_context(message) else "other"
