"""`append`: which text a message is made of, and of which kind it is."""

import os
from contextlib import contextmanager

import pytest

from codeh_history.append import text
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage


@contextmanager
def with_stdin(data, tmp_path):
    """A program with these bytes on stdin; its notes go to a file."""
    (tmp_path / "stdin").write_bytes(data)
    with (tmp_path / "stdin").open("rb") as file, (tmp_path / "err").open("wb") as err:
        yield Env({}, stdin=file.fileno(), stderr=err.fileno())


@pytest.mark.parametrize(
    ("role", "kind", "found"),
    [
        (None, None, ("user", "user")), ("user", None, ("user", "user")), ("model", None, ("codeh", "model")),
        (None, "codeh", ("codeh", "model")), (None, "tool", ("tool", "user")), ("user", "tool", ("tool", "user")),
        (None, "error", ("error", None)), (None, "info", ("info", None)), ("model", "codeh", ("codeh", "model")),
        (None, "model", ("codeh", "model")),
    ],
)  # fmt: skip
def test_the_kind_decides_the_role(role, kind, found):
    assert text.kind_and_role(role, kind) == found


@pytest.mark.parametrize(
    ("role", "kind", "why"),
    [
        ("assistant", None, "--role assistant: user or model"), (None, "x", "--kind x: one of user, model, tool"),
        ("user", "codeh", "--kind model has role model, not user"), ("model", "tool", "has role user, not model"),
        ("user", "info", "--kind info has no role, not user"), ("", None, "--role : user or model"),
    ],
)  # fmt: skip
def test_a_role_that_contradicts_it_is_exit_2(role, kind, why):
    with pytest.raises(Usage, match=why):
        text.kind_and_role(role, kind)


@pytest.mark.parametrize(
    ("messages", "files", "found"),
    [
        (["a", "b"], [], "a\n\nb"), (["a\n"], ["f"], "a\n\nfile\n"), (["", "a", "\n"], [], "a"), ([], ["f", "f"], "file\n\n\nfile\n"),
        ([], ["-"], "stdin"), (["a"], ["-"], "a\n\nstdin"), ([], [], "stdin"), (["a\n\n"], [], "a\n"), ([" a "], [], " a "),
    ],
)  # fmt: skip
def test_it_is_the_texts_then_the_files_a_blank_line_between(tmp_path, monkeypatch, messages, files, found):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_text("file\n\n")
    with with_stdin(b"stdin\n", tmp_path) as env:
        assert text.text_of(env, messages, files) == found
    unread = files != ["-"] and bool(messages or files)
    assert ("stdin has unread bytes" in (tmp_path / "err").read_text()) == unread


@pytest.mark.parametrize(("messages", "stdin"), [([], b""), ([], b" \n"), (["", " "], b"x"), (["\n"], b"")])
def test_an_empty_message_is_refused_unless_something_else_is_in_it(tmp_path, messages, stdin):
    with with_stdin(stdin, tmp_path) as env:
        with pytest.raises(BadData, match=r"^the message is empty"):
            text.text_of(env, messages, [])
        assert not text.text_of(env, messages, [], needed=False).strip()


def test_where_no_text_is_needed_stdin_is_not_read(tmp_path):
    with with_stdin(b"x", tmp_path) as env:
        assert text.text_of(env, [], [], needed=False) == ""
        assert os.read(env.stdin, 9) == b"x"
    with pytest.raises(Usage, match=r"^-F -: given twice"):
        text.text_of(Env({}), [], ["-", "-"])


def test_pieces_of_a_stream_are_taken_as_they_are(tmp_path):
    with with_stdin(b"x\n\n", tmp_path) as env:
        assert text.exact(env, ["a\n", "", "b"], []) == "a\nb"
        assert text.exact(env, [""], []) == ""
        assert text.exact(env, [], []) == "x\n\n"
    with with_stdin(b"", tmp_path) as env, pytest.raises(BadData, match=r"^nothing to append"):
        text.exact(env, [], [])
