"""Check a session, or what a provider would refuse in it; changes nothing."""

from __future__ import annotations

from ...base.env import Env
from ...base.errors import BadData, NegativeAnswer
from ...base.escape import visible
from ...base.options import JSON, PROVIDERS, Reading, option
from ...base.words import plural
from ...programs import records
from ...programs.model import Entry, Summary
from ...programs.model import Problem as ProgramProblem
from ...render import values
from ...render.progress import progress, size_of
from ...session.model import Json
from ...store import program_files, read
from ...store.paths import SERVER
from ...store.resolve import Target, for_reading
from . import session as verifying

EXAMPLES = """\
  codeh-history verify demo                    # prints each problem; exit 1 if there are any
  codeh-history verify ~/.claude/projects/DIR/UUID.jsonl   # what that program would forget, drop or double
  codeh-history verify demo --to anthropic     # what Anthropic would refuse
  codeh-history verify demo --json | jq -r '.problems[].offset'
"""


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
        verdict = verifying.verify_for(env, target, options.to, options.model, strict=options.strict)
    elif other := of_program(target):
        return other
    else:
        verdict = verifying.verify(env, target)
    problems: list[Json] = []
    for each in verdict.problems:
        more = {"id": each.id or None, "n": each.n, "path": each.path, "reason": each.reason}
        where = {"line": each.line, "offset": each.offset}
        problems.append(where | {key: value for key, value in more.items() if value is not None})
    return {
        "session": target.id, **({"to": options.to} if options.to else {}), "ok": not problems,
        "records": len(verdict.view.log.records), "messages": len(verdict.view.messages),
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
