"""Check a session, or what a provider would refuse in it; changes nothing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

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
from ..session.model import NAMES_OF_AN_OP, OTHER, RULES, Json, Message, Part, added_ids, ids_in, own_id
from ..session.pairing import Answer, Call, only_results, open_at_end, pair
from ..session.records import TORN, VERSION, Log
from ..session.view import View
from ..store import program_files, read
from ..store.paths import SERVER
from ..store.resolve import Target, for_reading
from ..views.view import view_of

EXAMPLES = """\
  codeh-history verify demo                    # prints each problem; exit 1 if there are any
  codeh-history verify ~/.claude/projects/DIR/UUID.jsonl   # what that program would forget, drop or double
  codeh-history verify demo --to anthropic     # what Anthropic would refuse
  codeh-history verify demo --json | jq -r '.problems[].offset'
"""
BATCH = 256  # blocks per fetch


class Options(Reading):
    to: str | None = option("FORMAT", "Report what this provider would refuse.", choices=PROVIDERS[:-1])
    model: str | None = option("MODEL", "With --to: for which model.", requires=("to",))
    json: bool = JSON


class Problem(NamedTuple):
    """A problem at a byte of the file; for a provider, at a path of its request."""

    offset: int | None
    reason: str
    id: str | None = None
    n: int | None = None  # the message's number in `show`
    path: str | None = None


def run(env: Env, options: Options) -> int:
    target = for_reading(env, options.session, options.argument)
    with progress(env, "verifying", size_of(target.path)):
        result = verdict(env, options, target)
    problems = result["problems"]
    if options.json:
        env.print_json(result)
    elif problems:
        path = target.id if target.path == "-" else target.path
        env.print(*(visible(as_text(path, problem)) for problem in problems))
    else:
        of = f" of {result['program']}" if "program" in result else ""
        counts = (
            plural(result[f"{name}s"], name) for name in ("record", "message") if f"{name}s" in result
        )
        env.print(f"ok: {', '.join(counts)}{of}")
    if options.strict and problems and not options.to:
        raise BadData(f"{target.path}: {len(problems)} problems")
    return NegativeAnswer.exit_code if problems else 0


def verdict(env: Env, options: Options, target: Target) -> Json:
    """Check the session itself, or what the provider or the program that owns the file would refuse."""
    if options.to:
        data = bytes_of(env, target)
        view = view_of(env, target, data, strict=options.strict)
        problems = as_json(refusals(view, options.to, options.model), data)
    elif other := of_program(target):
        return other
    else:
        view, problems = problems_of(env, target)
    return {
        "session": target.id, **({"to": options.to} if options.to else {}), "ok": not problems,
        "records": len(view.log.records), "messages": len(view.messages), "problems": problems,
    }  # fmt: skip


def of_program(target: Target) -> Json | None:
    """Check another program's file for what it would forget, drop, duplicate or refuse; None for ours."""
    if target.path == "-" or target.path.startswith(SERVER) or read.is_ours(target.path):
        return None
    with program_files.opened(target.path) as file:
        program = program_files.program_of(file)
        if program is None:
            return None
        sessions = list(program_files.sessions_in(file, program))
    problems = [program_problem(problem) for session in sessions for problem in session.problems]
    return {
        "session": records.session_id(sessions[0]) if len(sessions) == 1 else target.id, "program": program,
        "version": next(filter(None, (session.version for session in sessions)), None),
        "ok": not problems, "sessions": len(sessions),
        "messages": sum(len(session.uncovered()) for session in sessions), "problems": problems,
    }  # fmt: skip


def program_problem(problem: ProgramProblem) -> Json:
    """A problem as `line, effect, reason, mended?`."""
    return {key: value for key, value in problem._asdict().items() if value is not None}


def as_json(problems: Iterable[Problem], data: bytes) -> list[Json]:
    """The problems in file order as `line, offset, id?, reason`, for a provider also `n, path`."""
    ends = [newline.start() for newline in re.finditer(rb"\n", data)]
    shown = []
    for each in sorted(problems, key=lambda problem: problem.offset or 0):
        line = None if each.offset is None else bisect_left(ends, each.offset) + 1
        fields = {"line": line, **each._asdict()}
        shown.append({key: value for key, value in fields.items() if value is not None})
    return shown


def as_text(path: str, problem: Json) -> str:
    """`PATH: line 3, byte 120: ID: REASON`, or with --to `messages.6.content.0 ← :12 ID: REASON`."""
    id, reason = problem.get("id"), problem["reason"]
    if "path" in problem:
        source = f" ← :{problem['n']} {id}" if id else ""
        return f"{problem['path']}{source}: {reason}"
    where = [f"line {problem['line']}"] if problem["line"] else []
    where += [f"byte {problem['offset']}"] if "offset" in problem else []
    return ": ".join(filter(None, (path, ", ".join(where), id, reason)))


# -- a session -----------------------------------------------------------------------------------------


def problems_of(env: Env, target: Target) -> tuple[View, list[Json]]:
    """Check lines, references, calls and blocks; return the view, and the problems in file order."""
    data = bytes_of(env, target)
    log = read.read_log(data)
    view = fold(log)
    problems = [Problem(damage.offset, damage.reason) for damage in log.damage]
    if problems and target.path != "-" and read.being_written(target.path):
        problems = [problem for problem in problems if problem.reason != TORN]
    problems += [*of_records(log), *of_calls(env, view), *missing_blocks(env, log)]
    return view, as_json(problems, data)


def bytes_of(env: Env, target: Target) -> bytes:
    return required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)


def of_records(log: Log) -> Iterator[Problem]:
    """Problems of headers and of the ids that records name."""
    seen: dict[str, int] = {}  # id → offset of its first record
    header = next((record for record in log.records if record.data["type"] == "session"), None)
    for record in log.records:
        data, offset, what = record.data, record.offset, record.data["type"]
        version = data.get("version")
        if record is header and isinstance(version, int) and version > VERSION:
            yield Problem(offset, f"version {version} is newer than this program's {VERSION}")
        if what == "session":
            if record is not header:
                yield Problem(offset, "a second header, which is ignored")
            continue
        names = [(what, id) for id in ids_in(data, RULES.get(what, OTHER).names) if id not in seen]
        for id in added_ids(data):
            if id in seen:
                yield Problem(offset, f"has an id that was used before, at byte {seen[id]}")
            seen.setdefault(id, offset)
        for op in data["ops"] if what == "compaction" else ():
            ids = [id for id in ids_in(op, NAMES_OF_AN_OP) if id and id not in seen]
            names += [(f"{op.get('op')} of a compaction", id) for id in ids]
        for name, id in names:
            yield Problem(offset, f"{name} names nothing earlier: {id}", own_id(data))


def of_calls(env: Env, view: View) -> Iterator[Problem]:
    """Problems: unanswered calls, except at the end, results without a call of their own, late results."""
    if any(message.blocks is not None for message in view.messages):
        from ..views.stored_parts import hydrated

        try:
            view = hydrated(env, view)
        except HistoryError:
            return  # `missing_blocks` reports the block; the pairs are unknown
    sent = view.sent
    pairing = pair(sent)
    at_end = open_at_end(view.messages, pairing)
    unanswered = [call for call in pairing.calls if call.answer is None and call not in at_end]
    others = [place for place, message in enumerate(sent) if not only_results(message)]
    late = [
        answer for call in pairing.calls if (answer := call.answer)
        and bisect_right(others, call.place) < bisect_left(others, answer.place)
    ]  # fmt: skip
    problems: dict[str, Sequence[Call | Answer]] = {
        "the call of {} is never answered": unanswered, "the result of {} answers no call": pairing.orphans,
        "a second result of {} for a call that is answered": pairing.doubles,
        "the result of {} comes late, after other messages": late,
    }  # fmt: skip
    for reason, items in problems.items():
        for item in items:
            offset = view.log.records[item.message.place].offset
            yield Problem(offset, reason.format(item.name), item.message.id)


def missing_blocks(env: Env, log: Log) -> Iterator[Problem]:
    """A problem for each missing or altered block, at the first record that names it."""
    blocks = {
        block: record
        for record in reversed(log.records if log.refers else ())
        for block in block_ids(record.data)
    }
    if not blocks:
        return
    from ..store.blocks import fetch, open_stores

    stores, ids = open_stores(env), list(blocks)
    for start in range(0, len(ids), BATCH):
        lost: Lost = {}
        fetch(stores, ids[start : start + BATCH], lost)
        for id, why in lost.items():
            yield Problem(blocks[id].offset, why, own_id(blocks[id].data) or blocks[id].data.get("of"))


# -- --to ----------------------------------------------------------------------------------------------


def refusals(view: View, to: str, model: str | None) -> Iterator[Problem]:
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
    numbers = {message.id: number for number, message in enumerate(view.messages, 1)}
    records = view.log.records
    for each in format.problems(request.body):
        id = source_of(request.sources, each.path)
        if id is None or id not in view.all:
            yield Problem(None, each.reason, path=each.path)
            continue
        place = view.all[id].place
        offset = records[place].offset if place < len(records) else None
        yield Problem(offset, each.reason, id, n=numbers.get(id), path=each.path)


def source_of(sources: list[list[str]], path: str) -> str | None:
    """The id of the message at `messages.6.content.0`; the element's first if the block has none."""
    first, second, *_ = [*(int(step) for step in path.split(".") if step.isdecimal()), -1, -1]
    blocks = sources[first] if 0 <= first < len(sources) else []
    return next(filter(None, blocks[second : second + 1] or blocks), None)
