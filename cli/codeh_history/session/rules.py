"""The types of records: a table of rules for the fold and for readers of part of a log.

To add a type, add a row here, a method of its name in `fold.Fold`, and its lines in docs/format.md. Partial
readers follow this table, and leave what they cannot interpret to the fold.
"""

from __future__ import annotations

from ..base.lazy import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .model import Json

ROLE_OF_KIND = {"user": "user", "codeh": "model", "tool": "user", "error": None, "info": None}
NAME_OF_KIND = {kind: "model" if kind == "codeh" else kind for kind in ROLE_OF_KIND}  # in output
LONGEST = 64 << 20  # bytes of a line without its newline; a longer one is not a record
SKIPPED = b"\0skipped "  # replaces a line that is too long; followed by its length
BLOCK_FIELDS = frozenset(("blockIds", "spelling", "idless"))  # fields about blocks

# The messages that a record affects.
NONE = 0
OWN = 1  # the one that it adds or streams into
NAMED = 2  # those whose ids it contains, and those that it adds
EARLIER = 3  # all earlier ones
ANY = 4  # depends on all records


class Rule(Fields):
    """A type's rule: the fields that it requires, and the messages that it affects (`reach`).

    `names`: fields with ids of earlier records. `places`: it adds a message at its line. `streams`: its
    content belongs to the message in `of`, and it has no id. `content`: it has parts, inline or in blocks.
    """

    needs: tuple[str, ...] = ()
    reach: int = NONE
    names: tuple[str, ...] = ()
    places: bool = False
    streams: bool = False
    content: bool = False


RULES = {
    "session": Rule(),
    "meta": Rule(needs=("set",)),
    "message": Rule(needs=("parts",), reach=OWN, places=True, content=True),
    "ref": Rule(needs=("id", "blockIds"), reach=OWN, places=True, content=True),
    "open": Rule(needs=("id",), reach=OWN, places=True, content=True),
    "delta": Rule(needs=("of",), reach=OWN, names=("of",), streams=True, content=True),
    "commit": Rule(needs=("of",), reach=OWN, names=("of",), streams=True, content=True),
    "abort": Rule(needs=("of",), reach=OWN, names=("of",), streams=True),
    "update": Rule(needs=("id", "of"), reach=NAMED, names=("of",), content=True),
    "summary": Rule(needs=("id", "summary"), reach=NAMED, names=("covers",)),
    "compaction": Rule(needs=("id", "ops"), reach=NAMED, content=True),  # its ops name and insert messages
    "clear": Rule(needs=("id",), reach=EARLIER),
    "revert": Rule(needs=("id", "of"), reach=ANY, names=("of",)),
    "usage": Rule(needs=("id", "of", "usage")),  # `of` is a sub-agent's message, not in this log
}
OTHER = Rule()  # any unknown type
PLACING = frozenset(type for type, rule in RULES.items() if rule.places)
STREAMING = frozenset(type for type, rule in RULES.items() if rule.streams)
NAMES_OF_AN_OP = ("ids", "id", "after")


def own_id(data: Json) -> str | None:
    """Return the id by which a revert refers to a record, or None."""
    id = data.get("id")
    return id if type(id) is str and data["type"] != "session" else None


def added_ids(data: Json) -> Iterator[str]:
    """Yield the ids that a record adds: its own, and those of messages and summaries in its ops."""
    own = own_id(data)
    if own is not None:
        yield own
    for number, op in enumerate(data["ops"]) if data["type"] == "compaction" else ():
        if op.get("op") == "insert":
            yield inserted_id(data, number)
        elif op.get("op") == "summarize":
            yield f"{own}.{number}"


def content_id(data: Json) -> str | None:
    """Return the id of the message or update to which a record's content belongs."""
    return str(data["of"]) if data["type"] in STREAMING else own_id(data)


def inserted_id(compaction: Json, number: int) -> str:
    """Return the id of the message that an op inserts: its own, or one derived from the record's."""
    return str(compaction["ops"][number]["message"].get("id") or f"{compaction['id']}.{number}")


def ids_in(data: Json, fields: Iterable[str]) -> Iterator[str]:
    """Yield the ids in these fields of a record or an op."""
    for field in fields:
        value = data.get(field)
        if type(value) is str:
            yield value
        elif value:
            yield from value
