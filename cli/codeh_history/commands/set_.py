"""Set a session's title, tags, system prompt, tools, models or anything else; later wins."""

from typing import Annotated

import orjson
import typer

from ..env import Env
from ..errors import BadData, Usage
from ..records import dumps
from ..store import log
from ..store.resolve import for_writing
from ..talk.append import decode, read_file
from .options import Quiet, Session

EXAMPLES = """\
  codeh-history set -s demo title="Why the sky is blue" tags=physics,demo
  codeh-history set -s demo system=@system.md tools=@tools.json
  codeh-history set -s demo model.anthropic=claude-opus-4-8
"""


def command(
    ctx: typer.Context,
    settings: Annotated[
        list[str], typer.Argument(metavar="KEY=VALUE|KEY=@FILE...", help="An empty VALUE unsets.")
    ],
    session: Session = None,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    values = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key:
            raise Usage(f"set {setting}: KEY=VALUE or KEY=@FILE expected")
        values[key] = value_of(key, text)
    target = for_writing(env, session)
    log.append(env, target.path, lambda _: dumps({"type": "meta", "ts": env.now(), "set": values}) + b"\n")
    return 0


def value_of(key: str, text: str) -> object:
    """A value as stored: tools and settings are JSON, tags a list, anything else text; None when empty."""
    where = key
    if text.startswith("@"):
        where = text[1:]
        text = decode(read_file(where), where).removesuffix("\n")
    if not text:
        return None
    if key == "tools" or key.startswith("settings."):
        try:
            return orjson.loads(text)
        except ValueError as error:
            raise BadData(f"{where}: not JSON: {error}") from None
    if key == "tags":
        return [tag.strip() for tag in text.split(",") if tag.strip()]
    return text
