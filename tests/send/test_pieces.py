"""A body in pieces is the body."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.send.payload import STEP, pieces
from length import examples

_lists = st.builds(
    lambda count, item: [item] * count,
    st.sampled_from([0, 1, STEP, STEP + 1, 2 * STEP, 2 * STEP + 1]),
    st.text(max_size=3),
)
_bodies = st.dictionaries(st.text(max_size=4), _lists | st.integers(0, 9) | st.text(max_size=5), max_size=4)


@settings(max_examples=examples(200))
@given(_bodies)
def test_they_are_its_bytes(body):
    assert b"".join(pieces(body)) == orjson.dumps(body) + b"\n"


def test_a_long_one_is_not_made_at_once():
    body = {"contents": [{"text": "x" * 1000}] * 10 * STEP, "system": "s"}
    assert max(map(len, pieces(body))) < len(orjson.dumps(body)) / 9


def test_what_is_no_json_beside_the_messages_is_found_before_the_first_piece():
    with pytest.raises(TypeError, match="surrogates"):
        next(pieces({"contents": ["x"] * 2 * STEP, "system": "\ud800"}))
