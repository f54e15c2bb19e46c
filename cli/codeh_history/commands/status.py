"""Show the state of a session and the next command to type."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import NotFound
from ..base.escape import visible
from ..base.options import ALLOW_MISSING, JSON, Reading, option
from ..base.words import plural
from ..render.progress import progress, size_of
from ..session.model import Json
from ..store import unsent
from ..store.resolve import BEGUN_HERE, for_reading
from ..talk.send.readiness import session_status, status_of_large_log
from ..views.view import measured_view

EXAMPLES = """\
  codeh-history status demo
  codeh-history status @            # the session with the newest message
  codeh-history status --json | jq -r .next
"""


class Options(Reading):
    counter: str | None = option("C", "Token counter: o200k_base, cl100k_base or approx.")
    json: bool = JSON
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> None:
    unsent_files = [*unsent.files(env)]
    try:
        target = for_reading(env, options.session, options.argument)
    except NotFound:
        for path in unsent_files:
            env.note(f"unsent text: {path}")
        raise
    with progress(env, "reading", size_of(target.path)):
        state = status_of_large_log(env, target, options.counter, strict=options.strict)
        if state is None:
            view = measured_view(env, target, strict=options.strict, allow_missing=options.allow_missing)
            state = session_status(env, target, view, options.counter)
    state["unsent"] = unsent_files
    if options.json:
        env.print_json(state)
    else:
        env.print(*(f"{name:<11}{visible(text)}" for name, text in lines(state) if text))


def lines(state: Json) -> list[tuple[str, str]]:
    """Names and values to print; an empty value is omitted."""
    rows = [
        ("session", f"{state['session']} ({'' if state['why'] == BEGUN_HERE else 'by '}{state['why']})"),
        ("title", state["title"] or ""),
        ("system", state["system"] or ""),
        ("path", state["path"]),
        ("size", ", ".join(plural(state[f"{name}s"], name) for name in ("byte", "message", "exchange"))),
        ("tokens", f"{state['tokens']} ({state['counter']})"),
        ("summaries", str(state["summaries"] or "")),
        *(("open call", f"{call['name']} {call['id']} in :{call['n']}") for call in state["open_calls"]),
        *(("pending", _place(item)) for item in state["pending"]),
        ("unanswered", _place(state["unanswered"]) if state["unanswered"] else ""),
    ]
    for item in state["damage"]:  # the offset is unknown for lines of other programs
        byte = f", byte {item['offset']}" if item["offset"] >= 0 else ""
        rows.append(("damage", f"line {item['line']}{byte}: {item['reason']}"))
    return [*rows, *(("unsent", path) for path in state["unsent"]), ("next", state["next"])]


def _place(item: Json) -> str:
    return f":{item['n']} {item['id']}" + (f", aborted: {item['aborted']}" if "aborted" in item else "")
