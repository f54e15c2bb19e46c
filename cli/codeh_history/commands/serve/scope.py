"""Which sessions a command line is about, as far as the line itself is certain of it."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from functools import cache
from getopt import GetoptError, gnu_getopt
from typing import NamedTuple

from ...base.env import Env
from ...base.ids import is_id
from ...base.options import Options, Writing
from ...store.paths import SERVER, is_path, path_of
from .. import COMMANDS, module_of

WIDE = {"list", "config", "redact", "rescue"}  # they look at other sessions too, whichever is named
WIDENED = ("all", "all_", "calibrated")  # options by which others do


class Scope(NamedTuple):
    """`sessions`: by their paths without endings, None where it may be any. `endless`: it follows."""

    sessions: frozenset[str] | None
    endless: bool = False


def scope_of(argv: Sequence[str], env: Env, cwd: str, known: Container[object]) -> Scope:
    """The scope of a command line; `known` has the sessions that those before it may make."""
    if argv[0] not in COMMANDS:
        return Scope(None)
    takes = module_of(argv[0]).Given
    try:
        options, words = _read(argv[1:], takes)
    except GetoptError:
        return Scope(None)  # help, or a mistake
    endless = "follow" in options
    one = "session" in takes.TYPES and "sessions" not in takes.TYPES  # names at most one
    if argv[0] in WIDE or not one or any(name in options for name in WIDENED):
        return Scope(None, endless)
    places = [name for name, spelled in takes.SPELLED.items() if spelled.positional]
    name = dict(zip(places, words, strict=False)).get("argument") or options.get("session")
    if name is None and argv[0] != "search":  # that searches all, whatever $CODEH_SESSION says
        name = env.environ.get("CODEH_SESSION")
    if name == "-":
        return Scope(frozenset(), endless)
    found = [_session(name, env, cwd)]
    if not issubclass(takes, Writing) and found[0] is not None and not _is_there(found[0], known):
        return Scope(None, endless)  # a prefix, perhaps
    if "into" in options:
        found.append(_session(options["into"], env, cwd))
    certain = frozenset(each for each in found if each is not None)
    return Scope(certain if None not in found else None, endless)


def _session(name: str | None, env: Env, cwd: str) -> str | None:
    """What a SESSION is known by here; None where it is none for certain."""
    if name is None or not (is_id(name) or is_path(name)):
        return None
    path = path_of(env, name)
    if path.startswith(SERVER):
        return path
    path = os.path.realpath(os.path.join(cwd, path))
    return path.removesuffix("l").removesuffix(".json")


def _is_there(session: str, known: Container[object]) -> bool:
    """Whether this is its whole id; a database is not asked, for all other requests would wait for it."""
    return session in known or any(os.path.exists(session + ending) for ending in (".jsonl", ".json"))


def _read(words: Sequence[str], takes: type[Options]) -> tuple[dict[str, str], list[str]]:
    """The options given, by name, and the other words; GetoptError where they cannot be told."""
    short, long, names = _spelled(takes)  # type: ignore[arg-type]  # a class is hashable
    options, rest = gnu_getopt(words, short, long)
    return {names[flag]: value for flag, value in options if flag in names}, rest


@cache
def _spelled(takes: type[Options]) -> tuple[str, list[str], dict[str, str]]:
    """A verb's options as `getopt` takes them, and their names by flag."""
    short, long, names = "", [], {}
    for name, spelled in takes.SPELLED.items():
        if spelled.positional:
            continue
        valued = takes.TYPES[name] != "bool"
        for flag in spelled.flags(name):
            names[flag] = name
            if flag.startswith("--"):
                long.append(flag[2:] + "=" * valued)
            else:
                short += flag[1:] + ":" * valued
        if takes.DEFAULTS[name] is True:
            long.append(f"no-{name}")
    return short, long, names
