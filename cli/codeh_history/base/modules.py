"""Modules loaded when they are asked for, and files beside them, without what `importlib` loads itself."""

from __future__ import annotations

import os
import sys
from _thread import get_ident

from . import Any


def module(name: str) -> Any:
    """The module of this full name."""
    __import__(name)
    return sys.modules[name]


def contents(file: str) -> bytes:
    """What a file of the package holds, wherever that was installed, in a zip file too; raises OSError."""
    loader: Any = sys.modules[__name__].__loader__
    found: bytes = loader.get_data(
        os.path.join(os.path.dirname(os.path.dirname(__file__)), *file.split("/"))
    )
    return found


def _drop_unfinished() -> None:
    """In a forked child: forget the modules that other threads of its parent were importing.

    Those threads are not here to finish: whoever imports such a module would wait for ever, perhaps with
    a session locked. What `importlib` keeps of running imports has no public name.
    """
    importing: Any = sys.modules["_frozen_importlib"]
    for name, reference in list(importing._module_locks.items()):  # noqa: SLF001
        lock = reference()
        if lock is None or lock.owner in (None, get_ident()):
            continue
        del importing._module_locks[name]  # noqa: SLF001
        spec: Any = getattr(sys.modules.get(name), "__spec__", None)
        if getattr(spec, "_initializing", False):
            for each in [each for each in sys.modules if f"{each}.".startswith(f"{name}.")]:
                del sys.modules[each]


os.register_at_fork(after_in_child=_drop_unfinished)
