"""What a budget went to, on stderr: beside what a filter or `payload` prints, for a person or as JSON."""

from __future__ import annotations

import orjson

from ..base.env import Env
from ..session.model import Json
from . import table
from .messages import rich_wanted, width

SINGLE = ("counter", "budget", "before", "after")
FREE = "free"


def tell(env: Env, found: Json, *, json: bool) -> None:
    """`{session, counter, budget, before, after, spent, let_go, largest}` as a table, or as a line of JSON.

    It was asked for, so `-q` does not silence it.
    """
    if json:
        env.report(orjson.dumps(found))
        return
    single = "".join(f"{name}\t{found[name]}\n" for name in SINGLE if found[name] is not None)
    groups, wholes = tables(found)
    if rich_wanted(env, env.stderr):
        bars = table.drawn_bars(groups, wholes, width=width(), colour=env.coloured(env.stderr))
        env.report(single.encode() + b"\n" + bars.removesuffix(b"\n"), drawn=True)
    else:
        env.report((single.encode() + table.bars(groups, wholes)).removesuffix(b"\n"))


def tables(found: Json) -> tuple[table.Groups, dict[str, int]]:
    """The amounts by group, and what they are shares of; what the budget has left is among the spent."""
    budget = found["budget"] or found["after"]
    spent = {**found["spent"], FREE: max(0, budget - found["after"])}
    gone = {f"{kind} ({it['parts']:,})": it["tokens"] for kind, it in found["let_go"].items()}
    groups = {
        "spent": {name: tokens for name, tokens in spent.items() if tokens},
        "let go": gone,
        "largest": {labelled(part): part["tokens"] for part in found["largest"]},
    }
    return groups, {"spent": budget, "let go": sum(gone.values()), "largest": found["after"]}


def labelled(part: Json) -> str:
    """`:12.0 result read_file: how it begins`, or what stands beside the messages."""
    where = f":{part['n']}.{part['part']} " if "n" in part else ""
    words = [part["what"], part.get("name") or ("" if "n" in part else part.get("id", ""))]
    return where + " ".join(filter(None, words)) + (f": {part['text']}" if part.get("text") else "")
