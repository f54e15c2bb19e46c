"""What the tests of sessions by reference share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from codeh_history import providers
from inside import inside
from support import Result

BIG = "s3cret " * 1000
IMAGE = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\3\0" * 2 + bytes(range(256)) * 1200  # 300 KB
PROVIDERS = tuple(providers.FORMATS)


def ok(*argv: Any, home: Path, **more: Any) -> Result:
    """Run a command here, which must succeed."""
    done = inside(*map(str, argv), home=home, **more)
    assert done.code == 0, done.err
    return done


def blocks(home: Path) -> dict[str, bytes]:
    """What lies in the home's own store."""
    return {p.name: p.read_bytes() for p in (home / "blocks").rglob("*") if p.is_file()}


def contents(home: Path, session: str = "demo") -> Any:
    """A session's messages as `{role, parts}`."""
    return orjson.loads(ok("export", session, home=home).out)
