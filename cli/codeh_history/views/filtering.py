"""Apply a filter's ops: print the resulting session, or record them (`-i`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..base import Any
from ..base.env import Env
from ..base.errors import Lost, Usage
from ..base.words import plural
from ..session.model import Json
from ..session.ops import Op, apply
from ..session.records import dumps
from ..session.view import View
from ..store.locked import Locked
from ..store.paths import path_of
from ..store.resolve import Target, for_filtering, require_name
from .view import report_missing_blocks, view_of

_TOGETHER = 1 << 20  # bytes written at once
Reduce = Callable[[View], tuple[list[Op], Json]]  # ops, and the record's other fields (policy, …)


def target_of(env: Env, options: Any) -> Target:
    """Return the session for a filter that cannot be undone; with `-i` it must be named."""
    if options.in_place:
        require_name(env, options.session, options.argument)
    return for_filtering(env, options.session, options.argument)


def run(env: Env, target: Target, reduce: Reduce, options: Any, lost: Lost | None) -> View:
    """Print the session after the ops, or append them (`-i`) as one reversible `compaction` record.

    Nothing is appended if nothing changes. A terminal gets a table of changes instead of the session,
    unless `jsonl`. Return the view after the ops.
    """
    if not options.in_place:
        view = view_of(env, target, strict=options.strict, lost=lost)
        ops, _ = reduce(view)
        after = apply(view, ops)
        if not shows_preview(env, jsonl=options.jsonl):
            write_lines(env, after.lines())
        elif ops:
            from ..render import changes

            changes.draw(env, changes.COLUMNS, changes.rows(view, ops), flexible=2)
            env.note(unchanged_note(env, target))
        else:
            env.note(f"{target.id}: nothing to change")
        report_missing_blocks(env, target.id, lost)
        return after
    if target.path == "-":
        raise Usage("-i changes a session: name one instead of -")
    result: list[View] = []

    def build(locked: Locked) -> bytes | None:
        view = view_of(env, target, locked.read(), strict=options.strict, lost=lost)
        ops, fields = reduce(view)
        result.append(apply(view, ops))
        if not ops:
            budget, before, counter = (fields.get(name) for name in ("budget", "before", "counter"))
            unit = "characters" if counter == "characters" else "tokens"
            size = f": below {budget:,} {unit}" if budget is not None else ""
            if budget is not None and before is not None:
                by = "" if unit == counter else f" by {counter}"
                size = f": {before:,} of {budget:,} {unit}{by}"
            env.note(f"{target.id}: nothing to change, nothing to undo{size}")
            return None
        return dumps(compaction(env.id_in(locked), env.now(), ops, fields)) + b"\n"

    from ..store import log

    log.append(env, target.path, build)
    report_missing_blocks(env, target.id, lost)
    return result[0]


def shows_preview(env: Env, *, jsonl: bool) -> bool:
    """Return whether a filter prints its changes instead of the session: stdout is a terminal."""
    return not jsonl and env.terminal(env.stdout)


def unchanged_note(env: Env, target: Target, *, writes: bool = True) -> str:
    """Return a note that the session is unchanged, and how to keep the result."""
    own = writes and target.path != "-" and target.path == path_of(env, target.id)
    return f"{target.id} is unchanged: add {'-i to keep this, or > FILE' if own else '> FILE to keep this'}"


def compaction(id: str, now: str, ops: list[Op], fields: Json) -> Json:
    """Return the record of a compaction."""
    return {"type": "compaction", "id": id, "ts": now, **fields, "ops": ops}


def print_rewritten(
    env: Env, target: Target, lines: Sequence[bytes], *, jsonl: bool, writes: bool = True
) -> None:
    """Print a session's new lines; on a terminal only their number and size, unless `jsonl`."""
    if not shows_preview(env, jsonl=jsonl):
        write_lines(env, lines)
        return
    env.note(f"{target.id}: {plural(len(lines), 'line')}, {sum(map(len, lines)):,} bytes")
    env.note(unchanged_note(env, target, writes=writes))


def write_lines(env: Env, lines: Iterable[bytes]) -> None:
    """Write lines to stdout in batches."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if size > _TOGETHER:
            env.write(b"".join(batch))
            batch, size = [], 0
    env.write(b"".join(batch))
