"""The garbage collector, which looks through all there is again and again while much is made."""

from __future__ import annotations

import gc


class Resting:
    """It rests meanwhile, where it was at work: for what makes much, and no circles."""

    def __enter__(self) -> None:
        self.enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            gc.enable()
