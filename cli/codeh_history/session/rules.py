"""What a record of each type is: the table from which the fold and every partial reader take their rules.

A new type is a row here, a method of that name in `fold.Fold`, and its lines in docs/format.md. Whatever
reads part of a log goes by the row: what it does not know well enough it leaves to the fold.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .model import Json

ROLE_OF_KIND = {"user": "user", "codeh": "model", "tool": "user", "error": None, "info": None}
NAME_OF_KIND = {kind: "model" if kind == "codeh" else kind for kind in ROLE_OF_KIND}  # as people read it
LONGEST = 64 << 20  # bytes of a line without its newline; a longer one is no record
OF_BLOCKS = frozenset(("blockIds", "spelling", "idless"))  # what a record says of the blocks of its parts

# Of which messages a record says something.
NONE = 0
OWN = 1  # the one that it brings in, or streams into
NAMED = 2  # those that it names, and those that it brings in
EARLIER = 3  # all that stand before it
ANY = 4  # only all records together tell


class Rule:
    """A row: the fields a type cannot do without, and of which messages it says something.

    `names`: the fields that hold ids of earlier records. `places`: it brings a message in, which stands at
    its line. `streams`: what it says goes into the message that it is `of`, and it has no id of its own.
    `content`: parts, or blocks that hold them, belong to it.
    """

    __slots__ = ("content", "names", "needs", "places", "reach", "streams")

    def __init__(
        self,
        needs: str,
        reach: int,
        names: str = "",
        *,
        places: bool = False,
        streams: bool = False,
        content: bool = False,
    ) -> None:
        self.needs = tuple(needs.split())
        self.reach = reach
        self.names = tuple(names.split())
        self.places = places
        self.streams = streams
        self.content = content


RULES = {
    "session": Rule("", NONE),
    "meta": Rule("set", NONE),
    "message": Rule("parts", OWN, places=True, content=True),
    "ref": Rule("id blockIds", OWN, places=True, content=True),
    "open": Rule("id", OWN, places=True, content=True),
    "delta": Rule("of", OWN, "of", streams=True, content=True),
    "commit": Rule("of", OWN, "of", streams=True, content=True),
    "abort": Rule("of", OWN, "of", streams=True),
    "update": Rule("id of", NAMED, "of", content=True),
    "summary": Rule("id summary", NAMED, "covers"),
    "compaction": Rule("id ops", NAMED, content=True),  # its ops name them, and may insert others
    "clear": Rule("id", EARLIER),
    "revert": Rule("id of", ANY, "of"),
    "usage": Rule("id of usage", NONE),  # `of` is a sub-agent's message, which is in no log
}
OTHER = Rule("", NONE)  # a type that is not known
PLACING = frozenset(type for type, rule in RULES.items() if rule.places)
STREAMING = frozenset(type for type, rule in RULES.items() if rule.streams)
NAMES_OF_AN_OP = ("ids", "id", "after")


def own_id(data: Json) -> str | None:
    """The id by which a revert can name a record."""
    id = data.get("id")
    return id if type(id) is str and data["type"] != "session" else None


def brought(data: Json) -> Iterator[str]:
    """The ids that a record brings in: its own, and those of the messages and summaries in its ops."""
    own = own_id(data)
    if own is not None:
        yield own
    for number, op in enumerate(data["ops"]) if data["type"] == "compaction" else ():
        if op.get("op") == "insert":
            yield inserted_id(data, number)
        elif op.get("op") == "summarize":
            yield f"{own}.{number}"


def content_id(data: Json) -> str | None:
    """The id of the message, or of the update of one, whose content a record has."""
    return str(data["of"]) if data["type"] in STREAMING else own_id(data)


def inserted_id(compaction: Json, number: int) -> str:
    """The id of the message that an op inserts: its own, else one that hangs on the record's."""
    return str(compaction["ops"][number]["message"].get("id") or f"{compaction['id']}.{number}")


def concerned(data: Json) -> Iterator[str]:
    """The ids of earlier records that a record refers to."""
    yield from named(data, RULES[data["type"]].names)
    for op in data["ops"] if data["type"] == "compaction" else ():
        yield from named(op, NAMES_OF_AN_OP)


def named(data: Json, fields: Iterable[str]) -> Iterator[str]:
    """The ids in these fields of a record or an op."""
    for field in fields:
        value = data.get(field)
        if type(value) is str:
            yield value
        elif value:
            yield from value
