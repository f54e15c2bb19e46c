"""Store an answer (`append --from`) or a text (`--stream`), pending on disk while it arrives."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from typing import NamedTuple

from ...base.env import SIGPIPE, Env
from ...base.errors import (
    BadData,
    HistoryError,
    InputOutput,
    Interrupted,
    ProviderRefused,
    TryAgain,
    Usage,
)
from ...base.escape import safe
from ...base.input import empty_stdin
from ...base.options import PROVIDERS
from ...providers import PLAIN
from ...providers.protocol import AnswerReader, Cut, Failure, Nothing, Reply, Unreadable
from ...session.fold import fold
from ...session.model import Json, Part
from ...session.records import dumps
from ...session.view import join
from ...store import read
from ...store.awaiting import awaiting
from ...store.locked import Locked
from ...store.resolve import Target
from ..append.jsonl import has_content
from .pending import Pending, present, response_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...render.wrapping import Wrapping

CHUNK = 1 << 16
AT_LIMIT = ("length", "max_tokens", "max_output_tokens")  # finish reasons in lower case
FILTERED = ("content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii")


class Received(NamedTuple):
    """A stored answer: the id of its message, and the names of the tools that it calls."""

    id: str
    calls: list[str]
    repeated: bool  # whether it had been stored before


def reader_of(format: str, model: str | None = None) -> AnswerReader:
    """Return a reader for a format of `--from`; raise Usage if it is unknown.

    `model`: the model of the request, because plain text and most errors do not name it.
    """
    if format == PLAIN:
        from ...providers.text import Reader

        return Reader(model)
    if format not in ("auto", *PROVIDERS):
        raise Usage(f"--from {format}: auto, {', '.join(PROVIDERS)}")
    from ...providers import wire

    return wire.Reader(None if format == "auto" else format, model)


def print_received(env: Env, session: str, received: Received, *, echo: bool) -> None:
    """Print the id, unless the text was echoed; note the tool calls."""
    if not echo:
        env.write(f"{received.id}\n".encode())
    if received.calls and not received.repeated:
        count = len(received.calls)
        waits = "a tool call waits" if count == 1 else f"{count} tool calls wait"
        env.note(f"{session}: {waits}: {', '.join(received.calls)} (codeh-history calls)")


class Echo:
    """Writes an answer's text to stdout as it arrives, wrapped between words on a terminal.

    A closed stdout does not stop the answer from being stored.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self.wrapping: Wrapping | None = None
        if env.terminal(env.stdout):
            import shutil

            from ...render.wrapping import Wrapping

            self.wrapping = Wrapping(lambda: shutil.get_terminal_size().columns)
        self.at_start = True
        self.broken: HistoryError | Interrupted | None = None

    def parts(self, parts: list[Part]) -> None:
        self.text("".join(part["text"] for part in parts if "text" in part and not part.get("thought")))

    def text(self, text: str) -> None:
        if not text or self.broken:
            return
        self.at_start = text.endswith("\n")
        shown = self.wrapping.feed(safe(text)) if self.wrapping else text
        try:
            self.env.write(shown.encode("utf-8", "replace"))
        except (HistoryError, Interrupted) as error:
            if isinstance(error, Interrupted) and error.exit_code != 128 + SIGPIPE:
                raise
            self.broken = error

    def end(self) -> None:
        if not self.at_start:
            self.text("\n")


def follow(receiving: Receiving, fd: int, most: int, at_end: Callable[[], None] | None = None) -> Received:
    """Read an answer of at most `most` bytes from a descriptor to its end and store it.

    Only a complete answer is committed; anything else is an error, and what arrived stays pending.
    `at_end` is called at the end of the input, before the answer is judged.
    """
    receiving.env.enable_gc()
    if fd == receiving.env.stdin:
        receiving.env.note_terminal_input()
        receiving.empty_error = empty_stdin(receiving.env)
    with awaiting(receiving.env, receiving.target.path):
        try:
            while True:
                wait = receiving.flush_seconds if receiving.held else None
                if not select.select([fd], [], [], wait)[0]:
                    receiving.flush_due()
                elif chunk := os.read(fd, CHUNK):
                    receiving.arrived(chunk, most)
                else:
                    break
            if at_end is not None:
                at_end()
        except BaseException as error:
            stopped = isinstance(error, (KeyboardInterrupt, Interrupted))
            if receiving.echo and (
                receiving.echo.wrapping or not stopped
            ):  # a full pipe may have no reader
                receiving.echo.end()  # so that the error starts on a new line
            if isinstance(error, OSError):
                receiving.abort(f"reading failed: {error.strerror}")
                raise InputOutput(f"stdin: {error.strerror}{receiving.pending_note()}") from None
            if stopped:
                receiving.interrupt("interrupted")
            raise
        return receiving.close()


class Receiving(Pending):
    """An answer that is being received and stored.

    One that is already stored is not stored again, unless it is `fresh`: the response to a new request.
    """

    def __init__(
        self, env: Env, target: Target, reader: AnswerReader, echo: Echo | None = None, *, fresh: bool
    ) -> None:
        super().__init__(env, target, reader, fresh=fresh)
        self.echo = echo
        self.empty_error = Nothing.text  # the error if nothing arrives
        self.bytes_read = 0
        self.restarts = 0

    def arrived(self, chunk: bytes, most: int) -> None:
        """Process the next bytes; raise BadData if there are more than `most` in all."""
        self.bytes_read += len(chunk)
        self.unflushed += len(chunk)
        self._take(self.reader.feed(chunk))
        self.flush_due()
        if self.bytes_read > most:
            self.abort(f"it is longer than {most} bytes")
            raise BadData(f"{self.target.id}: more than {most} bytes (--max-bytes){self.pending_note()}")

    def _take(self, parts: list[Part]) -> None:
        """Hold and show the parts that arrived next, if the answer is streamed."""
        if not self.reader.begun:
            return
        if self.reader.restarts != self.restarts:
            self.restarts, self.held, self.replace = self.reader.restarts, [], True
            if self.echo:
                self.echo.end()
        self.held = join(self.held, parts)
        if self.echo:
            self.echo.parts(parts)

    def close(self) -> Received:
        """Store the complete answer; else leave what arrived pending, and raise the error."""
        outcome = self.reader.close()
        self._take(self.reader.tail)
        if isinstance(outcome, Reply):
            try:
                return self._commit(outcome)
            except BadData as error:  # too large for a record
                self.abort("it cannot be stored whole")
                raise BadData(f"{error}{self.pending_note()}") from None
        if self.echo:
            self.echo.end()
        if self.pending is None:
            self.held = self.held or join([], self.reader.arrived)  # a response that was not streamed
        self.abort(outcome.text)
        raise self._failed(outcome)

    def _commit(self, reply: Reply) -> Received:
        """Store the complete answer, unless it is already stored."""
        fields = present({
            "provider": reply.provider, "model": reply.model, "finish": reply.finish, "usage": reply.usage,
            "responseId": reply.id,
        })  # fmt: skip
        before: str | None = None
        stored = ""

        def build(locked: Locked) -> bytes | None:
            nonlocal before, stored
            before = None if self.fresh else _stored_id(locked, reply)
            id = self.env.id_in(locked)
            stored = before or self.pending or id
            record: Json = {"type": "commit", "of": self.pending, "ts": self.env.now()}
            if before:
                record = {"type": "revert", "id": id, "of": self.pending, "ts": self.env.now()}
                return dumps(record) + b"\n" if self.pending else None
            if self.pending is None:
                record = self.message("message", id)
            return dumps({**record, "parts": reply.parts, **fields}) + b"\n"

        try:
            self.append(build, reply.parts)
        finally:  # show the answer even if it cannot be stored
            if self.echo:
                self.echo.parts([] if self.reader.begun else reply.parts)
                self.echo.end()
        if self.removal:
            raise self.removal_error()
        self.env.stored = stored
        if note := f"this answer is already stored as {before}" if before else _note(reply):
            self.env.note(f"{self.target.id}: {note}")
        if self.echo and self.echo.broken:
            broken = self.echo.broken
            raise broken if isinstance(broken, Interrupted) else self.env.output_error(str(broken))
        calls = [part["functionCall"]["name"] for part in reply.parts if "functionCall" in part]
        return Received(stored, calls, repeated=before is not None)

    def _failed(self, outcome: Failure | Cut | Nothing | Unreadable) -> HistoryError:
        """Return the error of a failed answer; store a provider's error as an `error` message."""
        reason = self.empty_error if isinstance(outcome, Nothing) else outcome.text
        if isinstance(outcome, Failure):
            fields = present({
                "kind": "error", "parts": [{"text": reason}], "provider": outcome.provider,
                "model": outcome.model or self.reader.model, "code": outcome.code,
            })  # fmt: skip

            def build(locked: Locked) -> bytes:
                start = {"type": "message", "id": self.env.id_in(locked), "ts": self.env.now()}
                return dumps({**start, **fields}) + b"\n"

            self.append(build)
            reason = f"{outcome.provider}: {reason}" if outcome.provider else reason
        if self.removal:
            return self.removal_error(f"{reason}; ")
        text = f"{self.target.id}: {reason}{self.pending_note()}"
        if isinstance(outcome, Failure) and not outcome.retry:
            return ProviderRefused(text)
        return BadData(text) if isinstance(outcome, Unreadable) else TryAgain(text)


class Streaming(Receiving):
    """A text message of any kind that is stored while it is written; it may begin its session."""

    flush_seconds, flush_bytes, creates = 0.1, 4096, True

    def __init__(self, env: Env, target: Target, kind: str, role: str | None) -> None:
        from ...providers.text import Exact

        super().__init__(env, target, Exact(), fresh=True)
        self.kind, self.role = kind, role


def _note(reply: Reply) -> str:
    """Return what a complete answer lacks, "" if nothing."""
    finish = (reply.finish or "").rpartition(":")[2].lower()
    if reply.further:
        return f"the first of {reply.further + 1} choices is stored; the others are not"
    if finish in AT_LIMIT:
        return f"the answer ends at its token limit ({reply.finish}); --max-tokens N raises it"
    if finish in FILTERED:
        return f"the provider stopped the answer ({reply.finish})"
    if reply.provider == PLAIN and any("\r" in part.get("text", "") for part in reply.parts):
        return "redrawn lines (a spinner, progress) are stored as printed"
    return ""


def _stored_id(locked: Locked, reply: Reply) -> str | None:
    """Return the id of the message that holds this answer, if it is neither undone nor cleared.

    Parts, provider and usage are compared too, because some hosts reuse response ids.
    """
    same = [
        data for data in response_records(locked, reply.id)
        if has_content(data, reply.parts) and data.get("provider", reply.provider) == reply.provider
        and (None in (data.get("usage"), reply.usage) or data["usage"] == reply.usage)
    ]  # fmt: skip
    messages = fold(read.read_log(locked.read())).all if same else {}
    for data in same:
        message = messages.get(str(data.get("of") if data.get("type") == "commit" else data.get("id")))
        if message is not None and message.committed and message.hidden != "clear":
            return message.id
    return None
