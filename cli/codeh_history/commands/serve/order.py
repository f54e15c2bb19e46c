"""Who waits for whom: requests of one session keep their order, those of others know nothing of it."""

from __future__ import annotations

from collections.abc import Collection, Container


class Turn:
    """A request's place in the order.

    `sessions`: those it is about; None, it may be about any. One that does not `hold` waits as others do,
    but nobody waits for it.
    """

    __slots__ = ("before", "followers", "holds", "sessions")

    def __init__(self, sessions: Collection[str] | None, *, holds: bool = True) -> None:
        self.sessions = sessions
        self.holds = holds
        self.before = 0  # how many it waits for
        self.followers: list[Turn] = []


class Order(Container[object]):
    """The turns that are not over. Each waits for the last one of each of its sessions.

    One about any session waits for all before it, and all after it wait for it.
    """

    def __init__(self) -> None:
        self._live: dict[Turn, None] = {}
        self._last: dict[str, Turn] = {}  # by session, since the last turn that is about any
        self._any: Turn | None = None

    def __contains__(self, session: object) -> bool:
        """Whether there is a turn about this session."""
        return session in self._last

    def add(self, turn: Turn) -> None:
        if turn.sessions is None:
            before = list(self._live)
        else:
            found = [self._last.get(session, self._any) for session in turn.sessions]
            before = list(dict.fromkeys(each for each in found if each is not None))
        for each in before:
            each.followers.append(turn)
        turn.before = len(before)
        if not turn.holds:
            return
        self._live[turn] = None
        if turn.sessions is None:
            self._any = turn
            self._last.clear()
        else:
            self._last.update(dict.fromkeys(turn.sessions, turn))

    def end(self, turn: Turn) -> list[Turn]:
        """Those whose turn it is now that this one is over."""
        self._live.pop(turn, None)
        if self._any is turn:
            self._any = None
        for session in turn.sessions or ():
            if self._last.get(session) is turn:
                del self._last[session]
        for each in turn.followers:
            each.before -= 1
        return [each for each in turn.followers if not each.before]
