"""Which requests wait: those about one session keep their order, those about others do not wait."""

from __future__ import annotations

import os
from asyncio import Future
from collections.abc import Container, Mapping
from typing import NamedTuple

from ...base.env import Env
from ...base.options import Writing
from ...base.words import is_id
from ...store.paths import SERVER, is_path, path_of
from .. import module_of

WIDE = {"list", "config", "redact", "rescue"}  # they read other sessions too, whichever is named
WIDENED = ("all", "all_", "calibrated")  # options by which others do


class Turn(NamedTuple):
    """A request's place in the order.

    `sessions`: those that it is about, by their paths without endings; None, it may be about any.
    `endless`: it follows a session: it waits as others do, but nobody waits for it.
    """

    sessions: frozenset[str] | None
    endless: bool = False


class Order:
    """A lock for each session, taken in the order of the requests; one about any session takes all."""

    def __init__(self) -> None:
        self._last: dict[object, Future[None]] = {}  # by session, the end of the last request about it
        self._wide: Future[None] | None = None  # the end of the last request about any session

    def enter(self, turn: Turn, over: Future[None]) -> set[Future[None]]:
        """Place a request, which ends with `over`, behind those before it: the ends it must wait for.

        Each of those waits for those before it in turn.
        """
        keys: set[object] = set(turn.sessions or ())
        if turn.sessions is None:
            earlier = {*self._last.values(), self._wide}
        else:
            earlier = {self._last.get(key, self._wide) for key in keys}
        if not turn.endless:
            for key in keys or {over}:
                self._last[key] = over
            if turn.sessions is None:
                self._last, self._wide = {}, over
            over.add_done_callback(self._forget)
        return {each for each in earlier if each is not None and not each.done()}

    def _forget(self, over: Future[None]) -> None:
        self._last = {key: each for key, each in self._last.items() if each is not over}


def turn_of(
    verb: str, options: Mapping[str, object] | None, env: Env, cwd: str, known: Container[str]
) -> Turn:
    """The turn of a command with these options, None where they cannot be read.

    `known`: sessions of a database that exist.
    """
    if options is None:
        return Turn(None)
    takes, endless = module_of(verb).Options, bool(options.get("follow"))
    single = "session" in takes.TYPES and "sessions" not in takes.TYPES  # it takes at most one
    if verb in WIDE or not single or any(options.get(name) for name in WIDENED):
        return Turn(None, endless)
    name = options.get("argument") or options.get("session")
    if name is None and verb != "search":  # which searches all, whatever $CODEH_SESSION is
        name = env.environ.get("CODEH_SESSION")
    if name == "-":
        return Turn(frozenset(), endless)
    names = [name, options["into"]] if options.get("into") else [name]
    sessions = [_session(each, env, cwd) for each in names]
    if None in sessions or not (issubclass(takes, Writing) or _exists(str(sessions[0]), known)):
        return Turn(None, endless)  # a prefix, perhaps
    return Turn(frozenset(map(str, sessions)), endless)


def _session(name: object, env: Env, cwd: str) -> str | None:
    """A session's path without its ending; None where the name is not an exact one."""
    if not isinstance(name, str) or not (is_id(name) or is_path(name)):
        return None
    path = path_of(env, name)
    if path.startswith(SERVER):
        return path
    path = os.path.realpath(os.path.join(cwd, path))
    return path.removesuffix("l").removesuffix(".json")


def _exists(session: str, known: Container[str]) -> bool:
    """Whether it certainly exists; a database is not queried: all other requests would wait for it."""
    return session in known or any(os.path.exists(session + ending) for ending in (".jsonl", ".json"))
