"""Modules that are loaded when they are asked for, without what `importlib` loads itself."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


def module(name: str) -> Any:
    """The module of this full name."""
    __import__(name)
    found: ModuleType = sys.modules[name]
    return found
