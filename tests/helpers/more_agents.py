"""How Qwen Code, Kimi Code and Cline resume a session; see `coding_agents`."""

import hashlib
import json
import re
import sys
from pathlib import Path

KEY = "made-up-key"
PROMPT = "proceed"
PROJECT = "/home/dev/project"  # where the sessions here say that they took place
CLINE_MODEL = "loopback-model"
QWEN_MODEL = "gemini-3-pro-preview"


def copied(place, session, to):
    """Copy a session's file, replacing `PROJECT` by the run's project directory."""
    to.mkdir(parents=True, exist_ok=True)
    copy = to / session.name
    copy.write_bytes(session.read_bytes().replace(PROJECT.encode(), str(place.project).encode()))
    return copy


def _qwen_code(place):
    folder = place.home / ".qwen"
    folder.mkdir()
    settings = {
        "security": {"auth": {"selectedType": "gemini"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False},
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": place.url, "QWEN_DISABLE_AUTO_TITLE": "1"}


def _write_qwen_code(place, session):
    folder = re.sub(r"[^a-zA-Z0-9]", "-", str(place.project))
    copied(place, session, place.home / ".qwen" / "projects" / folder / "chats")
    return session.stem, []


def _kimi_code(place):
    return {
        "KIMI_CODE_HOME": str(place.home / ".kimi-code"),
        "KIMI_CODE_NO_AUTO_UPDATE": "1",
        "KIMI_DISABLE_TELEMETRY": "1",
        "KIMI_MODEL_NAME": "claude-opus-4-8",
        "KIMI_MODEL_API_KEY": KEY,
        "KIMI_MODEL_BASE_URL": place.url,
        "KIMI_MODEL_PROVIDER_TYPE": "anthropic",
    }


def _write_kimi_code(place, session):
    id = "session_9e551000-0000-4000-8000-000000000001"
    workspace = f"wd_project_{hashlib.sha256(str(place.project).encode()).hexdigest()[:12]}"
    folder = place.home / ".kimi-code" / "sessions" / workspace / id
    copied(place, session, folder / "agents" / "main")
    agents = {"main": {"homedir": str(folder / "agents" / "main"), "type": "main"}}
    state = {"id": id, "version": 2, "cwd": str(place.project), "agents": agents, "custom": {}}
    times = {"createdAt": 1767225600000, "updatedAt": 1767225600000}
    (folder / "state.json").write_text(json.dumps({**state, **times, "archived": False}))
    return id, []


def _cline(place):
    folder = place.home / ".cline" / "data" / "settings"
    folder.mkdir(parents=True)
    provider = {"provider": "openai-compatible", "apiKey": KEY, "model": CLINE_MODEL}
    settings = {**provider, "baseUrl": f"{place.url}/v1"}
    saved = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    providers = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}}
    providers["providers"] = {"openai-compatible": saved}
    (folder / "providers.json").write_text(json.dumps(providers))
    return {"CLINE_TELEMETRY_DISABLED": "1", "DO_NOT_TRACK": "1"}


def _write_cline(place, session):
    id = session.name.partition(".")[0]
    folder = place.home / ".cline" / "data" / "sessions" / id
    copied(place, session, folder)
    compaction = session.with_name(f"{id}.compaction.json")
    if compaction.exists():
        copied(place, compaction, folder)
    about = {
        "version": 1, "session_id": id, "source": "cli", "pid": 1, "status": "completed",
        "started_at": "2026-01-01T00:00:00.000Z", "interactive": False, "provider": "openai-compatible",
        "model": CLINE_MODEL, "cwd": str(place.project), "workspace_root": str(place.project),
        "enable_tools": True, "enable_spawn": True, "enable_teams": True, "metadata": {},
        "messages_path": str(folder / session.name),
    }  # fmt: skip
    if compaction.exists():
        about["compaction_path"] = str(folder / compaction.name)
    (folder / f"{id}.json").write_text(json.dumps(about))
    return id, []


TYPED = [sys.executable, str(Path(__file__).with_name("typed_prompt.py")), "Ask anything", PROMPT]
MORE = (
    ("cline", "cline", "cline", "openai-chat", _cline, _write_cline,
     [*TYPED, *f"cline -P openai-compatible -m {CLINE_MODEL} --id {{id}}".split()]),
    ("kimi-code", "@moonshot-ai/kimi-code", "kimi", "anthropic", _kimi_code, _write_kimi_code, f"kimi -S {{id}} -p {PROMPT}"),
    ("qwen-code", "@qwen-code/qwen-code", "qwen", "gemini", _qwen_code, _write_qwen_code,
     f"qwen -m {QWEN_MODEL} --resume {{id}} -p {PROMPT}"),
)  # fmt: skip
