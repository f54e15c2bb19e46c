"""What orjson's own imports load for uses that are not its: a third of what a short command takes to start.

`dataclasses` loads `copy` and `inspect` (with it `ast`, `dis`, `tokenize`), and `uuid` loads `platform`;
orjson looks into both modules for a type each, which none of these is needed for.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Later(ModuleType):
    """Stands for a module until something is asked of it."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def left_out() -> None:
    """Import orjson without them, in a program of one thread; whoever imports them after it gets them."""
    if "orjson" in sys.modules:
        return
    stands = [_Later(name) for name in ("inspect", "platform", "copy") if name not in sys.modules]
    for module in stands:
        module.__dict__["system"] = lambda: os.uname().sysname  # what `uuid` asks `platform` for
        sys.modules[module.__name__] = module
    import orjson  # noqa: F401

    for module in stands:
        if sys.modules.get(module.__name__) is module:
            del sys.modules[module.__name__]
