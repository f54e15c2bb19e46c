"""How long the harnesses take, and what they note of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from length import FAULTS, by_length

PROFILE = FAULTS

Tally = Callable[..., None]  # (fault, tries, lost=0, torn=0)

by_profile = partial(by_length, run=PROFILE)
