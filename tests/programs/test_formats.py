"""What holds for every file of conversations that is no program's own log, whatever happened to it."""

import tempfile
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.base.errors import BadData
from codeh_history.programs import records, registry
from codeh_history.programs.changes import changes
from codeh_history.session.fold import fold
from codeh_history.session.records import dumps, lines_of, parse
from codeh_history.store.program_files import File, sessions_in
from length import examples
from program_files import changed
from program_formats import FORMATS

EACH = pytest.mark.parametrize("format", FORMATS)


def name(format):
    """The name under which a format is read: some have several."""
    return format.partition(" ")[0]


def found(format, data):
    """The sessions in a file with these bytes: they are read, or it is refused."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            return list(sessions_in(File(file.fileno(), file.name), name(format)))
        except BadData:
            return []


def copied(session):
    """A copy of a session, which reads back without damage, and lacks nothing."""
    first = dumps(records.header(session, records.session_id(session), "p")) + b"\n"
    made = first + records.lines(records.records(session), "p")
    log = parse(lines_of(made))
    assert not log.damage
    assert not changes(session, fold(log)).records
    return made


def whole(format):
    values, written = FORMATS[format]
    return written(values())


@EACH
def test_a_file_is_known_by_its_content(format):
    with tempfile.TemporaryFile() as file:
        file.write(whole(format))
        file.flush()
        assert registry.detect_program(File(file.fileno(), "").head) == name(format)


@EACH
def test_a_file_holds_sessions_of_different_ids_and_says_the_same_again(format):
    first, second = found(format, whole(format)), found(format, whole(format))
    assert len({session.id for session in first}) == len(first) > 0
    assert [copied(session) for session in first] == [copied(session) for session in second]


@EACH
@given(st.data())
@settings(max_examples=examples(25))
def test_any_field_may_be_something_else(format, data):
    values, written = FORMATS[format]
    for session in found(format, written([changed(data.draw, value) for value in values()])):
        copied(session)


@EACH
@given(st.data())
@settings(max_examples=examples(25))
def test_any_bytes_may_be_lost(format, data):
    content = whole(format)
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.one_of(st.just(len(content)), st.integers(start, min(len(content), start + 20))))
    for session in found(format, content[:start] + content[end:]):
        copied(session)


KINDS = ("content_type", "type", "role", "sender", "from", "source", "name")


def places(value):
    """Each object in a value with each of its fields that say of what kind something is."""
    if isinstance(value, dict):
        yield from ((value, key) for key in KINDS if key in value)
    for held in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from places(held)


@EACH
def test_what_tells_a_kind_may_be_a_list(format):
    values, written = FORMATS[format]
    for place, _ in enumerate(places(values())):
        given = values()
        at, key = next(islice(places(given), place, None))
        at[key] = ["text"]
        for session in found(format, written(given)):
            copied(session)
