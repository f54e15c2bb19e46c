"""Check a session, or what a provider would refuse in it; changes nothing."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, Lost, NegativeAnswer
from ..base.escape import visible
from ..base.input import required_stdin
from ..base.options import JSON, PROVIDERS, Reading, option
from ..base.shared_options import system_and_tools
from ..base.words import plural
from ..programs import records
from ..programs.model import Entry, Summary
from ..programs.model import Problem as ProgramProblem
from ..render import values
from ..render.progress import progress, size_of
from ..session.by_reference import block_ids
from ..session.fold import fold
from ..session.model import Json, Message, Part
from ..session.pairing import Answer, Call, only_results, pair
from ..session.records import VERSION, Log
from ..session.rules import NAMES_OF_AN_OP, OTHER, RULES, added_ids, ids_in, own_id
from ..session.view import View
from ..store import program_files, read
from ..store.paths import SERVER, sessions_dir
from ..store.resolve import Target, for_reading
from ..views.view import view_of

EXAMPLES = """\
  codeh-history verify demo                    # prints each problem; exit 1 if there are any
  codeh-history verify ~/.claude/projects/DIR/UUID.jsonl   # what that program would forget, drop or double
  codeh-history verify demo --to anthropic     # what Anthropic would refuse
  codeh-history verify demo --json | jq -r '.problems[].offset'
"""
BATCH = 256  # blocks per fetch
Referenced = dict[str, tuple[int, str | None]]  # block id → offset and id of the first record that names it


class Problem(NamedTuple):
    """A problem, with its byte offset in the file, record id and line, if known.

    For a provider: its `path` in the body, and the message's number `n`.
    """

    offset: int | None
    reason: str
    id: str | None = None
    line: int | None = None
    n: int | None = None
    path: str | None = None


class Options(Reading):
    to: str | None = option("FORMAT", "Report what this provider would refuse.", choices=PROVIDERS[:-1])
    model: str | None = option("MODEL", "With --to: for which model.", requires=("to",))
    json: bool = JSON


def run(env: Env, options: Options) -> int:
    target = for_reading(env, options.session, options.argument)
    with progress(env, "verifying", size_of(target.path)):
        result = verdict(env, options, target)
    if options.json:
        env.write(values.line(result))
    else:
        env.write("".join(f"{visible(line)}\n" for line in lines(target, result)).encode())
    if options.strict and any("path" not in problem for problem in result["problems"]):
        raise BadData(f"{target.path}: {len(result['problems'])} problems")
    return 0 if result["ok"] else NegativeAnswer.exit_code


def verdict(env: Env, options: Options, target: Target) -> Json:
    """The problems of the session itself, for a provider, or for the program whose file it is."""
    if options.to:
        data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
        view = view_of(env, target, data, strict=options.strict)
        refused = with_lines(refusals(view, options.to, options.model), data)
    elif other := of_program(target):
        return other
    else:
        view, refused = problems_of(env, target)
    problems: list[Json] = []
    for each in refused:
        more = {"id": each.id or None, "n": each.n, "path": each.path, "reason": each.reason}
        where = {"line": each.line, "offset": each.offset}
        problems.append(where | {key: value for key, value in more.items() if value is not None})
    return {
        "session": target.id, **({"to": options.to} if options.to else {}), "ok": not problems,
        "records": len(view.log.records), "messages": len(view.messages),
        "problems": problems,
    }  # fmt: skip


def of_program(target: Target) -> Json | None:
    """What a program would forget, drop, double or have refused; None for other files."""
    if target.path == "-" or target.path.startswith(SERVER) or read.is_ours(target.path):
        return None
    with program_files.opened(target.path) as file:
        program = program_files.program_of(file)
        if program is None:
            return None
        ids: list[str] = []
        problems: list[Json] = []
        messages, version = 0, None
        for session in program_files.sessions_in(file, program):
            ids.append(records.session_id(session))
            problems += map(program_problem, session.problems)
            covered = {id for item in session.items if isinstance(item, Summary) for id in item.covers}
            messages += sum(isinstance(item, Entry) and item.id not in covered for item in session.items)
            version = version or session.version
    return {
        "session": ids[0] if len(ids) == 1 else target.id, "program": program, "version": version,
        "ok": not problems, "sessions": len(ids), "messages": messages, "problems": problems,
    }  # fmt: skip


def program_problem(problem: ProgramProblem) -> Json:
    """`line, effect, reason, mended?`."""
    return {key: value for key, value in problem._asdict().items() if value is not None}


def lines(target: Target, result: Json) -> list[str]:
    """`ok: …`, or a line for each problem."""
    if not result["ok"]:
        return [line(target, problem) for problem in result["problems"]]
    messages = plural(result["messages"], "message")
    if "program" in result:
        return [f"ok: {messages} of {result['program']}"]
    return [f"ok: {plural(result['records'], 'record')}, {messages}"]


def line(target: Target, problem: Json) -> str:
    """`PATH: line 3, byte 120: [ID: ]REASON`, or `messages.6.content.0 ← :12 ID: REASON` (`--to`)."""
    if "path" in problem:
        source = f" ← :{problem['n']} {problem['id']}" if "id" in problem else ""
        return f"{problem['path']}{source}: {problem['reason']}"
    id = f"{problem['id']}: " if "id" in problem else ""
    where = [f"line {problem['line']}"] if problem["line"] else []
    where += [f"byte {problem['offset']}"] if "offset" in problem else []
    place = f"{', '.join(where)}: " if where else ""
    return f"{target.path if target.path != '-' else target.id}: {place}{id}{problem['reason']}"


# -- a session -----------------------------------------------------------------------------------------


def problems_of(env: Env, target: Target) -> tuple[View, list[Problem]]:
    """Check lines, references, calls and results, and blocks; the view, and problems in file order."""
    data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
    log = read.read_log(data)
    kept = os.path.dirname(target.path) == sessions_dir(env)  # elsewhere a file may have any name
    damaged, blocks = check(target.id if kept else None, log)
    view = fold(log)
    problems = [*damaged, *pairs(env, view), *missing(env, blocks)]
    if target.path != "-" and problems and read.being_written(target.path):
        problems = [problem for problem in problems if problem.reason != "torn last line"]
    problems = with_lines(problems, data)
    problems.sort(key=lambda problem: (problem.offset, problem.line))
    return view, problems


def pairs(env: Env, view: View) -> Iterator[Problem]:
    """Calls without a response (except at the end), responses without a call, and late responses."""
    if any(message.blocks is not None for message in view.messages):
        from ..views.stored_parts import hydrated

        try:
            view = hydrated(env, view)
        except HistoryError:
            return  # `missing` reports the block; the pairs are unknown
    sent = view.sent
    places = {message.id: place for place, message in enumerate(sent)}
    others = [place for place, message in enumerate(sent) if not only_results(message)]
    pairing = pair(sent)

    def problem(where: Call | Answer, reason: str) -> Problem:
        return Problem(view.log.records[where.message.place].offset, reason, where.message.id)

    for call in pairing.calls:
        after = bisect_right(others, places[call.message.id])  # the first other message after it
        if call.answer is None:
            if after < len(others):
                yield problem(call, f"the call of {call.name} is never answered")
        elif after < len(others) and others[after] < places[call.answer.message.id]:
            yield problem(call.answer, f"the result of {call.name} comes late, after other messages")
    for answer in pairing.orphans:
        yield problem(answer, f"the result of {answer.name} answers no call")
    for answer in pairing.doubles:
        yield problem(answer, f"a second result of {answer.name} for a call that is answered")


def missing(env: Env, blocks: Referenced) -> Iterator[Problem]:
    """Blocks that are missing or altered."""
    if not blocks:
        return
    from ..store.blocks import fetch, open_stores

    stores = open_stores(env)
    ids = list(blocks)
    for at in range(0, len(ids), BATCH):
        lost: Lost = {}
        fetch(stores, ids[at : at + BATCH], lost)
        for id, why in lost.items():
            offset, record = blocks[id]
            yield Problem(offset, why, record)


def with_lines(problems: Iterable[Problem], data: bytes) -> list[Problem]:
    """Add line numbers to problems with an offset."""
    problems = list(problems)
    lines: dict[int, int] = {}
    line, start = 1, 0
    for offset in sorted({problem.offset for problem in problems if problem.offset is not None}):
        line += data.count(b"\n", start, offset)
        lines[offset], start = line, offset
    return [p if p.offset is None or p.line else p._replace(line=lines[p.offset]) for p in problems]


def check(session: str | None, log: Log) -> tuple[list[Problem], Referenced]:
    """Problems of lines and of the ids that they name; `session`: the id in the file's name."""
    problems = [Problem(each.offset, each.reason, line=each.line or None) for each in log.damage]
    blocks: Referenced = {}
    seen: dict[str, int] = {}  # id → offset of its first record
    headers = 0
    for record in log.records:
        data, offset, what = record.data, record.offset, record.data["type"]
        if what == "session":
            version, id = data.get("version"), data.get("id")
            if headers:
                problems.append(Problem(offset, "a second header, which is ignored"))
            elif isinstance(version, int) and version > VERSION:
                newer = f"version {version} is newer than this program's {VERSION}"
                problems.append(Problem(offset, newer))
            if not headers and session is not None and id != session:
                other = f"the header says session {id}, the file's name {session}"
                problems.append(Problem(offset, other))
            headers += 1
            continue
        own = own_id(data)
        names = ids_in(data, RULES.get(what, OTHER).names)
        unknown = (id for id in names if id not in seen)
        problems += [Problem(offset, f"{what} names nothing earlier: {id}", own) for id in unknown]
        for id in added_ids(data):
            if id in seen:
                problems.append(Problem(offset, f"has an id that was used before, at byte {seen[id]}"))
            seen.setdefault(id, offset)
        for op in data["ops"] if what == "compaction" else ():
            ids = (id for id in ids_in(op, NAMES_OF_AN_OP) if id and id not in seen)
            by = f"{op.get('op')} of a compaction"
            problems += [Problem(offset, f"{by} names nothing earlier: {id}", own) for id in ids]
        if "blockIds" in data or what == "compaction":
            for block in block_ids(data):
                blocks.setdefault(block, (offset, own or data.get("of")))
    return problems, blocks


# -- --to ----------------------------------------------------------------------------------------------


def refusals(view: View, to: str, model: str | None) -> list[Problem]:
    """What `to` would refuse in a request that holds the session unchanged."""
    from .. import providers
    from ..providers.base import Options as RequestOptions
    from ..talk.send.payload import model_for

    system, tools = system_and_tools(view.meta)
    kept = view.meta.get(f"settings.{to}")
    chosen = RequestOptions(
        model=model_for(view, to, model) or "MODEL", system=system, tools=tools, session=view.id,
        settings=kept if isinstance(kept, dict) else {}, faithful=True, trace=True,
    )  # fmt: skip
    places = {message.id: number for number, message in enumerate(view.messages, 1)}

    def problem(path: str, reason: str, message: Message | None) -> Problem:
        if message is None:
            return Problem(None, reason, path=path)
        written = message.place < len(view.log.records)
        offset = view.log.records[message.place].offset if written else None
        return Problem(offset, reason, message.id, n=places.get(message.id), path=path)

    sent = view.sent
    if sent and sent[-1].role == "model" and not any("functionCall" in part for part in sent[-1].parts):
        parts: list[Part] = [{"text": "…"}]  # a final answer is only sent once a prompt follows it
        sent.append(Message(id="", kind="user", role="user", ts=None, fields={}, own=parts, parts=parts))
    format = providers.load(to)
    request = format.request(sent, chosen, [summary.text for summary in view.summaries])
    return [
        problem(p.path, p.reason, view.all.get(source_of(request.sources, p.path) or ""))
        for p in format.problems(request.body)
    ]


def source_of(sources: list[list[str]], path: str) -> str | None:
    """The id of the message behind `messages.6.content.0`; the element's first if the block has none."""
    numbers = [int(step) for step in path.split(".") if step.isdecimal()]
    if not numbers or numbers[0] >= len(sources):
        return None
    blocks = sources[numbers[0]]
    if len(numbers) > 1 and numbers[1] < len(blocks):
        return blocks[numbers[1]] or None
    return next((id for id in blocks if id), None)
