"""Start a new session with a copy of another, up to and including a message."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import ARGUMENT, QUIET, SESSION, OptionSet, option
from ..store.resolve import for_reading
from ..views import fork

STRAY = "the session is the only argument; the new one is --into NEW"
EXAMPLES = """\
  codeh-history fork demo                         # prints the new session's id
  codeh-history fork demo --at :4 --into demo-b
"""


class Options(OptionSet):
    argument: str | None = ARGUMENT
    at: str | None = option("ID", "The last message to copy: id, prefix or :N.")
    into: str | None = option("NEW", "The new session's id or path.")
    session: str | None = SESSION
    quiet: bool = QUIET


def run(env: Env, given: Options) -> None:
    target = for_reading(env, given.session, given.argument)
    env.write(f"{fork.copy(env, target, given.at, given.into)}\n".encode("utf-8", "surrogateescape"))
