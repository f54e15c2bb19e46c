"""`rescue` without a name: the newest sessions of all programs, and what is wrong with each."""

from __future__ import annotations

from collections.abc import Iterator

from ...base.env import Env
from ...base.errors import HistoryError
from ...base.times import brief, from_millis
from ...programs.builder import texts
from ...programs.model import Entry, Session
from ...programs.sessions import PROGRAMS
from ...render import table, values
from ...render.messages import rich_wanted, width
from ...render.progress import progress
from ...session.model import Json
from ...store import program_files
from ...store.program_files import folders
from ...store.program_files.folders import ProgramFile
from ...views.row import beginning
from ..verify import program_problem

MOST = 10  # sessions
NAMES = ("path", "last", "program", "messages", "problem", "prompt")


def show(env: Env, *, json: bool) -> None:
    """List them on stdout, a table on a terminal."""
    files = sorted(folders.files_of(env, tuple(PROGRAMS)), key=lambda file: file.millis, reverse=True)[
        :MOST
    ]
    rows: list[Json] = []
    with progress(env, "reading") as bar:
        for number, file in enumerate(files, 1):
            rows += _rows(file)
            bar.done(number, len(files))
    rows = sorted(rows, key=lambda row: row["last"], reverse=True)[:MOST]
    if json:
        env.write(b"".join(values.lines(rows, as_array=False)))
        return
    cells = [[{**row, "problem": _problem(row["problems"])}[name] for name in NAMES] for row in rows]
    if rows and rich_wanted(env):
        shown = [[cell[0], brief(cell[1], env.millis()), *cell[2:]] for cell in cells]
        env.draw(table.aligned(NAMES, shown, width=width(), colour=env.colour, flexible=2))
    else:
        env.write(table.separated(cells))
    env.note("rescue FILE brings one of these back" if rows else "no sessions of other programs found")


def _rows(file: ProgramFile) -> Iterator[Json]:
    """A row for each session of a file that holds messages; one for a file that cannot be read."""
    row: Json = {"program": file.program, "path": file.path, "last": from_millis(file.millis)}
    try:
        with program_files.opened(file.path) as opened:
            for session in program_files.sessions_in(opened, file.program, newest=True):
                if session.items:
                    yield {**row, **_about(session), "last": session.last or row["last"]}
    except HistoryError as error:
        problem = {"line": 0, "effect": "refused", "reason": str(error)}
        yield {**row, "session": None, "messages": 0, "prompt": None, "problems": [problem]}


def _about(session: Session) -> Json:
    entries = [item for item in session.items if isinstance(item, Entry)]
    prompts = (beginning(" ".join(texts(entry.parts))) for entry in entries if entry.kind == "user")
    return {
        "session": session.id, "messages": len(entries), "prompt": next(filter(None, prompts), None),
        "problems": [*map(program_problem, session.problems)],
    }  # fmt: skip


def _problem(problems: list[Json]) -> str:
    """The first of them, and how many more there are."""
    if not problems:
        return "ok"
    where = f"line {problems[0]['line']}: " if problems[0]["line"] else ""
    return f"{where}{problems[0]['reason']}" + (f" (and {len(problems) - 1} more)" if problems[1:] else "")
