"""`verify FILE` of another program: what that would forget, drop, double or have refused."""

from __future__ import annotations

from ...base.words import some
from ...programs import records
from ...programs.model import Entry, Problem, Session, Summary
from ...session.model import Json
from ...store import program_files
from ...store.paths import SERVER
from ...store.resolve import Target


def checked(target: Target) -> Json | None:
    """The verdict on a program's file; None for another file."""
    if target.path == "-" or target.path.startswith(SERVER):
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
            problems += map(as_json, session.problems)
            messages += _sent(session)
            version = version or session.version
    return {
        "session": ids[0] if len(ids) == 1 else target.id, "program": program, "version": version,
        "ok": not problems, "sessions": len(ids), "messages": messages, "problems": problems,
    }  # fmt: skip


def _sent(session: Session) -> int:
    """How many messages are not covered by a summary."""
    covered = {id for item in session.items if isinstance(item, Summary) for id in item.covers}
    return sum(isinstance(item, Entry) and item.id not in covered for item in session.items)


def as_json(problem: Problem) -> Json:
    """`line, effect, reason, mended?`."""
    return {key: value for key, value in problem._asdict().items() if value is not None}


def lines(target: Target, result: Json) -> list[str]:
    """What it says to people: a line for each problem."""
    if result["ok"]:
        return [f"ok: {some(result['messages'], 'message')} of {result['program']}"]
    return [f"{target.path}: {_place(problem)}{problem['reason']}" for problem in result["problems"]]


def _place(problem: Json) -> str:
    return f"line {problem['line']}: " if problem["line"] else ""
