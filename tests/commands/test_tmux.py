"""In tmux: the screen of a chat, of a pager, and after a progress bar."""

import re
import shlex
import shutil
import subprocess
import time

import pytest

from support import ROOT, environ, program, run, session_path

PATIENCE = 60.0  # seconds until a test gives up
MIB = 1 << 20
JOBS_PAGE = (ROOT / "docs/jobs.md").read_text()

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux on this machine")


class Screen:
    """A terminal of 80 columns and 24 lines in its own tmux server, without user settings."""

    def __init__(self, home):
        self.home = home
        self.socket = str(home / "tmux")

    def tmux(self, *words):
        done = subprocess.run(
            ["tmux", "-S", self.socket, "-f", "/dev/null", *words], capture_output=True, text=True,
            check=True, env=environ({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PAGER": "less"}, self.home),
        )  # fmt: skip
        return done.stdout

    def start(self, *argv):
        """Run a command and print `over` after it."""
        words = shlex.join([*program(), *argv])
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", f"{words}; echo over; exec cat")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def shows(self, text, *styles):
        """The screen as soon as it contains this text."""
        until = time.monotonic() + PATIENCE
        while text not in (screen := self.tmux("capture-pane", "-p", *styles)):
            assert time.monotonic() < until, screen
            time.sleep(0.05)
        return screen


@pytest.fixture
def screen(home):
    home.mkdir(exist_ok=True)
    made = Screen(home)
    yield made
    subprocess.run(["tmux", "-S", made.socket, "kill-server"], capture_output=True, check=False)


@pytest.mark.skipif(not shutil.which("less"), reason="no less on this machine")
def test_output_longer_than_the_screen_is_paged(screen):
    run("append", "-s", "demo", "-m", "\n".join(f"line {n}" for n in range(200)), home=screen.home)
    screen.start("show", "demo")
    assert "line 199" not in screen.shows("line 10")
    screen.keys("G")
    screen.shows("line 199")
    screen.keys("q")
    screen.shows("over")


def test_a_bar_leaves_no_trace(screen):
    run("append", "-s", "demo", "-m", "hello", home=screen.home)
    with session_path(screen.home, "demo").open("ab") as file:
        for _ in range(17):
            file.write(b'{"role":"user","parts":[{"text":"' + b"word " * (MIB // 5) + b'"}]}\n')
    screen.start("verify", "demo")
    lines = screen.shows("over").split("\n")
    assert [line.strip() for line in lines if line.strip()] == ["ok: 19 records, 18 messages", "over"]


def test_code_is_in_colours_of_the_terminals_own_palette(screen):
    """Only palette colours are used, because the background may be light or dark."""
    run("append", "-s", "demo", "-m", "code?", home=screen.home)
    answer = "```python\ndef f(x):  # a comment\n    return 'text' + str(x)\n```"
    run("append", "-s", "demo", "--role", "model", "-m", answer, home=screen.home)
    screen.start("show", "demo", "--no-pager")
    shown = screen.shows("over", "-e")
    assert "return" in shown
    assert "\x1b[3" in shown
    assert "38;2;" not in shown
    assert "38;5;" not in shown
    assert "48;" not in shown


@pytest.mark.skipif(not shutil.which("fzf"), reason="no fzf on this machine")
@pytest.mark.parametrize(
    ("start", "typed", "picked"),
    [("codeh-history list | fzf", "barn", "barn"), ("fzf --disabled", "blue", "sky")],
)
def test_a_session_is_picked_with_fzf(start, typed, picked, screen):
    (line,) = re.findall(rf"^({re.escape(start)} .*?)(?:  .*)?$", JOBS_PAGE, re.MULTILINE)
    for name, text in (("barn", "Which colour?"), ("sky", "Why is it blue?")):
        run("append", "-s", name, "-m", text, home=screen.home)
    shell = line.replace("codeh-history", shlex.join(program()))
    screen.tmux(
        "new-session", "-d", "-x", "120", "-y", "24", f"bash -c {shlex.quote(shell)}; echo over; exec cat"
    )
    screen.shows("2/2" if "list" in line else "0/0")
    screen.keys(typed)
    screen.shows("1/1" if typed == "blue" else "1/2")
    screen.shows({"barn": "Which colour?", "sky": "Why is it blue?"}[picked])  # the preview
    screen.keys("Enter")
    assert f"\n{picked}\n" in "\n" + screen.shows("over")
