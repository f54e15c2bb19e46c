"""`make test-install`: install the wheel as users do, each time in an empty home, and use it.

    install.py [short]

pip, pipx and uv: the program runs, `man` finds its page, and bash, zsh and fish complete its words. Then each Python
from 3.11 to 3.14 that is on this machine (or in .pythons, by `make test-pythons`), without a compiler; for
musl (Alpine), macOS and others every dependency, extras too, must have a wheel. `short`: pip and the wheels alone.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
README = (ROOT / "README.md").read_text()
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = (
    "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-apple-darwin",
)  # fmt: skip
EXTRAS = {"musl": "redis,postgres", "": "redis,age,postgres"}  # pyrage has no wheels for musl
BASH_COMPLETION = os.environ.get("BASH_COMPLETION", "/usr/share/bash-completion/bash_completion")
SHELLS = {
    "bash": f"""
        . {BASH_COMPLETION}; _completion_loader codeh-history 2>/dev/null || _comp_load codeh-history
        COMP_WORDS=(codeh-history sho) COMP_CWORD=1; _codeh_history_completion codeh-history; echo "${{COMPREPLY[@]}}" """,
    "zsh": r"""
        FPATH_LINE; autoload -Uz compinit; compinit -u -D
        _arguments() { local -a ws; eval "ws=( ${${1#*\(\(}%))} )"; print -rl -- "${ws[@]%%:*}" }
        words=(codeh-history sho) CURRENT=2; ${_comps[codeh-history]}""".replace(
        "FPATH_LINE", re.search(r"`(fpath=.*)`", README)[1]
    ),
    "fish": "complete -C'codeh-history sho' | cut -f1",
}
SHELL_ARGV = {"bash": ["--norc"], "zsh": ["-f"], "fish": []}
COMPILERS = ("cc", "gcc", "clang", "cargo", "rustc")


class Home:
    """An empty home, and commands that run in it with nothing else in their environment."""

    def __init__(self, folder, path=""):
        self.folder = Path(folder)
        self.bin = self.folder / ".local" / "bin"
        system = (each for each in ("/usr/local/bin", "/usr/bin", "/bin"))
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(("PIP_", "UV_", "SSL_", "LANG"))
        }
        self.env = {
            **kept, "HOME": folder, "PATH": ":".join([path or str(self.bin), *system, str(BIN)]), "UV_PYTHON": sys.executable,
            "PIPX_DEFAULT_PYTHON": sys.executable, "TERM": "dumb", "UV_LINK_MODE": "copy",
        }  # fmt: skip

    def run(self, *argv, text=""):
        """What a command prints; CalledProcessError where it fails."""
        done = subprocess.run(
            argv, input=text, capture_output=True, text=True, check=False, env=self.env, cwd=self.folder
        )
        if done.returncode:
            raise Failed(
                f"{' '.join(map(str, argv))}: exit {done.returncode}: {done.stderr.strip()[-500:]}"
            )
        return done.stdout.strip()


class Failed(Exception):
    """A command that should work failed."""


def with_pip(home, wheel):
    home.run(sys.executable, "-m", "venv", home.folder / ".local")
    home.run(home.bin / "pip", "install", "--quiet", wheel)


def with_pipx(home, wheel):
    home.run("sh", "-c", readme_line("pipx install ").replace("codeh-history", str(wheel), 1))


def with_uv(home, wheel):
    home.run("sh", "-c", readme_line("uv tool install ").replace("codeh-history", str(wheel), 1))


def readme_line(start):
    """The README's command with this prefix."""
    return next(line for line in README.splitlines() if line.startswith(start))


INSTALLERS = {"pip": with_pip, "pipx": with_pipx, "uv": with_uv}


def use(home):
    """The main jobs: append, a request, a count, a page."""
    home.run("codeh-history", "append", "-q", "-s", "demo", "Why is the sky blue?")
    for line in (
        "payload demo --to anthropic --model m", "stats demo", "compact demo --budget 2k",
        "export demo --to html", "verify demo", "help --all",
    ):  # fmt: skip
        if not home.run("codeh-history", *line.split()):
            raise Failed(f"codeh-history {line}: prints nothing")


def look(home):
    """Check what man and the shells find; name the tools that are missing."""
    if shutil.which("man"):
        page = home.run("man", "-w", "codeh-history")
        if not page.startswith(str(home.folder)):
            raise Failed(f"man finds {page}")
        yield "man"
    else:
        yield "man: skipped, not on this machine"
    for shell, script in SHELLS.items():
        if not shutil.which(shell) or (shell == "bash" and not os.path.exists(BASH_COMPLETION)):
            yield f"{shell}: skipped, {'bash-completion' if shell == 'bash' else shell} is not on this machine"
            continue
        offered = home.run(shell, *SHELL_ARGV[shell], "-c", script)
        if offered.split() != ["show"]:
            raise Failed(f"{shell} completes `codeh-history sho` to {offered!r}")
        yield shell


def pythons():
    """Each version with an interpreter of it on this machine, or None."""
    for version in PYTHONS:
        places = [
            Path(shutil.which(f"python{version}") or "/none"),
            *Path(os.environ.get("PYENV_ROOT", "~/.pyenv"))
            .expanduser()
            .glob(f"versions/{version}.*/bin/python"),
            ROOT / ".pythons" / version / "usr" / "bin" / f"python{version}",
        ]
        works = (place for place in places if place.exists() and not subprocess.run(
            [place, "-c", f"import sys, ssl, sqlite3; assert '%d.%d' % sys.version_info[:2] == {version!r}"],
            capture_output=True, check=False,
        ).returncode)  # fmt: skip
        yield version, next(works, None)


def on_python(python, wheel):
    """Install with this Python, wheels only, no compiler in reach, and use it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(folder, path=f"{folder}/venv/bin")
        hidden = Path(folder, "hidden")  # in front of the compilers: each fails
        hidden.mkdir()
        for name in COMPILERS:
            (hidden / name).symlink_to("/bin/false")
        home.env["PATH"] = f"{hidden}:{home.env['PATH']}"
        home.run(BIN / "uv", "venv", "--quiet", "--python", python, f"{folder}/venv")
        home.run(
            BIN / "uv", "pip", "install", "--quiet", "--python", f"{folder}/venv/bin/python",
            "--only-binary", ":all:", wheel,
        )  # fmt: skip
        use(home)
        return home.run(f"{folder}/venv/bin/python", "-V")


def wheels_for(platform, version, wheel):
    """How many packages a platform installs, each from a wheel."""
    extras = next(names for word, names in EXTRAS.items() if word in platform)
    done = subprocess.run(
        [BIN / "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:",
         "--python-version", version, "--python-platform", platform, "-"],
        input=f"{wheel.stem.partition('-')[0]}[{extras}] @ {wheel.as_uri()}\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise Failed(done.stderr.strip()[:500])
    return len(done.stdout.splitlines())


def main():
    short = "short" in sys.argv[1:]
    (wheel,) = (ROOT / "dist").glob("*.whl")
    failures = 0

    def tried(name, outcome):
        print(f"{name:<34} {outcome}", flush=True)

    for name, install in INSTALLERS.items():
        if short and name != "pip":
            continue
        with tempfile.TemporaryDirectory() as folder:
            home = Home(folder)
            try:
                install(home, wheel)
                use(home)
                tried(name, f"ok: {', '.join(look(home))}")
            except Failed as error:
                failures += 1
                tried(name, f"FAILED: {error}")
    for version, python in () if short else pythons():
        try:
            tried(
                f"Python {version}", f"ok: {on_python(python, wheel)}" if python else "not on this machine"
            )
        except Failed as error:
            failures += 1
            tried(f"Python {version}", f"FAILED: {error}")
    for platform in PLATFORMS[:2] if short else PLATFORMS:
        for version in PYTHONS[-1:] if short else PYTHONS:
            try:
                tried(f"{platform} {version}", f"on paper: {wheels_for(platform, version, wheel)} wheels")
            except Failed as error:
                failures += 1
                tried(f"{platform} {version}", f"FAILED: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
