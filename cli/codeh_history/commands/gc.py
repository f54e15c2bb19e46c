"""Remove what no session needs: deltas of committed streams, and blocks that nothing refers to."""

from typing import Annotated

import orjson
import typer

from ..blocks import open_store
from ..env import Env
from ..errors import HistoryError
from ..store import resolve
from ..store.resolve import Target
from ..talk import collecting
from .options import Quiet

EXAMPLES = """\
  codeh-history gc              # what would go: a JSON line for each session, and one for the blocks
  codeh-history gc --yes
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history gc --shared --yes   # only this home uses it
"""
STRAY = "it looks at every session of this home"


def command(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Remove it; without, only say what would go.")] = False,
    shared: Annotated[
        bool, typer.Option("--shared", help="Blocks of a store that other homes may use, too.")
    ] = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    failed = [code for name, path in resolve.ids(env) if (code := deltas(env, name, path, yes=yes))]
    blocks(env, yes=yes, shared=shared)
    if not yes:
        env.note("nothing was removed: --yes removes it")
    return failed[0] if failed else 0


def deltas(env: Env, name: str, path: str, *, yes: bool) -> int:
    """Report, or remove, one session's deltas; the exit code of a failure, which is noted."""
    if path.endswith(".json"):
        return 0
    try:
        count, size = collecting.deltas(path)
        if count and yes:
            collecting.drop_deltas(env, Target(path, "gc"))
            env.stored = f"{name}, without its deltas"
    except HistoryError as error:
        env.complain(f"{name}: {error}")
        return error.exit_code
    if count:
        env.write(orjson.dumps({"session": name, "deltas": count, "bytes": size, "removed": yes}) + b"\n")
    return 0


def blocks(env: Env, *, yes: bool, shared: bool) -> None:
    """Report, or remove, the blocks that nothing refers to, never those that others may refer to."""
    before = collecting.grace(env)
    store = open_store(env)
    if store.shared and not shared:
        env.note(f"{store.name}: other homes may use these blocks: left alone (--shared, if they do not)")
        return
    gone = collecting.unused(env, store, before)
    if yes:
        collecting.sweep(env, before)
        count = store.delete(sorted(gone), before)
    else:
        count = len(gone)
    if count:
        size = sum(gone.values())
        env.write(
            orjson.dumps({"store": store.name, "blocks": count, "bytes": size, "removed": yes}) + b"\n"
        )
