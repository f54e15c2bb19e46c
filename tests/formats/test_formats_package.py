"""Every form of the table writes any session, empty ones and odd ones too, and says what has no place in it."""

import pytest
from hypothesis import given

from codeh_history.formats import EXPORTERS, Exported, export
from histories import conversations
from strategies import records, view_of


@pytest.mark.parametrize("form", EXPORTERS)
@given(log=records())
def test_any_session_can_be_written(form, log):
    found = export(view_of(log), form)
    assert isinstance(found, Exported)
    assert type(found.data) is bytes
    assert found.data.endswith(b"\n") or not found.data
    assert all(count >= 0 for count in found.left.values())


@pytest.mark.parametrize("form", EXPORTERS)
@given(log=conversations(whole=True))
def test_the_same_session_is_written_in_the_same_bytes(form, log):
    view = view_of([{"type": "message", **record} for record in log])
    assert export(view, form).data == export(view, form).data


@pytest.mark.parametrize("form", EXPORTERS)
def test_2026_11_23_a_picture_without_its_data_ended_a_trajectory(form):
    parts = [
        {"text": "see"},
        {"inlineData": {"mimeType": "image/png"}},
        {"inlineData": {"mimeType": "image/png", "data": 7}},
    ]
    found = export(
        view_of([{"type": "message", "id": "a", "kind": "user", "role": "user", "parts": parts}]), form
    )
    assert b"see" in found.data or form == "refs"


def test_so_many_exchanges_may_be_asked_for():
    log = [
        {"type": "message", "id": id, "kind": "user", "role": "user", "parts": [{"text": id}]}
        for id in "abc"
    ]
    assert export(view_of(log), "exchanges", 1).data.count(b"userMessage") == 1
    assert export(view_of(log), "exchanges").data.count(b"userMessage") == 3
