"""A file of another program as the lines of the session that it is, and what was wrong in it."""

import os

import orjson
import pytest

from codeh_history.base.errors import BadData
from codeh_history.programs.model import Problem
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.store.program_files import translated
from codeh_history.store.program_files.translated import each, is_told
from program_files import Claude, written


def of(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return translated.of_file(fd, str(path))
    finally:
        os.close(fd)


def talk():
    made = Claude()
    made.user("u1", "hi")
    made.said("a1", "ho")
    return made


def texts(data):
    return [message.parts for message in fold(parse(lines_of(data))).messages]


def test_from_a_file_or_a_pipe_it_is_the_same_session(tmp_path):
    path = written(tmp_path / "s.jsonl", talk().lines)
    found, piped = of(path), translated.of_bytes(path.read_bytes())
    assert found is not None
    assert piped is not None
    assert texts(found) == texts(piped) == [[{"text": "hi"}], [{"text": "ho"}]]
    assert found.damage == piped.damage == []
    headers = [orjson.loads(data.partition(b"\n")[0])["imported"]["path"] for data in (found, piped)]
    assert headers == [str(path), "-"]
    assert [texts(data) for data in each(str(path))] == [texts(found)]


@pytest.mark.parametrize("data", [b"", b"text\n", b'{"role":"user","parts":[]}\n', b"[]"])
def test_what_is_no_programs_is_none(tmp_path, data):
    (tmp_path / "f").write_bytes(data)
    assert of(tmp_path / "f") is None
    assert list(each(str(tmp_path / "f"))) == []


def test_of_many_sessions_none_is_taken_for_all(tmp_path):
    lines = [{"messages": [{"role": "user", "content": text}]} for text in ("one", "two")]
    path = written(tmp_path / "batch.jsonl", lines)
    with pytest.raises(
        BadData, match=r"more than one session of openai-jsonl; `codeh-history import` them"
    ):
        of(path)
    assert [texts(data) for data in each(str(path))] == [[[{"text": "one"}]], [[{"text": "two"}]]]


def test_what_was_skipped_or_mended_is_told_with_its_line(tmp_path):
    made = talk()
    path = written(tmp_path / "s.jsonl", [made.lines[0], b"{damage", made.lines[1]])
    found = of(path)
    assert found is not None
    assert [(damage.line, damage.offset) for damage in found.damage] == [(2, -1)]
    assert len(texts(found)) == 2


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (Problem(1, "skips", "not JSON"), True), (Problem(1, "forgets", "a parent"), False), (Problem(1, "forgets", "a parent", "its place"), True),
        (Problem(9, "skips", "torn last line"), False),
    ],
)  # fmt: skip
def test_a_reader_tells_what_it_did_not_read_as_it_stands(problem, *, told):
    assert is_told(problem) == told
