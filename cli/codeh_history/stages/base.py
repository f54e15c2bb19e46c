"""What the curation passes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from re import Pattern

from ..turns import IDE_MARKERS

Clean = Callable[[str], str]


@dataclass(frozen=True)
class Settings:
    """How `curate` was asked to work.

    `removers` clean model prose one after the other; `thoughts` is keep, old or all; `unanswered` says
    what becomes of open calls at the end: error (left alone), stub or drop.
    """

    ide_markers: Sequence[str] = IDE_MARKERS
    keep_system: Sequence[Pattern[str]] = ()
    removers: Sequence[Clean] = field(default_factory=tuple)
    thoughts: str = "keep"
    unanswered: str = "error"
