"""Every fuzz target on its seeds and on what becomes of them; `make fuzz` searches for as long as it is given."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from length import examples

sys.path.insert(0, str(Path(__file__).parent))
from targets import SEEDS, TARGETS

TOKENS = [
    b"\n",
    b"\0",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"\\u",
    b"\xff",
    b"\xed\xa0\x80",
    b"data: ",
    b"\r",
    b"1e400",
]
EXAMPLES = {"commands": 40, "given": 40}


@st.composite
def changed(draw, seeds):
    """A seed, or two spliced, with some pieces cut out, doubled or put in."""
    data = draw(st.sampled_from(seeds))
    if draw(st.booleans()):
        other = draw(st.sampled_from(seeds))
        data = data[: draw(st.integers(0, len(data)))] + other[draw(st.integers(0, len(other))) :]
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 20)))
        new = draw(st.sampled_from([b"", data[start:end] * 2, *TOKENS]) | st.binary(max_size=4))
        data = data[:start] + new + data[end:]
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_breaks_it(name):
    for seed in SEEDS[name]:
        TARGETS[name](seed)
    TARGETS[name](b"")

    @given(changed(SEEDS[name]) | st.binary(max_size=64))
    @settings(max_examples=examples(EXAMPLES.get(name, 100)))
    def search(data):
        TARGETS[name](data)

    search()
