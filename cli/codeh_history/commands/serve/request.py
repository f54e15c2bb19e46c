"""Parse requests, and order them: those about one session run in order, others in parallel."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Container, Mapping
from typing import Any, NamedTuple

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Usage
from ...base.options import Writing
from ...base.words import is_id
from ...store.paths import SERVER, is_path, path_of
from .. import module_of

LONGEST = 64 << 20  # bytes of a line
REFUSED = {"chat": "it is interactive", "serve": "it is already running"}
FIELDS = ("id", "argv", "stdin", "stdin64", "cwd", "env", "stream", "cancel")

Id = str | int | None
WIDE = {"list", "config", "redact", "rescue"}  # they read other sessions besides the named one
WIDENED = ("all", "all_", "calibrated")  # options with the same effect


class Request(NamedTuple):
    """A command to run. `stdin`: None is empty. `environ`: added to serve's; None removes a variable."""

    id: Id
    argv: list[str]
    stdin: bytes | None = None
    cwd: str = ""
    environ: Mapping[str, str | None] = {}
    stream: bool = False


def read(line: bytes) -> tuple[Id, Request | HistoryError | None]:
    """Parse a line: its id and the request, or what is wrong with it, or None to cancel the request."""
    problem = None
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        problem = BadData(f"not a line of JSON: {error}")
        try:  # JavaScript escapes half an emoji, which is not text; its request has an id all the same
            value = orjson.loads(re.sub(rb"\\.", b"?", line))
        except orjson.JSONDecodeError:
            return None, problem
    if not isinstance(value, dict):
        return None, BadData("not a JSON object")
    name = "cancel" if list(value) == ["cancel"] else "id"
    id = value.get(name)
    if not isinstance(id, str | int) or isinstance(id, bool):
        return None, BadData(f"{name}: must be a string or an integer")
    if problem:
        return id, problem
    try:
        return id, None if name == "cancel" else _request(id, value)
    except HistoryError as error:
        return id, error


def _request(id: Id, value: dict[str, Any]) -> Request:
    if "cancel" in value:
        raise BadData("cancel: no other fields allowed")
    for name in value:
        if name not in FIELDS:
            raise BadData(f"{name}: no such field; one of {', '.join(FIELDS)}")
    argv: Any = value.get("argv")
    cwd, stream = value.get("cwd", ""), value.get("stream", False)
    environ, text, coded = value.get("env", {}), value.get("stdin"), value.get("stdin64")
    valid = {
        "argv: must be a list of strings, the verb first": isinstance(argv, list)
        and bool(argv)
        and all(isinstance(word, str) for word in argv),
        "env: must be an object of strings; null removes a variable": isinstance(environ, dict)
        and all(
            name and "=" not in name and isinstance(each, str | None) for name, each in environ.items()
        ),
        "cwd: must be a string": isinstance(cwd, str),
        "stream: must be true or false": isinstance(stream, bool),
    }
    if problem := next((rule for rule, holds in valid.items() if not holds), None):
        raise BadData(problem)
    if any("\0" in word for word in (*argv, cwd, *environ, *filter(None, environ.values()))):
        raise BadData("argv, cwd and env must not contain NUL")
    verb = next((word for word in argv if word != "--"), "")  # `--` may precede the verb
    if verb in REFUSED:
        raise Usage(f"`serve` does not run {verb}: {REFUSED[verb]}")
    if text is not None and coded is not None:
        raise BadData("stdin and stdin64 cannot be combined")
    if not isinstance(text, str | None) or not isinstance(coded, str | None):
        raise BadData(f"{'stdin64' if text is None else 'stdin'}: must be a string")
    stdin = None if text is None else text.encode()
    if coded is not None:
        try:
            stdin = b64decode(coded, validate=True)
        except ValueError:
            raise BadData("stdin64: not base64") from None
    return Request(id, argv, stdin, cwd, environ, stream)


class Turn(NamedTuple):
    """What a request must wait for.

    `sessions`: paths, without extensions, of its sessions; None if it may be about any.
    `endless`: it follows a session: it waits like others, but no request waits for it.
    """

    sessions: frozenset[str] | None
    endless: bool = False

    def waits_for(self, earlier: Turn) -> bool:
        """Whether it must wait for a request before it."""
        if earlier.endless or self.sessions == frozenset():
            return False
        if earlier.sessions is None or self.sessions is None:
            return True
        return not self.sessions.isdisjoint(earlier.sessions)


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
    exact = issubclass(takes, Writing) or sessions[0] in existing  # a database is not queried here
    exact = exact or any(os.path.exists(f"{sessions[0]}.{ending}") for ending in ("jsonl", "json"))
    if None in sessions or not exact:
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
