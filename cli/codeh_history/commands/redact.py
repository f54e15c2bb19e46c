"""Replace secrets with [redacted:kind]: on stdout, or with -i in the file, which cannot be undone."""

from __future__ import annotations

import sys

from ..base.env import Env
from ..base.errors import NegativeAnswer, Usage
from ..base.escape import visible
from ..base.options import RULES, STREAM, Reading, flag
from ..filters.redact import run as redacting
from ..filters.redact.redactor import Redactor
from ..render import changes
from ..render.progress import progress, size_of
from ..session import redactions
from ..session.records import lines_of
from ..store import read
from ..store.paths import path_of
from ..store.resolve import Target
from ..views import filtering
from ..views import rewrite as rewriting
from ..views.persist import Hydration
from ..views.view import view_of

EXAMPLES = """\
  codeh-history redact demo > shareable.jsonl
  codeh-history redact demo -i --yes             # cannot be undone
  codeh-history redact demo --rules rules.json   # {"ticket": "TICKET-[0-9]+"}
"""


class Options(Reading):
    rules: str | None = RULES
    yes: bool = flag("With -i: do not ask for confirmation.")
    in_place: bool = flag("Rewrite the session instead of printing: cannot be undone.", "-i")
    jsonl: bool = STREAM


def run(env: Env, options: Options) -> int:
    redactor = Redactor(redacting.rules(options.rules))
    target = filtering.target_of(env, options)
    if not options.in_place:
        with progress(env, "redacting", size_of(target.path)):
            lines = list(view_of(env, target, strict=options.strict).lines())
            new = redacting.rewritten(lines, Hydration(env).lines(lines), redactor)
        if filtering.shows_preview(env, jsonl=options.jsonl):
            changes.draw(env, ("kind", "secrets"), sorted(redactor.counts.items()))
        else:
            env.write(b"".join(new))
        return redacting.report(env, target.id, redactor, outcome(env, target, redactor))
    rewriting.require_rewritable(target)
    if not options.yes:
        ask(env, target.id)
    with progress(env, "redacting", size_of(target.path)):
        return rewrite_session(env, options, target, redactor)


def outcome(env: Env, target: Target, redactor: Redactor) -> str:
    """What was done with the secrets, or how to remove them from an unchanged session of this home."""
    if target.path == "-" or target.path != path_of(env, target.id):
        return redacting.REPLACED
    them = "it" if sum(redactor.counts.values()) == 1 else "them"
    confirmed = "" if env.terminal(env.stdin) else " --yes"
    return f"found; {target.id} is unchanged: `redact {target.id} -i{confirmed}` removes {them}"


def rewrite_session(env: Env, options: Options, target: Target, redactor: Redactor) -> int:
    """Rewrite the file, and warn of each other place that still contains a removed secret."""
    from ..filters.redact import leftovers

    before = read.read_bytes(target.path)

    def rewrite(data: bytes) -> list[bytes]:
        redactor.reset()
        lines = list(lines_of(data))
        new = redacting.rewritten(lines, Hydration(env).lines(lines), redactor)  # blocks hold secrets too
        id = env.new_id(f"{target.id} redactions", len(data))
        redaction = redactions.record(id, env.now(), lines, new)
        return redactions.insert_redaction(new, redaction) if redaction is not None else new

    rewriting.in_place(env, target, rewrite, strict=options.strict)
    code = redacting.report(env, target.id, redactor, "removed")
    places = [*leftovers.places(env, target, before, redactor.removed)]
    if leftovers.Needles(redactor.certain()).within_file(target.path):
        places.insert(0, "an id or a signature of this session: see `verify`")
    for place in places:
        env.warn(f"{target.id}: a removed secret is still in {place}")
    return 1 if places else code


def ask(env: Env, session: str) -> None:
    """Ask for confirmation on a terminal; without one, --yes is required."""
    if not env.terminal(env.stdin):
        raise Usage(f"redact -i rewrites {session} and cannot be undone: pass --yes to confirm")
    what = f"redact -i rewrites {visible(session)}, including what `undo` hid; it cannot be undone"
    sys.stderr.write(f"{what}. Continue? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise NegativeAnswer("nothing changed")
