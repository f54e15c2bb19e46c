"""Print the text of the last message unchanged."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Lost, NegativeAnswer
from ..base.escape import safe
from ..base.options import JSON, Reading, flag, option
from ..session.model import Json
from ..session.view import readable_text
from ..store.resolve import for_reading
from ..views.skim import last_message
from ..views.view import report_missing_blocks

EXAMPLES = """\
  codeh-history last demo --role model > answer.md
  codeh-history last --role model --code | python3 -
  codeh-history last --json | jq -r .id
"""
MORE = ("provider", "model", "finish", "usage")


class Options(Reading):
    role: str | None = option("R", "Last message of user or model.", choices=("user", "model"))
    code: bool = flag("Only its last fenced code block.")
    json: bool = JSON


def run(env: Env, options: Options) -> None:
    target = for_reading(env, options.session, options.argument)
    lost: Lost = {}
    message = last_message(env, target, options.role, strict=options.strict, lost=lost)
    text = readable_text(message) if message is not None else None
    if options.code:
        from ..render.fences import last_block

        text = last_block(text or "")
    if message is None or text is None:
        raise NegativeAnswer("")
    if options.json:
        line: Json = {
            "session": target.id, "id": message.id, "ts": message.ts, "kind": message.kind,
            "role": message.role, "text": text,
        }  # fmt: skip
        line |= {name: message.fields[name] for name in MORE if name in message.fields}
        env.print_json(line)
    else:
        shown = safe(text) if env.terminal(env.stdout) else text
        env.write(shown.removesuffix("\n").encode() + b"\n")
    report_missing_blocks(env, target.id, lost, strict=options.strict)
