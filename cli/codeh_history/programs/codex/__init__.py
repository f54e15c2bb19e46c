"""Codex: JSON lines, a session a file: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl[.zst]`."""

from __future__ import annotations

from collections.abc import Iterable

from .. import pairs
from ..protocol import Head, Place, Program

_TYPES = frozenset(("session_meta", "response_item", "turn_context", "event_msg", "compacted"))


def recognises(head: Head) -> bool:
    of_types = (data for data in head.objects if str(data.get("type")) in _TYPES)
    return any(isinstance(data.get("payload"), dict) for data in of_types)


def ids_of(path: str) -> tuple[str, str]:
    """The thread that a rollout is of, and its own id, by its name: `rollout-TIME-THREAD[_ROLLOUT].jsonl`.

    A thread's first rollout has the thread's id; each revert of the thread begins another one.
    """
    stem = path.rpartition("/")[2].partition(".jsonl")[0]
    rollout = stem[-36:]
    return (stem[-73:-37] if stem[-37:-36] == "_" else rollout), rollout


def superseded(paths: Iterable[str]) -> set[str]:
    """The rollouts of threads that were reverted since: Codex resumes the newest of a thread alone."""
    rollouts: dict[str, dict[tuple[bool, str], list[str]]] = {}
    for path in paths:
        thread, rollout = ids_of(path)
        rollouts.setdefault(thread, {}).setdefault((rollout != thread, rollout), []).append(path)
    return {path for of in rollouts.values() for key in of if key != max(of) for path in of[key]}


_PAIRS: pairs.Does = {
    pairs.OPEN_AT_THE_END: ("drops", "{} says in its place that it was aborted"),
    pairs.OPEN_BETWEEN: ("drops", "{} says in its place that it was aborted"),
    pairs.ORPHAN: ("drops", "{} drops it"),
    pairs.EARLY: ("refused", "{} sends them as they stand, which its provider refuses"),
    pairs.DOUBLE: ("refused", "{} sends both, which its provider refuses"),
}
PROGRAM = Program(
    "codex", "Codex", f"{__name__}.read", recognises,
    (Place(
        "CODEX_HOME", ".codex",
        tuple(
            f"{folder}/rollout-*.jsonl{end}"
            for folder in ("sessions/*/*/*", "archived_sessions") for end in ("", ".zst")
        ),
    ),), superseded=superseded, writer=f"{__name__}.write", pairs=_PAIRS,
)  # fmt: skip
