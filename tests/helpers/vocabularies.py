"""Encodings built once a process: each takes a third of a second, and each home of a test would have its own."""

from functools import cache


def keep():
    """From now on the same tokens are the same encoding; they are read, and kept in folders, as ever."""
    from codeh_history.tokens import vocabulary

    build, known = vocabulary.built, {}

    def built(name, ranks):
        key = (
            name,
            hash((*ranks, *ranks.values())),
        )  # to compare them would copy, in a fork, all that is known
        if key not in known:
            known[key] = build(name, ranks)
        return known[key]

    vocabulary.built, vocabulary.ranks_of = built, cache(vocabulary.ranks_of)
