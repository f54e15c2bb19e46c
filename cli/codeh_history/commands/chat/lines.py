"""What is typed, a prompt at a time: edited and remembered at a terminal, else plain lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from ...base.env import Env
from ...base.errors import BadData
from ...base.folders import ensure_dir

MORE = "\\"  # at the end of a line: the prompt continues
KEPT = 1000  # lines of the history that can be called back
Completer = Callable[[str, str], Sequence[str]]
"""From the line up to the word, and the word, to the words that it may become."""


class Lines:
    """Prompts from stdin. `typed`: by a person, who sees a sign where one is expected."""

    def __init__(self, env: Env, completer: Completer) -> None:
        self.env = env
        self.typed = env.terminal(env.stdin)
        self._stdin = open(env.stdin, "rb", closefd=False)  # noqa: SIM115 - as long as the program
        edited = self.typed and (env.stdin, env.stdout) == (0, 1) and env.terminal(env.stdout)
        self._history = History(env, completer) if edited else None

    def prompt(self) -> str | None:
        """The next prompt that is not blank, without its `\\` at the ends of lines; None at the end."""
        while (line := self._line("> ")) is not None:
            prompt = line
            while prompt.endswith(MORE):
                prompt, is_last = prompt.removesuffix(MORE), prompt.endswith(2 * MORE)
                if is_last or (line := self._line(". ")) is None:
                    break
                prompt += f"\n{line}"
            if prompt.strip():
                return prompt
        return None

    def _line(self, sign: str) -> str | None:
        if self._history is None:
            if self.typed:
                os.write(self.env.stderr, sign.encode())
            return self._read()
        try:
            line = input(sign)
        except (EOFError, KeyboardInterrupt) as end:
            self.env.draw(b"\n")
            if isinstance(end, KeyboardInterrupt):
                raise
            return None
        self._history.add(line)
        return line

    def _read(self) -> str | None:
        """A line of whatever stdin is, as soon as it is there; the last needs no end."""
        line = self._stdin.readline()
        try:
            return line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8-sig") if line else None
        except UnicodeDecodeError as error:
            raise BadData(
                f"stdin: byte {error.start} of a line: not UTF-8; nothing of it was stored"
            ) from None


class History:
    """What was typed before, in a file of the home for its owner alone, but for lines that begin blank."""

    def __init__(self, env: Env, completer: Completer) -> None:
        self.path = os.path.join(env.home, "chat_history")
        self.last = ""
        try:
            import readline
        except ImportError:  # a Python without it: lines cannot be edited
            return
        with suppress(OSError), open(self.path, encoding="utf-8", errors="replace") as file:
            for line in file.read().splitlines()[-KEPT:]:
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

    def add(self, line: str) -> None:
        """Append a line to the file; ignore a file that cannot be written."""
        if not line.strip() or line == self.last or line[0].isspace():
            return
        self.last = line
        with suppress(OSError):
            ensure_dir(os.path.dirname(self.path))
            fd = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with open(fd, "w", encoding="utf-8", errors="replace") as file:
                file.write(f"{line}\n")
