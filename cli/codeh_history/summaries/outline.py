"""The built-in summariser: an outline extracted from the messages, offline and deterministic.

Nothing in it is invented: requests and outcomes are sentences of theirs, rules and decisions stand word for
word, files, commands and failures come from the tool calls. When room is short, rules go last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import orjson

from ..session.exchanges import exchanges, is_ide_context, is_prompt, text_of, tools_named
from ..session.model import Message
from . import calls, cues, prose
from .clipped import clip

# What each section may take of the room before what is left over goes round again, in this order.
SHARES = {
    "Constraints and preferences": 0.40,
    "Requests": 0.15,
    "Open": 0.08,
    "Decisions and findings": 0.12,
    "Failures": 0.12,
    "Files modified": 0.16,
    "Actions": 0.12,
    "Notes": 0.20,
    "Files read": 0.05,
    "Files mentioned": 0.05,
    "Commands": 0.05,
}
ORDER = (
    "Requests", "Constraints and preferences", "Decisions and findings", "Files modified", "Files read",
    "Files mentioned", "Actions", "Commands", "Failures", "Open", "Notes",
)  # fmt: skip
INLINE = frozenset(("Files modified", "Files read", "Files mentioned"))
LEAST, SHORT, MOST = 600, 1200, 12000  # characters
MINOR = -1e9  # the score from which an item waits until all others have room: below 0


@dataclass(frozen=True)
class Item:
    """One entry of a section; the higher the score, the sooner it gets room.

    It is left out where `same`, the sentence it is made of, stands word for word in another section.
    """

    text: str
    score: float = 0.0
    same: str = ""


Facts = dict[str, list[Item]]


def size(messages: Sequence[Message]) -> int:
    """The characters of everything said and done: texts, and the arguments and results of calls."""
    total = 0
    for message in messages:
        for part in message.parts:
            total += len(part.get("text", ""))
            for name, inner in (("functionCall", "args"), ("functionResponse", "response")):
                if name in part:
                    total += len(orjson.dumps(dict(part)[name].get(inner)))  # type: ignore[attr-defined]
    return total


def room(source: int) -> int:
    """How many characters an outline of so large a source may have: a tenth, never more than a half."""
    return min(max(source // 11, min(LEAST, source // 2)), MOST)


def outline(messages: Sequence[Message], most: int) -> str:
    """An outline of the messages in at most `most` characters."""
    groups = exchanges(messages)
    facts: Facts = {name: [] for name in ORDER}
    _said(groups, facts, most)
    _done(messages, facts, last=len(messages) - len(groups[-1]) if groups else 0)
    text = compose(facts, most)
    if text:
        return text
    asked = [text_of(message) for message in messages if message.role == "user"]
    said = next((clip(text, 200) for text in asked if text.strip()), "")
    fallback = f"{len(groups)} exchanges" + (f", beginning with: {said}" if said else " without text.")
    return clip(fallback, max(most, 20))


def folded_room(texts: Sequence[str]) -> int:
    """How many characters these summaries may become as one; short ones need not lose anything."""
    total = sum(map(len, texts))
    return min(max(total * 3 // 4, min(total + 10 * len(texts), SHORT)), MOST)


def fold(texts: Sequence[str], most: int) -> str:
    """Several summaries as one, section by section; what is not one of our outlines is kept as notes."""
    facts: Facts = {name: [] for name in ORDER}
    for age, text in enumerate(texts):
        for section, entry in parse(text):
            facts[section].append(Item(entry, age / len(texts)))
    return compose(facts, most)


def parse(text: str) -> list[tuple[str, str]]:
    """The entries of an outline with their sections; any other line is a note."""
    found: list[tuple[str, str]] = []
    section = "Notes"
    for line in text.splitlines():
        entry = line.strip()
        name, colon, rest = entry.partition(":")
        if colon and name in SHARES and not line.startswith("-"):
            section = name
            items = rest.split(", ") if name in INLINE else [rest]
            found += ((name, item.strip()) for item in items if item.strip())
            section = name if not rest.strip() else "Notes"
        elif entry:
            found.append((section, entry.removeprefix("- ")))
    return found


# -- what was said ----------------------------------------------------------------------------------


def _said(groups: Sequence[Sequence[Message]], facts: Facts, most: int) -> None:
    """Requests with their outcomes, rules, decisions, open ends."""
    share = most * SHARES["Requests"] / max(len(groups), 1)
    ask_room, told_room = (160, 140) if share > 200 else (110, 80) if share > 80 else (80, 0)
    for number, group in enumerate(groups):
        recent = number / len(groups)
        asked = "\n".join(text_of(m) for m in group if is_prompt(m) and m.committed)
        told = [text for m in group if m.role == "model" and m.committed and (text := text_of(m)).strip()]
        _rules(asked, facts, recent)
        for text in told:
            _findings(text, facts, recent)
        ask = prose.gist(asked, prose.LONGEST)
        if ask and not prose.is_filler(asked):
            outcome = prose.gist(told[-1], told_room) if told and told_room else ""
            weight = 1.0 + 0.2 * recent + min(len(ask), 80) / 80 + (number == 0)
            short = clip(ask, ask_room)
            facts["Requests"].append(Item(f"{short} → {outcome}" if outcome else short, weight, ask))
        facts["Files mentioned"] += (Item(path, recent) for path in calls.mentioned(asked))
    if groups:
        _left(groups[-1], facts)


def _rules(text: str, facts: Facts, recent: float) -> None:
    for sentence in prose.sentences(text):
        sure = cues.rule(sentence)
        if sure:
            facts["Constraints and preferences"].append(Item(sentence, sure + 0.3 * recent))
        elif cues.decision(sentence) == 2:
            facts["Decisions and findings"].append(Item(sentence, 2.5 + 0.3 * recent))
        if cues.open_end(sentence) and not sure:
            facts["Open"].append(Item(sentence, recent))


def _findings(text: str, facts: Facts, recent: float) -> None:
    for sentence in prose.sentences(text):
        sure = cues.decision(sentence)
        if sure and not sentence.endswith(":"):
            facts["Decisions and findings"].append(Item(sentence, sure + 0.3 * recent))
        elif cues.open_end(sentence) and not sentence.endswith(":"):
            facts["Open"].append(Item(sentence, recent))


def _left(group: Sequence[Message], facts: Facts) -> None:
    """What the last exchange leaves open: a prompt nobody answered, or the question it ends with."""
    said = [
        m
        for m in group
        if m.committed and m.role is not None and not is_ide_context(m) and text_of(m).strip()
    ]
    if not said:
        return
    asked = prose.gist(text_of(said[-1]), 160) if is_prompt(said[-1]) else ""
    if asked and not prose.is_filler(asked):
        facts["Open"].append(Item(f"not answered: {asked}", 2, asked))
    elif said[-1].role == "model":
        questions = [s for s in prose.sentences(text_of(said[-1])) if s.endswith("?")]
        facts["Open"] += (Item(question, 1.5) for question in questions[-1:])


# -- what was done ----------------------------------------------------------------------------------


def _done(messages: Sequence[Message], facts: Facts, *, last: int) -> None:
    """Files, commands, actions and failures, from the tool calls; open ones from position `last` on."""
    done = calls.effects(messages)
    facts["Files modified"] += (Item(path, count) for path, count in done.modified.items())
    facts["Files read"] += (Item(path, count) for path, count in done.read.items())
    touched = {*done.modified, *done.read}
    known = sorted(path[::-1] for path in touched)
    facts["Files mentioned"] = [item for item in facts["Files mentioned"] if not _among(item.text, known)]
    facts["Commands"] += (
        Item(f"`{c}`", n) for c, n in done.commands.items() if f"`{c}`" not in done.failures
    )
    facts["Actions"] += (Item(action, place) for action, place in done.actions)
    told: set[str] = set()
    for what, (how, place) in done.failures.items():
        mended = what in done.mended
        text = f"{clip(what, 80)}: {how}" + (" (went well later)" if mended else "")
        facts["Failures"].append(Item(text, place - len(messages) * (mended or how in told)))
        told.add(how)
    facts["Open"] += (Item(f"no result: {call}", 1) for call, place in done.open if place >= last)
    tools = {name for message in messages for name in tools_named(message) or ()}
    if not (done.modified or done.actions or done.commands or done.failures):
        tools |= {
            part["functionCall"]["name"] for m in messages for part in m.parts if "functionCall" in part
        }
    if tools:
        facts["Notes"].append(Item(f"Tools used: {', '.join(sorted(tools))}", 1))


def _among(path: str, known: Sequence[str]) -> bool:
    """Whether a path is one of these, or the end of one; they are written backwards, and sorted."""
    whole, tail = path[::-1], ("/" + path.lstrip("./"))[::-1]
    return any(
        at < len(known) and known[at].startswith(start) and (start is tail or known[at] == whole)
        for start, at in ((whole, bisect_left(known, whole)), (tail, bisect_left(known, tail)))
    )


# -- the text ---------------------------------------------------------------------------------------


def compose(facts: Facts, most: int) -> str:
    """The sections as text in at most `most` characters: each its share, then the rest by rank."""
    items = {name: _unique(facts[name]) for name in ORDER}
    chosen: dict[str, set[int]] = {name: set() for name in ORDER}
    left = most
    stands: set[str] = set()
    for shared, least in ((True, 0.0), (False, 0.0), (False, MINOR)):
        for name, share in SHARES.items():
            allowed = min(left, max(int(share * most), _first(name, items[name], most))) if shared else left
            free = [number for number, item in enumerate(items[name]) if item.same not in stands]
            left -= _take(name, items[name], free, chosen[name], allowed, least)
            stands.update(items[name][number].text for number in chosen[name])
    if [name for name in ORDER if chosen[name]] == ["Notes"]:
        return "\n".join(items["Notes"][number].text for number in sorted(chosen["Notes"]))
    lines: list[str] = []
    for name in ORDER:
        kept = [item.text for number, item in enumerate(items[name]) if number in chosen[name]]
        if kept and name in INLINE:
            lines.append(f"{name}: {', '.join(kept)}")
        elif kept:
            lines += [f"{name}:", *(f"- {text}" for text in kept)]
    return "\n".join(lines)


def _first(name: str, items: Sequence[Item], most: int) -> int:
    """What the best entry of a section takes: each section has one, unless it is too long."""
    best = max((item for item in items if item.score >= 0), key=lambda item: item.score, default=None)
    cost = len(best.text) + len(name) + 5 if best is not None else 0
    return cost if cost <= most // 4 else 0


def _take(
    name: str, items: Sequence[Item], free: Sequence[int], chosen: set[int], allowed: int, least: float
) -> int:
    """Choose the best of the free items that fit into so many characters; returns what they take."""
    spent = 0
    for number in sorted(free, key=lambda n: (-items[n].score, n)):
        if number in chosen or items[number].score < least:
            continue
        cost = len(items[number].text) + 3 + (len(name) + 2 if not chosen else 0)
        if spent + cost <= allowed:
            chosen.add(number)
            spent += cost
    return spent


def _unique(items: Sequence[Item]) -> list[Item]:
    """Each text once, at its first place, with its best score."""
    best: dict[str, Item] = {}
    for item in items:
        key = " ".join(item.text.lower().split())
        known = best.get(key)
        best[key] = replace(known, score=max(known.score, item.score)) if known else item
    return list(best.values())
