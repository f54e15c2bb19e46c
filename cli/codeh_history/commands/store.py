"""Make the tables of the database that CODEH_STORE names, or bring them up to date."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Usage
from ..base.options import QUIET, Options, argument
from ..base.postgres import SCHEMES
from ..store.paths import sessions_dir

EXAMPLES = """\
  CODEH_STORE=postgres://db.example/agents codeh-history store init
"""


class Given(Options):
    action: str = argument("init", "init: make the tables, or bring them up to date.")
    quiet: bool = QUIET


def run(env: Env, given: Given) -> None:
    """Who runs it owns the tables; others need less (docs/stores.md)."""
    if given.action != "init":
        raise Usage(f"store {given.action}: init")
    url = env.environ.get("CODEH_STORE") or ""
    if not url.startswith(SCHEMES):
        env.note(f"{sessions_dir(env)}: a folder needs no tables (CODEH_STORE=postgres://… does)")
        return
    from ..store import schema

    name, made = schema.make(url, "CODEH_STORE")
    env.note(f"{name}: {'the tables are made' if made else 'the tables are there'}")
