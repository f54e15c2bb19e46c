"""Drop references that are not cited, then all but a few of each tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...session.model import Json, Part
from .draft import Change, Draft

LISTS = ("sources", "references", "results", "chunks")  # keys of reference lists
NUMBERS = ("source_number", "number")
CITED = re.compile(r"\[source\s?(\d+)\]", re.IGNORECASE)
NONE_CITED = "The search did not produce any relevant information that could be cited."
ROUNDS = 20  # the last round leaves one reference per tool
DAMPED = 1.2  # from this overshoot on, reduce a little less


def references(draft: Draft, *, live: bool = False) -> None:
    """Drop references that no model text cites, then keep the first `max(1, n // d)` of each tool.

    `d` is the overshoot. Numbers do not change. What must stay verbatim is untouched, except for the last
    unit with `live`.
    """
    draft.replace_while_large("references", _uncited(draft, _cited(draft)))
    for round in range(ROUNDS):
        before = draft.total
        overshoot = before / max(1, draft.target) if round < ROUNDS - 1 else float(1 << 30)
        draft.replace_while_large("references", _fewer(draft, overshoot, live=live), whole=True)
        if draft.fits or draft.total >= before:
            return


def kept(count: int, overshoot: float) -> int:
    """How many of a tool's references stay."""
    damped = overshoot * 0.9
    return max(1, int(count // (damped if damped >= DAMPED else overshoot)))


def _cited(draft: Draft) -> set[int]:
    return {
        int(cited)
        for number, message in enumerate(draft.history.messages)
        if message.role == "model" and number not in draft.gone
        for part in message.parts
        for cited in CITED.findall(part.get("text", ""))
    }


def sources_of(part: Part) -> tuple[str, list[Json]] | None:
    """Return the key and the list of numbered references in a response, or None if it has none."""
    response = part["functionResponse"].get("response") if "functionResponse" in part else None
    if not isinstance(response, dict) or response.keys().isdisjoint(LISTS):
        return None
    for key in LISTS:
        items = response.get(key)
        if isinstance(items, list) and items and all(_number(item) is not None for item in items):
            return key, items
    return None


def _number(item: object) -> int | None:
    if not isinstance(item, dict):
        return None
    value = next((item[key] for key in NUMBERS if key in item), None)
    return value if type(value) is int else None


def with_sources(part: Part, key: str, items: list[Json]) -> Part:
    """Return the response with other references, or with a sentence if none are left."""
    result: Any = part["functionResponse"]
    response = {**result["response"], key: items or NONE_CITED}
    return {**part, "functionResponse": {**result, "response": response}}


def _uncited(draft: Draft, cited: set[int]) -> Iterator[Change]:
    """Only before the last prompt: results of the live loop may still be cited."""
    for place in draft.free(draft.history.layout.prompt or 0):
        part = draft.history.part(place)
        key, items = sources_of(part) or ("", [])
        some = [item for item in items if _number(item) in cited]
        if len(some) < len(items):
            why = f"{len(items) - len(some)} of {len(items)} references are not cited"
            yield place, with_sources(part, key, some), why


def _fewer(draft: Draft, overshoot: float, *, live: bool) -> Iterator[Change]:
    layout = draft.history.layout
    fixed = layout.fixed.difference(layout.last) if live and layout.yielding else layout.fixed
    for place in draft.history.special:
        part = draft.new.get(place, draft.history.part(place))
        if part is None or place[0] in draft.gone | draft.to_summarize | fixed:
            continue
        key, items = sources_of(part) or ("", [])
        some = items[: kept(len(items), overshoot)]
        if len(some) < len(items):
            yield place, with_sources(part, key, some), f"{len(some)} of {len(items)} references kept"
