"""Create or upgrade the tables of the databases in CODEH_STORE and CODEH_BLOCKS."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import Verb, argument
from ..base.postgres import SCHEMES
from ..store.paths import sessions_dir

EXAMPLES = """\
  CODEH_STORE=postgres://db.example/agents codeh-history store init
"""


class Options(Verb):
    action: str = argument("init", "init: create or upgrade the tables.", choices=("init",))


def run(env: Env, _options: Options) -> None:
    """Create the tables; the user who runs it owns them (docs/stores.md)."""
    urls = {name: env.environ.get(name) or "" for name in ("CODEH_STORE", "CODEH_BLOCKS")}
    databases = {url: name for name, url in urls.items() if url.startswith(SCHEMES)}
    if not databases:
        env.note(f"{sessions_dir(env)}: a folder needs no tables (CODEH_STORE=postgres://… does)")
    from ..store.postgres import schema

    for url, variable in databases.items():
        name, created = schema.make(url, variable)
        env.note(f"{name}: {'tables created' if created else 'tables are up to date'}")
