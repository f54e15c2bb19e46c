"""Rewriting a session's lines: what needs no change keeps its bytes, whoever appends meanwhile."""

import pytest
from hypothesis import given

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.session.by_reference import all_ids
from codeh_history.session.records import lines_of, parse
from codeh_history.store.resolve import Target
from codeh_history.views import rewrite
from strategies import files_of
from support import append_text

HEADER = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'


@given(files_of(refs=True))
def test_every_byte_comes_with_the_record_that_the_whole_file_has_there(data):
    found = list(rewrite.records(data))
    assert b"".join(line for line, _ in found) == data
    right = [record.data for record in parse(lines_of(data)).records]
    assert [record.data for _, record in found if record is not None] == right


@given(files_of(refs=True))
def test_what_is_skipped_changes_nothing_for_the_lines_behind_it(data):
    whole = dict(enumerate(rewrite.records(data)))
    for number, (line, record) in enumerate(rewrite.records(data, skip=lambda line: b"delta" in line)):
        assert line == whole[number][0]
        expected = whole[number][1] if b"delta" not in line else None
        assert (record and record.data) == (expected and expected.data)


@given(files_of(refs=True))
def test_all_blocks_that_are_named_are_found_hidden_ones_too(data):
    named = [id for record in parse(lines_of(data)).records for id in all_ids(record.data)]
    assert rewrite.blocks(data) == list(dict.fromkeys(named))


@pytest.fixture
def session(home):
    (home / "sessions").mkdir(parents=True)
    path = home / "sessions" / "s.jsonl"
    path.write_bytes(HEADER + LINE)
    return path


def test_what_is_appended_meanwhile_is_rewritten_too(session):
    seen = []

    def louder(data):
        seen.append(data)
        if len(seen) == 1:
            append_text(session, "y")
        return [data.replace(b'"text":', b'"text" :')]

    assert rewrite.in_place(Env({}), Target(str(session), "-s"), louder)
    assert len(seen) == 2
    assert session.read_bytes() == seen[1].replace(b'"text":', b'"text" :')
    assert session.read_bytes().count(b'"text" :') == 2


def test_what_has_nothing_to_change_stays_the_same_file(session):
    before = session.stat()
    assert not rewrite.in_place(Env({}), Target(str(session), "-s"), lambda data: [data])
    assert session.stat().st_ino == before.st_ino

    def done_already(data):
        """Another does the same, after the first look."""
        session.write_bytes(data.replace(b'"x"', b'"y"'))
        return [data.replace(b'"x"', b'"y"')]

    assert not rewrite.in_place(Env({}), Target(str(session), "-s"), done_already)


def test_damage_is_kept_and_with_strict_nothing_is_rewritten(session):
    session.write_bytes(HEADER + b"{damage\n" + LINE)
    env = Env({})
    env.quiet = True
    target = Target(str(session), "-s")
    with pytest.raises(BadData, match=r"1 damaged line skipped"):
        rewrite.in_place(env, target, lambda _: [b""], strict=True)
    assert rewrite.in_place(env, target, lambda data: [data.replace(b'"x"', b'"y"')])
    assert session.read_bytes() == HEADER + b"{damage\n" + LINE.replace(b'"x"', b'"y"')


@pytest.mark.parametrize(
    ("path", "why"), [("-", "has no file to replace"), ("old.json", "`import` it into")]
)
def test_what_has_no_file_of_ours_is_refused(path, why):
    with pytest.raises(Usage, match=why):
        rewrite.in_place(Env({}), Target(path, "argument"), lambda data: [data])


def test_a_line_ends_as_the_one_it_replaces():
    assert rewrite.ended(b"new", b"old\n") == b"new\n"
    assert rewrite.ended(b"new", b"old") == b"new"
