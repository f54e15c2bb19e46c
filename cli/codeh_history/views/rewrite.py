"""Rewrite a session's lines; unchanged, damaged and unknown lines keep their bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..base.env import Env
from ..base.errors import Usage
from ..session.by_reference import all_ids
from ..session.records import ParseState, Record, lines_of, parse
from ..store import log, read
from ..store.locked import Locked
from ..store.resolve import Target
from .view import report_damage

Rewrite = Callable[[bytes], list[bytes]]  # a file's bytes → its new lines


def in_place(env: Env, target: Target, rewrite: Rewrite, *, strict: bool = False) -> bool:
    """Replace a session's file by its rewritten lines, under its lock; return whether anything changed.

    `rewrite` first runs without the lock, so that slow work (a remote block store) does not delay appends.
    If the file changed meanwhile, it runs again under the lock, without repeating that work.
    """
    require_rewritable(target)
    data = read.read_bytes(target.path)
    report_damage(env, target, read.read_log(data), strict=strict)
    new = b"".join(rewrite(data))
    if new == data:
        return False

    def build(locked: Locked) -> bytes | None:
        nonlocal new
        now = locked.whole()
        if now != data:
            new = b"".join(rewrite(now))
        return new if new != now else None

    return log.replace(env, target.path, build)


def require_rewritable(target: Target) -> None:
    """Raise Usage if the session cannot be rewritten in place."""
    if target.path == "-":
        raise Usage("- (a stream on stdin) has no file to replace; name a session")
    if target.path.endswith(".json"):
        raise Usage(f"{target.path}: an older form, read but never written; `import` it into a session")


def records(data: bytes) -> Iterator[tuple[bytes, Record | None]]:
    """Yield each line with its record; None for damaged and blank lines."""
    before = ParseState()
    for line in lines_of(data):
        yield line, next(iter(parse(line, before).records), None)


def block_ids(data: bytes) -> list[str]:
    """Return the ids of the blocks that a session's lines refer to, hidden and undone ones too."""
    naming = parse(b"".join(line for line in lines_of(data) if b'"blockId' in line)).records
    return list(dict.fromkeys(id for record in naming for id in all_ids(record.data)))


def with_same_end(line: bytes, like: bytes) -> bytes:
    """Return the line with the newline that the one it replaces has, if any."""
    return line + b"\n" if like.endswith(b"\n") else line
