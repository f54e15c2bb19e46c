"""Which lines of a session match, and that looking at less of it finds the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.commands.search.matches import hits, may_match
from codeh_history.sandbox import Pattern
from codeh_history.store.resolve import Target
from strategies import encode

QUIET = Env({}, stderr=99)
QUIET.quiet = True


def found(path, text):
    return [
        (hit.n, hit.role, hit.id, hit.text)
        for hit in hits(QUIET, Target(str(path), "-s"), Pattern(text, ""))
    ]


LOG = [
    {"type": "session", "version": 1, "id": "s"},
    {"type": "meta", "set": {"title": "A blue title"}},
    {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": [{"text": "Is the sky blue?\r\nOr grey?"}]},
    {"type": "message", "id": "b", "kind": "codeh", "role": "model",
     "parts": [{"text": "Hmm, blue.", "thought": True}, {"functionCall": {"name": "look", "args": {"path": "a\nblue b"}}}]},
    {"type": "message", "id": "c", "kind": "tool", "role": "user",
     "parts": [{"functionResponse": {"name": "look", "response": {"output": "grey\nblue"}}}, {"functionResponse": {"name": "look", "response": {"n": ["blue x\ny"]}}}]},
    {"type": "message", "id": "d", "kind": "error", "parts": [{"text": "429"}]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        ("sky", [(1, "user", "a", "Is the sky blue?")]), ("grey", [(1, "user", "a", "Or grey?"), (3, "user", "c", "grey")]), ("title$", [(0, "title", None, "A blue title")]),
        ("^blue b$", [(2, "model", "b", "blue b")]), ("look .*path", [(2, "model", "b", r'look {"path":"a\nblue b"}')]), ("Hmm", [(2, "model", "b", "Hmm, blue.")]),
        ("429", [(4, "error", "d", "429")]), ("^blue x$", [(3, "user", "c", "blue x")]), ('"n":', [(3, "user", "c", r'{"n":["blue x\ny"]}')]), ("absent", []),
        (r"\?\r?$", [(1, "user", "a", "Is the sky blue?"), (1, "user", "a", "Or grey?")]),
    ],
)  # fmt: skip
def test_the_lines_that_match_are_told_with_their_message(tmp_path, pattern, lines):
    path = tmp_path / "s.jsonl"
    path.write_bytes(encode(LOG))
    assert found(path, pattern) == lines


@given(
    before=st.text("xyz", max_size=9), literal=st.sampled_from(["needle", "two words", "a-b_c"]), there=st.booleans()
)  # fmt: skip
def test_a_literal_is_found_wherever_it_stands(before, literal, there, tmp_path_factory):
    path = tmp_path_factory.mktemp("l") / "s.jsonl"
    header = b'{"type":"session","version":1,"id"'
    path.write_bytes(header + before.encode() + (literal.encode() if there else b""))
    assert may_match(str(path), Pattern(literal, "")) == there


@pytest.mark.parametrize("text", ["e", "1", "a.b", " a", "a ", '"', "ü", "[", "12e5"])
def test_what_may_be_spelled_otherwise_is_looked_for_in_every_file(tmp_path, text):
    (tmp_path / "f").write_bytes(b"zzz")
    pattern = Pattern(text if text != "[" else r"\[", "")
    assert may_match(str(tmp_path / "f"), pattern)


@pytest.mark.parametrize("data", [rb'{"text":"\u006eeedle"}', b'{"blockIds":["x"]}', b'{"type":"delta"}'])
def test_a_file_that_may_hold_it_elsewhere_is_looked_through(tmp_path, data):
    (tmp_path / "f").write_bytes(b'{"type":"session","version":1,"id":"s"}\n' + data)
    assert may_match(str(tmp_path / "f"), Pattern("needle", ""))
