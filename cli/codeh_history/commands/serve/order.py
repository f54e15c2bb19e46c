"""Which requests run now: those of one session keep their order, those of other sessions do not wait."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from ...base.env import Env
from ...base.ids import is_id
from ...base.options import Writing
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


AnyTurn = TypeVar("AnyTurn")


def free(turns: Iterable[tuple[AnyTurn, Turn]]) -> Iterator[AnyTurn]:
    """Of requests in the order in which they came, those that need not wait for one before them."""
    held: set[str] = set()  # sessions of those before
    any_session = False  # whether one of those before may be about any session
    first = True
    for request, (sessions, endless) in turns:
        if sessions is None:
            waits = not first
        else:
            waits = bool(sessions) and (any_session or not held.isdisjoint(sessions))
        if not waits:
            yield request
        if not endless:
            first = False
            held.update(sessions or ())
            any_session = any_session or sessions is None


def turn_of(
    verb: str, options: Mapping[str, object] | None, env: Env, cwd: str, known: Container[str]
) -> Turn:
    """The turn of a command with these options, None where they cannot be read.

    `known`: sessions of a database that are there.
    """
    if options is None:
        return Turn(None)
    takes, endless = module_of(verb).Options, bool(options.get("follow"))
    one = "session" in takes.TYPES and "sessions" not in takes.TYPES  # it takes at most one
    if verb in WIDE or not one or any(options.get(name) for name in WIDENED):
        return Turn(None, endless)
    name = options.get("argument") or options.get("session")
    if name is None and verb != "search":  # which searches all, whatever $CODEH_SESSION is
        name = env.environ.get("CODEH_SESSION")
    if name == "-":
        return Turn(frozenset(), endless)
    names = [name, options["into"]] if options.get("into") else [name]
    sessions = [_session(each, env, cwd) for each in names]
    if not issubclass(takes, Writing) and not _is_there(sessions[0], known):
        return Turn(None, endless)  # a prefix, perhaps
    certain = frozenset(each for each in sessions if each is not None)
    return Turn(certain if None not in sessions else None, endless)


def _session(name: object, env: Env, cwd: str) -> str | None:
    """A session's path without its ending; None where the name is no exact one."""
    if not isinstance(name, str) or not (is_id(name) or is_path(name)):
        return None
    path = path_of(env, name)
    if path.startswith(SERVER):
        return path
    path = os.path.realpath(os.path.join(cwd, path))
    return path.removesuffix("l").removesuffix(".json")


def _is_there(session: str | None, known: Container[str]) -> bool:
    """Whether it is there for certain; a database is not asked: all other requests would wait for it."""
    return session is not None and (
        session in known or any(os.path.exists(session + ending) for ending in (".jsonl", ".json"))
    )
