"""Explain on stderr what used the budget, as a table or as JSON."""

from __future__ import annotations

import orjson

from ..base.env import Env
from ..session.model import Json
from . import table
from .messages import rich_wanted, width

SINGLE = ("counter", "budget", "before", "after")
FREE = "free"


def tell(env: Env, explained: Json, *, json: bool) -> None:
    """Print `{session, counter, budget, before, after, spent, let_go, largest}` as a table or as JSON.

    The user requested it, so `-q` does not silence it.
    """
    if json:
        env.report(orjson.dumps(explained))
        return
    single = "".join(f"{name}\t{explained[name]}\n" for name in SINGLE if explained[name] is not None)
    groups, wholes = tables(explained)
    if rich_wanted(env, env.stderr):
        bars = table.drawn_bars(groups, wholes, width=width(), colour=env.coloured(env.stderr))
        env.report(single.encode() + b"\n" + bars.removesuffix(b"\n"), drawn=True)
    else:
        env.report((single.encode() + table.bars(groups, wholes)).removesuffix(b"\n"))


def tables(explained: Json) -> tuple[table.Groups, dict[str, int]]:
    """Return the amounts by group and the totals they are shares of; unused budget counts as spent."""
    budget = explained["budget"] or explained["after"]
    spent = {**explained["spent"], FREE: max(0, budget - explained["after"])}
    removed = {f"{kind} ({sums['parts']:,})": sums["tokens"] for kind, sums in explained["let_go"].items()}
    groups = {
        "spent": {name: tokens for name, tokens in spent.items() if tokens},
        "let go": removed,
        "largest": {labelled(part): part["tokens"] for part in explained["largest"]},
    }
    return groups, {"spent": budget, "let go": sum(removed.values()), "largest": explained["after"]}


def labelled(part: Json) -> str:
    """Return `:12.0 result read_file: TEXT`, or the name of content outside the messages."""
    where = f":{part['n']}.{part['part']} " if "n" in part else ""
    words = [part["what"], part.get("name") or ("" if "n" in part else part.get("id", ""))]
    return where + " ".join(filter(None, words)) + (f": {part['text']}" if part.get("text") else "")
