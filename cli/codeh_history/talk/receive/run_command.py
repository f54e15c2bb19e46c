"""Run the user's commands: `ask --via` to talk to a provider, `calls --via` to answer tool calls."""

from __future__ import annotations

import os
import selectors
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from typing import IO

import orjson

from ...base.env import Env
from ...base.errors import NotFound, TryAgain
from ...base.input import without_newline
from ...base.words import excerpt
from ...providers.protocol import AnswerReader
from ...providers.text import Exact
from ...session.model import Json
from ...session.pairing import Call, failed_call, open_calls
from ...session.records import dumps
from ...store import log, unsent
from ...store.locked import Locked
from ...store.resolve import Target
from ...views.view import locked_view
from ..append.parts import response_of
from .answer import Echo, Received, Receiving, follow
from .pending import REMOVED

Run = Callable[[Call], tuple[Json, str]]  # the response, and a note on its failure ("" if it succeeded)


def exchange(
    env: Env, target: Target, body: IO[bytes], command: str, reader: AnswerReader,
    *, echo: Echo | None, most: int,
) -> Received:  # fmt: skip
    """Send a body through `sh -c CMD` and store the answer it prints, of at most `most` bytes.

    The body is in a file, so a command that reads slowly cannot block its own answer.
    """
    body.flush()
    body.seek(0)
    process = start(command, body.fileno(), {})
    assert process.stdout is not None  # noqa: S101 - it is a pipe

    def check_exit() -> None:
        if isinstance(reader, Exact) and exit_code(process):  # plain text has no other sign of a cut
            reader.cut = "the answer may not be whole"

    try:
        receiving = Receiving(env, target, reader, echo, fresh=True)
        received = follow(receiving, process.stdout.fileno(), most, check_exit)
    except TryAgain as error:
        if code := exit_code(process):
            raise TryAgain(f"{error} (the --via command exited with {code})") from None
        raise
    except BaseException:
        process.terminate()
        exit_code(process)
        raise
    if code := exit_code(process):
        env.note(f"the answer is complete, though the --via command exited with {code}")
    return received


def exit_code(process: subprocess.Popen[bytes]) -> int:
    """Return the command's exit code; kill it if it does not end within 5 seconds."""
    if process.stdout is not None:
        process.stdout.close()
    try:
        return process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def start(
    command: str, stdin: int, environ: Mapping[str, str], stderr: int | None = None
) -> subprocess.Popen[bytes]:
    """Start `sh -c CMD` with a descriptor as stdin and a pipe as stdout; stderr is inherited by default."""
    return subprocess.Popen(
        ["/bin/sh", "-c", command], stdin=stdin, stdout=subprocess.PIPE, stderr=stderr,
        env={**os.environ, **environ},
    )  # fmt: skip


# -- tool calls -----------------------------------------------------------------------------------------


def answer_call(env: Env, target: Target, call: Call, run: Run) -> list[str]:
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
        code, *printed = run_tool(via, orjson.dumps(call.args) + b"\n", environ, most)
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


def run_tool(
    command: str, args: bytes, environ: Mapping[str, str], most: int
) -> tuple[int | None, bytes, bytes]:
    """Run a tool with the call's arguments on stdin; return its exit code, stdout and stderr.

    A tool that prints more than `most` bytes is killed; its exit code is None.
    """
    out, err = bytearray(), bytearray()
    with tempfile.TemporaryFile() as file:
        file.write(args)
        file.seek(0)
        process = start(command, file.fileno(), environ, subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - they are pipes
    try:
        with selectors.DefaultSelector() as ready, process.stdout, process.stderr:
            ready.register(process.stdout, selectors.EVENT_READ, out)
            ready.register(process.stderr, selectors.EVENT_READ, err)
            while ready.get_map() and len(out) + len(err) <= most:
                for key, _ in ready.select():
                    chunk = os.read(key.fd, 1 << 16)
                    key.data.extend(chunk)
                    if not chunk:
                        ready.unregister(key.fileobj)
        code = process.wait() if len(out) + len(err) <= most else None
        return code, bytes(out), bytes(err)
    finally:
        process.kill()  # does nothing if it has ended
        process.wait()
