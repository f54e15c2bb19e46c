"""Logs that are synced."""

from __future__ import annotations

from pathlib import Path

import orjson

from inside import inside
from support import Result

HEADER = b'{"type":"session","version":1,"id":"demo","created":"2026-01-01T00:00:00.000Z"}\n'


def record(**data: object) -> bytes:
    return orjson.dumps(data) + b"\n"


def message(id: str, text: str, second: int = 1, **more: object) -> bytes:
    return record(
        type="message", id=id, ts=f"2026-01-01T00:00:{second:02}.000Z", kind="user", role="user",
        parts=[{"text": text}], **more,
    )  # fmt: skip


def opened(id: str) -> bytes:
    return record(type="open", id=id, ts="2026-01-01T00:01:00.000Z", kind="codeh", role="model")


def sync(home: Path, url: str, *more: str, code: int = 0) -> Result:
    done = inside("sync", url, *more, home=home)
    assert done.code == code, done
    return done


def sessions(home: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (home / "sessions").glob("*.jsonl")}


def texts(home: Path, session: str) -> list[str]:
    done = inside("show", session, "--jsonl", home=home)
    return [part["text"] for item in done.lines for part in item["parts"]]
