"""The samples of docs/adapters.md run where their package is, and adapters have the packages' own types."""

import re
import subprocess
import sys
from importlib import metadata

import pytest

from in_process import run_in_process
from support import ROOT

PACKAGES = ("openai-agents", "claude-agent-sdk", "langchain-core", "google-adk")


def installed(package):
    try:
        return bool(metadata.version(package))
    except metadata.PackageNotFoundError:
        return False


PAGE = (ROOT / "docs" / "adapters.md").read_text()
SAMPLES = dict(re.findall(r"^## (\S+)\n\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))


def test_every_adapter_has_a_sample():
    assert SAMPLES.keys() == set(PACKAGES)
    for name, code in SAMPLES.items():
        compile(code, name, "exec")


@pytest.mark.parametrize("name", PACKAGES)
def test_samples_run(home, name):
    if not installed(name):
        pytest.skip(f"{name} is installed by `make test-adapters`")
    asking = "result = "  # what would ask a model on the net
    exec(compile(SAMPLES[name].split(asking)[0], name, "exec"), {"__name__": "sample"})
    if name == "langchain-core":
        shown = run_in_process("show", "demo", "--jsonl").lines
        assert [line["kind"] for line in shown] == ["user", "codeh"]


SAMPLE = """
from agents.memory import Session as AgentsSession
from claude_agent_sdk import ClaudeAgentOptions, SessionStore as ClaudeStore
from google.adk.sessions import BaseSessionService
from langchain_core.chat_history import BaseChatMessageHistory

from codeh_history.adapters.claude_agent_sdk import SessionStore
from codeh_history.adapters.google_adk import SessionService
from codeh_history.adapters.langchain import ChatMessageHistory
from codeh_history.adapters.openai_agents import Session

session: AgentsSession = Session("demo")
store: ClaudeStore = SessionStore()
options = ClaudeAgentOptions(session_store=SessionStore())
history: BaseChatMessageHistory = ChatMessageHistory("demo")
service: BaseSessionService = SessionService()
"""


ALL = all(map(installed, [*PACKAGES, "mypy"]))


@pytest.mark.skipif(not ALL, reason="all packages are installed by `make test-adapters`")
def test_adapters_satisfy_their_interfaces(tmp_path):
    (tmp_path / "sample.py").write_text(SAMPLE)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "--cache-dir", str(tmp_path), "sample.py"],
        cwd=tmp_path, env={"MYPYPATH": str(ROOT / "cli"), "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
