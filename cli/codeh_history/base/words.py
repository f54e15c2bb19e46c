"""Words for people: how many of what there are, and what was probably meant by a name that is not there."""

from __future__ import annotations

from itertools import pairwise

from . import Iterable
from .errors import NotFound

_DIGITS = str.maketrans("", "", "0123456789-_")

MARKS = ":,.;"  # what stands behind an id where it is printed
_FEW = 4  # letters that say too little
WHOLE, READABLE = 20, 16  # characters of an id that is never shortened, and of one that is
SPARED = 3  # characters that are not worth cutting
_CUT = 12  # letters that an id was cut short by: a name and its variants differ by fewer


def some(count: int, noun: str) -> str:
    """`1 message`, `2 messages`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def prefixes(ids: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Each id as a prefix that no other known id has, of a readable length; short ids stay whole."""
    given = list(ids)
    order = sorted({*given, *known})
    shared = dict.fromkeys(order, 0)  # with the neighbours in order, which share most
    for one, other in pairwise(order):
        length = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
        shared[one], shared[other] = max(shared[one], length), length
    ends = {id: max(READABLE, shared[id] + 1) for id in given}
    return {id: id if len(id) <= max(WHOLE, end + SPARED) else id[:end] for id, end in ends.items()}


def near(name: str, names: Iterable[str]) -> str | None:
    """The known name that this one is a slip or two away from, or begins; None where there is none.

    Names that differ only in digits are a series (`chat-21`, `chat-22`), no slip of the hand. What it
    begins is one id alone, too long to type.
    """
    names = list(names)
    most = (len(name) > 2) + (len(name) > _FEW)
    letters = name.translate(_DIGITS)
    alike = (other for other in names if abs(len(other) - len(name)) <= most)
    slips = ((distance(name, other, most), other) for other in alike if other.translate(_DIGITS) != letters)
    fewest, best = min(slips, default=(most + 1, ""))
    if fewest <= most:
        return best
    begun = [other for other in names if other.startswith(name) and len(other) >= len(name) + _CUT]
    return begun[0] if len(begun) == 1 and len(name) > _FEW else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """` (did you mean X?)`, or nothing."""
    found = suggestion(name, names, "")
    return f" ({found})" if found else ""


def suggestion(name: str, names: Iterable[str], otherwise: str) -> str:
    """`did you mean X?`, or what else to say."""
    found = near(name, names)
    return f"did you mean {found}?" if found else otherwise


def pasted(id: str) -> str:
    """`; did you mean X?` where a message's id has a mark at its end, or is a number; else nothing."""
    meant = id.rstrip(MARKS) if id.rstrip(MARKS) != id else f":{id}" if id.isdecimal() else ""
    return f"; did you mean {meant}?" if meant else ""


def the_one(name: str, ids: Iterable[str], where: str, otherwise: str) -> str:
    """The only one of these ids that begins so; NotFound, which says `otherwise` where none does."""
    found = [id for id in ids if id.startswith(name)] if name else []
    if len(found) == 1:
        return found[0]
    why = f"ambiguous: {', '.join(found[:8])}" if found else f"{otherwise}{pasted(name)}"
    raise NotFound(f"{where}: {name}: {why}")


def distance(a: str, b: str, most: int) -> int:
    """How many letters were left out, added, mistaken or swapped; above `most` it stops counting."""
    before, last = [most + 1] * (len(b) + 1), list(range(len(b) + 1))
    for i, char in enumerate(a, 1):
        row = [i] + [most + 1] * len(b)
        for j in range(max(1, i - most), min(len(b), i + most) + 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (char != b[j - 1]))
            if i > 1 and j > 1 and char == b[j - 2] and a[i - 2] == b[j - 1]:
                cost = min(cost, before[j - 2] + 1)
            row[j] = cost
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[len(b)]
