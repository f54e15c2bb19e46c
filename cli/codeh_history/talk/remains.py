"""What still holds the text that was removed from a session: other sessions, the trash, blocks."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator

import orjson

from ..blockrefs import block_ids
from ..blocks import is_block_id, open_stores
from ..env import Env
from ..records import lines_of, parse
from ..store.resolve import Target, ids
from ..store.trash import trash_dir

BATCH = 256  # blocks fetched at once
LEAST = 6  # characters; a shorter text stands anywhere by chance
_STEP = 1 << 20


def places(env: Env, target: Target, before: bytes, removed: Collection[str]) -> list[str]:
    """Where one of these texts, removed from a session that was `before`, still is."""
    texts = [text.encode("utf-8", "surrogateescape") for text in removed if len(text) >= LEAST]
    if not texts:
        return []
    needles = {*texts, *(_in_json(text) for text in removed if len(text) >= LEAST)}
    longest = max(map(len, needles))
    pattern = re.compile(b"|".join(map(re.escape, sorted(needles))))
    others = {id: path for id, path in ids(env) if path != target.path}
    forks = _forks(others, target.id)
    found = [
        f"{'fork' if id in forks else 'session'} {id}"
        for id, path in others.items()
        if _holds(path, pattern, longest)
    ]
    found += [f"trash {name}" for name, path in _trash(env) if _holds(path, pattern, longest)]
    held = sum(map(bool, map(pattern.search, _blocks(env, before))))
    if held:
        blocks = "1 block" if held == 1 else f"{held} blocks"
        found.append(f"{blocks} (gc removes those that no session needs, after 7 days)")
    return found


def _in_json(text: str) -> bytes:
    return orjson.dumps(text.encode("utf-8", "replace").decode())[1:-1]


def _holds(path: str, pattern: re.Pattern[bytes], longest: int) -> bool:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            tail = b""
            while chunk := file.read(_STEP):
                text = tail + chunk
                if pattern.search(text):
                    return True
                tail = text[-longest:]
    except OSError:
        pass
    return False


def _forks(others: dict[str, str], session: str) -> set[str]:
    """The sessions that were forked from this one, and those that were forked from them."""
    parents = {id: _parent(path) for id, path in others.items()}
    found: set[str] = set()
    for id in parents:
        line: list[str] = []
        at: str | None = id
        while at is not None and at != session and at not in line:
            line.append(at)
            at = parents.get(at)
        if at == session:
            found.update(line)
    return found


def _parent(path: str) -> str | None:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            header = orjson.loads(file.readline(_STEP))
    except (OSError, ValueError):
        return None
    parent = header.get("parent") if isinstance(header, dict) else None
    id = parent.get("session") if isinstance(parent, dict) else None
    return id if isinstance(id, str) else None


def _trash(env: Env) -> Iterator[tuple[str, str]]:
    folder = trash_dir(env)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        yield name, os.path.join(folder, name)


def _blocks(env: Env, before: bytes) -> Iterator[bytes]:
    """The blocks that the session named."""
    if b'"block' not in before:
        return
    records = parse(lines_of(before)).records
    named = list(
        dict.fromkeys(id for record in records for id in block_ids(record.data) if is_block_id(id))
    )
    for store in open_stores(env):
        for at in range(0, len(named), BATCH):
            yield from store.mget(named[at : at + BATCH]).values()
