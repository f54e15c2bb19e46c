"""Texts that a pattern is to find: every alternative of it, and all pairs of them where these are few."""

import re._constants as kind
import re._parser as parser
from itertools import cycle, islice, product
from math import prod

MOST = 1000  # texts of a part whose alternatives are all combined
_SIGNS = " a9,_"


def matched(pattern):
    """Texts made of the pattern alone: what it asks of their surroundings may not hold, so search them."""
    yield from _texts(parser.parse(pattern))


def _texts(parts):
    options = [_options(*part) for part in parts]
    if prod(map(len, options)) <= MOST:
        return ["".join(texts) for texts in product(*options)]
    longest = max(map(len, options))
    return [
        "".join(texts) for texts in zip(*(islice(cycle(some), longest) for some in options), strict=True)
    ]


def _options(op, given):
    """What may stand where a part of a pattern stands."""
    if op is kind.LITERAL:
        return [chr(given)]
    if op is kind.BRANCH:
        return [text for some in given[1] for text in _texts(some)]
    if op is kind.SUBPATTERN:
        return _texts(given[3])
    if op in (kind.MAX_REPEAT, kind.MIN_REPEAT, kind.POSSESSIVE_REPEAT):
        least, most, some = given
        return [text * count for count in {least, min(most, least + 1)} for text in _texts(some)]
    if op in (kind.IN, kind.ANY, kind.NOT_LITERAL):
        return _signs(op, given)
    return [""]  # it asks something of the place


def _signs(op, given):
    named = [chr(sign) for what, sign in given if what is kind.LITERAL] if op is kind.IN else []
    if named and given[0][0] is not kind.NEGATE:
        return named
    return [sign for sign in _SIGNS if sign not in named]
