"""Shared by the tests of sessions by reference."""

import hashlib

import orjson

from codeh_history import providers
from in_process import run_ok

BIG = "s3cret " * 1000
IMAGE = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\3\0" * 2 + bytes(range(256)) * 1200  # 300 KB
PROVIDERS = tuple(providers.FORMATS)


def block(data):
    """The id of a block with these bytes, and the bytes."""
    return hashlib.sha256(data).hexdigest(), data


ONE, TWO, ODD = block(b'{"text":"one"}'), block(b'{"text":"two"}'), block('{"text":"é\u2028日本"}'.encode())


def blocks(home):
    """The blocks in the home's own store."""
    return {p.name: p.read_bytes() for p in (home / "blocks").rglob("*") if p.is_file()}


def contents(home, session="demo"):
    """A session's messages as `{role, parts}`."""
    return orjson.loads(run_ok("export", session, home=home).out)
