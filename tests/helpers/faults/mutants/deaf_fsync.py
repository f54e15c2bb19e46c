"""A sync that fails is taken for one that did not."""

import os


def deaf(call):
    def heard_nothing(fd):
        try:
            call(fd)
        except OSError:
            pass

    return heard_nothing


def install(name):
    call = getattr(os, name)  # whatever is there when it is called for

    def late(fd):
        deaf(call)(fd)

    setattr(os, name, late)


for name in ("fsync", "fdatasync"):
    install(name)
