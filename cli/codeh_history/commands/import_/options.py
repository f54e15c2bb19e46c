"""The options of `import`."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.options import (
    ALLOW_MISSING,
    IDENTITY,
    QUIET,
    REPORT,
    STRICT,
    OptionSet,
    argument,
    flag,
    option,
)
from ...programs import forms, sessions

FORMS = (*sessions.PROGRAMS, *forms.IMPORTERS)


class Options(OptionSet):
    files: Sequence[str] | None = argument(
        "[FILE|-]...", "Files to import, one session each, or a program's folder."
    )
    from_: Sequence[str] = option(
        "FORM", f"auto, {', '.join(FORMS)}; with --all repeatable.", choices=("auto", *FORMS)
    )
    all_: bool = flag(
        "All sessions of all programs; a JSON line for each that changed.",
        excludes=("files", "into", "allow_missing"),
    )
    since: str | None = option(
        "D", "With --all: only files changed since: 2h, 7d, or a date.", requires=("all_",)
    )
    into: str | None = option("NEW", "Id or path of the new session (for one file).")
    identity: Sequence[str] = IDENTITY
    branches: bool = flag("Also import abandoned branches and sub-agents as sessions.")
    jsonl: bool = flag("With --all on a terminal: JSON lines, not a table.")
    verbose: bool = flag("Also count each kind of interface records that are not imported.", short="-v")
    report: bool = REPORT
    allow_missing: bool = ALLOW_MISSING
    strict: bool = STRICT
    quiet: bool = QUIET
