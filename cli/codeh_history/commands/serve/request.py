"""Parse requests, and order them: requests for the same session run in order, others in parallel."""

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
READ_OTHERS = {"list", "config", "redact", "rescue"}  # verbs that read sessions besides the named one
READ_ALL = ("all", "all_", "calibrated")  # options with the same effect


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
        try:  # half an emoji, escaped by JavaScript, is not text, but the request has an id
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


def scope_of(
    verb: str, options: Mapping[str, object] | None, env: Env, cwd: str, existing: Container[str]
) -> Scope:
    """The scope of a command; `options`: None if they do not parse; `existing`: database sessions."""
    if options is None:
        return Scope(None)
    declared, endless = module_of(verb).Options, bool(options.get("follow"))
    single = "session" in declared.TYPES and "sessions" not in declared.TYPES  # at most one session
    if verb in READ_OTHERS or not single or any(options.get(name) for name in READ_ALL):
        return Scope(None, endless)
    name = options.get("argument") or options.get("session")
    if name is None and verb != "search":  # search ignores $CODEH_SESSION
        name = env.environ.get("CODEH_SESSION")
    if name == "-":
        return Scope(frozenset(), endless)
    names = [name, options["into"]] if options.get("into") else [name]
    sessions = [_session(each, env, cwd) for each in names]
    exact = issubclass(declared, Writing) or sessions[0] in existing  # a database is not queried here
    exact = exact or any(os.path.exists(f"{sessions[0]}.{ending}") for ending in ("jsonl", "json"))
    if None in sessions or not exact:
        return Scope(None, endless)  # it may be a prefix
    return Scope(frozenset(map(str, sessions)), endless)


def _session(name: object, env: Env, cwd: str) -> str | None:
    """A session's path without its extension; None unless the name is exact."""
    if not isinstance(name, str) or not (is_id(name) or is_path(name)):
        return None
    path = path_of(env, name)
    if path.startswith(SERVER):
        return path
    path = os.path.realpath(os.path.join(cwd, path))
    return path.removesuffix("l").removesuffix(".json")
