"""What holds for every program's and format's files, whatever happened to them."""

import os
import tempfile
from contextlib import suppress
from itertools import islice

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.base.errors import BadData
from codeh_history.programs import records, registry
from codeh_history.programs.protocol import Head
from codeh_history.programs.records import changes
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.store.program_files import File, head_of, sessions_in, translated
from length import examples
from program_files import SAMPLES, SESSION, changed, odd
from program_formats import FORMATS, lined
from support import ROOT

PROGRAMS = pytest.mark.parametrize("program", SAMPLES)
EACH_FORMAT = pytest.mark.parametrize("format", FORMATS)
KINDS = ("content_type", "type", "role", "sender", "from", "source", "name", "id", "uuid")


def sessions_of(program, data):
    """The sessions in a file with these bytes, open meanwhile: they are read, or the file is refused."""
    registry.detect_program(head_of(data))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{SESSION}.jsonl")
        with open(path, "wb") as file:
            file.write(data)
        with open(path, "rb") as file, suppress(BadData):
            yield from sessions_in(File(file.fileno(), path), program.partition(" ")[0])


def as_lines(session):
    """A copy of a session, which reads back without damage, and lacks nothing."""
    made = translated.lines(session, "p")
    log = parse(made)
    assert not log.damage
    assert not changes(session, fold(log)).records
    return made


def test_each_program_has_a_file_and_is_documented():
    """Antigravity is recognised but not read."""
    page = (ROOT / "docs" / "programs.md").read_text()
    assert [name for name in registry.PROGRAMS if f"`{name}`" not in page] == []
    assert {*SAMPLES, *(name.partition(" ")[0] for name in FORMATS)} == registry.PROGRAMS.keys() - {
        "antigravity"
    }


def content(format):
    values, written = FORMATS[format]
    return written(values())


def whole(program):
    return [orjson.dumps(line) + b"\n" for line in SAMPLES[program]()]


@st.composite
def damaged(draw, lines):
    """The lines, some lost, doubled, moved, torn or of other types."""
    some = draw(
        st.lists(st.sampled_from(lines), max_size=2 * len(lines)) if draw(st.booleans()) else st.just(lines)
    )
    made = []
    for line in some:
        kind = draw(st.sampled_from(("whole",) * 6 + ("torn", "joined", "twice", "lost", "other")))
        made += {
            "whole": [line], "torn": [line[: len(line) // 2] + b"\n"], "joined": [line[: len(line) // 2]],
            "twice": [line, line], "lost": [],
            "other": [draw(odd(line))],
        }[kind]  # fmt: skip
    return b"".join(made)


@pytest.mark.parametrize("name", [*SAMPLES, *FORMATS])
def test_a_file_is_known_by_its_content_and_says_the_same_again(name):
    """Some formats have several samples: the name under which they are read is the first word."""
    data = b"".join(whole(name)) if name in SAMPLES else content(name)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        assert registry.detect_program(File(file.fileno(), "").head) == name.partition(" ")[0]
    first = {session.id: as_lines(session) for session in sessions_of(name, data)}
    assert [*first.values()] == [as_lines(session) for session in sessions_of(name, data)] != []


@PROGRAMS
@given(st.data())
@settings(max_examples=examples(25))
def test_any_damage_costs_no_more_than_itself_and_again_nothing_is_new(program, data):
    for session in sessions_of(program, data.draw(damaged(whole(program)))):
        as_lines(session)
        for branch in session.branches():
            as_lines(branch)


@EACH_FORMAT
@given(st.data())
@settings(max_examples=examples(25))
def test_any_field_may_be_something_else(format, data):
    values, written = FORMATS[format]
    for session in sessions_of(format, written([changed(data.draw, value) for value in values()])):
        as_lines(session)


@EACH_FORMAT
@given(st.data())
@settings(max_examples=examples(25))
def test_any_bytes_may_be_lost(format, data):
    whole = content(format)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.one_of(st.just(len(whole)), st.integers(start, min(len(whole), start + 20))))
    for session in sessions_of(format, whole[:start] + whole[end:]):
        as_lines(session)


def places(value):
    """Each object in a value with each of its fields that say of what kind something is."""
    if isinstance(value, dict):
        yield from ((value, key) for key in KINDS if key in value)
    for held in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from places(held)


@pytest.mark.parametrize("format", [*FORMATS, *SAMPLES])
def test_a_kind_field_may_be_a_list(format):
    values, written = FORMATS.get(format) or (SAMPLES[format], lined)
    for place, _ in enumerate(places(values())):
        changed = values()
        at, key = next(islice(places(changed), place, None))
        at[key] = ["text"]
        for session in sessions_of(format, written(changed)):
            as_lines(session)


@pytest.mark.parametrize("program", ["claude-code", "codex", "gemini-cli", "pi"])
def test_a_torn_line_that_runs_into_a_whole_one_costs_itself(program):
    lines = whole(program)
    recognised = [
        registry.program(program).recognises(Head(b"", (row,), (row,))) for row in map(orjson.loads, lines)
    ]
    places = [at for at in range(1, len(lines) - 1) if recognised[at + 1]]
    assert len(places) > 1
    for at in places:
        joined = [*lines[:at], lines[at][: len(lines[at]) // 2] + lines[at + 1], *lines[at + 2 :]]
        (session,) = sessions_of(program, b"".join(joined))
        (without,) = sessions_of(program, b"".join(lines[:at] + lines[at + 1 :]))
        assert shown(as_lines(session)) == shown(as_lines(without))
        mended = next(problem.mended for problem in session.problems if problem.line == at + 1)
        assert mended == "the complete line at its end is read"


@PROGRAMS
@given(st.data())
@settings(max_examples=examples(15))
def test_a_copy_of_a_growing_file_shows_what_a_new_one_would(program, data):
    lines = whole(program)
    made = b""
    for end in sorted(data.draw(st.lists(st.integers(1, len(lines)), min_size=1, max_size=4))):
        (session,) = sessions_of(program, b"".join(lines[:end]))
        fresh = as_lines(session)
        new = changes(session, fold(parse(made))) if made else None
        if new is not None and new.conflict:
            return  # a new copy is made
        made += records.lines(new.records, "p") if new else fresh
        assert shown(made) == shown(fresh)


def shown(data):
    view = fold(parse(data))
    messages = [(m.id, m.kind, m.parts, m.fields.get("usage")) for m in view.messages]
    return [*((s.id, s.text) for s in view.summaries), *messages]
