"""Answer open calls by a command (`calls --via`)."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import orjson

from ...base.env import Env
from ...base.errors import NotFound
from ...base.input import without_newline
from ...base.words import excerpt
from ...session.model import Json
from ...session.pairing import Call, failed_call, open_calls
from ...session.records import dumps
from ...store import log, unsent
from ...store.locked import Locked
from ...store.resolve import Target
from ...views.view import locked_view
from ..append.parts import response_of
from . import run_command
from .pending import REMOVED

Run = Callable[[Call], tuple[Json, str]]  # the response, and a note on its failure ("" if it succeeded)


def answer(env: Env, target: Target, call: Call, run: Run) -> list[str]:
    """Run a call and store its result or failure; return the result's id, if the call is still open.

    A truncated call is not run. Its result is an error, so that the model may call again.
    """
    log.append(env, target.path, lambda _: None)  # fail before the run if the session cannot be written
    if call.damage:
        arrived = f": {excerpt(call.arguments, 200)}" if call.arguments else ""
        response, failure = failed(call, f"{call.damage}{arrived}", f"not run: {call.damage}")
    else:
        response, failure = run(call)
    if failure:
        env.note(f"{target.id}: {call.name} ({call.id}): {failure}, stored as a failed result")
    id = {"id": call.id} if call.has_id else {}
    part = {"functionResponse": {**id, "name": call.name, "response": response}}

    ids: list[str] = []

    def build(locked: Locked) -> bytes | None:
        view = locked_view(env, locked)
        if call.message.id not in view.all and not any(locked.lines_with("id", call.message.id)):
            raise NotFound(f"{target.id}: {REMOVED}")
        if not any(
            c.message.id == call.message.id and c.part == call.part for c in open_calls(view.messages)
        ):
            env.note(f"{target.id}: {call.name} ({call.id}) is no longer open; its result is not stored")
            return None
        ids.append(env.id_in(locked))
        record = {
            "type": "message", "id": ids[0], "ts": env.now(), "kind": "tool", "role": "user",
            "parts": [part],
        }  # fmt: skip
        return dumps(record) + b"\n"

    try:
        log.append(env, target.path, build)
    except NotFound as error:  # save the result, because tools have side effects
        options = shlex.join(["--result", call.name, *(["--call-id", call.id] if call.has_id else [])])
        text = dumps(response).decode("utf-8", "replace")
        kept = unsent.keep_text(env, target.path, env.random_id(), text, f" {options}")
        raise NotFound(f"{error}; {kept}") from None
    return ids


def by_command(via: str, most: int) -> Run:
    """Return a function that runs a call by a command, which may print `most` bytes."""

    def run(call: Call) -> tuple[Json, str]:
        environ = {"CODEH_CALL_NAME": call.name, "CODEH_CALL_ID": call.id}
        code, *printed = run_command.tool(via, orjson.dumps(call.args) + b"\n", environ, most)
        out, err = (data.decode("utf-8", "replace") for data in printed)
        if code is None:
            return failed(call, f"it printed more than {most} bytes and was ended")
        if code:
            return failed(call, err.strip() or out.strip() or f"exit {code}", f"exit {code}")
        return response_of(without_newline(out)), ""

    return run


def failed(call: Call, reason: str, note: str = "") -> tuple[Json, str]:
    """Return a failed response with this reason, and the note for people."""
    return {"error": failed_call(call.name, reason)}, note or reason
