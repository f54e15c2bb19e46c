"""Blocks in Redis or Valkey, shared by many machines: `redis://[user:password@]host:port/db`, `rediss://…`.

The password may also be in `CODEH_BLOCKS_PASSWORD`. Keys are `WORKSPACE:block:SHA256` (`CODEH_WORKSPACE`,
default `default`). Durability is that of the server's configuration (`appendonly yes`). The URL's query is
passed to the client (`?socket_timeout=30`, `?ssl_ca_certs=FILE`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from ...base.env import Env
from ...base.errors import InputOutput, Usage, one_line
from ...base.words import is_id
from .protocol import BlockStore, Data, batches

CONNECT_SECONDS = 5
SECONDS = 20  # for each read and each write
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_DELETE = """\
local idle = redis.call('OBJECT', 'IDLETIME', KEYS[1])
if idle and idle > tonumber(ARGV[1]) then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisStore(BlockStore):
    """Blocks under a workspace's prefix; the commands of one call share a round trip."""

    shared = True
    remote = True

    def __init__(self, env: Env, url: str) -> None:
        self.name = printable(url)
        workspace = env.environ.get("CODEH_WORKSPACE") or "default"
        if not is_id(workspace):
            raise Usage(f"CODEH_WORKSPACE: {workspace}: letters, digits, _ and - (at most 128)")
        self._prefix = f"{workspace}:block:"
        self.place = f"{self.name} {workspace}"
        password = env.environ.get("CODEH_BLOCKS_PASSWORD") or None
        self._client, self._error = _connect(url, self.name, password)

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        return self._values(self._prefix, ids)

    def _values(self, head: str, ids: Sequence[str]) -> dict[str, bytes]:
        with self._failing():
            values = self._client.mget([head + id for id in ids]) if ids else []
            return {id: data for id, data in zip(ids, values, strict=True) if data is not None}

    def mset(self, blocks: Mapping[str, Data]) -> None:
        with self._failing("; nothing refers to what was written"):
            pipe = self._client.pipeline(transaction=False)
            for ids in batches({id: len(data) for id, data in blocks.items()}):
                pipe.mset({self._prefix + id: blocks[id] for id in ids})
            if any(answer is not True for answer in pipe.execute()):
                raise TypeError

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        with self._failing():
            pipe = self._client.pipeline(transaction=False)
            for id in ids:
                pipe.strlen(self._prefix + id)
            return {id: size for id, size in zip(ids, pipe.execute(), strict=True) if size}

    def stale(self, before: float) -> dict[str, int]:
        """Find stale blocks by their idle time; the server must not use an LFU policy."""
        seconds = time.time() - before
        with self._failing():
            keys = [key.decode() for key in self._client.scan_iter(f"{self._prefix}*", count=1000)]
            pipe = self._client.pipeline(transaction=False)
            for key in keys:
                pipe.object("idletime", key)
                pipe.strlen(key)
            answers = pipe.execute()
            return {
                key.removeprefix(self._prefix): size
                for key, idle, size in zip(keys, answers[::2], answers[1::2], strict=True)
                if idle is not None and idle > seconds
            }

    def delete(self, ids: Sequence[str], before: float) -> int:
        """Check and delete each block in one step, so that a block just written is never deleted."""
        with self._failing():
            pipe = self._client.pipeline(transaction=False)
            for id in ids:
                pipe.eval(_DELETE, 1, self._prefix + id, str(time.time() - before))
            return sum(pipe.execute())

    def foreign(self, ids: Sequence[str], heads: Sequence[str]) -> dict[str, bytes]:
        """Look in our workspace and outside it, at the top level and beside our blocks."""
        mine = self._prefix.removesuffix("block:")
        blocks: dict[str, bytes] = {}
        for head in (self._prefix, *(space + head for head in heads for space in (mine, ""))):
            blocks |= self._values(head, [id for id in ids if id not in blocks])
        return blocks

    @contextmanager
    def _failing(self, what: str = "") -> Iterator[None]:
        """Raise the client's errors, and malformed replies, as InputOutput naming the server."""
        try:
            yield
        except (self._error, OSError, UnicodeError) as error:
            raise InputOutput(f"{self.name}: {one_line(error)}{what}") from None
        except _MALFORMED:
            self._client.connection_pool.disconnect()
            raise InputOutput(f"{self.name}: not a reply of a Redis server{what}") from None


def _connect(url: str, name: str, password: str | None) -> tuple[Any, type[Exception]]:
    """Return a client, which connects with its first command, and its error class.

    `password` is used if the URL has none.
    """
    try:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise Usage(
            "CODEH_BLOCKS: redis:// needs the redis package: pip install 'codeh-history[redis]'"
        ) from None
    try:
        client: Any = redis.Redis.from_url(
            url, password=password, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=SECONDS,
            retry=Retry(NoBackoff(), 0),
        )  # fmt: skip
        # blocks are bytes, even if the URL's options decode responses
        pool = client.connection_pool
        pool.connection_kwargs.update(decode_responses=False, encoding="utf-8")
        pool.make_connection()  # validates the options without connecting
    except (ValueError, TypeError):  # the error's text may contain the password
        raise Usage(f"CODEH_BLOCKS: {name}: expected redis://[USER:PASSWORD@]HOST[:PORT][/DB]") from None
    return client, redis.RedisError


def printable(url: str) -> str:
    """Return a store's URL without user, password and options."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{url.split('://', 1)[0]}://…"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{port}{parts.path}"
