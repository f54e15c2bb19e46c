"""Ids, plurals and suggestions for messages."""

from __future__ import annotations

from itertools import pairwise

from . import Iterable
from .errors import NotFound

MARKS = ":,.;"  # punctuation that may follow an id in output
WHOLE, READABLE = 20, 16  # ids up to this length are never shortened; length of a shortened id
SPARED = 3  # an id is not shortened to save fewer characters
LONGEST_ID = 128
# beginnings of what may follow the noun that gets the plural
_MODIFIERS = (" of ", " in ", " that ", " without ", " beyond ", " not ", " (")
MIDDLE = "…"  # replaces the middle of an id
_LIKE, _LIKE_IF_SHORT = 0.8, {3: 0.66, 4: 0.75}  # similarity by difflib, depending on length
_SHORT = 4  # names up to this length are too short to complete
_CUT = 12  # characters that a truncated id lacks, at least; variants of a name differ by fewer
_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)]
)


def is_id(text: str) -> bool:
    """Return whether it is a session id: `^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`, not a device name."""
    if not 0 < len(text) <= LONGEST_ID or text[0] in "_-":
        return False
    return _ID.issuperset(text) and text.lower() not in _DEVICES


def plural(count: int, noun: str) -> str:
    """Return `1 message`, `2 messages`, `3 summaries of a chat`, `4 lines that were lost`."""
    if count == 1:
        return f"1 {noun}"
    at = min((noun.find(word) for word in _MODIFIERS if word in noun), default=len(noun))
    head, ending = noun[:at], "s"
    if head.endswith(("ch", "sh", "ss", "x")):
        ending = "es"
    elif head.endswith("y") and head[-2:] not in ("ay", "ey", "oy"):
        head, ending = head[:-1], "ies"
    rest = noun[at:]
    if rest.startswith(" that was "):
        rest = rest.replace("was", "were", 1)
    return f"{count} {head}{ending}{rest}"


def prefixes(
    ids: Iterable[str], others: Iterable[str] = (), *, least: int = READABLE, whole: int = WHOLE
) -> dict[str, str]:
    """Shorten each id to a unique prefix of at least `least` characters; short ids stay whole."""
    wanted = list(ids)
    order = sorted(id for id in {*wanted, *others} if len(id) >= least)  # shorter ids are never cut
    shared = dict.fromkeys(order, 0)  # longest common prefix, which is that with a neighbour
    for first, second in pairwise(order):
        pairs = enumerate(zip(first, second, strict=False))
        length = next((n for n, (a, b) in pairs if a != b), len(first))
        shared[first], shared[second] = max(shared[first], length), length
    ends = {id: max(least, shared.get(id, 0) + 1) for id in wanted}
    return {id: id if len(id) <= max(whole, end + SPARED) else id[:end] for id, end in ends.items()}


def abbreviates(name: str, id: str) -> bool:
    """Return whether `name` is a prefix of the id, or its `START…END`."""
    start, _, end = name.partition(MIDDLE)
    return id.startswith(start) and id[len(start) :].endswith(end)


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar name, or the only much longer one with this prefix, or None."""
    names = list(names)
    longer = [other for other in names if other.startswith(name) and len(other) >= len(name) + _CUT]
    if len(longer) == 1 and len(name) > _SHORT:
        return longer[0]
    letters = set(name)
    others = [
        other for other in names if other != name and 4 * len(letters & set(other)) >= 3 * len(letters)
    ]
    if not others:
        return None  # avoids importing `difflib`, which takes time
    from difflib import get_close_matches

    like = _LIKE_IF_SHORT.get(len(name), _LIKE)
    return next(iter(get_close_matches(name, others, 1, like)), None)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return ` (did you mean X?)`, or ""."""
    text = suggestion(name, names, "")
    return f" ({text})" if text else ""


def suggestion(name: str, names: Iterable[str], otherwise: str) -> str:
    """Return `did you mean X?`, or `otherwise`."""
    meant = closest(name, names)
    return f"did you mean {meant}?" if meant else otherwise


def unique_match(name: str, ids: Iterable[str], where: str, otherwise: str) -> str:
    """Return the only id with the prefix `name`; NotFound if there are several, or none (`otherwise`).

    A number below 1000 is no prefix: it is probably meant as `:N`.
    """
    is_prefix = name and not (name.isdecimal() and int(name) < 1000)
    matches = [id for id in ids if id.startswith(name)] if is_prefix else []
    if len(matches) == 1:
        return matches[0]
    # a bare number, or trailing punctuation
    meant = name.rstrip(MARKS) if name.rstrip(MARKS) != name else f":{name}" if name.isdecimal() else ""
    hint = f"; did you mean {meant}?" if meant else ""
    why = f"ambiguous: {', '.join(matches[:8])}" if matches else f"{otherwise}{hint}"
    raise NotFound(f"{where}: {name}: {why}")


def excerpt(raw: bytes | str, length: int = 120) -> str:
    """Return the beginning of a text, on one line."""
    start = raw[: 4 * length]
    text = start.decode("utf-8", "replace") if isinstance(start, bytes) else start
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
