"""Redact a session, as a stream or permanently in its file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...base.env import Env
from ...base.errors import BadData
from ...base.input import read_file
from ...base.read_json import parse_json
from ...session.fold import fold
from ...session.records import Log, Record, block_of, dumps, lines_of
from ...views.rewrite import records, with_same_end
from .redactor import Redactor, runs
from .spans import Span, merged, without

Place = tuple[int, int]  # indices of a record and of its part
REPLACED = "found and replaced in the output"


def rules(name: str | None) -> list[tuple[str, str]]:
    """Read additional rules from a JSON object of kinds and regular expressions."""
    if name is None:
        return []
    value = parse_json(read_file(name), name)
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise BadData(f"{name}: expected an object of kinds and regular expressions")
    return list(value.items())


def redacted_lines(data: bytes, redactor: Redactor) -> list[bytes]:
    """Redact all lines, including undone and damaged ones; lines without secrets keep their bytes.

    References to a part's hash (`block` of a replacement) are updated. A changed bare line becomes a full
    record, because its id depends on its bytes.
    """
    # lines without clues are unchanged, unless a replacement may refer to one of their parts
    every = b'"block"' in data
    candidates = {line for line in lines_of(data) if every or redactor.may_have_secret(line)}
    entries = [(line, record if line in candidates else None) for line, record in records(data)]
    new = redacted_records([record.data if record is not None else None for _, record in entries], redactor)
    new_ids = _new_block_ids(entries, new)
    lines: list[bytes] = []
    for (line, record), clean in zip(entries, new, strict=True):
        if record is None:
            text = line.decode("utf-8", "surrogateescape") if line in candidates else ""
            new_text = redactor.text(text)
            lines.append(line if new_text == text else new_text.encode("utf-8", "surrogateescape"))
            continue
        if new_ids and isinstance(ops := clean.get("ops"), list):
            updated = [
                {**op, "block": new_ids.get(op["block"], op["block"])} if "block" in op else op
                for op in ops
            ]
            clean = {**clean, "ops": updated} if updated != ops else clean
        same = clean is record.data and not _has_shadowed_secret(line, clean, redactor)
        lines.append(line if same else with_same_end(dumps(clean), line))
    return lines


def redacted_records(records: Sequence[Any], redactor: Redactor) -> list[Any]:
    """Redact records; those without secrets stay the same object.

    Streams come first, because a secret may span several deltas.
    """
    spans_at: defaultdict[Place, list[Span]] = defaultdict(list)
    for places in streams(records):
        parts = [records[record]["parts"][part] for record, part in places]
        for run in runs(parts):
            spans = redactor.split_spans([parts[n]["text"] for n in run]) if len(run) > 1 else []
            for n, spans_of_piece in zip(run, spans, strict=False):
                spans_at[places[n]] += spans_of_piece
    new = list(records)
    for (record, number), spans_of_part in spans_at.items():
        if spans_of_part:
            parts = list(new[record]["parts"])
            text = without(parts[number]["text"], merged(spans_of_part))
            parts[number] = {**parts[number], "text": text}
            new[record] = {**new[record], "parts": parts}
    return [redactor.value(record) for record in new]


def streams(records: Sequence[Any]) -> Iterator[list[Place]]:
    """Yield the places that form one text, whichever updates are undone.

    A text is the deltas of a stream, or an update and the deltas after it.
    """
    stream_of: dict[str, str] = {}
    deltas: defaultdict[str, list[Place]] = defaultdict(list)
    edited: dict[str, list[Place]] = {}
    replaced: list[list[Place]] = []
    for number, record in enumerate(records):
        kind = record.get("type") if isinstance(record, dict) else None
        if kind not in ("delta", "update"):
            continue
        of, places = str(record.get("of")), [(number, part) for part in range(len(_parts(record)))]
        root = stream_of.get(of, of)
        if kind == "update":
            stream_of[str(record.get("id"))] = root
            replaced.append(edited.get(root, []))
            edited[root] = places
        else:
            deltas[root] += places
            if root in edited:
                edited[root] += places
    yield from (pieces for pieces in (*deltas.values(), *replaced, *edited.values()) if len(pieces) > 1)


def _new_block_ids(entries: Sequence[tuple[bytes, Record | None]], new: Sequence[Any]) -> dict[str, str]:
    """Map the old block ids of changed parts to the new ones, including parts assembled from streams."""
    pairs = [(record.data, data) for (_, record), data in zip(entries, new, strict=True) if record]
    if all(before is after for before, after in pairs):
        return {}
    changed = [(_parts(before), _parts(after)) for before, after in pairs]
    for before, after in pairs:
        for op, other in zip(before.get("ops") or (), after.get("ops") or (), strict=False):
            changed.append((_parts(op.get("message") or {}), _parts(other.get("message") or {})))
    if any(before["type"] == "delta" for before, _ in pairs):
        old, clean = (
            fold(Log([Record(data, b"") for data in side], [], 0)).all for side in zip(*pairs, strict=True)
        )
        changed += ((old[id].own or [], clean[id].own or []) for id in old.keys() & clean.keys())
    return {
        block_of(part): block_of(other)
        for parts, others in changed
        for part, other in zip(parts, others, strict=False)
        if part is not other and part != other
    }


def _parts(data: Any) -> list[Any]:
    parts = data.get("parts")
    return parts if isinstance(parts, list) else []


def _has_shadowed_secret(line: bytes, data: Any, redactor: Redactor) -> bool:
    """Whether a line has a secret under a duplicate key, which the parsed record lacks."""
    if dumps(data) == line.strip():
        return False
    import json

    duplicates: list[bool] = []
    json.loads(line, object_pairs_hook=lambda items: duplicates.append(len(items) > len(dict(items))))
    return any(duplicates) and redactor.finds(line.decode())


def rewritten(lines: Iterable[bytes], whole: Iterable[bytes], redactor: Redactor) -> list[bytes]:
    """Redact a session's lines; `whole` are the same lines with the contents of blocks.

    A message with a secret in a block gets its parts back; other messages stay references. The secrets are
    then removed everywhere, also where no rule matches.
    """
    old = list(whole)
    new = redacted_lines(b"".join(old), redactor)
    if redactor.learn(b"".join(new)):
        new = redacted_lines(b"".join(new), redactor)
    return [line if after == before else after for line, before, after in zip(lines, old, new, strict=True)]


def report(env: Env, session: str, redactor: Redactor, outcome: str = REPLACED) -> int:
    """Note the number of secrets by kind and their outcome, never a value.

    Return the exit code: 1 if a secret cannot be replaced; its key is named.
    """
    total = sum(redactor.counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(redactor.counts.items()))
    if total:
        env.note(f"{session}: {total} {outcome} ({kinds}; best effort: check the result)")
    else:
        env.note(f"{session}: no secrets found (best effort: check it yourself)")
    for (kind, key), count in sorted(redactor.unreplaced.items()):
        env.warn(f"{session}: {count} {kind} left in `{key}`, which other records refer to")
    return 1 if redactor.unreplaced else 0
