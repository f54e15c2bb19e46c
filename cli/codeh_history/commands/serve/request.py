"""Parse requests: a command line, its stdin, directory and environment."""

from __future__ import annotations

from base64 import b64decode
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
    """A command to run. `stdin`: None is empty. `environ`: added to serve's; None removes a variable."""

    id: Id
    argv: list[str]
    stdin: bytes | None = None
    cwd: str = ""
    environ: dict[str, str | None] = field(default_factory=dict)
    stream: bool = False


@dataclass(frozen=True)
class Cancel:
    """A request to cancel another."""

    id: Id


@dataclass(frozen=True)
class Refusal:
    """An invalid request; `id` None if it has no valid id."""

    id: Id
    error: HistoryError


def read(line: bytes) -> Request | Cancel | Refusal:
    """Parse a line."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return Refusal(None, BadData("not a line of JSON"))
    if not isinstance(value, dict):
        return Refusal(None, BadData("not a JSON object"))
    name = "cancel" if list(value) == ["cancel"] else "id"
    id = value.get(name)
    if not isinstance(id, str | int) or isinstance(id, bool):
        return Refusal(None, BadData(f"{name}: a text or an integer expected"))
    if name == "cancel":
        return Cancel(id)
    try:
        return _request(id, value)
    except HistoryError as error:
        return Refusal(id, error)


def _request(id: Id, value: dict[str, object]) -> Request:
    if "cancel" in value:
        raise BadData("cancel goes alone")
    for name in value:
        if name not in FIELDS:
            meant = near(name, FIELDS)
            raise BadData(f"{name}: no such field" + (f"; did you mean {meant}?" if meant else ""))
    argv, cwd, stream = value.get("argv"), value.get("cwd", ""), value.get("stream", False)
    environ = value.get("env", {})
    if not isinstance(argv, list) or not argv or not all(isinstance(word, str) for word in argv):
        raise BadData("argv: a list of texts expected, the verb first")
    if not isinstance(environ, dict) or not all(
        name and "=" not in name and isinstance(each, str | None) for name, each in environ.items()
    ):
        raise BadData("env: an object expected, of texts by name, null for what is to be left out")
    if not isinstance(cwd, str):
        raise BadData("cwd: a text expected")
    if not isinstance(stream, bool):
        raise BadData("stream: true or false expected")
    if any("\0" in text for text in (*argv, cwd, *environ, *filter(None, environ.values()))):
        raise BadData("argv, cwd and env hold no NUL: no process can be given one")
    verb = next((word for word in argv if word != "--"), "")  # `--` may precede the verb
    if verb in REFUSED:
        raise Usage(f"{verb} is not for `serve`: {REFUSED[verb]}")
    return Request(id, argv, _stdin(value.get("stdin"), value.get("stdin64")), cwd, environ, stream)


def _stdin(text: object, coded: object) -> bytes | None:
    if text is not None and coded is not None:
        raise BadData("stdin and stdin64: one of them")
    if not isinstance(text, str | None) or not isinstance(coded, str | None):
        raise BadData(f"{'stdin64' if text is None else 'stdin'}: a text expected")
    if coded is None:
        return None if text is None else text.encode()
    try:
        return b64decode(coded, validate=True)
    except ValueError:
        raise BadData("stdin64: not base64") from None
