"""The sub-agents of a session of another program: imported ones, else those in the program's files."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cached_property

from ..base.env import Env
from ..base.errors import HistoryError
from ..programs import registry
from ..programs.model import Session
from ..session.exchanges import is_prompt
from ..session.fold import fold
from ..session.model import Json, Message, origin
from ..session.view import View, text_of, timestamp
from ..store import read
from ..store.program_files import is_database, opened, sessions_in, translated
from ..store.program_files.folders import files_of
from ..store.resolve import Target, ids
from .view import view_of

AGENT = "agent"  # the field of a sub-agent's message; `under`: the number of the message that called it
Numbered = list[tuple[int | None, Message]]
HEAD = 1 << 16  # bytes of a file that may name its parent session
_ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Agents:
    """Finds the sub-agents of sessions, except those with an id in `without`."""

    def __init__(self, env: Env, without: Collection[str] = ()) -> None:
        self.env = env
        self.without = without
        self._naming: dict[str, dict[bytes, dict[str, None]]] = {}  # program → id → files that name it

    def of(self, view: View, above: frozenset[str] = frozenset()) -> Iterator[View]:
        """Yield the sub-agents of a session, depth first; `above`: the ids of its callers."""
        paths, above = self._imported.get(view.id, ()), above | {view.id}
        imported = (view_of(self.env, Target(path, ""), lost={}) for path in paths)
        for id, agent in {agent.id: agent for agent in (*self._in_files(view), *imported)}.items():
            if id not in self.without and id not in above:
                yield agent
                yield from self.of(agent, above)

    @cached_property
    def _imported(self) -> dict[str, list[str]]:
        """The paths of imported sub-agents, by parent session."""
        by_parent: dict[str, list[str]] = {}
        for id, path in ids(self.env):
            if id.startswith(tuple(registry.PROGRAMS)):
                with read.opened(path) as (fd, _):
                    header = fold(read.read_log(os.pread(fd, HEAD, 0).partition(b"\n")[0])).header
                if parent := _parent(header):
                    by_parent.setdefault(parent, []).append(path)
        return by_parent

    def _in_files(self, view: View) -> Iterator[View]:
        """Yield the sub-agents in the file of a session, and in other files of its program."""
        source = origin(view.header)
        program, id, path = (str(source.get(key)) for key in ("from", "id", "path"))
        if program not in registry.PROGRAMS:
            return
        if not source.get("agent"):  # a sub-agent's file contains no further ones
            with suppress(HistoryError), opened(path) as file:  # it may have been deleted
                for session in sessions_in(file, program):
                    if session.id == id:
                        yield from _below(session, path)
        for other in self._files(program).get(id.encode(), ()):
            for data in translated.each(other) if other != path else ():
                agent = fold(read.read_log(data))
                if _parent(agent.header) == f"{program}-{id}":
                    yield agent

    def _files(self, program: str) -> dict[bytes, dict[str, None]]:
        """Return a program's files by the ids in their paths and beginnings."""
        if program not in self._naming:
            naming = self._naming[program] = {}
            for path in (file.path for file in files_of(self.env, [program]) if not is_database(file.path)):
                with open(path, "rb") as file:
                    for id in _ID.findall(os.fsencode(path) + b"\n" + file.read(HEAD)):
                        naming.setdefault(id, {})[path] = None
        return self._naming[program]


def _parent(header: Json | None) -> str | None:
    """Return the parent session of a sub-agent; None for other sessions."""
    parent = (header or {}).get("parent")
    return str(parent.get("session")) if origin(header).get("agent") and isinstance(parent, dict) else None


def _below(session: Session, path: str) -> Iterator[View]:
    for branch in session.branches():
        if branch.agent:
            yield fold(read.read_log(translated.lines(branch, path)))
            yield from _below(branch, path)


def interleaved(view: View, agents: list[View], numbered: Numbered) -> Numbered:
    """Put each sub-agent's messages below the message that called it.

    The caller is the message with a call whose argument is the first prompt, else the one that the program
    names, else the last with a call before that. Sub-agents with a caller not in `numbered` are left out.
    """
    below = _by_caller(view, agents)
    result: Numbered = []

    def add(number: int | None, message: Message, path: str) -> None:
        result.append((number, message))
        for agent in below.pop(message.id, ()):
            own = {"session": agent.id, "name": origin(agent.header).get("agentName"), "under": path}
            for place, reply in enumerate(agent.messages, 1):
                marked = reply.derive(reply.parts)
                marked.fields = {**reply.fields, AGENT: own}
                add(place, marked, f"{path}.{place}")

    for number, message in numbered:
        add(number, message, str(number))
    return result


def _by_caller(view: View, agents: list[View]) -> dict[str, list[View]]:
    """Return the sub-agents by the id of the message that called them."""
    calls = [
        (each, message, value.strip())
        for each in (view, *agents) for message in each.messages for part in message.parts
        if isinstance(args := part.get("functionCall", {}).get("args"), dict)
        for value in args.values() if isinstance(value, str)
    ]  # fmt: skip
    by_caller: dict[str, list[View]] = {}
    for agent in agents:
        header, parent = agent.header or {}, (agent.header or {}).get("parent")
        prompt = next((text_of(message).strip() for message in agent.messages if is_prompt(message)), "")
        call = next((call for call in calls if call[2] == prompt and call[0] is not agent), None)
        if call is not None:
            calls.remove(call)
            id = call[1].id
        else:
            begun = timestamp(header.get("created")) or ""
            before = [m.id for of, m, _ in calls if of is view and (m.ts or "") <= begun]
            last = [message.id for message in view.messages[-1:]]
            at = parent.get("at") if isinstance(parent, dict) else None
            id = at if isinstance(at, str) else (before or last or [""])[-1]
        by_caller.setdefault(id, []).append(agent)
    return by_caller
