"""Uploaded files: linked to their messages, told to the model, and kept to their share of the window."""

import orjson
import pytest

from in_process import run_in_process, run_ok
from support import lines, session_path


def upload(home, name, words, text="see"):
    """Append a message with a file of about so many tokens; its id."""
    (home / name).write_text("word " * words)
    return run_ok("append", "-s", "s", "-m", text, "--attach", home / name, home=home).text


def answered(home, words=5):
    run_ok("append", "-s", "s", "--role", "model", "-m", "word " * words, home=home)


def kept(home, *argv):
    """The names of the files that are whole after a compaction, and how it ended."""
    done = run_in_process("compact", "s", *argv, home=home)
    names = [
        m["attached"][0]["name"] for m in done.lines if any("inlineData" in p for p in m.get("parts", ()))
    ]
    return names, done


@pytest.fixture
def uploads(home):
    """Files of 400, 250 and 300 tokens, each answered with 50; then a question."""
    home.mkdir(exist_ok=True)
    for name, words in (("a.txt", 400), ("b.txt", 250), ("c.txt", 300)):
        upload(home, name, words)
        answered(home, 50)
    run_ok("append", "-s", "s", "-m", "and?", home=home)
    return home


def test_upload_link(home):
    """Each file hangs on its message by id, whatever is appended, undone or edited around it."""
    home.mkdir(exist_ok=True)
    first = upload(home, "one.txt", 3)
    (home / "two.txt").write_text("two")
    argv = ["append", "-s", "s", "-m", "both", "--attach", home / "two.txt", "--attach", home / "one.txt"]
    second = run_ok(*argv, home=home).text
    run_ok("update", "-s", "s", first, "-m", "look", home=home)
    attached = {r["id"]: r["attached"] for r in lines(session_path(home, "s")) if "attached" in r}
    assert {id: [(f["name"], f["part"]) for f in files] for id, files in attached.items()} == {
        first: [("one.txt", 1)], second: [("two.txt", 1), ("one.txt", 2)]
    }  # fmt: skip
    body = run_ok("payload", "s", "--to", "gemini", home=home).out.decode()
    assert "Attached files:\\n- one.txt (text/plain, 15 bytes)" in body
    assert "Attached files:\\n- two.txt (text/plain, 3 bytes)\\n- one.txt (text/plain, 15 bytes)" in body


def test_upload_share(uploads):
    """Newest first, none cut in two: the first that does not fit, and all before it, are left out."""
    names, done = kept(uploads, "--budget", "1000", "--policy", "loop")
    assert names == ["b.txt", "c.txt"]
    assert b"they exceed their share of the budget" in done.err
    whole = orjson.loads(run_ok("export", "-", stdin=done.out, home=uploads).out)
    assert "text/plain, 2,000 bytes left out" in orjson.dumps(whole[0]).decode()
    assert run_ok("export", "s", home=uploads).out.count(b"inlineData") == 3


@pytest.mark.parametrize(
    ("budget", "share", "names"),
    [
        ("1000", "0.5", ["c.txt"]), ("1000", "0.6", ["b.txt", "c.txt"]), ("1000", "0.2", []),
        ("4000", "0.1", ["c.txt"]), ("4000", "0.05", []), ("4000", "0.6", ["a.txt", "b.txt", "c.txt"]),
    ],
)  # fmt: skip
def test_a_share_that_is_asked_for_is_a_cap(uploads, budget, share, names):
    """It chooses the policy, and holds where everything would fit too."""
    files, done = kept(uploads, "--budget", budget, "--upload-share", share)
    assert files == names
    assert done.code == 0
    assert (b"left out" in done.err) == (len(names) < 3)
    again = run_ok(
        "compact", "-", "--budget", budget, "--upload-share", share, stdin=done.out, home=uploads
    )
    assert again.out == done.out


def test_what_uploads_leave_is_lent_to_the_history(home):
    home.mkdir(exist_ok=True)
    for _ in range(10):
        run_ok("append", "-s", "s", "-m", "word " * 50, home=home)
        answered(home, 50)
    upload(home, "a.txt", 100)
    answered(home)
    run_ok("append", "-s", "s", "-m", "and?", home=home)
    argv = ["--budget", "1000", "--upload-share", "0.6", "--history-share", "0.1"]
    files, done = kept(home, *argv)
    assert files == ["a.txt"]
    history = [r for r in done.lines if r["type"] == "message"]
    assert len(history) == 2 * 5 + 3  # five exchanges of 110: 550 of the 100 of its own and the 500 lent


def test_a_file_in_the_newest_prompt_is_never_left_out_silently(home):
    home.mkdir(exist_ok=True)
    upload(home, "old.txt", 100)
    answered(home)
    upload(home, "a.txt", 700)
    files, done = kept(home, "--budget", "1000", "--upload-share", "0.6")
    assert files == ["a.txt"]
    assert done.code == 0
    files, done = kept(home, "--budget", "500", "--upload-share", "0.6")
    assert (done.code, done.out) == (5, b"")
    assert b"floor" in done.err
