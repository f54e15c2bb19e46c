"""A line of stdin: the command line that it asks for, and what goes with it."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as NotBase64
from dataclasses import dataclass, field

import orjson

from ...base.errors import BadData, HistoryError, Usage
from ...base.words import near

LONGEST = 64 << 20  # bytes of a line
REFUSED = {"chat": "it talks with a person", "serve": "it is running"}
FIELDS = ("id", "argv", "stdin", "stdin64", "cwd", "env", "stream", "cancel")

Id = str | int | None


@dataclass(frozen=True)
class Request:
    """What is to be run: `stdin` None is an empty one; `environ` is beside our own, None takes one away."""

    id: Id
    argv: list[str]
    stdin: bytes | None = None
    cwd: str = ""
    environ: dict[str, str | None] = field(default_factory=dict)
    stream: bool = False
    size: int = 0


@dataclass(frozen=True)
class Cancel:
    """That a request shall be ended."""

    id: Id


@dataclass(frozen=True)
class Refusal:
    """A line that asks for nothing that can be done, and whose it is, as far as it says so."""

    id: Id
    error: HistoryError


def read(line: bytes) -> Request | Cancel | Refusal:
    """What a line asks for; `size` is what it holds in memory."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return Refusal(None, BadData("not a line of JSON"))
    if not isinstance(value, dict):
        return Refusal(None, BadData("not a JSON object"))
    id = value.get("id")
    try:
        if "cancel" in value:
            return _cancel(value)
        _see_that_it_is_an_id(id, "id")
        return _request(value, len(line))
    except HistoryError as error:
        return Refusal(id if _is_id(id) else None, error)


def _cancel(value: dict[str, object]) -> Cancel:
    _see_that_it_is_an_id(value["cancel"], "cancel")
    if len(value) > 1:
        raise BadData("cancel goes alone")
    return Cancel(value["cancel"])  # type: ignore[arg-type]  # seen above


def _request(value: dict[str, object], size: int) -> Request:
    for name in value:
        if name not in FIELDS:
            meant = near(name, FIELDS)
            raise BadData(f"{name}: no such field" + (f"; did you mean {meant}?" if meant else ""))
    argv = value.get("argv")
    if not isinstance(argv, list) or not argv or not all(isinstance(word, str) for word in argv):
        raise BadData("argv: a list of texts expected, the verb first")
    environ = value.get("env", {})
    if not isinstance(environ, dict) or not all(
        name and "=" not in name and isinstance(each, str | None) for name, each in environ.items()
    ):
        raise BadData("env: an object expected, of texts by name, null for what is to be left out")
    cwd, stream = value.get("cwd", ""), value.get("stream", False)
    if not isinstance(cwd, str):
        raise BadData("cwd: a text expected")
    if not isinstance(stream, bool):
        raise BadData("stream: true or false expected")
    if any("\0" in text for text in (*argv, cwd, *environ, *filter(None, environ.values()))):
        raise BadData("argv, cwd and env hold no NUL: no process can be given one")
    verb = next((word for word in argv if word != "--"), "")  # which may stand before it
    if verb in REFUSED:
        raise Usage(f"{verb} is not for `serve`: {REFUSED[verb]}")
    return Request(value["id"], argv, _stdin(value), cwd, environ, stream, size)  # type: ignore[arg-type]


def _stdin(value: dict[str, object]) -> bytes | None:
    text, coded = value.get("stdin"), value.get("stdin64")
    if text is not None and coded is not None:
        raise BadData("stdin and stdin64: one of them")
    if isinstance(text, str):
        return text.encode()
    if isinstance(coded, str):
        try:
            return b64decode(coded, validate=True)
        except (NotBase64, ValueError):
            raise BadData("stdin64: not base64") from None
    if text is not None or coded is not None:
        raise BadData(f"{'stdin' if coded is None else 'stdin64'}: a text expected")
    return None


def _see_that_it_is_an_id(value: object, name: str) -> None:
    if not _is_id(value):
        raise BadData(f"{name}: a text or an integer expected")


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
