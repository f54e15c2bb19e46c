"""Build each encoding once per process: it takes a third of a second, and each test has a home of its own."""

from functools import cache


def share_encodings():
    """Share the encodings built from the same tokens; tokens are still read and cached for each home."""
    from codeh_history.tokens import vocabulary

    build, known = vocabulary.build_encoding, {}

    def built(name, ranks):
        key = name, hash((*ranks, *ranks.values()))  # comparing them would copy all of them in a fork
        if key not in known:
            known[key] = build(name, ranks)
        return known[key]

    vocabulary.build_encoding, vocabulary.parse_ranks = built, cache(vocabulary.parse_ranks)
