"""Check a session, or what a provider would refuse in it; changes nothing."""

from __future__ import annotations

from ...base.env import Env
from ...base.errors import BadData, NegativeAnswer
from ...base.escape import visible
from ...base.input import needed
from ...base.options import JSON, PROVIDERS, Reading, option
from ...base.words import some
from ...render import values
from ...render.progress import progress, size_of
from ...session.model import Json
from ...store import read
from ...store.resolve import Target, for_reading
from ...views.view import view_of
from . import session as verifying

SECOND = 16 << 20  # bytes of a session that are checked in about a second
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
    with progress(env, "verifying", size_of(target.path), SECOND):
        result = verdict(env, options, target)
    if options.json:
        env.write(values.line(result))
    else:
        env.write("".join(f"{visible(line)}\n" for line in lines(target, result)).encode())
    if options.strict and any("path" not in problem for problem in result["problems"]):
        raise BadData(f"{target.path}: {len(result['problems'])} problems")
    return 0 if result["ok"] else NegativeAnswer.exit_code


def verdict(env: Env, options: Options, target: Target) -> Json:
    """What is wrong with it: by itself, or to a provider."""
    if options.to:
        return refused(env, target, options)
    if target.path == "-" or read.is_ours(target.path):
        return checked(env, target)
    from . import program

    return program.checked(target) or checked(env, target)


def checked(env: Env, target: Target) -> Json:
    """The verdict on a session's file."""
    verdict = verifying.verify(env, target)
    problems = [
        {"line": p.line, "offset": p.offset, **({"id": p.id} if p.id else {}), "reason": p.reason}
        for p in verdict.problems
    ]
    return {
        "session": verdict.session, "ok": not problems, "records": verdict.records,
        "messages": verdict.messages, "problems": problems,
    }  # fmt: skip


def refused(env: Env, target: Target, options: Options) -> Json:
    """The verdict of a provider on what the session says."""
    from . import provider

    data = needed(env) if target.path == "-" else read.read_bytes(target.path)
    view = view_of(env, target, data, strict=options.strict)
    refusals = provider.refusals(view, str(options.to), options.model)
    lines = verifying.lines_at([r.offset for r in refusals if r.offset is not None], data)
    return {
        "session": target.id, "to": options.to, "ok": not refusals,
        "records": len(view.log.records), "messages": len(view.messages),
        "problems": [provider.as_json(refusal, lines) for refusal in refusals],
    }  # fmt: skip


def lines(target: Target, result: Json) -> list[str]:
    """`ok: …`, or a line for each problem."""
    if "program" in result:
        from . import program

        return program.lines(target, result)
    if result["ok"]:
        return [f"ok: {some(result['records'], 'record')}, {some(result['messages'], 'message')}"]
    return [refusal(p) if "path" in p else problem(target, p) for p in result["problems"]]


def problem(target: Target, result: Json) -> str:
    """`PATH: line 3, byte 120: [ID: ]REASON`."""
    id = f"{result['id']}: " if "id" in result else ""
    where = target.path if target.path != "-" else target.id
    return f"{where}: line {result['line']}, byte {result['offset']}: {id}{result['reason']}"


def refusal(result: Json) -> str:
    """`messages.6.content.0 ← :12 ID: REASON`."""
    source = f" ← :{result['n']} {result['id']}" if "id" in result else ""
    return f"{result['path']}{source}: {result['reason']}"
