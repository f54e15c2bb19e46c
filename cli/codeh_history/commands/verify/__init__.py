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


def run(env: Env, given: Options) -> int:
    target = for_reading(env, given.session, given.argument)
    with progress(env, "verifying", size_of(target.path), SECOND):
        found = verdict(env, given, target)
    if given.json:
        env.write(values.line(found))
    else:
        env.write("".join(f"{visible(line)}\n" for line in lines(target, found)).encode())
    if given.strict and any("path" not in problem for problem in found["problems"]):
        raise BadData(f"{target.path}: {len(found['problems'])} problems")
    return 0 if found["ok"] else NegativeAnswer.exit_code


def verdict(env: Env, given: Options, target: Target) -> Json:
    """What is wrong with it: by itself, or to a provider."""
    if given.to:
        return refused(env, target, given)
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


def refused(env: Env, target: Target, given: Options) -> Json:
    """The verdict of a provider on what the session says."""
    from . import provider

    data = needed(env) if target.path == "-" else read.read_bytes(target.path)
    view = view_of(env, target, data, strict=given.strict)
    refusals = provider.refusals(view, str(given.to), given.model)
    lines = verifying.lines_at([r.offset for r in refusals if r.offset is not None], data)
    return {
        "session": target.id, "to": given.to, "ok": not refusals,
        "records": len(view.log.records), "messages": len(view.messages),
        "problems": [provider.as_json(refusal, lines) for refusal in refusals],
    }  # fmt: skip


def lines(target: Target, found: Json) -> list[str]:
    """`ok: …`, or a line for each problem."""
    if "program" in found:
        from . import program

        return program.lines(target, found)
    if found["ok"]:
        return [f"ok: {some(found['records'], 'record')}, {some(found['messages'], 'message')}"]
    return [refusal(p) if "path" in p else problem(target, p) for p in found["problems"]]


def problem(target: Target, found: Json) -> str:
    """`PATH: line 3, byte 120: [ID: ]REASON`."""
    id = f"{found['id']}: " if "id" in found else ""
    where = target.path if target.path != "-" else target.id
    return f"{where}: line {found['line']}, byte {found['offset']}: {id}{found['reason']}"


def refusal(found: Json) -> str:
    """`messages.6.content.0 ← :12 ID: REASON`."""
    source = f" ← :{found['n']} {found['id']}" if "id" in found else ""
    return f"{found['path']}{source}: {found['reason']}"
