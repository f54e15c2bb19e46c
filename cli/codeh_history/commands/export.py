"""Write a session in another form on stdout."""

from typing import Annotated, Optional

import typer

from ..access.view import open_view, tell_lost
from ..base.env import Env
from ..base.errors import Usage
from ..blocks import Lost
from ..formats import EXPORTERS, export
from ..session.view import View
from ..store.resolve import Target, for_reading
from .options import AllowMissing, Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history export demo --to contents > demo.json
  codeh-history export demo --to markdown | less
  codeh-history export demo --to html > demo.html
  codeh-history export demo --to exchanges -n 20
  codeh-history export demo --bundle demo.tar    # to take it to another machine: `import demo.tar` there
  codeh-history export demo --to refs            # [{flowId, blockIds, role}], the parts in the block store
"""
STRAY = "the session is the only argument"
TEXTS = ("markdown", "html")  # only to be looked at


def command(
    ctx: typer.Context,
    argument: Argument = None,
    to: Annotated[
        Optional[str],
        typer.Option("--to", metavar="FORM", help=f"{', '.join(EXPORTERS)}; contents without."),
    ] = None,
    bundle: Annotated[
        Optional[str],
        typer.Option("--bundle", metavar="FILE|-", help="The session and its blocks in one file."),
    ] = None,
    last: Annotated[
        Optional[int], typer.Option("-n", metavar="N", min=1, help="With --to exchanges: only the last N.")
    ] = None,
    workspace: Annotated[
        Optional[str],
        typer.Option("--workspace", metavar="W", help="With --to refs: the toolkit's wrapper."),
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Replace secrets by [redacted:kind]; best effort.")
    ] = False,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    if bundle is not None:
        if to is not None or last is not None or workspace is not None or redact:
            raise Usage("--bundle is the session as it is: no --to, -n, --workspace or --redact")
        bundled(env, for_reading(env, session, argument), bundle, allow_missing=allow_missing)
        return 0
    to = form(to, last, workspace)
    lost: Optional[Lost] = {} if allow_missing or to in TEXTS else None
    unread = to == "refs" and not redact
    target, view = open_view(env, session, argument, strict=strict, hydrate=not unread, lost=lost)
    if to == "contents" and view.summaries:
        env.note(f"{target.id}: {len(view.summaries)} summaries have no place in contents")
    if redact:
        view = clean(env, view, target)
    if to == "refs":
        from ..access import persist

        persist.store_parts(env, view)
    env.write(export(view, to, last if to == "exchanges" else workspace))
    tell_lost(env, target.id, lost, strict=strict)
    return 0


def form(to: Optional[str], last: Optional[int], workspace: Optional[str]) -> str:
    """The form asked for; Usage where it is none, or another's option was given."""
    to = to or "contents"
    if to not in EXPORTERS:
        raise Usage(f"--to {to}: one of {', '.join(EXPORTERS)}")
    if last is not None and to != "exchanges":
        raise Usage("-n goes with --to exchanges")
    if workspace is not None and to != "refs":
        raise Usage("--workspace goes with --to refs")
    return to


def clean(env: Env, view: View, target: Target) -> View:
    """The view without its secrets, which are told of."""
    from ..filters.redact import Redactor
    from ..filters.redact import run as redacting

    redactor = Redactor()
    view = redacting.redacted_view(view, redactor)
    redacting.report(env, target.id, redactor)
    return view


def bundled(env: Env, target: Target, name: str, *, allow_missing: bool) -> None:
    """Write the session and its blocks to one new file."""
    from ..access import bundle as bundling

    lost: Optional[Lost] = {} if allow_missing else None
    bundling.pack(env, target, name, lost)
    tell_lost(env, target.id, lost)
