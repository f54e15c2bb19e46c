"""Sessions that are redacted."""

import orjson

from inside import inside
from secret_examples import SECRETS
from support import session_path

SECRET = SECRETS["github-token"]
HALVES = SECRET[:9], SECRET[9:]


def written(home, *records, session="s"):
    path = session_path(home, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"type": "session", "version": 1, "id": session}
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in (header, *records)))
    return path


def user(id, *texts, **more):
    parts = [{"text": text} for text in texts]
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": parts, **more}


def opened(id):
    return {"type": "open", "id": id, "kind": "codeh", "role": "model"}


def delta(of, text, **more):
    return {"type": "delta", "of": of, "parts": [{"text": text, **more}]}


def redacted(home, *argv):
    return inside("redact", "s", "-i", "--yes", *argv, home=home)
