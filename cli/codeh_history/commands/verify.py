"""Check a session, or what a provider would refuse in it; changes nothing."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from ..base.env import Env
from ..base.errors import BadData, HistoryError, Lost, NegativeAnswer
from ..base.escape import visible
from ..base.input import required_stdin
from ..base.options import JSON, PROVIDERS, Reading, option
from ..base.shared_options import system_and_tools
from ..base.words import plural
from ..programs import records
from ..programs.model import Problem as ProgramProblem
from ..render.progress import progress, size_of
from ..session.by_reference import block_ids
from ..session.fold import fold
from ..session.model import Json, Message, Part
from ..session.pairing import Answer, Call, only_results, pair
from ..session.records import TORN, VERSION, Log
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


class Options(Reading):
    to: str | None = option("FORMAT", "Report what this provider would refuse.", choices=PROVIDERS[:-1])
    model: str | None = option("MODEL", "With --to: for which model.", requires=("to",))
    json: bool = JSON


def run(env: Env, options: Options) -> int:
    target = for_reading(env, options.session, options.argument)
    with progress(env, "verifying", size_of(target.path)):
        result = verdict(env, options, target)
    if options.json:
        env.print_json(result)
    else:
        env.print(*map(visible, lines(target, result)))
    if options.strict and any("path" not in problem for problem in result["problems"]):
        raise BadData(f"{target.path}: {len(result['problems'])} problems")
    return 0 if result["ok"] else NegativeAnswer.exit_code


def verdict(env: Env, options: Options, target: Target) -> Json:
    """Check the session itself, or what the provider or the program that owns the file would refuse."""
    if options.to:
        data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
        view = view_of(env, target, data, strict=options.strict)
        problems = with_lines(refusals(view, options.to, options.model), data)
    elif other := of_program(target):
        return other
    else:
        view, problems = problems_of(env, target)
    return {
        "session": target.id, **({"to": options.to} if options.to else {}), "ok": not problems,
        "records": len(view.log.records), "messages": len(view.messages),
        "problems": problems,
    }  # fmt: skip


def of_program(target: Target) -> Json | None:
    """Check another program's file for what it would forget, drop, duplicate or refuse; None for ours."""
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
            messages += len(session.uncovered())
            version = version or session.version
    return {
        "session": ids[0] if len(ids) == 1 else target.id, "program": program, "version": version,
        "ok": not problems, "sessions": len(ids), "messages": messages, "problems": problems,
    }  # fmt: skip


def program_problem(problem: ProgramProblem) -> Json:
    """A problem as `line, effect, reason, mended?`."""
    return {key: value for key, value in problem._asdict().items() if value is not None}


def lines(target: Target, result: Json) -> Iterator[str]:
    """`ok: …`, or a line for each problem.

    `PATH: line 3, byte 120: [ID: ]REASON`, or `messages.6.content.0 ← :12 ID: REASON` (`--to`).
    """
    if result["ok"]:
        of = f" of {result['program']}" if "program" in result else ""
        records = f"{plural(result['records'], 'record')}, " if "records" in result else ""
        yield f"ok: {records}{plural(result['messages'], 'message')}{of}"
    for problem in result["problems"]:
        if "path" in problem:
            source = f" ← :{problem['n']} {problem['id']}" if "id" in problem else ""
            yield f"{problem['path']}{source}: {problem['reason']}"
            continue
        id = f"{problem['id']}: " if "id" in problem else ""
        where = [f"line {problem['line']}"] if problem["line"] else []
        where += [f"byte {problem['offset']}"] if "offset" in problem else []
        place = f"{', '.join(where)}: " if where else ""
        yield f"{target.path if target.path != '-' else target.id}: {place}{id}{problem['reason']}"


def problem(
    offset: int | None, reason: str, id: str | None = None, *, line: int | None = None, **more: Any
) -> Json:
    """A problem as `line, offset, id?, reason`; for a provider also `path` and the message's number `n`."""
    fields = {"id": id or None, **more, "reason": reason}
    return {
        "line": line,
        "offset": offset,
        **{key: each for key, each in fields.items() if each is not None},
    }


# -- a session -----------------------------------------------------------------------------------------


def problems_of(env: Env, target: Target) -> tuple[View, list[Json]]:
    """Check lines, references, calls and blocks; return the view, and the problems in file order."""
    data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
    log = read.read_log(data)
    in_home = os.path.dirname(target.path) == sessions_dir(env)  # elsewhere a file may have any name
    damaged, blocks = check(target.id if in_home else None, log)
    view = fold(log)
    problems = [*damaged, *pairs(env, view), *missing(env, blocks)]
    if target.path != "-" and problems and read.being_written(target.path):
        problems = [each for each in problems if each["reason"] != TORN]
    problems = with_lines(problems, data)
    problems.sort(key=lambda problem: (problem["offset"], problem["line"]))
    return view, problems


def pairs(env: Env, view: View) -> Iterator[Json]:
    """Problems: unanswered calls (except at the end), results without a call, and late results."""
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

    def at(item: Call | Answer, reason: str) -> Json:
        return problem(view.log.records[item.message.place].offset, reason, item.message.id)

    for call in pairing.calls:
        after = bisect_right(others, places[call.message.id])  # the first other message after it
        if call.answer is None:
            if after < len(others):
                yield at(call, f"the call of {call.name} is never answered")
        elif after < len(others) and others[after] < places[call.answer.message.id]:
            yield at(call.answer, f"the result of {call.name} comes late, after other messages")
    for answer in pairing.orphans:
        yield at(answer, f"the result of {answer.name} answers no call")
    for answer in pairing.doubles:
        yield at(answer, f"a second result of {answer.name} for a call that is answered")


def missing(env: Env, blocks: Referenced) -> Iterator[Json]:
    """A problem for each missing or altered block."""
    if not blocks:
        return
    from ..store.blocks import fetch, open_stores

    stores = open_stores(env)
    ids = list(blocks)
    for start in range(0, len(ids), BATCH):
        lost: Lost = {}
        fetch(stores, ids[start : start + BATCH], lost)
        for id, why in lost.items():
            offset, record = blocks[id]
            yield problem(offset, why, record)


def with_lines(problems: list[Json], data: bytes) -> list[Json]:
    """Add line numbers to problems with an offset."""
    line, start = 1, 0
    for each in sorted((each for each in problems if each["offset"] is not None), key=itemgetter("offset")):
        line += data.count(b"\n", start, each["offset"])
        start = each["offset"]
        each["line"] = each["line"] or line
    return problems


def check(session: str | None, log: Log) -> tuple[list[Json], Referenced]:
    """Problems of lines and of the ids they name, and the blocks; `session`: the id in the file's name."""
    problems = [problem(each.offset, each.reason, line=each.line or None) for each in log.damage]
    blocks: Referenced = {}
    seen: dict[str, int] = {}  # id → offset of its first record
    headers = 0

    def report(reason: str, id: str | None = None) -> None:
        problems.append(problem(offset, reason, id))

    for record in log.records:
        data, offset, what = record.data, record.offset, record.data["type"]
        if what == "session":
            version, id = data.get("version"), data.get("id")
            if headers:
                report("a second header, which is ignored")
            elif isinstance(version, int) and version > VERSION:
                report(f"version {version} is newer than this program's {VERSION}")
            if not headers and session is not None and id != session:
                report(f"the header says session {id}, the file's name {session}")
            headers += 1
            continue
        record_id = own_id(data)
        names = ids_in(data, RULES.get(what, OTHER).names)
        for id in (id for id in names if id not in seen):
            report(f"{what} names nothing earlier: {id}", record_id)
        for id in added_ids(data):
            if id in seen:
                report(f"has an id that was used before, at byte {seen[id]}")
            seen.setdefault(id, offset)
        for op in data["ops"] if what == "compaction" else ():
            names = ids_in(op, NAMES_OF_AN_OP)
            for id in (id for id in names if id and id not in seen):
                report(f"{op.get('op')} of a compaction names nothing earlier: {id}", record_id)
        if "blockIds" in data or what == "compaction":
            for block in block_ids(data):
                blocks.setdefault(block, (offset, record_id or data.get("of")))
    return problems, blocks


# -- --to ----------------------------------------------------------------------------------------------


def refusals(view: View, to: str, model: str | None) -> list[Json]:
    """What the provider `to` would refuse in a request with the unchanged session."""
    from .. import providers
    from ..providers.request import Options as RequestOptions
    from ..talk.send.payload import model_for

    system, tools = system_and_tools(view.meta)
    settings = view.meta.get(f"settings.{to}")
    options = RequestOptions(
        model=model_for(view, to, model) or "MODEL", system=system, tools=tools, session=view.id,
        settings=settings if isinstance(settings, dict) else {}, faithful=True, trace=True,
    )  # fmt: skip
    sent = view.sent
    if sent and sent[-1].role == "model" and not any("functionCall" in part for part in sent[-1].parts):
        parts: list[Part] = [{"text": "…"}]  # a final answer is only sent once a prompt follows it
        sent.append(Message(id="", kind="user", role="user", ts=None, fields={}, own=parts, parts=parts))
    format = providers.Format(to)
    request = format.request(sent, options, [summary.text for summary in view.summaries])
    places = {message.id: number for number, message in enumerate(view.messages, 1)}
    records = view.log.records
    refused = []
    for each in format.problems(request.body):
        message = view.all.get(source_of(request.sources, each.path) or "")
        id, n, offset = None, None, None
        if message is not None:
            id, n = message.id, places.get(message.id)
            offset = records[message.place].offset if message.place < len(records) else None
        refused.append(problem(offset, each.reason, id, n=n, path=each.path))
    return refused


def source_of(sources: list[list[str]], path: str) -> str | None:
    """The id of the message at `messages.6.content.0`; the element's first if the block has none."""
    numbers = [int(step) for step in path.split(".") if step.isdecimal()]
    if not numbers or numbers[0] >= len(sources):
        return None
    blocks = sources[numbers[0]]
    if len(numbers) > 1 and numbers[1] < len(blocks):
        return blocks[numbers[1]] or None
    return next((id for id in blocks if id), None)
