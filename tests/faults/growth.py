"""Does work grow in proportion to what it is given? Asked of a machine on which other things run too."""

from __future__ import annotations

from collections.abc import Callable

TIMES = 8  # how much larger the larger input is: work that is linear takes 8 times as long, quadratic 64
MOST = 24  # between the two, with as much room on either side
SHORTEST = 0.05  # seconds that are too few to be compared
ROUNDS = 4  # a time is the least of as many, before too much is believed


def grows_linearly(seconds: Callable[[int], float], small: int) -> tuple[bool, str]:
    """Whether TIMES `small` takes at most some TIMES as long, and what was measured.

    `seconds(n)`: the processor time of one run with n. A neighbour can make a run slower, never faster: the
    least of the rounds is compared, and a first round that is good enough is believed.
    """
    less = more = float("inf")
    for _ in range(ROUNDS):
        less, more = min(less, seconds(small)), min(more, seconds(TIMES * small))
        if more < MOST * max(less, SHORTEST):
            return True, ""
    return False, f"{small}: {less:.3f} s, {TIMES * small}: {more:.3f} s"
