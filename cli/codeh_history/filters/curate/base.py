"""What the curation passes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...base.fields import Fields
from ...session.exchanges import IDE_MARKERS

Clean = Callable[[Sequence[str], Sequence[str]], list[str]]  # texts and whose they are → clean texts
Find = Callable[[Sequence[str], Sequence[str]], list[bool]]  # the same → whether something is found in each


class Settings(Fields):
    """How `curate` was asked to work.

    `removers` clean model prose one after the other; `thoughts` is keep, old or all; `unanswered` says
    what becomes of open calls at the end: error (left alone), stub or drop.
    """

    ide_markers: Sequence[str] = IDE_MARKERS
    keep_system: Sequence[Find] = ()
    removers: Sequence[Clean] = ()
    thoughts: str = "keep"
    unanswered: str = "error"
