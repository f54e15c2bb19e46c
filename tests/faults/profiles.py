"""How long the harnesses take, and what they note of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

PROFILE = os.environ.get("FAULTS") or "short"  # short (make test), medium (make test-faults), long

Tally = Callable[..., None]  # (fault, tries, lost=0, torn=0)


def by_profile(short: Any, medium: Any, long: Any) -> Any:
    """What this run takes."""
    return {"short": short, "medium": medium, "long": long}[PROFILE]
