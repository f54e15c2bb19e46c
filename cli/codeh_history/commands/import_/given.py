"""What `import` can be told."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.options import ALLOW_MISSING, IDENTITY, QUIET, REPORT, STRICT, Options, argument, flag, option
from ...programs import forms, sessions

FORMS = (*sessions.PROGRAMS, *forms.IMPORTERS)


class Given(Options):
    files: Sequence[str] | None = argument(
        "[FILE|-]...", "Files to import, a session each; or a program's folder of them."
    )
    from_: Sequence[str] = option("FORM", f"auto, {', '.join(FORMS)}; with --all repeatable.")
    all_: bool = flag("Every session of the programs; a JSON line for each that changed.")
    since: str | None = option("D", "With --all: only files changed since: 2h, 7d, or a date.")
    into: str | None = option("NEW", "The new session's id or path (one file).")
    identity: Sequence[str] = IDENTITY
    branches: bool = flag("Abandoned branches and sub-agents too, as sessions of their own.")
    jsonl: bool = flag("With --all, on a terminal: JSON lines instead of a table.")
    report: bool = REPORT
    allow_missing: bool = ALLOW_MISSING
    strict: bool = STRICT
    quiet: bool = QUIET
