"""The parts of a reply, made of what providers send, whatever shape it has."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.providers.parts import joined
from codeh_history.session.model import Part
from codeh_history.session.view import join

_parts = st.lists(
    st.builds(lambda text, more: {"text": text, **more}, st.text(max_size=3), st.sampled_from(
        [{}, {}, {"thought": True}, {"thought": False}, {"thoughtSignature": "s"}, {"refusal": True}]
    )) | st.just({"functionCall": {"name": "f", "args": {}}})
)  # fmt: skip


@given(_parts)
def test_joining_at_the_end_is_joining_on_the_way(parts: list[Any]) -> None:
    step: list[Part] = []
    for part in parts:
        step = join(step, [part])
    assert joined(parts) == step
