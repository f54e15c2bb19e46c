"""`append`: which options go together, which text and kind a message has, and how a new session is named."""

import re
import time
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.base.words import is_id
from codeh_history.talk.append import text
from codeh_history.talk.append.text import begin, name_for


@contextmanager
def with_stdin(data, tmp_path):
    """A program with these bytes on stdin; its notes go to a file."""
    (tmp_path / "stdin").write_bytes(data)
    with (tmp_path / "stdin").open("rb") as file, (tmp_path / "err").open("wb") as err:
        yield Env({}, stdin=file.fileno(), stderr=err.fileno())


@pytest.mark.parametrize(
    ("role", "kind", "expected"),
    [
        (None, None, ("user", "user")), ("user", None, ("user", "user")), ("model", None, ("codeh", "model")),
        (None, "codeh", ("codeh", "model")), (None, "tool", ("tool", "user")), ("user", "tool", ("tool", "user")),
        (None, "error", ("error", None)), (None, "info", ("info", None)), ("model", "codeh", ("codeh", "model")),
        (None, "model", ("codeh", "model")),
    ],
)  # fmt: skip
def test_the_kind_decides_the_role(role, kind, expected):
    assert text.kind_and_role(role, kind) == expected


@pytest.mark.parametrize(
    ("messages", "files", "whole"),
    [
        (["a", "b"], [], "a\n\nb"), (["a\n"], ["f"], "a\n\nfile\n"), (["", "a", "\n"], [], "a"), ([], ["f", "f"], "file\n\n\nfile\n"),
        ([], ["-"], "stdin"), (["a"], ["-"], "a\n\nstdin"), ([], [], "stdin"), (["a\n\n"], [], "a\n"), (["a\r\nb\r\n"], [], "a\r\nb"), ([" a "], [], " a "),
    ],
)  # fmt: skip
def test_texts_and_files_are_joined_by_blank_lines(tmp_path, monkeypatch, messages, files, whole):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_text("file\n\n")
    with with_stdin(b"stdin\n", tmp_path) as env:
        assert text.text_of(env, messages, files) == whole
    unread = files != ["-"] and bool(messages or files)
    assert ("stdin has unread bytes" in (tmp_path / "err").read_text()) == unread


ENV = Env({"CODEH_NOW": "2026-11-23T12:34:56Z"})
TOKEN = "ghp_" + "aB3dE5gH7j" * 3 + "K9mN1p"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Why is the sky blue?", "why-is-the-sky"), ("hi", "hi"), ("\n\n  Don't — *panic*\n", "dont-panic"),
        ("Élan vital, s'il vous plaît", "elan-vital-sil-vous"), ("```py\nx = 1", "py-x-1"),
        (f"use {TOKEN} for it", "use-for-it"), (f"{TOKEN}", ""), ("password: swordfish-2026xyz and more", "password-and-more"),
        ("空はなぜ青い", ""), ("", ""), (" \n", ""), ("a" * 99, "a" * 29), ("internationalization of the documentation", "internationalization-of-the-d"),
    ],
)  # fmt: skip
def test_session_name_is_the_date_and_the_first_words(text, name):
    day = time.strftime("%Y-%m-%d", time.localtime(ENV.millis() / 1000))
    clock = time.strftime("%H%M%S", time.localtime(ENV.millis() / 1000))
    assert name_for(ENV, text) == f"{day}-{name or clock}"


@given(text=st.text(max_size=60))
def test_session_name_is_a_short_id(text):
    name = name_for(ENV, text)
    assert is_id(name)
    assert re.fullmatch(r"[a-z0-9-]{12,40}", name)


def test_session_name_has_the_local_date(monkeypatch):
    late = Env({"CODEH_NOW": "2026-11-23T23:30:00Z"})
    for zone, day in (("Asia/Tokyo", "2026-11-24"), ("America/New_York", "2026-11-23")):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert name_for(late, "hi") == f"{day}-hi"
    monkeypatch.delenv("TZ")
    time.tzset()


def test_taken_name_gets_a_number_within_the_length(tmp_path):
    env = Env({"CODEH_HOME": str(tmp_path), "CODEH_NOW": "2026-11-23T12:34:56Z"})
    (tmp_path / "sessions").mkdir()
    names = []
    for _ in range(11):
        names.append(begin(env, "a" * 99).id)
        (tmp_path / "sessions" / f"{names[-1]}.jsonl").write_text("x")
    assert len(set(names)) == 11
    assert {len(name) for name in names} == {40}
    assert names[1].endswith("a-2")
    assert names[-1].endswith("a-11")
