"""Chat with a model: answers stream, every turn is stored at once."""

from __future__ import annotations

from ...base import amounts
from ...base.env import Env
from ...base.errors import HistoryError
from ...base.options import ARGUMENT, COMPACT_VIA, MAX_BYTES, NEW, PROFILE, VIA, Writing
from ...base.shared_options import Request
from ...talk.append.text import begin, target_of
from ..ask import Options as Asking
from . import commands
from .talk import Lines, Talk

EXAMPLES = """\
  codeh-history chat -p local                   # /help lists what else may be typed, Ctrl-D leaves
  codeh-history chat @                          # continues the session of the newest message
  printf 'Why is the sky blue?\\nAnd on Mars?\\n' | codeh-history chat demo    # a prompt a line
"""
STRAY = "the session is the only argument; prompts are typed, or piped in, a line each"


class Options(Writing, Request, without=("pretty", "explain", "json", "persist")):
    argument: str | None = ARGUMENT
    new: bool = NEW
    via: str | None = VIA.but(section="Request")
    compact_via: str | None = COMPACT_VIA.but(section="Compaction")
    max_bytes: str | None = MAX_BYTES
    profile: str | None = PROFILE.but(section="Request")


def run(env: Env, options: Options) -> int:
    """Return the exit code of the last failure.

    On a terminal, where each error was shown, it is 0 unless the session was removed.
    """
    most = amounts.size(options.max_bytes)
    target = target_of(env, options.session, options.argument, new=options.new)
    talk = Talk(env, target or begin(env, ""), options.part(Asking), most, unnamed=target is None)
    talk.checked()
    lines = Lines(env, commands.completing(talk))
    if lines.typed:
        commands.welcome(talk)
    code, removed = 0, False
    while not talk.over:
        try:
            text = lines.prompt()
            if text is None:
                break
            commands.do(talk, text)
        except KeyboardInterrupt:
            if not lines.typed:
                raise
            continue  # drop the line, or stop the answer, which was already noted
        except HistoryError as error:
            code, removed = error.exit_code, talk.over
            if str(error):
                env.warn(str(error))
        except OSError as error:
            code = 74
            env.warn(f"{error.filename or 'input or output'}: {error.strerror}")
    return 0 if lines.typed and not removed else code
