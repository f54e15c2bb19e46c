"""Show the state of a session and the next command to type."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import NotFound
from ..base.escape import visible
from ..base.options import ALLOW_MISSING, JSON, Reading, option
from ..base.words import some
from ..render import values
from ..render.progress import A_SECOND, progress, size_of
from ..send.readiness import standing, standing_of_big
from ..session.model import Json
from ..store import unsent
from ..store.resolve import BEGUN_HERE, Target, for_reading
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


def run(env: Env, given: Options) -> None:
    kept = [*unsent.files(env)]
    try:
        target = for_reading(env, given.session, given.argument)
    except NotFound:
        for path in kept:
            env.note(f"unsent text: {path}")
        raise
    with progress(env, "reading", size_of(target.path), A_SECOND):
        found = state(env, target, given)
    found["unsent"] = kept
    if given.json:
        env.write(values.line(found))
    else:
        env.write("".join(f"{name:<11}{visible(text)}\n" for name, text in lines(found)).encode())


def state(env: Env, target: Target, given: Options) -> Json:
    """What `status --json` prints, but for texts that no session took."""
    found = standing_of_big(env, target, given.counter, strict=given.strict)
    if found is not None:
        return found
    view = measured_view(env, target, strict=given.strict, allow_missing=given.allow_missing)
    return standing(env, target, view, given.counter)


def lines(found: Json) -> list[tuple[str, str]]:
    """Name and value, a line each; what there is none of is left out."""
    shown = [
        ("session", f"{found['session']} ({'' if found['why'] == BEGUN_HERE else 'by '}{found['why']})"),
        ("title", found["title"] or ""),
        ("system", found["system"] or ""),
        ("path", found["path"]),
        ("size", ", ".join(some(found[f"{name}s"], name) for name in ("byte", "message", "exchange"))),
        ("tokens", f"{found['tokens']} ({found['counter']})"),
        ("summaries", str(found["summaries"] or "")),
        *(("open call", f"{call['name']} {call['id']} in :{call['n']}") for call in found["open_calls"]),
        *(("pending", _pending(item)) for item in found["pending"]),
        ("unanswered", _place(found["unanswered"]) if found["unanswered"] else ""),
        *(("damage", _damage(item)) for item in found["damage"]),
        *(("unsent", path) for path in found["unsent"]),
        ("next", found["next"]),
    ]
    return [(name, text) for name, text in shown if text]


def _place(item: Json) -> str:
    return f":{item['n']} {item['id']}"


def _pending(item: Json) -> str:
    return _place(item) + (f", aborted: {item['aborted']}" if "aborted" in item else "")


def _damage(item: Json) -> str:
    byte = f", byte {item['offset']}" if item["offset"] >= 0 else ""  # another program's lines have none
    return f"line {item['line']}{byte}: {item['reason']}"
