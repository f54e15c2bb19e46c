"""The official clients' types as judges of structure: unknown keys forbidden, lazy fields consumed."""

import sys
from collections.abc import Iterable
from functools import cache
from typing import get_args, get_origin

from pydantic import ConfigDict, TypeAdapter
from typing_extensions import get_type_hints, is_typeddict  # the clients' types are of these

FORBID = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def validator(type, *, open=("InputSchemaTyped",)):
    """A function that raises ValidationError for what this TypedDict does not allow."""
    _forbid(type, set(), set(open))
    adapter = TypeAdapter(type)

    def check(value):
        _consume(adapter.validate_python(value))

    return check


def _forbid(type, seen, open):
    """Let pydantic refuse unknown keys of this TypedDict and of all it refers to."""
    if is_typeddict(type):
        if type in seen:
            return
        seen.add(type)
        if type.__name__ not in open:
            type.__pydantic_config__ = FORBID
        for hint in _hints(type).values():
            _forbid(hint, seen, open)
        return
    for inner in get_args(type) if get_origin(type) else ():
        _forbid(inner, seen, open)


@cache
def _hints(type):
    return get_type_hints(type, vars(sys.modules[type.__module__]))


def _consume(value):
    """Walk through a value: `Iterable` fields are checked only as they are read."""
    if isinstance(value, dict):
        for item in value.values():
            _consume(item)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for item in value:
            _consume(item)
