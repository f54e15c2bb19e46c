"""The programs by name: each is a package that says its own, is asked in order, and is found again by what it wrote."""

from importlib.util import find_spec

import pytest

from codeh_history.programs import sessions
from codeh_history.store.program_files import head_of
from program_files import SAMPLES, written


@pytest.mark.parametrize("name", sessions.PROGRAMS)
def test_a_program_is_a_package_of_its_name(name):
    program = sessions.program(name)
    assert name == program.name
    assert program is sessions.program(name)
    assert all(place.patterns for place in sessions.places(name))
    assert find_spec(program.reader)
    assert bool(program.writer and find_spec(program.writer)) == (name in sessions.WRITTEN)


def test_what_only_exports_has_no_place():
    assert sessions.places("sharegpt") == ()
    assert sessions.places("codex")


@pytest.mark.parametrize("name", SAMPLES)
def test_whose_a_file_is_is_told_by_its_beginning(name, tmp_path):
    data = written(tmp_path / "f.jsonl", SAMPLES[name]()).read_bytes()
    assert sessions.detect_program(head_of(data)) == name
    assert sessions.keeps(name, head_of(data))


@pytest.mark.parametrize("data", [b"", b"a diary\n", b'{"x":1}\n', b'[{"role":"user","content":"x"}]'])
def test_what_is_nobodys(data):
    assert sessions.detect_program(head_of(data)) is None
    assert not sessions.keeps("codex", head_of(data))
