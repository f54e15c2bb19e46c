"""JSON text without a JSON library."""

from __future__ import annotations

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from codeh_history.base.quote import quote


@given(text=st.text())
@example('\\"\b\f\n\r\t\0\x1f\x7f\u2028')
def test_the_quoter_writes_what_the_json_library_writes(text: str) -> None:
    assert quote(text).encode() == orjson.dumps(text)
