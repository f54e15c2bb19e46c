"""The end of a big log is the end of its view."""

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.commands.show import numbered
from codeh_history.store.resolve import Target
from plain_logs import plain_files

QUIET = Env(stderr=99)


@given(data=some.files_of() | plain_files(), last=st.integers(1, 5))
def test_the_end_of_a_big_log(data, last, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    target = Target(str(path), "")
    small = numbered.read(QUIET, target, last=last).messages
    with mock.patch.object(numbered, "BIG", 0):
        big = numbered.read(QUIET, target, last=last).messages
    as_json = numbered.message_json
    assert [as_json(*found) for found in big] == [as_json(*found) for found in small]
    everything = numbered.read(QUIET, target).messages
    assert [as_json(*found) for found in small] == [as_json(*found) for found in everything[-last:]]


def test_damage_of_a_big_log_is_told(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"role":"user","parts":[]}\nno json\n{"role":"user","parts":[]}\n')
    with mock.patch.object(numbered, "BIG", 0), pytest.raises(BadData, match=r"line 2, byte 27"):
        numbered.read(QUIET, Target(str(path), ""), last=1, strict=True)


def test_a_file_without_a_record_is_no_session(tmp_path):
    path = tmp_path / "s.jsonl"
    target = Target(str(path), "")
    path.write_text("no json\n7\n")
    with pytest.raises(BadData, match=r"s\.jsonl: not a session: none of its lines is a record$"):
        numbered.read(QUIET, target)
    path.write_text('{"type":"sess')  # a header that was being written
    assert numbered.read(QUIET, target).messages == []
