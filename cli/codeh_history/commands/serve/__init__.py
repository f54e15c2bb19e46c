"""Run commands for another program: JSON lines in, a JSON line of output for each."""

from __future__ import annotations

from ...base.env import Env
from ...base.options import Verb as Options

EXAMPLES = """\
  echo '{"id":1,"argv":["append","-s","demo","-m","Why is the sky blue?"]}' | codeh-history serve
  codeh-history serve                     # keep it running; it ends when its stdin does
"""
STRAY = "requests are read from stdin, a JSON line each"


def run(env: Env, _options: Options) -> int:
    from .server import Server

    if env.terminal(env.stdin):
        line = '{"id":1,"argv":["list"]}'
        env.note(f"reading from the terminal, a command a line: {line}; end it with Ctrl-D")
    return Server(env).run()
