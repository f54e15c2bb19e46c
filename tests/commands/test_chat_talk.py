"""`chat` at a real terminal, with the real curl and a server that streams."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

import pytest

from fake_provider import FakeProvider, configure
from support import PROGRAM, environ, lines, run, session_path, start

PATIENCE = 60.0  # seconds until a test gives up
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\r")
CTRL_C, CTRL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"

pytestmark = pytest.mark.skipif(not shutil.which("curl"), reason="no curl on this machine")


class Terminal:
    """A program at its own terminal: keys in, screen out."""

    def __init__(self, *argv, home, stdout=None, **env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        self.process = subprocess.Popen(
            [*PROGRAM, *argv], stdin=slave, stdout=slave if stdout is None else stdout, stderr=slave,
            env=environ({"TERM": "xterm", "TZ": "UTC", "LC_ALL": "C.UTF-8", **env}, home),
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )  # fmt: skip
        os.close(slave)
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def until(self, text):
        """The output since the last call, up to and including this text."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.text:
            assert time.monotonic() < deadline, self.text
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.text += STYLES.sub("", os.read(self.master, 65536).decode(errors="replace"))
                except OSError:
                    pytest.fail(f"it ended: {self.text}")
        before, _, self.text = self.text.partition(text)
        return before + text

    def types(self, keys, after="\n> "):
        """Press keys once the prompt sign is shown; return the output before."""
        before = self.until(after) if after else ""
        os.write(self.master, keys.encode())
        return before

    def drops_the_line(self):
        """Press Ctrl-C until the prompt sign reappears: one sent while readline draws waits for a key."""
        deadline = time.monotonic() + PATIENCE
        while "\n> " not in self.text:
            assert time.monotonic() < deadline, self.text
            os.write(self.master, CTRL_C.encode())
            if select.select([self.master], [], [], 1)[0]:
                time.sleep(0.1)
                self.text += STYLES.sub("", os.read(self.master, 65536).decode(errors="replace"))

    def ended(self):
        return self.process.wait(PATIENCE)


@pytest.fixture
def server():
    with FakeProvider(delay=0.05) as server:
        yield server


@pytest.fixture
def configured(home, server):
    return configure(home, server.url)


def kinds(home):
    return [record.get("kind", record["type"]) for record in lines(session_path(home, "demo"))]


def test_a_talk(configured, server):
    """Type, complete, interrupt, retry, leave; everything is on disk."""
    with Terminal("chat", "demo", "-p", "local", home=configured) as chat:
        opening = chat.types("Why is the sky blue?\n", after="> ")
        assert "demo: 0 messages; ollama llama3.2; /help" in opening
        screen = chat.types(f"/pro{TAB}", after="Rayleigh scattering).\n> ")
        assert "new session demo" in screen
        chat.types(f"cl{TAB}", after="/profile ")
        chat.types("\n", after="claude")
        many = "one two three four five six seven eight nine ten " * 9
        chat.types(f"{many}\n", after="claude-opus-4-8\n> ")
        chat.until("one two")
        chat.types(CTRL_C, after="You said 90 words")
        stopped = chat.types(UP, after="\n> ")
        assert "the prompt is stored: /retry sends it" in stopped
        assert "the received part stays pending; `codeh-history commit -s demo " in stopped
        chat.until("one two three")  # the line before
        chat.drops_the_line()
        chat.types("/retry\n")
        chat.types(CTRL_D, after="No model is behind this.\n> ")
        assert chat.ended() == 0
    assert [request.body["model"] for request in server.requests] == ["llama3.2", *["claude-opus-4-8"] * 2]
    assert all(request.body["stream"] for request in server.requests)
    records = lines(session_path(configured, "demo"))
    (abort,) = [record for record in records if record["type"] == "abort"]
    assert abort["reason"] == "interrupted"
    deltas = [record for record in records if record.get("of") == abort["of"] and "parts" in record]
    came = [record["parts"][0]["text"] for record in deltas]
    assert "".join(came).startswith("You said 90")
    turns = [kind for kind in kinds(configured) if kind in ("user", "codeh")]
    assert turns == ["user", "codeh", "user", "codeh", "codeh"]
    history = configured / "chat_history"
    assert history.stat().st_mode & 0o777 == 0o600
    first_words = [line.split()[0] for line in history.read_text().splitlines()]
    assert first_words == ["Why", "/profile", "one", "/retry"]


def kept_prompt(home):
    (file,) = (home / "unsent").iterdir()
    return file.read_text()


def test_a_removed_session_is_not_started_again(configured):
    with Terminal("chat", "demo", "-p", "local", home=configured) as chat:
        chat.types("Why?\n")
        chat.until("No model is behind this.\n> ")
        run("rm", "demo", home=configured)
        os.write(chat.master, b"And then?\n")
        shown = chat.until("stores it\n")
        assert chat.ended() == 3
    why = "the session was removed meanwhile; this prompt was not sent: its text is"
    assert f"codeh-history: demo: {why}" in shown
    assert not session_path(configured, "demo").exists()
    assert kept_prompt(configured) == "And then?"
    assert run("chat", "demo", "-p", "local", stdin=b"Again?\n", home=configured).code == 0  # a new one


def test_a_command_in_a_session_that_was_removed_does_not_begin_it_again(configured):
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    chat = start("chat", "demo", "-p", "local", home=configured, **piped)
    chat.stdin.write(b"Why?\n")
    chat.stdin.flush()
    assert chat.stdout.readline().endswith(b"No model is behind this.\n")
    deadline = time.monotonic() + PATIENCE
    while kinds(configured)[-1] not in ("commit", "codeh") and time.monotonic() < deadline:
        time.sleep(0.05)
    while run("rm", "demo", home=configured).code == 75 and time.monotonic() < deadline:
        time.sleep(0.05)  # the answer is stored, but still noted as awaited
    _, err = chat.communicate(b"/system Be brief.\nAnd then?\n", timeout=PATIENCE)
    assert err.splitlines()[-1] == b"codeh-history: demo: the session was removed meanwhile"
    assert chat.returncode == 3
    assert not session_path(configured, "demo").exists()


def test_chat_resumes_an_unanswered_session(configured):
    run("append", "-s", "demo", "-m", "A question?", home=configured)
    run("append", "-s", "demo", "--role", "model", "-m", "An answer.", home=configured)
    run("append", "-s", "demo", "-m", "Another?", home=configured)
    (configured / "chat_history").write_text("/system x\n")
    with Terminal("chat", "demo", "-p", "local", home=configured) as chat:
        shown = chat.types(f"{UP}\x15 secret of mine\n", after="\n> ")
        assert "An answer." in shown
        assert "Another?" in shown
        assert "the last prompt is unanswered: /retry sends it" in shown
        chat.types("on two \\\n", after="No model is behind this.\n> ")
        chat.types("lines\n", after="\n. ")
        chat.types("/quit\n", after="No model is behind this.\n> ")
        assert chat.ended() == 0
    texts = [
        r["parts"][0]["text"] for r in lines(session_path(configured, "demo")) if r.get("kind") == "user"
    ]
    assert texts == ["A question?", "Another?", " secret of mine", "on two \nlines"]
    assert (configured / "chat_history").read_text() == "/system x\non two \\\nlines\n/quit\n"


def test_a_stopped_tool_waits(configured):
    with (configured / "config.toml").open("a") as file:
        file.write("[profile.tools]\nto = 'text'\nvia = 'echo done'\ncalls.via = 'exec sleep 60'\n")
    run("append", "-s", "demo", "-m", "The weather?", home=configured)
    run("append", "-s", "demo", "--role", "model", "--call", "weather", "--args", "{}", home=configured)
    with Terminal("chat", "demo", "-p", "tools", home=configured) as chat:
        chat.types("/retry\n")
        chat.types(CTRL_C, after="weather {}")
        assert "the call waits: /retry runs it" in chat.types(CTRL_D)
        assert chat.ended() == 0


def test_pasted_lines_are_one_prompt(configured):
    with Terminal("chat", "demo", "-p", "local", home=configured) as chat:
        drawn = b""
        while b"\x1b[?2004h" not in drawn:  # asks the terminal to mark what is pasted
            assert select.select([chat.master], [], [], PATIENCE)[0]
            drawn += os.read(chat.master, 65536)
        chat.types("\x1b[200~Why:\na\nb\x1b[201~\n", after="")
        chat.types(CTRL_D, after="No model is behind this.\n> ")
        assert chat.ended() == 0
    texts = [r["parts"][0]["text"] for r in lines(session_path(configured, "demo")) if "parts" in r]
    assert texts[0] == "Why:\na\nb"


def test_a_closed_terminal_ends_chat_and_keeps_received_text(configured, tmp_path):
    """With stdout redirected, lines are plain and the prompt sign goes to stderr."""
    talk = ("chat", "demo", "-p", "local")
    with (
        (tmp_path / "out").open("wb") as out,
        Terminal(*talk, home=configured, stdout=out.fileno()) as chat,
    ):
        chat.types("one two three four five six seven eight nine ten " * 9 + "\n", after="> ")
        deadline = time.monotonic() + PATIENCE
        while not (tmp_path / "out").read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        chat.process.send_signal(signal.SIGHUP)
        assert chat.ended() == 128 + signal.SIGHUP
    assert kinds(configured)[:3] == ["session", "user", "codeh"]
    assert kinds(configured)[-1] == "abort"
    assert b"> " not in (tmp_path / "out").read_bytes()
