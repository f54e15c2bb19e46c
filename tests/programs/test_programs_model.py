"""A program's session: how it is recognised, what it would send, and its context windows."""

from importlib.util import find_spec

import pytest

from codeh_history.programs import registry
from codeh_history.programs.context_windows import smallest_window
from codeh_history.programs.model import Entry, Piece, Problem, Session
from codeh_history.programs.protocol import Head
from codeh_history.store.program_files import head_of
from program_files import SAMPLES, written


def test_an_entry_is_all_its_pieces_each_with_its_line():
    pieces = [Piece(3, [{"text": "a"}]), Piece(5, []), Piece(9, [{"text": "b"}, {"text": "c"}])]
    whole = Entry("e", "codeh", None, pieces)
    assert [part["text"] for part in whole.parts] == ["a", "b", "c"]
    assert whole.lines == [3, 5, 9]
    assert Entry("e", "codeh", None, pieces[:1]).parts == [{"text": "a"}]


def test_problems_are_told_in_their_order():
    session = Session("pi", "s")
    session.problem(7, "is skipped", "no object")  # type: ignore[arg-type]
    session.problem(2, "is lost", "torn", "mended")  # type: ignore[arg-type]
    assert session.problems == [
        Problem(7, "is skipped", "no object", None), Problem(2, "is lost", "torn", "mended"),
    ]  # type: ignore[arg-type]  # fmt: skip


def test_a_title_is_a_text_and_what_is_left_out_is_counted_by_kind():
    session = Session("pi", "s")
    for title in (None, "", 7, ["x"]):
        session.set_title(title)
    assert session.settings == {}
    session.set_title("one")
    session.set_title("two")
    assert session.settings == {"title": "two"}
    for kind, many in (("command", 2), ("note", 0), ("command", 1)):
        session.skip(kind, many)
    assert session.left == {"command": 3}
    assert "note" not in session.left


def test_a_branch_says_whose_it_is():
    session = Session("pi", "s")
    session.set_parent("t")
    assert (session.parent, session.agent) == ({"session": "t", "at": None}, False)
    session.set_parent("u", agent=True)
    assert (session.parent, session.agent) == ({"session": "u", "at": None}, True)


def test_it_was_written_last_when_its_last_entry_says():
    entries = [Entry(id, "user", ts, []) for id, ts in (("a", "1"), ("b", "2"), ("c", None))]
    assert Session("pi", "s", created="0", items=[*entries]).last == "2"
    assert Session("pi", "s", created="0").last == "0"
    assert Session("pi", "s").last is None


def test_a_database_is_known_by_its_tables_and_columns():
    head = Head(b"", (), tables={"one": frozenset({"a", "b"}), "two": frozenset()})
    assert head.has({})
    assert head.has({"one": ("b",), "two": ()})
    assert not head.has({"one": ("c",)})
    assert not head.has({"three": ("a",)})
    assert head.has({"three": ()})  # it asks for nothing of it


@pytest.mark.parametrize("name", registry.PROGRAMS)
def test_a_program_is_a_package_of_its_name(name):
    program = registry.program(name)
    assert name == program.name
    assert program is registry.program(name)
    assert all(place.patterns for place in program.places)
    assert program.read
    assert bool(program.writer and find_spec(program.writer)) == (name in registry.WRITTEN)


def test_what_only_exports_has_no_place():
    assert registry.program("sharegpt").places == ()
    assert registry.program("codex").places


@pytest.mark.parametrize("name", SAMPLES)
def test_whose_a_file_is_is_told_by_its_beginning(name, tmp_path):
    data = written(tmp_path / "f.jsonl", SAMPLES[name]()).read_bytes()
    assert registry.detect_program(head_of(data)) == name
    assert registry.is_own_session(name, head_of(data))


@pytest.mark.parametrize("data", [b"", b"a diary\n", b'{"x":1}\n', b'[{"role":"user","content":"x"}]'])
def test_what_is_nobodys(data):
    assert registry.detect_program(head_of(data)) is None
    assert not registry.is_own_session("codex", head_of(data))


PI = """{ // ours
  "providers": {
    "a": {"baseUrl": "http://x//y", "models": [{"id": "m", "contextWindow": 32000,}, {"id": "n"}]},
    "b": {"models": [{"id": "m", "contextWindow": 64000}], "modelOverrides": {"o": {"contextWindow": 16000}}},
  },
}"""


@pytest.mark.parametrize(
    ("program", "settings", "model", "window"),
    [
        ("pi", PI, "m", 32_000),
        ("pi", PI, "n", 128_000),
        ("pi", PI, "o", 16_000),
        ("pi", PI, "p", None),
        (
            "pi",
            '{"providers": {"a": 5, "b": {"models": [5, {"id": "m", "contextWindow": -1}]}}}',
            "m",
            None,
        ),
        ("pi", "{", "m", None),
        ("codex", "model_context_window = 8000", "m", 8000),
        ("codex", 'model = "n"\nmodel_context_window = 8000', "m", None),
        ("codex", "model_context_window = [", "m", None),
        (
            "opencode",
            '{"provider": {"a": {"models": {"m": {"limit": {"context": 9000, "output": 1}}}}}}',
            "m",
            9000,
        ),
        ("opencode", "[]", "m", None),
    ],
)
def test_the_smallest_window_that_is_given(program, settings, model, window):
    assert smallest_window(program, settings.encode(), model) == window
