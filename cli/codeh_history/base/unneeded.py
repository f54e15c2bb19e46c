"""What orjson imports for types of which no session holds a value: a quarter of what a short command takes.

It looks into `dataclasses`, `enum`, `json` and `uuid` for a type each. These load `re`, `inspect`, `ast`,
`tokenize` and more; who needs one of them imports it after orjson, and gets it. Of `datetime` it takes what
stands in C, which the module in Python has from there. `dataclasses` then asks
`inspect` about classes without a docstring alone, so that one is loaded when it is asked.
"""

from __future__ import annotations

import sys

from . import Any
from .modules import module


class _Undecodable(ValueError):
    """What orjson raises a subclass of: says and holds what `json.JSONDecodeError` does."""

    def __init__(self, msg: str, doc: str, pos: int) -> None:
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {self.lineno} column {self.colno} (char {pos})")


class _Unused:
    """A type of values that orjson is never given."""


_CAPI = "datetime_CAPI"  # how C code makes times
_ASKED_FOR = {
    "dataclasses": ("_FIELD", _Unused), "enum": ("EnumMeta", _Unused),
    "json": ("JSONDecodeError", _Undecodable), "uuid": ("UUID", _Unused),
}  # fmt: skip


class _Stand(type(sys)):  # type: ignore[misc]
    """Stands for a module of which a type is asked for; any other name is the module's own."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(module(self.__name__), name)


def left_out() -> None:
    """Import orjson without them, in a program of one thread."""
    if "orjson" in sys.modules:
        return
    stands = []
    in_c = module("_datetime")
    asked_for = {**_ASKED_FOR, "datetime": (_CAPI, getattr(in_c, _CAPI, None))}
    for name, (asked, found) in asked_for.items():
        if name not in sys.modules and found is not None:
            stand = sys.modules[name] = _Stand(name)
            stand.__dict__[asked] = found
            stands.append(stand)
    try:
        import orjson  # noqa: F401
    finally:
        for stand in stands:
            if sys.modules.get(stand.__name__) is stand:
                del sys.modules[stand.__name__]
    if "inspect" not in sys.modules:
        sys.modules["inspect"] = _Stand("inspect")
