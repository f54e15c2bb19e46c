"""Logs that are synced."""

import orjson

from inside import inside

HEADER = b'{"type":"session","version":1,"id":"demo","created":"2026-01-01T00:00:00.000Z"}\n'


def record(**data):
    return orjson.dumps(data) + b"\n"


def message(id, text, second=1, **more):
    return record(
        type="message", id=id, ts=f"2026-01-01T00:00:{second:02}.000Z", kind="user", role="user",
        parts=[{"text": text}], **more,
    )  # fmt: skip


def opened(id):
    return record(type="open", id=id, ts="2026-01-01T00:01:00.000Z", kind="codeh", role="model")


def sync(home, url, *more, code=0):
    done = inside("sync", url, *more, home=home)
    assert done.code == code, done
    return done


def sessions(home):
    return {path.stem: path.read_bytes() for path in (home / "sessions").glob("*.jsonl")}


def texts(home, session):
    done = inside("show", session, "--jsonl", home=home)
    return [part["text"] for item in done.lines for part in item["parts"]]
