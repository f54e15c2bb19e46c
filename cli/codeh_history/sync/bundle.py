"""Bundles: tar files of a session and its blocks, for copying to another machine.

`codeh-bundle.json` has the session's id and the hash of its bytes, `session.jsonl` the bytes, each
`blocks/SHA256` a block, and `end.json` the list of blocks, so that truncation and alteration are detected.
Blocks are written and read in batches.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from types import SimpleNamespace
from typing import IO, Any

import orjson

from ..base.env import Env
from ..base.errors import BadData, Lost, Usage
from ..base.input import required_stdin
from ..base.read_json import json_object
from ..base.words import is_id, plural
from ..store import create, read
from ..store.blocks import fetch, open_store, open_stores, sizes
from ..store.blocks.protocol import BlockStore, batches
from ..store.new_file import creating
from ..store.paths import id_of
from ..store.resolve import Target
from ..views import rewrite
from .encryption import FIRST, Encryption

VERSION = 1
SESSION, BLOCKS, LAST = "session.jsonl", "blocks/", "end.json"
Members = Iterator[tuple[str, bytes]]  # names and contents


def pack(
    env: Env, target: Target, name: str, lost: Lost | None = None, encryption: Encryption | None = None
) -> None:
    """Write a session and its blocks to a new file (`-`: stdout), mode 0600, optionally encrypted."""
    if target.path.endswith(".json"):
        raise Usage(f"{target.path}: an older form; `import` it into a session first")
    if name == "-" and env.terminal(env.stdout):
        raise Usage("--bundle -: a bundle is binary; redirect stdout, or name a file")
    session = target.id
    if target.path == "-":
        data = required_stdin(env)
        header = json_object(data.partition(b"\n")[0]) or {}
        session = str(header["id"]) if header.get("type") == "session" and "id" in header else session
    else:
        data = read.read_bytes(target.path)
    stores = open_stores(env) if b'"blockId' in data else []
    ids = rewrite.block_ids(data)
    present = sizes(stores, ids)
    fetch(stores, [id for id in ids if id not in present], lost)
    blocks = (item for batch in batches(present) for item in fetch(stores, batch, lost).items())
    with nullcontext(SimpleNamespace(write=env.draw)) if name == "-" else creating(name) as file:
        plain = io.BytesIO()
        count = write(
            file if encryption is None else plain, session, data, blocks, () if lost is None else lost
        )
        if encryption is not None:
            file.write(encryption.encrypt(plain.getvalue()))
    env.note(
        f"{target.id}: the session and {plural(count, 'block')} in {'stdout' if name == '-' else name}"
    )


def write(
    file: Any, session: str, data: bytes, blocks: Iterable[tuple[str, bytes]], missing: Collection[str]
) -> int:
    """Write a bundle; return the number of blocks. Iterating `blocks` may add to `missing`."""
    written: list[str] = []
    with tarfile.open(fileobj=file, mode="w|") as tar:
        header = {"type": "codeh-bundle", "version": VERSION, "session": session}
        header |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        _add(tar, FIRST, orjson.dumps(header) + b"\n")
        _add(tar, SESSION, data)
        for id, block in blocks:
            _add(tar, BLOCKS + id, block)
            written.append(id)
        _add(tar, LAST, orjson.dumps({"blocks": written, "missing": list(missing)}) + b"\n")
    return len(written)


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o600
    tar.addfile(info, io.BytesIO(data))


# -- reading ------------------------------------------------------------------------------------------


def unpack(env: Env, file: IO[bytes], where: str, into: str | None) -> str:
    """Store a bundle's session unchanged, with its blocks; return its id.

    Nothing is stored if the bundle is truncated or altered, or if another session has the id.
    """
    contents = _contents(file, where)
    session, data = next(contents)
    stored = {id: len(block) for id, block in contents}
    name = into or (session if is_id(session) else None)
    path = create.path_for_into(env, name) if name else create.free_path(env, None, session)
    present = read.read_bytes(path) if create.is_taken(path) else None
    if present == data:
        return id_of(path)
    if present is not None:
        raise BadData(f"{path}: another session of that id; --into NEW imports it as another session")
    file.seek(0)
    contents, store = _contents(file, where), open_store(env)
    next(contents)
    for batch in batches(stored):
        store.mset(dict(islice(contents, len(batch))))
    id = create.copy_session(env, path, data, renamed=id_of(path) != session)
    absent = [block for block in rewrite.block_ids(data) if block not in stored]
    if absent:
        env.note(f"{id}: {plural(len(absent), 'block')} not in the bundle: {', '.join(absent[:3])}")
    return id


def load(data: bytes, where: str, store: BlockStore) -> bytes:
    """Return the session of a bundle in memory, after putting its blocks into a store."""
    contents = _contents(io.BytesIO(data), where)
    _, session = next(contents)
    store.mset(dict(contents))
    return session


def _contents(file: IO[bytes], where: str) -> Members:
    """Yield a bundle's session and then its blocks, by id, each checked."""
    members, ids = _members(file, where), list[str]()
    name, data = next(members, ("", b""))
    header = json_object(data) or {}
    session = str(header.get("session"))
    if name != FIRST or header.get("version") != VERSION or "/" in session:
        raise BadData(f"{where}: not a bundle that this version reads; nothing was imported")
    name, data = next(members, ("", b""))
    if name != SESSION or hashlib.sha256(data).hexdigest() != header.get("sha256"):
        raise BadData(f"{where}: the session in it is truncated or altered; nothing was imported")
    yield session, data
    for name, block in members:
        if name == LAST:
            if (json_object(block) or {}).get("blocks") == ids:
                return
            break
        ids.append(name.removeprefix(BLOCKS))
        if hashlib.sha256(block).hexdigest() != ids[-1]:
            raise BadData(f"{where}: {name} is altered; nothing was imported")
        yield ids[-1], block
    raise BadData(f"{where}: cut off, or blocks are missing from it; nothing was imported")


def _members(file: IO[bytes], where: str) -> Members:
    """Yield the names and contents of a bundle's members; raise BadData if the tar file is damaged."""
    try:
        with tarfile.open(fileobj=file, mode="r|") as tar:
            for member in tar:
                part = tar.extractfile(member) if member.isreg() and not member.issparse() else None
                if part is None:
                    raise BadData(f"{where}: {member.name}: not a regular file; nothing was imported")
                yield member.name, part.read()
    except (tarfile.TarError, EOFError) as error:
        raise BadData(f"{where}: not a whole bundle ({error}); nothing was imported") from None
