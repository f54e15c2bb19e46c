"""`calls --via`: a command answers an open call."""

from __future__ import annotations

import orjson

from ..env import Env
from ..pairing import Call, open_calls
from ..records import dumps
from ..store import log
from ..store.log import Locked
from ..store.resolve import Target
from . import asking
from .compose import response_of
from .reading import locked_view


def answer(env: Env, target: Target, call: Call, via: str) -> None:
    """Run a command for one call and store what it printed, or how it failed; prints the result's id."""
    environ = {"CODEH_CALL_NAME": call.name, "CODEH_CALL_ID": call.id}
    code, out, err = asking.tool(via, orjson.dumps(call.args) + b"\n", environ)
    if code == 0:
        response = response_of(out.decode("utf-8", "replace").removesuffix("\n"))
    else:
        reason = err.decode("utf-8", "replace").strip() or f"exit {code}"
        response = {"error": f"Tool call {call.name} failed with error: {reason}"}
        env.note(f"{target.id}: {call.name} ({call.id}): exit {code}, stored as a failed result")
    id = {"id": call.id} if call.given else {}
    part = {"functionResponse": {**id, "name": call.name, "response": response}}
    stored: list[str] = []

    def build(locked: Locked) -> bytes | None:
        view = locked_view(env, locked)
        if not any(
            c.message.id == call.message.id and c.part == call.part for c in open_calls(view.messages)
        ):
            env.note(f"{target.id}: {call.name} ({call.id}) was answered meanwhile")
            return None
        stored.append(env.new_id(locked.session, locked.offset))
        record = {
            "type": "message",
            "id": stored[0],
            "ts": env.now(),
            "kind": "tool",
            "role": "user",
            "parts": [part],
        }
        return dumps(record) + b"\n"

    log.append(env, target.path, build)
    env.stored = stored[0] if stored else None
    env.write("".join(f"{id}\n" for id in stored).encode())
