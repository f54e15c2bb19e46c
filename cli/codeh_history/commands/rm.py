"""Move sessions to the trash (`~/.codeh/trash`), or bring them back."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import Usage
from ..base.options import Verb, argument, flag, option
from ..store import trash
from ..store.resolve import named

EXAMPLES = """\
  codeh-history rm demo old-demo
  codeh-history rm --restore demo
"""

MOST = 8  # ids in the trash that are named


class Options(Verb):
    sessions: Sequence[str] | None = argument("[SESSION...]", "Exact session ids.")
    session: str | None = option("SESSION", "Another session; default: $CODEH_SESSION.", "-s")
    restore: bool = flag("Restore them from the trash.")


def run(env: Env, options: Options) -> None:
    names = [*(options.sessions or ()), *([options.session] if options.session is not None else ())]
    if not names and not options.restore and (by_default := named(env, None)):
        names = [by_default[0]]
    if not names:
        newest = sorted(trash.trashed(env) if options.restore else (), key=lambda item: -item.since)
        ids = [*dict.fromkeys(item.id for item in newest)]
        more = f"; in the trash: {', '.join(ids[:MOST])}{', …' if ids[MOST:] else ''}" if ids else ""
        raise Usage(f"name the sessions: `codeh-history rm {'--restore ' * bool(ids)}SESSION...`{more}")
    for name in trash.check_names(env, names, restore=options.restore):
        if options.restore:
            older = trash.restore(env, name)
            more = f"; an older one is in {older[-1].path}" if older else ""
            env.note(f"{name}: restored{more}")
        else:
            before = trash.remove(env, name) - 1
            more = f", with {before} removed earlier" if before else ""
            env.note(f"{name}: moved to the trash{more} (restore with rm --restore)")
