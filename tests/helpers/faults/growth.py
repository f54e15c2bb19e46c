"""Measure whether time grows linearly with the input, on a machine that also runs other things."""

from typing import NamedTuple

from faults.profiles import by_profile

TIMES = 8  # how much larger the larger input is: work that is linear takes 8 times as long, quadratic 64
MOST = by_profile(
    24, 24, 14
)  # between the two; at length closer, as is 6 times as long for 4 times as much
A_MEGABYTE = 5.0  # seconds; looked at where nothing else is to run, at length
SHORTEST = 0.05  # seconds that are too few to be compared
ROUNDS = 4  # a time is the least of as many, before too much is believed


class Grown(NamedTuple):
    """`linear`: whether time grew like the input; `seconds`: the time for the larger input."""

    linear: bool
    seconds: float
    told: str


def grown(seconds, small):
    """Whether TIMES `small` takes at most some TIMES as long.

    `seconds(n)`: the processor time of one run with n. A neighbour can make a run slower, never faster: the
    least of the rounds is compared, and a first round that is good enough is believed.
    """
    less = more = float("inf")
    for _ in range(ROUNDS):
        less, more = min(less, seconds(small)), min(more, seconds(TIMES * small))
        if more < MOST * max(less, SHORTEST):
            return Grown(linear=True, seconds=more, told="")
    return Grown(linear=False, seconds=more, told=f"{small}: {less:.3f} s, {TIMES * small}: {more:.3f} s")
