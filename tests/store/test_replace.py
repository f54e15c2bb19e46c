"""Replacing a session's file: whoever waits or appends loses nothing, and the new one is private and alone."""

import os
import subprocess
import sys
from pathlib import Path

from blocks.stored import BIG, contents, ok
from codeh_history.base.env import Env
from codeh_history.store.replace import replace
from support import ROOT, run, session_path, start


def test_whoever_waits_while_the_file_is_replaced_writes_into_the_new_one(home):
    ok("append", "-s", "a", "-m", "first", home=home)
    path = session_path(home, "a")
    waiting = []

    def build(locked):
        waiting.append(start("append", "-s", "a", "-m", "waited", home=home, stdout=subprocess.DEVNULL))
        while not has_open(waiting[0], path):
            assert waiting[0].poll() is None
        data = locked.read()
        return data.replace(b"first", b"1st")

    assert replace(Env({"CODEH_HOME": str(home)}), str(path), build)
    assert waiting[0].wait() == 0
    assert [m["parts"][0]["text"] for m in contents(home, "a")] == ["1st", "waited"]


def has_open(process, path):
    for fd in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if os.readlink(fd) == str(path.resolve()):
                return True
        except FileNotFoundError:  # closed meanwhile
            continue
    return False


def test_a_link_is_never_replaced(home, tmp_path):
    ok("append", "-s", "a", "-m", BIG, home=home)
    link = tmp_path / "link.jsonl"
    for make in (os.symlink, os.link):
        make(session_path(home, "a"), link)
        before = session_path(home, "a").read_bytes()
        assert run("persist", link, "-i", home=home).code == 65
        assert session_path(home, "a").read_bytes() == before
        link.unlink()


def test_the_new_file_is_private_and_alone(home):
    ok("append", "-s", "a", "-m", BIG, home=home)
    ok("persist", "a", "-i", home=home)
    assert session_path(home, "a").stat().st_mode & 0o777 == 0o600
    assert [p.name for p in (home / "sessions").iterdir()] == ["a.jsonl"]


def test_appenders_lose_nothing_while_the_file_is_replaced(home):
    """Whoever waits for the lock of the old file writes into the new one."""
    ok("append", "-s", "a", "-m", "first", home=home)
    script = (
        "import sys; from support import append_text\n"
        "for n in range(60): append_text(sys.argv[1], f'{sys.argv[2]} {n} ' + 'x' * 5000)\n"
    )
    path = str(session_path(home, "a"))
    helpers = ROOT / "tests" / "helpers"
    writers = [subprocess.Popen([sys.executable, "-c", script, path, name], cwd=helpers) for name in "ab"]
    rounds = 0
    while any(writer.poll() is None for writer in writers) or rounds < 2:
        assert run("persist" if rounds % 2 == 0 else "hydrate", "a", "-i", home=home).code == 0
        rounds += 1
    assert [writer.wait() for writer in writers] == [0, 0]
    texts = [m["parts"][0]["text"].split(" x")[0] for m in contents(home, "a")]
    for name in "ab":
        assert [t for t in texts if t.startswith(f"{name} ")] == [f"{name} {n}" for n in range(60)]
