"""Modules loaded when they are asked for, and files beside them, without what `importlib` loads itself."""

from __future__ import annotations

import os
import sys

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
