"""A conversation: its session, the request options, and the turns."""

from __future__ import annotations

from collections.abc import Sequence

from ...append.text import begin
from ...base.env import Env
from ...base.errors import HistoryError, TryAgain
from ...config import layers
from ...config.layers import ResolvedRequest
from ...providers.json_text import excerpt
from ...receive.answer import Received, tell
from ...send import payload
from ...send.readiness import named, unanswered
from ...session.pairing import open_at_end, open_calls
from ...session.records import dumps
from ...session.view import View
from ...store.resolve import Target
from ...store.state import size_of
from .. import ask
from ..ask import Options as Asking
from ..undo import undo

RETRY = "/retry"


class Talk:
    """One; each turn is a run of `ask`, by what holds at that moment."""

    def __init__(
        self, env: Env, target: Target, options: Asking, most: int, *, unnamed: bool = False
    ) -> None:
        self.env = env
        self.target = target
        self.options = options
        self.most = most
        self.attached: list[str] = []  # to go with the next prompt
        self.over = False
        self.unnamed = unnamed  # the first prompt will name the session

    def checked(self) -> None:
        """Usage if no provider or command is configured."""
        resolved = self.resolved()
        layers.reaching(self.env, resolved)
        payload.checked(resolved.request)

    def resolved(self) -> ResolvedRequest:
        """The request that holds; answers are asked for as streams unless somebody says otherwise."""
        resolved = layers.resolve(self.env, self.options, self.options.profile, self.options.via)
        if "stream" in layers.held(resolved.layers):
            return resolved
        return resolved.but(request=resolved.request.but(stream=True))

    def view(self) -> View:
        """What the session says now; empty where it is not there yet."""
        return ask.looked(self.env, self.target)

    def turn(self, text: str | None) -> None:
        """Ask this, or send the last prompt again; the answer is printed and stored as it comes.

        Calls of tools are run, and the model asked again, where `calls.via` says by what; else they wait.
        """
        if text is not None and self.unnamed and not self.size():
            self.target, self.unnamed = begin(self.env, text), False
        received = self._answer(() if text is None else (text,))
        while received.calls and self._called():
            received = self._answer(())
        tell(self.env, self.target.id, received, echo=True)

    def _answer(self, prompt: Sequence[str]) -> Received:
        """One request and its answer."""
        size = self.size()
        options = self.options.but(message=prompt, attach=tuple(self.attached), no_stdin=True)
        try:
            return ask.ask(self.env, self.target, options, self.resolved(), self.most, RETRY)
        except KeyboardInterrupt:
            self._stopped()
            raise
        finally:
            if self.size() > size:  # stored, whatever became of the answer
                self.attached.clear()

    def size(self) -> int:
        """Bytes of the session, 0 where it is not there yet; nor is a server that cannot be reached."""
        try:
            return size_of(self.target.path)
        except TryAgain:
            return 0

    def _stopped(self) -> None:
        """Note the pending part of an interrupted answer."""
        last = next(reversed(self.view().messages), None)
        if last is not None and last.pending is not None:
            commit = f"codeh-history commit -s {named(self.env, self.target)} {last.id}"
            self.env.note(f"the received part stays pending: `{commit}` makes it the answer")

    def _called(self) -> bool:
        """Answer the open calls by the command of `calls.via`; whether there is one."""
        via = layers.command(self.env, "calls.via", self.options.profile, None)
        if via is None:
            return False
        from ...receive.tool_call import answer, by_command

        for call in open_calls(self.view().messages):
            self.env.note(f"{self.target.id}: {call.name} {excerpt(dumps(call.args).decode(), 80)}")
            answer(self.env, self.target, call, by_command(via, self.most))
        return True

    def again(self) -> None:
        """Retry: send what is unanswered (open calls are run), else ask for another answer."""
        view = self.view()
        if unanswered(view) is None and not (open_at_end(view.messages) and self._called()):
            last = next((m for m in reversed(view.messages) if m.role is not None and m.committed), None)
            if last is None:
                raise HistoryError(f"{self.target.id}: nothing was asked yet")
            if last.role == "model":
                undo(self.env, self.target, last.id, turn=False)
        self.turn(None)
