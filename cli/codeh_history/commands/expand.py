"""Print the original lines of messages that were replaced, summarised or hidden."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import Reading, argument
from ..store.resolve import for_reading
from ..views.expand import expand
from ..views.view import view_of

EXAMPLES = """\
  codeh-history expand 3f2a91bc demo         # a message as it was before compaction
  codeh-history expand :7 -s demo
  codeh-history expand SUMMARY -s demo | codeh-history show -
"""
STRAY = "expand ID [SESSION]"


class Options(Reading):
    id: str = argument("ID", "A message, summary, compaction or clear: id, unique prefix, :N.")


def run(env: Env, options: Options) -> None:
    target = for_reading(env, options.session, options.argument)
    view = view_of(env, target, strict=options.strict, hydrate=False)
    lines = expand(view, options.id, session=target.id)
    if any(b'"blockId' in line for line in lines):
        from ..views.hydrate import Hydration

        lines = Hydration(env).lines(lines)
    env.write(b"".join(line + b"\n" for line in lines))
