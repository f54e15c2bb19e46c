"""What `rescue` can be told."""

from __future__ import annotations

from ...base.options import JSON, QUIET, REPORT, SESSION, OptionSet, argument, flag, option
from ...programs import sessions


class Options(OptionSet):
    argument: str | None = argument("[FILE|SESSION]", "What to rescue; it is not changed.")
    budget: str | None = option("N", "Tokens; without, 60 % of the model's window where it is above that.")
    to: str | None = option(
        "PROGRAM", f"{', '.join(sessions.WRITTEN)}; without, the one it is of.", choices=sessions.WRITTEN
    )
    cwd: str | None = option("DIR", "The working directory to continue in.")
    title: str | None = option("T", "The title.")
    output: str | None = option("FILE|NEW", "New file, or for a session the new id.")
    install: bool = flag("Put it where the program looks.")
    dry_run: bool = flag("Print what would be done; write nothing.")
    json: bool = JSON
    report: bool = REPORT
    session: str | None = SESSION
    quiet: bool = QUIET
