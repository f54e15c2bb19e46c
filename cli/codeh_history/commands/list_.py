"""List sessions, newest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from ..base.env import Env
from ..base.errors import BadData, HistoryError
from ..base.options import JSON, JSONL, NO_PAGER, Reading, flag, option
from ..base.times import brief, moment
from ..base.words import MIDDLE, excerpt, prefixes
from ..render import pager, table
from ..render.messages import rich_wanted, width
from ..session.model import Json
from ..store import foreign_settings
from ..store.resolve import existing, ids
from ..views import rows as listing
from ..views.rows import LISTED, Kind, cached_rows, last_used, report_problems

EXAMPLES = """\
  codeh-history list -n 5                # the last five, with their titles or first prompts
  codeh-history list --here --since 7d
  codeh-history list --all-programs      # sessions of other programs too, where they are
  codeh-history list --pinned --all-programs
  codeh-history list --tag work --model opus --title login
  codeh-history list --branch login --all-programs   # as the programs stored it; a commit too
  codeh-history list --jsonl | jq -r 'select(.open_calls > 0).id'
  codeh-history list | cut -f 1,3      # in a pipe: id, path, title, tags, cwd, created, last, messages,
                                       # exchanges, bytes, open_calls, pending, separated by tabs
"""
STRAY = "list takes no argument; use -s SESSION for one session"
NARROW, DIRECTORY = 100, 10  # a narrower terminal shortens directories to DIRECTORY characters
SHORTEST, END = 12, 4  # least characters of a shortened id, and of its end
PROGRAMS_LISTED = Kind("programs-listed")
COMMIT = 40  # hex digits


class Options(Reading, without=("argument",)):
    all_programs: bool = flag("Also list other programs' sessions, without importing them.")
    last: int | None = option("N", "Only the N most recently used.", long="-n", least=1)
    here: bool = flag("Only sessions started in this directory.")
    since: str | None = option("D", "Only sessions used since: 30m, 2h, 7d, or a date.")
    pinned: bool = flag("Only pinned sessions (`set pinned=true`).")
    tag: str | None = option("TAG", "Only sessions with this tag.")
    program: str | None = option("PROGRAM", "Only sessions of this program.")
    model: str | None = option("MODEL", "Only sessions with answers by a model whose name contains MODEL.")
    branch: str | None = option("BRANCH", "Only sessions on this git branch, or begun at this commit.")
    title: str | None = option("TEXT", "Only sessions with TEXT in title or first prompt, ignoring case.")
    json: bool = JSON
    jsonl: bool = JSONL
    no_pager: bool = NO_PAGER


def run(env: Env, options: Options) -> None:
    names = dict(ids(env))
    paths = [*names.values()] if options.session is None else [existing(env, options.session).path]
    rows = rows_of(env, paths)
    if options.all_programs:
        imported = {(row["program"], row["program_session"]) for row in rows}
        # the newest file of a moved session replaces the others, because the program resumes that one
        newest = {(row["program"], row["program_session"] or row["path"]): row for row in program_rows(env)}
        rows += [newest[key] for key in newest if key not in imported]
    settings = foreign_settings.kept(env)
    for row in rows:  # settings made here replace those of the program
        for key, value in settings.get(row["id"], {}).items():
            if value is not None:
                row[key] = listing.tags_of(value) if key == "tags" else value
    chosen = sorted(matching(env, rows, options), key=last_used, reverse=True)[: options.last]
    show(env, chosen, options, names)
    if not chosen and not options.json and not options.jsonl:
        start = "no sessions yet: `codeh-history append -m TEXT` starts one"
        env.note("no session matches" if rows else start)
    if options.strict and any("problem" in row for row in chosen):
        raise BadData("some sessions are damaged (`codeh-history verify ID` shows where)")


def matching(env: Env, rows: Iterable[Json], options: Options) -> list[Json]:
    """The rows that match all selection options."""
    earliest = moment(env.millis(), options.since) if options.since is not None else 0
    directory = env.cwd() if options.here else None
    model, title, ref = (options.model or "").casefold(), (options.title or "").casefold(), options.branch
    return [
        row
        for row in rows
        if (directory is None or (directory and row["cwd"] == directory))
        and (not earliest or last_used(row) >= earliest)
        and (row["pinned"] or not options.pinned)
        and (options.tag is None or options.tag in row["tags"])
        and (options.program is None or options.program == row["program"])
        and (not model or any(model in name.casefold() for name in row["models"]))
        and (
            ref is None
            or any(
                name[: (len(ref) or None) if len(name) == COMMIT else None] == ref for name in row["git"]
            )
        )
        and title in f"{row['title'] or ''} {row['prompt'] or ''}".casefold()
    ]


def rows_of(env: Env, paths: list[str], kind: Kind = LISTED) -> list[Json]:
    """A row for each session; note problems on stderr."""
    return report_problems(env, cached_rows(env, paths, listing.row_of, kind))


def name_choices(env: Env, paths: Sequence[str]) -> None:
    """Note the sessions that an ambiguous name matches: id, time and first prompt, newest first."""
    for row in sorted(rows_of(env, [*paths]), key=last_used, reverse=True):
        last = brief(row["last"] or row["created"], env.millis())
        env.note(f"  {row['id']}  {last}  {row['title'] or row['prompt'] or ''}")


def program_rows(env: Env, programs: Sequence[str] = ()) -> list[Json]:
    """A row for each session file of other programs, and each session in their databases; newest last."""
    from ..programs.registry import PROGRAMS
    from ..store.program_files import is_database
    from ..store.program_files.folders import files_of
    from ..store.program_files.translated import each

    files = {file.path: file for file in files_of(env, programs or tuple(PROGRAMS))}
    databases = [path for path in files if is_database(path)]
    rows = rows_of(env, [path for path in files if path not in databases], PROGRAMS_LISTED)
    for path in databases:
        try:
            rows += [listing.count_bytes(data).row(path) for data in each(path)]
        except HistoryError as error:
            env.note(str(error))
    rows.sort(key=lambda row: files[row["path"]].stamp.changed)
    return [
        {**row, "bytes": files[row["path"]].stamp.size, "program": files[row["path"]].program}
        for row in rows
        if "problem" not in row or row["messages"]
    ]


def show(env: Env, rows: list[Json], options: Options, names: Iterable[str]) -> None:
    if options.json or options.jsonl:
        env.print_list(rows, as_array=options.json)
    elif rows and rich_wanted(env):
        with_program, now = any(row["program"] for row in rows), env.millis()
        columns = ["id", "last", "msgs", *["program"] * with_program, "directory", "title"]
        ids = abbreviations([row["id"] for row in rows], names, max(SHORTEST, width() // 3))
        room = NARROW if width() >= NARROW else DIRECTORY
        cells = [
            [ids[row["id"]], brief(row["last"] or row["created"], now), row["messages"],
             *[row["program"]] * with_program, excerpt(PurePath(row["cwd"] or "").name, room),
             row["title"] or row["prompt"]]
            for row in rows
        ]  # fmt: skip
        drawn = table.aligned(columns, cells, width=width(), colour=env.colour, flexible=1)
        pager.show(env, drawn, paged=not options.no_pager)
    else:
        env.write(table.separated([row[name] for name in listing.KEYS] for row in rows))


def abbreviations(ids: Sequence[str], others: Iterable[str], most: int) -> dict[str, str]:
    """Shorten each id to a unique prefix or, if that is longer than `most`, a unique `START…END`."""
    names = {*ids, *others}
    short = prefixes(ids, names)
    long = {id for id, prefix in short.items() if len(prefix) > most}
    for end in range(END, most - END + 1) if long else ():
        start = most - 1 - end
        count = Counter((name[:start], name[-end:]) for name in names)
        unique = {id for id in long if count[id[:start], id[-end:]] == 1}
        for id in long if end == END else unique:  # the first form, if none is unique
            short[id] = f"{id[:start]}{MIDDLE}{id[-end:]}"
        long -= unique
    return short
