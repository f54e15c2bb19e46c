"""Sessions that are redacted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from inside import inside
from secret_examples import SECRETS
from support import Result, session_path

SECRET = SECRETS["github-token"]
HALVES = SECRET[:9], SECRET[9:]


def written(home: Path, *records: Any, session: str = "s") -> Path:
    path = session_path(home, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"type": "session", "version": 1, "id": session}
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in (header, *records)))
    return path


def user(id: str, *texts: str, **more: Any) -> Any:
    parts = [{"text": text} for text in texts]
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": parts, **more}


def opened(id: str) -> Any:
    return {"type": "open", "id": id, "kind": "codeh", "role": "model"}


def delta(of: str, text: str, **more: Any) -> Any:
    return {"type": "delta", "of": of, "parts": [{"text": text, **more}]}


def redacted(home: Path, *argv: Any) -> Result:
    return inside("redact", "s", "-i", "--yes", *argv, home=home)
