"""Lazy or cheap substitutes for standard modules, because a plain `append` takes only milliseconds."""

from __future__ import annotations

import os
import sys
from _thread import get_ident

from . import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Fields:
    """Immutable named fields, like a frozen dataclass but without its import and creation time."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def but(self, **values: Any) -> Self:
        """Return a copy with some values replaced."""
        return type(self)(**(vars(self) | values))


class Pattern:
    """A regular expression compiled on first use: importing `re` takes a fifth of a short command."""

    def __init__(self, text: str | bytes) -> None:
        self.text = text

    def __getattr__(self, name: str) -> Any:
        import re

        attribute = getattr(re.compile(self.text), name)
        setattr(self, name, attribute)  # so that the next lookup is direct
        return attribute


def module(name: str) -> Any:
    """Import a module by its full name, without `importlib`."""
    __import__(name)
    return sys.modules[name]


def load_orjson() -> None:
    """Import orjson with signals blocked, because an exception within its imports crashes the process."""
    import signal

    waiting = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        import orjson  # noqa: F401
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def contents(file: str) -> bytes:
    """Read a file of the package; raises OSError."""
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), file), "rb") as opened:
        return opened.read()


def _drop_unfinished() -> None:
    """In a forked child, drop the modules that other threads of the parent were importing.

    Those threads do not exist in the child, so importing such a module would wait forever, possibly with
    a session locked. `importlib` has no public interface for imports in progress.
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
