"""List the sessions, the newest first."""

from __future__ import annotations

from ..access import row as listing
from ..access.rows import LISTED, Kind, noted, remembered, used
from ..base.env import Env
from ..base.errors import BadData, HistoryError
from ..base.options import JSON, JSONL, NO_PAGER, Reading, flag, option
from ..base.timezone import clock, moment
from ..render import pager, table, values
from ..render.messages import rich_wanted, width
from ..session.model import Json
from ..store.resolve import for_reading, ids

EXAMPLES = """\
  codeh-history list -n 5                # the last five, with their titles or first prompts
  codeh-history list --here --since 7d
  codeh-history list --all-programs    # sessions of other programs too, where they are
  codeh-history list --jsonl | jq -r 'select(.open_calls > 0).id'
  codeh-history list | cut -f 1,3      # in a pipe: id, path, title, tags, cwd, created, last, messages,
                                       # exchanges, bytes, open_calls, pending, separated by tabs
"""
STRAY = "list takes no argument; -s SESSION lists one"
SHOWN = ("id", "last", "messages", "calls", "pending", "title", "cwd")  # on a terminal


class Given(Reading, without=("argument",)):
    all_programs: bool = flag("Also sessions of other programs, where they are, without importing them.")
    last: int | None = option("N", "Only the N used last.", long="-n", least=1)
    here: bool = flag("Only those begun in this directory.")
    since: str | None = option("D", "Only those used since: 30m, 2h, 7d, or a date.")
    json: bool = JSON
    jsonl: bool = JSONL
    no_pager: bool = NO_PAGER


def run(env: Env, given: Given) -> None:
    given.one_of("--json and --jsonl", "json", "jsonl")
    earliest = moment(env, given.since) if given.since is not None else None
    paths = (
        [for_reading(env, given.session).path]
        if given.session is not None
        else [path for _, path in ids(env)]
    )
    rows = rows_of(env, paths)
    if given.all_programs:
        rows += program_rows(env)
    if given.here:
        directory = env.cwd()
        rows = [row for row in rows if directory and row["cwd"] == directory]
    if earliest is not None:
        rows = [row for row in rows if used(row) >= earliest]
    rows.sort(key=used, reverse=True)
    rows = rows[: given.last]
    show(env, rows, given)
    if given.strict and any("problem" in row for row in rows):
        raise BadData("damaged sessions are listed above (`codeh-history verify -s ID` says where)")


PROGRAMS_LISTED = Kind("programs-listed.json")


def rows_of(env: Env, paths: list[str], kind: Kind = LISTED) -> list[Json]:
    """A row for each session; what is wrong with one is noted on stderr."""
    return noted(env, remembered(env, paths, listing.row_of, kind))


def program_rows(env: Env) -> list[Json]:
    """A row for each session file of another program, with its name."""
    from ..programs.sessions import PROGRAMS
    from ..store.program_files import is_database
    from ..store.program_files.folders import found

    files = {file.path: file for file in found(env, tuple(PROGRAMS))}
    databases = [path for path in files if is_database(path)]
    rows = rows_of(env, [path for path in files if path not in databases], PROGRAMS_LISTED)
    rows += [row for path in databases for row in rows_in(env, path)]
    return [
        {**row, "bytes": files[row["path"]].stamp[1], "program": files[row["path"]].program}
        for row in rows
        if "problem" not in row or row["messages"]
    ]


def rows_in(env: Env, path: str) -> list[Json]:
    """A row for each session in a database; one that cannot be read is noted."""
    from ..store.program_files.translated import each

    try:
        return [listing.count_bytes(data).row(path) for data in each(path)]
    except HistoryError as error:
        env.note(str(error))
        return []


def show(env: Env, rows: list[Json], given: Given) -> None:
    if given.json or given.jsonl:
        env.write(b"".join(values.lines(rows, as_array=given.json)))
    elif rich_wanted(env):
        cells = [cells_of(row) for row in rows]
        drawn = table.aligned(SHOWN, cells, width=width(), colour=env.colour, flexible=2)
        pager.show(env, drawn, paged=not given.no_pager)
    else:
        env.write(table.separated([row[name] for name in listing.KEYS] for row in rows))


def cells_of(row: Json) -> list[object]:
    """A row as a terminal shows it: minutes on the reader's clock are enough, and zeros say nothing."""
    last = clock(row["last"] or row["created"])[: len("2026-01-02 03:04")]
    counts = (row["open_calls"] or None, row["pending"] or None)
    return [row["id"], last, row["messages"], *counts, row["title"] or row["prompt"], row["cwd"]]
