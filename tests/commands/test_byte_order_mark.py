"""A byte order mark at the beginning of a text, as editors on Windows write it, is no part of the text."""

import pytest

from inside import inside
from support import lines, session_path

MARK = b"\xef\xbb\xbf"
ANSWER = b'{"candidates":[{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}]}'
PROMPT = b'{"role":"user","parts":[{"text":"hi"}]}\n'
VIA = ("--to", "text", "--via", "cat > /dev/null; echo yes")


@pytest.mark.parametrize(
    ("line", "stdin"),
    [
        ("append", b"hi\n"), ("append -F -", b"hi\n"), ("append -F FILE", b"hi\n"), ("append --jsonl", PROMPT),
        ("append --exchange -", b'{"userMessage":"hi","assistantResponse":"x"}'), ("append --from auto", ANSWER),
        ("append --from text", b"hi"), ("ask", b"hi"), ("chat", b"hi\n"), ("update :1", b"hi"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("piped", [True, False])
def test_it_is_left_out_of_what_is_stored(home, tmp_path, line, stdin, *, piped):
    (tmp_path / "t").write_bytes(MARK + stdin)
    inside("append", "-s", "demo", "before", "--role", "model", home=home)
    words = [str(tmp_path / "t") if word == "FILE" else word for word in line.split()]
    words += VIA if words[0] in ("ask", "chat") else ()
    with (tmp_path / "t").open("rb") as file:
        given = [MARK[:2], MARK[2:] + stdin] if piped else file.fileno()
        assert inside(*words, "-s", "demo", home=home, stdin=given).code == 0
    log = session_path(home, "demo").read_bytes()
    assert b'{"text":"hi"}' in log
    assert MARK not in log


@pytest.mark.parametrize("size", [6, 100_000])
@pytest.mark.parametrize("name", ["notes.txt", "notes.json"])
def test_it_is_left_out_of_an_attached_text_alone(home, tmp_path, size, name):
    text = b"[1, 2" + b" " * (size - 6) + b"]"
    (tmp_path / name).write_bytes(MARK + text)
    (tmp_path / "blob").write_bytes(MARK + b"\0\1\2")
    inside("append", "-s", "demo", "x", "--attach", str(tmp_path / name), home=home)
    inside("append", "-s", "demo", "x", "--attach", str(tmp_path / "blob"), home=home)
    records = lines(session_path(home, "demo"))[1:]
    assert [record["attached"][0]["bytes"] for record in records] == [size, 6]
    shown = inside("payload", "demo", "--to", "text", home=home).out
    assert b"[1, 2" in shown
    assert MARK not in shown


def test_it_is_left_out_of_what_is_configured(home, tmp_path):
    (tmp_path / "system.md").write_bytes(MARK + b"Be brief.")
    (tmp_path / "tools.json").write_bytes(MARK + b'[{"name":"ls"}]')
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_bytes(MARK + f'to = "gemini"\ntools = "@{tmp_path}/tools.json"\n'.encode())
    (home / "config.toml").chmod(0o600)
    inside("append", "-s", "demo", "hi", home=home)
    sent = inside("payload", "demo", "--system", f"@{tmp_path}/system.md", home=home)
    assert sent.code == 0, sent
    assert b'"Be brief."' in sent.out
    assert b'"ls"' in sent.out
    assert MARK not in sent.out


def test_a_session_that_begins_with_it_is_read(home):
    inside("append", "-s", "demo", "hi", home=home)
    stream = inside("curate", "demo", home=home).out
    assert inside("curate", "-", home=home, stdin=[MARK + stream]).out == stream
