"""A conversation: its session, options, turns and input."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from ...base import config
from ...base.config import ResolvedRequest
from ...base.env import Env
from ...base.errors import BadData, HistoryError, InputOutput, NotFound, TryAgain
from ...base.folders import ensure_dir
from ...base.words import excerpt
from ...session.pairing import open_at_end, open_calls
from ...session.records import dumps
from ...session.view import View
from ...store.read import size_of
from ...store.resolve import Target
from ...store.unsent import keep_text
from ...talk.append.text import begin
from ...talk.receive.answer import Received, print_received
from ...talk.send import payload
from ...talk.send.readiness import shell_name, unanswered
from .. import ask
from ..ask import Options as Asking
from ..undo import undo

RETRY = "/retry"
MORE = "\\"  # at the end of a line: the prompt continues on the next
RECENT = 1000  # lines of the input history that are loaded
Completer = Callable[[str, str], Sequence[str]]  # of the line before the word, and the word


class Removed(NotFound):
    """Another process removed the session."""


class Talk:
    """A conversation; each turn runs `ask` with the settings in effect at that time."""

    def __init__(self, env: Env, target: Target | None, options: Asking, most: int) -> None:
        self.env = env
        self.target = target or begin(env, "")
        self.unnamed = target is None  # the first prompt names the session
        self.options = options
        self.most = most
        self.attached: list[str] = []  # files for the next prompt
        self.existed = self.size() > 0  # if it is gone later, another process removed it
        self.ended = False

    def check(self) -> None:
        """Raise Usage if no provider or command is configured."""
        resolved = self.resolved()
        config.command_to_send(self.env, resolved)
        payload.checked_provider(resolved.request)

    def resolved(self) -> ResolvedRequest:
        """The effective request; it streams unless a flag, profile or session turns that off."""
        resolved = config.resolve(self.env, self.options, self.options.profile, self.options.via)
        if "stream" in config.values_by_layer(resolved.layers):
            return resolved
        return resolved.but(request=resolved.request.but(stream=True))

    def provider_and_model(self, view: View) -> tuple[str, str | None]:
        """The provider and the model of the next prompt."""
        request = self.resolved().request
        return str(request.to), payload.model_for(view, str(request.to), request.model)

    def view(self) -> View:
        """The session's current view; empty if the session does not exist yet."""
        return ask.view_without_blocks(self.env, self.target)

    def must_exist(self, prompt: str) -> None:
        """If the session was removed, save the prompt and raise Removed."""
        if not self.existed or self.size() != 0:
            return
        saved = keep_text(self.env, self.target.path, self.env.random_id(), prompt, "") if prompt else ""
        unsent = f"; this prompt was not sent: {saved}" if saved else ""
        raise Removed(f"{self.target.id}: the session was removed meanwhile{unsent}")

    def size(self) -> int:
        """The session's size in bytes; 0 if it does not exist, -1 if its database is unreachable."""
        try:
            return size_of(self.target.path)
        except TryAgain:
            return -1

    def stored(self) -> None:
        """Continue in the session that exists from now on."""
        self.existed, self.target = True, Target(self.target.path, "continued")

    def turn(self, text: str | None) -> None:
        """Send this prompt, or resend the session if None; print and store the answer as it arrives.

        With `calls.via`, tool calls are run and the model is asked again until it makes none.
        """
        if text is not None and self.unnamed and not self.existed:
            self.target, self.unnamed = begin(self.env, text), False
        received = self._answer(() if text is None else (text,))
        while received.calls and self._run_calls():
            received = self._answer(())
        print_received(self.env, self.target.id, received, echo=True)

    def _answer(self, prompt: Sequence[str]) -> Received:
        """Send one request and receive its answer."""
        size = self.size()
        options = self.options.but(message=prompt, attach=tuple(self.attached), no_stdin=True)
        try:
            return ask.ask(self.env, self.target, options, self.resolved(), self.most, RETRY)
        except KeyboardInterrupt:
            last = next(reversed(self.view().messages), None)
            if last is not None and last.pending:
                commit = f"codeh-history commit -s {shell_name(self.env, self.target)} {last.id}"
                self.env.note(f"the received part stays pending; `{commit}` commits it")
            raise
        finally:
            if self.size() > max(size, 0):  # the prompt was stored, with or without an answer
                self.attached.clear()
                self.stored()

    def _run_calls(self) -> bool:
        """Answer the open calls with the `calls.via` command; return False if none is configured."""
        via = config.command(self.env, "calls.via", self.options.profile, None)
        if via is None:
            return False
        from ...talk.receive.run_command import answer_call, by_command

        try:
            for call in open_calls(self.view().messages):
                self.env.note(f"{self.target.id}: {call.name} {excerpt(dumps(call.args).decode(), 80)}")
                answer_call(self.env, self.target, call, by_command(via, self.most))
        except KeyboardInterrupt:
            self.env.note(f"the call waits: {RETRY} runs it")
            raise
        return True

    def retry(self) -> None:
        """Send the unanswered prompt (running open calls first), or replace the last answer."""
        view = self.view()
        if unanswered(view) is None and not (open_at_end(view.messages) and self._run_calls()):
            last = next((m for m in reversed(view.messages) if m.is_sent), None)
            if last is None:
                raise HistoryError(f"{self.target.id}: no prompt yet")
            if last.role == "model":
                undo(self.env, self.target, last.id, turn=False)
        self.turn(None)


class Lines:
    """Reads prompts from stdin; on a terminal (`typed`), after a prompt sign and with a history."""

    def __init__(self, env: Env, completer: Completer) -> None:
        self.env = env
        self.typed = env.terminal(env.stdin)
        self.history = os.path.join(env.home, "chat_history")
        self._stdin = open(env.stdin, "rb", closefd=False)  # noqa: SIM115 - as long as the program
        self._edited = self.typed and (env.stdin, env.stdout) == (0, 1) and env.terminal(env.stdout)
        if self._edited:
            with suppress(ImportError):  # this Python has no readline
                set_up_readline(self.history, completer)

    def prompt(self) -> str | None:
        """Return the next non-blank prompt, its `\\` continuations joined; None at end of input."""
        while (line := self._line("> ")) is not None:
            prompt = line
            while prompt.endswith(MORE) and not prompt.endswith(2 * MORE):
                if (line := self._line(". ")) is None:
                    break
                prompt = f"{prompt.removesuffix(MORE)}\n{line}"
            if (prompt := prompt.removesuffix(MORE)).strip():
                return prompt
        return None

    def _line(self, sign: str) -> str | None:
        if self._edited:
            return self._edited_line(sign)
        if self.typed:
            os.write(self.env.stderr, sign.encode())
        try:
            data = self._stdin.readline()
        except OSError as error:
            self._stdin = open(os.devnull, "rb")  # noqa: SIM115 - every later read is the end of input
            raise InputOutput(f"stdin: {error.strerror}") from None
        try:
            return data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8-sig") if data else None
        except UnicodeDecodeError as error:
            where = f"stdin: byte {error.start} of a line"
            raise BadData(f"{where}: not UTF-8; nothing of it was stored") from None

    def _edited_line(self, sign: str) -> str | None:
        try:
            line = input(sign)
        except (EOFError, KeyboardInterrupt) as end:
            self.env.draw(b"\n")
            if isinstance(end, KeyboardInterrupt):
                raise
            return None
        self.remember(line)
        return line

    def remember(self, line: str) -> None:
        """Add a line to the history unless it begins with a space; ignore a file that cannot be written."""
        if line and not line[0].isspace():
            with suppress(OSError):
                ensure_dir(self.env.home)
                fd = os.open(self.history, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
                with open(fd, "w", encoding="utf-8", errors="replace") as file:
                    file.write(f"{line}\n")


def set_up_readline(history: str, completer: Completer) -> None:
    """Load the history, and complete words with Tab."""
    import readline

    with suppress(OSError), open(history, encoding="utf-8", errors="replace") as file:
        for line in file.read().splitlines()[-RECENT:]:
            readline.add_history(line)
    matches: list[str] = []

    def complete(word: str, state: int) -> str | None:
        if state == 0:
            matches[:] = completer(readline.get_line_buffer()[: readline.get_begidx()], word)
        return matches[state] if state < len(matches) else None

    readline.set_completer_delims(" ")
    readline.set_completer(complete)
    by_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if by_libedit else "tab: complete")
    readline.parse_and_bind("set enable-bracketed-paste on")  # pasted lines are one prompt
