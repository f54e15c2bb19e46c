"""How long the harnesses take, and what they note of it."""

from functools import partial

from length import FAULTS, by_length

PROFILE = FAULTS


by_profile = partial(by_length, run=PROFILE)


def sampled(items):
    """All of them; in the short profile each third."""
    every = list(items)
    return by_profile(every[::3], every, every)
