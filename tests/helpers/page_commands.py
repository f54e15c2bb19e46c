"""Run the commands of a page in a scratch home; the fake provider answers all requests."""

import contextlib
import fcntl
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import forks
from fake_provider import FakeProvider
from program_files import Claude
from support import NOW, ROOT

README = (ROOT / "README.md").read_text()
ONCE = re.findall(r"## One-time setup\n[\s\S]*?```sh\n([\s\S]*?)```", README)[0]
LOOPBACK = (
    "sed -i -E 's#https?://([a-z.]+\\.com|localhost:[0-9]+)#https://loopback.com#' ~/.codeh/config.toml\n"
)
ADDRESS = re.compile(r"https?://(?:[\w.-]+\.com|localhost:\d+)")
BARN = ROOT / "tests/programs/agents/cases/claude-code/plain/5e551000-0000-4000-8000-00000000c1a0.jsonl"
DRAWN_OVER = re.compile(r"\x1b\[\?25l[\s\S]*?\x1b\[\?25h[\s\S]*?\x1b\[1A\x1b\[2K")  # a bar of progress
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
KNOWN = ("11111111-2222-4333-8444-555555555555", "c0de0001-0000-4000-8000-000000000000")  # in pages


def before(shell):
    """Commands, after those of the one-time setup, without their output."""
    return f"exec 3>&1 >/dev/null 2>&1\n{ONCE}{LOOPBACK}{shell}exec >&3 2>&1 3>&-\n"


def variables():
    """The environment of every run, with `codeh-history` on its PATH."""
    path = (
        f"{forks.program().parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    return {"PATH": path, "CODEH_NOW": NOW, "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb"}


@contextlib.contextmanager
def user_directory():
    """A project with a changed file in git, a Makefile, a note and an agent's session; its path has a constant length."""
    path = Path(tempfile.mkdtemp(prefix="codeh-", dir="/tmp"))
    (path / "Makefile").write_text("all:\n\t@echo main.c:3: error: expected a semicolon\n")
    (path / "notes.txt").write_text("The sky is blue.\n")
    barn = path / ".claude" / "projects" / "barn"
    barn.mkdir(parents=True)
    shutil.copy(BARN, barn)
    subprocess.run(["git", "init", "-q"], cwd=path, check=True)
    subprocess.run(["git", "add", "notes.txt"], cwd=path, check=True)
    (path / "notes.txt").write_text("The sky is mostly blue.\n")
    yield path
    shutil.rmtree(path)


def output(shell, place, env, server=None):
    """The output of bash in a directory that is also the home; a non-zero exit code comes last."""
    with contextlib.nullcontext(server) if server else FakeProvider() as server:
        done = subprocess.run(
            ["bash", "-c", ADDRESS.sub(server.url, shell)],
            env={**env, "HOME": str(place)}, cwd=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
        )  # fmt: skip
    text = done.stdout.replace(re.sub(r"[^a-zA-Z0-9]", "-", str(place)), "-home-me")  # Claude Code's folder
    return text + (f"[{done.returncode}]\n" if done.returncode else "")


def on_terminal(shell, place, env):
    """The output of bash on a terminal of 100 columns, without colours and styles; stdin is empty."""
    reader, writer = os.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    with FakeProvider() as server:
        process = subprocess.Popen(
            ["bash", "-c", ADDRESS.sub(server.url, shell)],
            env={**env, "HOME": str(place), "NO_COLOR": "1", "TERM": "xterm"}, cwd=place,
            stdin=subprocess.DEVNULL, stdout=writer, stderr=writer,
        )  # fmt: skip
        os.close(writer)
        printed = b""
        with contextlib.suppress(OSError):  # the end of a terminal that nobody writes to
            while piece := os.read(reader, 65536):
                printed += piece
        os.close(reader)
        process.wait()
    text = DRAWN_OVER.sub("", printed.decode().replace("\r\n", "\n"))
    text = "".join(f"{line.rstrip()}\n" for line in STYLE.sub("", text).splitlines())
    return text.replace(re.sub(r"[^a-zA-Z0-9]", "-", str(place)), "-home-me")


def as_shown(text, place):
    """The output as pages show it: the home is /home/me, and a new id is the page's."""
    text = text.replace(str(place), "/home/me")
    return UUID.sub(lambda id: id[0] if id[0] in KNOWN else KNOWN[-1], text)


def commands(screen):
    """A script of a screen's commands that prints each before running it."""
    return "".join(
        f"printf '%s\\n' {quoted}\n{line}\n"
        for line in re.findall(r"^\$ (.*)", screen, re.MULTILINE)
        for quoted in ["'$ " + line.replace("'", "'\\''") + "'"]
    )


def long_and_broken(cwd):
    """Sixty exchanges, each with a long tool output except for two lost ones."""
    file = Claude()
    for turn in range(60):
        file.user(f"u{turn}", f"How is field {turn}?")
        file.called(f"c{turn}", f"call{turn}")
        lines = (
            f"{row}: {(turn * 7919 + row * row * 31) % 9973} ears, row {row % 17}" for row in range(220)
        )
        file.result(f"r{turn}", f"call{turn}", "\n".join(lines))
        file.model(f"a{turn}", f"Field {turn} has weeds in row {turn % 17}.")
    for line in file.lines:
        line["cwd"] = str(cwd)
        if line["type"] == "assistant":
            line["message"]["model"] = "claude-sonnet-4-5"
    for lost in (178, 118):
        file.lines[lost + 1]["parentUuid"] = file.lines[lost]["parentUuid"]
        del file.lines[lost]
    return file
