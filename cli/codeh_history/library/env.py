"""The environment and the options of verbs that a `Session` calls, and the opened session."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import BadData, HistoryError, NotFound
from ..base.input import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any, Self

    from ..base.options import Option, Parsed
    from ..session.model import Json
    from ..session.view import View
    from ..store.resolve import Target


NOT_APPLICABLE = (  # not applicable to a `Session`
    "session", "argument", "words", "new", "quiet", "report", "explain", "json", "jsonl",
)  # fmt: skip
_TYPES: dict[str, Any] = {"bool": bool, "int": int, "float": (int, float)}


class CallerError(BaseException):
    """Carries an exception of the caller's function through this package, which then raises `error`."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class Caller:
    """Runs code of the caller in a `with` block, wrapping its exceptions in CallerError."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception):
            raise CallerError(error) from error


class Call(Env):
    """The environment of one call: empty stdin, no terminal, output collected for the caller.

    As a context manager, it raises failures as `HistoryError`.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ, stdin=-1, stdout=-1, stderr=-1)
        self.named_only = True
        self.input = b""
        self.out: list[bytes] = []
        self.reports: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        if isinstance(error, CallerError):
            raise error.error
        if isinstance(error, Exception) and not isinstance(error, HistoryError):
            failure = self.translated(error)
            if failure is not None:
                raise failure from error

    @property
    def output(self) -> bytes:
        """The verb's output."""
        return b"".join(self.out)

    @property
    def text(self) -> str:
        """The output as text, without its final newline."""
        return self.output.decode().removesuffix("\n")

    @staticmethod
    def enable_gc() -> None:
        """Do nothing: garbage collection is up to the caller."""

    def draw(self, data: bytes | memoryview) -> None:
        self.out.append(bytes(data))

    def report(self, text: bytes, *, drawn: bool = False) -> None:  # noqa: ARG002
        self.reports.append(text)

    def warn(self, text: str) -> None:
        """Send a note to the logger `codeh_history`, if the program uses `logging`."""
        import sys

        if "logging" in sys.modules:
            import logging

            logging.getLogger("codeh_history").info(text)

    def read_stdin(self) -> bytes:
        return self.input


class OpenSession:
    """An opened session: its name and path, and the environment variables when it was opened."""

    def __init__(self, environ: dict[str, str], name: str, *, create: bool) -> None:
        from ..store import resolve
        from ..store.paths import SERVER, is_path

        if (is_path(name) or "/" in name) and not name.startswith(SERVER):
            name = os.path.abspath(name)
        with Call(environ) as call:
            target = (resolve.for_writing if create else resolve.for_reading)(call, name)
        self.environ = environ
        self.name = name if "/" in name else target.id
        self.create = create
        self.path = target.path
        self.call()

    def call(self) -> Call:
        """Return an environment for one call; NotFound if the session is missing and not to be created."""
        if not self.create and not self.exists:
            from ..store.paths import hint

            raise NotFound(f"{self.path}: no such session{hint(self.path)}")
        return Call(self.environ)

    @property
    def exists(self) -> bool:
        from ..store.paths import exists

        return exists(self.path)

    @property
    def target(self) -> Target:
        from ..store.resolve import Target

        return Target(self.path, "library")

    def run(self, verb: str, options: Json, **fixed: Any) -> Call:
        """Run a verb; return its environment, which has the output."""
        from ..commands import module_of

        module = module_of(verb)
        with self.call() as call:
            module.run(call, read(module.Options, options, session=self.name, **fixed))
            return call

    def view(self, call: Call) -> View:
        """Return the session's view; empty before the first append."""
        from ..views.view import view_of

        return view_of(call, self.target, None if self.exists else b"")


def copy_of(value: Json) -> Json:
    """Return a deep copy, which the caller may change."""
    import orjson

    copy: Json = orjson.loads(orjson.dumps(value))
    return copy


# -- keyword arguments, which are named like the flags ------------------------------------------------


def read(takes: type[Parsed], arguments: dict[str, Any], **fixed: object) -> Parsed:
    """Build a verb's options from the caller's arguments and from `fixed` ones.

    Arguments have Python values: a flag that takes JSON also accepts any value, a repeatable one a single
    item, and one that takes `@FILE` a `Path`; a string is always literal text, even if it begins with `@`.
    Raises TypeError for an unknown option or a wrong type, Usage for an invalid value.
    """
    values = dict(fixed)
    for name, value in arguments.items():
        if name not in takes.DEFAULTS or name in fixed or name in NOT_APPLICABLE:
            raise TypeError(f"no such option: {name}")
        if value is None or (isinstance(value, (list, tuple)) and not value):
            continue
        kind, spelled = takes.TYPES[name].removesuffix(" | None"), takes.DECLARED[name]
        if kind == "Sequence[str]":
            if isinstance(value, dict) and "=" in spelled.metavar:
                value = [f"{key}={_json(item)}" for key, item in value.items()]
            several = value if isinstance(value, (list, tuple)) else [value]
            values[name] = [_word(name, item, spelled) for item in several]
        elif kind == "str" or spelled.unit:
            values[name] = _word(name, value, spelled)
        elif not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
            raise TypeError(f"{name}: expected {'True or False' if kind == 'bool' else 'a number'}")
        else:
            values[name] = value
    return takes(**values)


def _word(name: str, value: Any, spelled: Option) -> Any:
    """Convert a value to a flag's word; `remove_cmd` also accepts a function."""
    names_file = "@FILE" in spelled.metavar
    if isinstance(value, str):
        return Text(value) if names_file or name.endswith("_template") else value
    if callable(value) and name == "remove_cmd":
        return value
    if isinstance(value, os.PathLike):
        return f"@{os.fspath(value)}" if names_file else str(value)
    if isinstance(value, (bool, bytes)) or value is None:
        raise TypeError(f"{name}: expected a string")
    a_text = "FILE" in spelled.metavar or "PLAN" in spelled.metavar
    return Text(_json(value)) if a_text else _json(value)


def _json(value: object) -> str:
    return value if isinstance(value, str) else dumped(value).decode()


def dumped(value: object) -> bytes:
    """Return the value as JSON; raise BadData for NaN and infinity, which would become null."""
    import orjson

    data = orjson.dumps(value)
    if b"null" in data:
        import json

        try:
            json.dumps(value, allow_nan=False, default=str)
        except ValueError:
            raise BadData("NaN and infinity are not valid JSON; nothing was stored") from None
    return data


def as_records(message: Any) -> list[Any]:
    """Return the records of an item of a chat interface, or a list of the message itself."""
    from ..programs.forms import history_items

    if not history_items.holds(message):
        return [message]
    records = [
        {key: value for key, value in record.items() if value is not None}
        for record in history_items.records(message, "") or ()
    ]
    if not records or any(record["type"] != "message" for record in records):
        raise BadData("a message is pending or unreadable; nothing was stored")
    return [{key: value for key, value in record.items() if key != "id" or value} for record in records]
