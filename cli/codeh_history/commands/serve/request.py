"""Parse requests, and order them: requests for the same session run in order, others in parallel."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Container, Mapping
from contextlib import suppress
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
READ_OTHERS = {"list", "config", "redact", "rescue"}  # verbs that read sessions besides the named one
READ_ALL = ("all", "all_", "calibrated")  # options with the same effect
Id = str | int | None


class Request(NamedTuple):
    """A command to run. `stdin`: None is empty. `environ`: added to serve's; None removes a variable."""

    id: Id
    argv: list[str]
    stdin: bytes | None = None
    cwd: str = ""
    environ: Mapping[str, str | None] = {}
    stream: bool = False


FIELDS: dict[str, tuple[Any, str]] = {  # of a request → type
    "id": (str | int, "a string or an integer"),
    "argv": (list, "a list of strings, the verb first"),
    "stdin": (str, "a string"),
    "stdin64": (str, "a string"),
    "cwd": (str, "a string"),
    "env": (dict, "an object of strings; null removes a variable"),
    "stream": (bool, "true or false"),
}


def read(line: bytes) -> tuple[Id, Request | HistoryError | None]:
    """Parse a line: its id and the request, or what is wrong with it, or None to cancel the request."""
    if len(line) > LONGEST:
        return None, BadData(f"longer than {LONGEST >> 20} MiB")
    value, problem = None, None
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        problem = BadData(f"not a line of JSON: {error}")
        with suppress(orjson.JSONDecodeError):
            # half an emoji, escaped by JavaScript, is not text, but the request has an id
            value = orjson.loads(re.sub(rb"\\.", b"?", line))
    if not isinstance(value, dict):
        return None, problem or BadData("not a JSON object")
    name = "id" if "id" in value else "cancel"
    id = value.get(name)
    if type(id) not in (str, int):
        return None, problem or BadData("id: must be a string or an integer")
    try:
        return id, problem or (None if name == "cancel" else _request(id, value))
    except HistoryError as error:
        return id, error


def _request(id: Id, value: dict[str, Any]) -> Request:
    for name, item in value.items():
        if name not in FIELDS:
            raise BadData(f"{name}: no such field; one of {', '.join(FIELDS)}")
        type, expected = FIELDS[name]
        if item is not None and not isinstance(item, type):
            raise BadData(f"{name}: must be {expected}")
    argv, cwd, environ = value.get("argv") or [], value.get("cwd") or "", value.get("env") or {}
    words = [*argv, cwd, *environ, *(text for text in environ.values() if text is not None)]
    if not argv or not all(isinstance(word, str) and "\0" not in word for word in words):
        raise BadData("argv, cwd and env must contain strings without NUL, argv at least the verb")
    if any(not name or "=" in name for name in environ):
        raise BadData("env: invalid name of a variable")
    verb = next((word for word in argv if word != "--"), "")  # `--` may precede the verb
    if verb in REFUSED:
        raise Usage(f"`serve` does not run {verb}: {REFUSED[verb]}")
    text, coded = value.get("stdin"), value.get("stdin64")
    if text is not None and coded is not None:
        raise BadData("stdin and stdin64 cannot be combined")
    stdin = None if text is None else text.encode()
    try:
        stdin = stdin if coded is None else b64decode(coded, validate=True)
    except ValueError:
        raise BadData("stdin64: not base64") from None
    return Request(id, argv, stdin, cwd, environ, bool(value.get("stream")))


class Scope(NamedTuple):
    """The sessions that a request uses, which decide what it waits for.

    `sessions`: their paths without extensions; None if it may use any.
    `endless`: with --follow, a request waits for others, but none waits for it.
    """

    sessions: frozenset[str] | None
    endless: bool = False

    def waits_for(self, earlier: Scope) -> bool:
        """Whether a request with this scope must wait for an earlier one."""
        if earlier.endless or self.sessions == frozenset():
            return False
        if earlier.sessions is None or self.sessions is None:
            return True
        return not self.sessions.isdisjoint(earlier.sessions)


def scope_of(request: Request, server: Env, existing: Container[str]) -> Scope:
    """The scope of a request; `existing`: sessions in a database, which is not queried here."""
    environ = {**server.environ, **request.environ}
    env = Env({name: value for name, value in environ.items() if value is not None})
    assert server.options_of is not None  # noqa: S101 - set by what runs us
    try:
        options = server.options_of(request.argv)
        if options is not None:
            cwd = os.path.join(server.cwd(), request.cwd)
            sessions = _sessions(request.argv[0], options, env, cwd, existing)
            return Scope(sessions, bool(options.get("follow")))
    except (HistoryError, OSError):
        pass  # running it reports the error
    return Scope(None)


def _sessions(
    verb: str, options: Mapping[str, object], env: Env, cwd: str, existing: Container[str]
) -> frozenset[str] | None:
    declared = module_of(verb).Options
    single = "session" in declared.TYPES and "sessions" not in declared.TYPES  # at most one session
    if verb in READ_OTHERS or not single or any(options.get(name) for name in READ_ALL):
        return None
    name = options.get("argument") or options.get("session")
    if name is None and verb != "search":  # search ignores $CODEH_SESSION
        name = env.environ.get("CODEH_SESSION")
    if name == "-":
        return frozenset()
    first, second = (_session(each, env, cwd) for each in (name, options.get("into") or name))
    exact = issubclass(declared, Writing) or first in existing
    exact = exact or any(os.path.exists(f"{first}.{ending}") for ending in ("jsonl", "json"))
    return frozenset((first, second)) if first and second and exact else None  # it may be a prefix


def _session(name: object, env: Env, cwd: str) -> str | None:
    """A session's path without its extension; None unless the name is exact."""
    if not isinstance(name, str) or not (is_id(name) or is_path(name)):
        return None
    path = path_of(env, name)
    if path.startswith(SERVER):
        return path
    return os.path.realpath(os.path.join(cwd, path)).removesuffix("l").removesuffix(".json")
