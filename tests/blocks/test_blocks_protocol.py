"""What is a block's id: sixty-four hexadecimal digits, so that none leads out of a store."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.blocks.protocol import is_block_id

ID = hashlib.sha256(b"x").hexdigest()


@given(st.binary(max_size=9))
def test_a_hash_is_one(data):
    assert is_block_id(hashlib.sha256(data).hexdigest())


@pytest.mark.parametrize(
    "text",
    [
        "",
        ID[:-1],
        f"{ID}0",
        ID.upper().replace("0", "A"),
        f"{ID[:-1]}g",
        f"{ID[:-1]}\n",
        f"../{ID[3:]}",
        f"{ID[:-1]}٣",
        None,
        7,
        [ID],
    ],
)
def test_nothing_else_is(text):
    assert not is_block_id(text)
