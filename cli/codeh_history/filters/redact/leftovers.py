"""Find files of this home and blocks that still contain text redacted from a session."""

from __future__ import annotations

import os
import re
from binascii import b2a_base64
from collections.abc import Collection, Iterator
from glob import escape, glob

import orjson

from ...base.env import Env
from ...base.folders import SUFFIX
from ...base.words import plural
from ...session.records import parse
from ...store import read
from ...store.blocks import open_stores, own_folder
from ...store.blocks.protocol import is_block_id
from ...store.cache import Cache
from ...store.paths import SERVER, id_of
from ...store.read import loaded_together
from ...store.resolve import Target, ids
from ...store.trash import trash_dir
from ...views import rewrite
from .run import streams

MIN_LENGTH = 6  # characters; shorter text occurs anywhere by chance
BATCH = 256  # blocks fetched at once
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW


class Needles:
    """Texts to search for, also in JSON and base64 encoding."""

    def __init__(self, texts: Collection[str]) -> None:
        forms: set[bytes] = set()
        for text in texts:
            if len(text) < MIN_LENGTH:
                continue
            raw = text.encode("utf-8", "surrogateescape")
            forms |= {raw, orjson.dumps(text.encode("utf-8", "replace").decode())[1:-1]}
            # in base64 at each alignment, without the ends, which depend on adjacent bytes
            for before in range(3):
                data = b2a_base64(b"\0" * before + raw, newline=False).rstrip(b"=")
                core = data[-(-before * 8 // 6) : len(data) - 1]
                forms |= {core} if len(core) > 2 * MIN_LENGTH else set()
        self.pattern = re.compile(b"|".join(map(re.escape, sorted(forms)))) if forms else None

    def within(self, data: bytes) -> bool:
        return self.pattern is not None and self.pattern.search(data) is not None

    def within_file(self, path: str) -> bool:
        """Whether a readable file contains one, whole or split over the deltas of a stream."""
        try:
            on_server = path.startswith(SERVER)
            with open(read.open_stored(path)[0] if on_server else os.open(path, _OPEN), "rb") as file:
                data = file.read()
        except OSError:
            return False
        records = [record.data for record in parse(data).records] if b'"delta"' in data else []
        texts = (
            "".join(str(records[record]["parts"][part].get("text", "")) for record, part in places)
            for places in streams(records)
        )
        return self.within(data) or self.within("\n".join(texts).encode("utf-8", "replace"))


def places(env: Env, target: Target, before: bytes, removed: Collection[str]) -> list[str]:
    """Return the places that still contain one of the texts removed from the session `before`.

    The cache of `list` and `search` is deleted instead.
    """
    needles = Needles(removed)
    if needles.pattern is None:
        return []
    Cache(env.home).remove()
    others = [path for _, path in ids(env) if path != target.path]
    places = [f"session {id_of(path)}" for path in loaded_together(others) if needles.within_file(path)]
    sessions = {os.path.abspath(path) for path in (target.path, *others)}
    for path in _files(env, target):
        if path not in sessions and needles.within_file(path):
            folder, name = os.path.split(path)
            places.append(f"trash {name}" if folder == os.path.abspath(trash_dir(env)) else f"file {path}")
    blocks = len(_blocks(env, before, needles))
    if blocks:
        places.append(f"{plural(blocks, 'block')} (gc removes those that no session needs, after 7 days)")
    return places


def _files(env: Env, target: Target) -> Iterator[str]:
    """Yield the files of the home other than blocks, and unfinished replacements of the session."""
    for folder, _, names in os.walk(env.home):
        in_blocks = folder.startswith(own_folder(env))
        for name in sorted(names):
            if not in_blocks or name.endswith(SUFFIX):
                yield os.path.abspath(os.path.join(folder, name))
    path = os.path.abspath(target.path)
    if not target.path.startswith(SERVER) and not path.startswith(os.path.abspath(env.home)):
        folder, name = os.path.split(path)
        yield from sorted(glob(os.path.join(escape(folder), f".{escape(name)}.*")))


def _blocks(env: Env, before: bytes, needles: Needles) -> set[str]:
    """Return the blocks with one of the texts, in the home's own store or referred to by the session."""
    ids: set[str] = set()
    for store in open_stores(env):
        own = () if store.shared else store.stale(float("inf"))
        names = [*dict.fromkeys(filter(is_block_id, (*rewrite.block_ids(before), *own)))]
        for at in range(0, len(names), BATCH):
            batch = store.mget(names[at : at + BATCH])
            ids |= {id for id, data in batch.items() if needles.within(data)}
    return ids
