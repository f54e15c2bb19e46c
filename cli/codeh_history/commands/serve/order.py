"""The order of requests: those about one session run in order, others in parallel."""

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

WIDE = {"list", "config", "redact", "rescue"}  # they read other sessions besides the named one
WIDENED = ("all", "all_", "calibrated")  # options with the same effect


class Turn(NamedTuple):
    """What a request must wait for.

    `sessions`: paths, without extensions, of its sessions; None if it may be about any.
    `endless`: it follows a session: it waits like others, but no request waits for it.
    """

    sessions: frozenset[str] | None
    endless: bool = False


class Order:
    """A lock per session, taken in the order of requests; a request about any session takes all."""

    def __init__(self) -> None:
        self._last: dict[object, Future[None]] = {}  # by session, the end of its last request
        self._wide: Future[None] | None = None  # the end of the last request about any session

    def enter(self, turn: Turn, over: Future[None]) -> set[Future[None]]:
        """Queue a request that ends with `over`; return the ends that it must wait for.

        Those in turn wait for the requests before them.
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
    verb: str, options: Mapping[str, object] | None, env: Env, cwd: str, existing: Container[str]
) -> Turn:
    """The turn of a command; `options` None if they could not be parsed.

    `existing`: database sessions.
    """
    if options is None:
        return Turn(None)
    takes, endless = module_of(verb).Options, bool(options.get("follow"))
    single = "session" in takes.TYPES and "sessions" not in takes.TYPES  # the verb takes at most one
    if verb in WIDE or not single or any(options.get(name) for name in WIDENED):
        return Turn(None, endless)
    name = options.get("argument") or options.get("session")
    if name is None and verb != "search":  # search ignores $CODEH_SESSION
        name = env.environ.get("CODEH_SESSION")
    if name == "-":
        return Turn(frozenset(), endless)
    names = [name, options["into"]] if options.get("into") else [name]
    sessions = [_session(each, env, cwd) for each in names]
    if None in sessions or not (issubclass(takes, Writing) or _exists(str(sessions[0]), existing)):
        return Turn(None, endless)  # it may be a prefix
    return Turn(frozenset(map(str, sessions)), endless)


def _session(name: object, env: Env, cwd: str) -> str | None:
    """A session's path without its extension; None unless the name is exact."""
    if not isinstance(name, str) or not (is_id(name) or is_path(name)):
        return None
    path = path_of(env, name)
    if path.startswith(SERVER):
        return path
    path = os.path.realpath(os.path.join(cwd, path))
    return path.removesuffix("l").removesuffix(".json")


def _exists(session: str, existing: Container[str]) -> bool:
    """Whether it certainly exists; a database is not queried, which would delay all requests."""
    return session in existing or any(os.path.exists(session + ending) for ending in (".jsonl", ".json"))
