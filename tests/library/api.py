"""The types of `Session`, written out for editors and type checkers: `make generate` writes
codeh_history/__init__.pyi.

Names, order and defaults are those of the methods and of the verbs' options; no list of them is kept here.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import codeh_history
from codeh_history.base.options import OptionSet
from codeh_history.commands import module_of
from codeh_history.library.env import NOT_APPLICABLE
from codeh_history.library.session import OTHER_METHODS, Session

FILE = Path(codeh_history.__file__).with_suffix(".pyi")
HEAD = """\
# Written by `make generate` from the methods and the verbs' options (tests/library/api.py); do not edit.
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self, TypeAlias, overload

from .base.errors import (
    BadData,
    BudgetUnreachable,
    HistoryError,
    InputOutput,
    NegativeAnswer,
    NotFound,
    ProviderRefused,
    SummarizerFailed,
    TryAgain,
    Usage,
)
from .library.stream import Answer, Filtered, Stream
from .session.view import View

__version__: str
__all__ = [
    "Answer",
    "BadData",
    "BudgetUnreachable",
    "Filtered",
    "HistoryError",
    "InputOutput",
    "NegativeAnswer",
    "NotFound",
    "ProviderRefused",
    "Session",
    "Stream",
    "SummarizerFailed",
    "TryAgain",
    "Usage",
    "__version__",
]

Json: TypeAlias = dict[str, Any]
Texts: TypeAlias = str | Sequence[str]
File: TypeAlias = str | PathLike[str]
Amount: TypeAlias = int | str

class Model(Protocol):  # an object of a provider's client: a pydantic model
    def model_dump_json(self, *, by_alias: bool, exclude_none: bool) -> str: ...

Response: TypeAlias = bytes | str | Mapping[str, Any] | Iterable[bytes | str] | Model
Value: TypeAlias = str | Mapping[str, Any] | Sequence[Any] | float | bool | None
Told: TypeAlias = Callable[[str], object]
Remover: TypeAlias = str | Callable[[str], str]
AsyncRemover: TypeAlias = Callable[[str], Awaitable[str]]

class Session:
"""
PRIVATE = (
    "Json",
    "Texts",
    "File",
    "Amount",
    "Model",
    "Response",
    "Value",
    "Told",
    "Remover",
    "AsyncRemover",
)
RETURNS = {  # of what may be awaited: what it is in the end
    "append_response": "str", "ask": "Answer", "calls": "list[Json]", "summarize": "Json | None",
    "curate": "Filtered", "payload": "bytes",
}  # fmt: skip
TAKES = {  # what is taken in whose place: plain, and async
    "append_response": ("response", "Response", "AsyncIterable[bytes | str] | Awaitable[Response]"),
    "ask": ("via", "str | Callable[[bytes], Response] | None",
            "Callable[[bytes], Awaitable[Response | AsyncIterable[bytes | str]]] | Callable[[bytes], AsyncIterable[bytes | str]]"),
    "calls": ("via", "str | Callable[[Json], Value] | None", "Callable[[Json], Awaitable[Value]]"),
    "summarize": ("via", "str | Callable[[str], str] | Callable[[bytes], Response] | None",
                  "Callable[[str], Awaitable[str]] | Callable[[bytes], Awaitable[Response]]"),
    **dict.fromkeys(("curate", "payload"), (
        "remove_cmd", "Remover | Sequence[Remover] | None", "AsyncRemover | Sequence[AsyncRemover]")),
}  # fmt: skip
FIXED = {  # of a verb's options, what a method has no use for
    "append": tuple(OTHER_METHODS), "ask": ("no_stdin", "id", "echo"), "summarize": ("all_", "jobs", "emit", "apply", "in_place", "jsonl"),
    "export": ("all",),
}  # fmt: skip
NAMES = {
    "Callable[[str], object] | None": "Told | None", "str | os.PathLike[str]": "File",
    "str | os.PathLike[str] | None": "File | None", "int | str | None": "Amount | None",
}  # fmt: skip


def text() -> str:
    """The whole stub."""
    lines = [line for name, member in vars(Session).items() for line in _member(name, member)]
    ruff = [str(Path(sys.executable).with_name("ruff")), "format", "--stdin-filename", str(FILE), "-"]
    stub = re.sub(rf"\b({'|'.join(PRIVATE)})\b", r"_\1", HEAD + "\n".join(lines) + "\n")
    return subprocess.run(ruff, input=stub, capture_output=True, text=True, check=True).stdout


def _member(name: str, member: Any) -> Iterator[str]:
    if name.startswith("_") and name not in ("__enter__", "__exit__"):
        return
    if isinstance(member, property) and member.fget is not None:
        yield "    @property"
        yield f"    def {name}(self) -> {inspect.signature(member.fget).return_annotation}: ..."
    elif isinstance(member, classmethod):
        yield "    @classmethod"
        yield from _method(name, inspect.signature(member.__func__), "")
    elif name in TAKES:
        _, *kinds = TAKES[name]
        for kind, returns in zip(
            reversed(kinds), (f"Awaitable[{RETURNS[name]}]", RETURNS[name]), strict=True
        ):
            yield "    @overload"
            yield from _method(name, inspect.signature(member), kind, returns)
    else:
        yield from _method(name, inspect.signature(member), "")


def _method(name: str, signature: inspect.Signature, kind: str, returns: str = "") -> Iterator[str]:
    """A method's lines; `kind`: the type of what may be plain or async."""
    yield f"    def {name}("
    keyword = False
    for each in signature.parameters.values():
        if each.kind is each.VAR_KEYWORD:
            if not keyword:
                yield "        *,"
            takes = module_of(name).Options
            omitted = {*signature.parameters, *FIXED.get(name, ()), *NOT_APPLICABLE}
            for option in takes.DEFAULTS:
                type_ = kind if kind and option == TAKES[name][0] else f"{_type(takes, option)} = ..."
                if option not in omitted:
                    yield f"        {option}: {type_}{' = ...' if type_ == kind and 'None' in kind else ''},"
            continue
        if each.kind is each.KEYWORD_ONLY and not keyword:
            keyword = True
            yield "        *,"
        type = (
            f": {NAMES.get(each.annotation, each.annotation)}" if each.annotation is not each.empty else ""
        )
        default = (
            "" if each.default is each.empty else f" = {each.default!r}" if type else f"={each.default!r}"
        )
        if kind and each.name == TAKES[name][0]:
            type, default = f": {kind}", default if "None" in kind else ""
        yield f"        {each.name}{type}{default},"
    yield f"    ) -> {returns or signature.return_annotation}: ..."


def _type(takes: type[OptionSet], name: str) -> str:
    """What an option may be in Python."""
    if name == "remove_cmd":
        return "Remover | Sequence[Remover] | None"
    declared, metavar = takes.TYPES[name], takes.DECLARED[name].metavar
    if declared.startswith("Sequence"):
        item = "Mapping[str, Any] | str" if metavar == "JSON" else "str"
        item = "File" if metavar.startswith("FILE") else item
        several = "Mapping[str, Any] | " if "=" in metavar else ""
        return f"{several}{item} | Sequence[{item}] | None"
    if takes.DECLARED[name].unit:
        return "Amount | None"
    if not declared.startswith("str"):
        return declared if "None" in declared else f"{declared} | None"
    if metavar == "@FILE":
        return "PathLike[str] | str | Sequence[Json] | Json | None"
    if not {"FILE", "@FILE", "PLAN"}.isdisjoint(metavar.split("|")):
        more = {"references": " | Sequence[Json]", "exchange": " | Json", "apply": " | Json"}
        return f"File{more.get(name, '')} | None"
    return "str | None"


if __name__ == "__main__":
    FILE.write_text(text())
