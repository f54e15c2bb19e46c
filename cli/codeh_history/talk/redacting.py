"""A session without its secrets: as a stream, or the file itself for good."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from ..env import Env
from ..errors import BadData
from ..model import Message, Summary
from ..records import block_of, dumps, lines_of
from ..redaction import Redactor
from ..session import View
from .append import read_file
from .rewriting import ended, records


def rules(name: str | None) -> list[tuple[str, str]]:
    """Further rules from a JSON file: an object of kind → regular expression."""
    if name is None:
        return []
    try:
        value = orjson.loads(read_file(name))
    except ValueError as error:
        raise BadData(f"{name}: not JSON: {error}") from None
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise BadData(f"{name}: an object of kind and regular expression expected")
    return list(value.items())


def redacted_lines(data: bytes, redactor: Redactor) -> list[bytes]:
    """Every line without its secrets, undone and damaged ones too; the others keep their bytes.

    What hangs on a part's hash (`block` of a replacement) follows the part; a bare line that changes
    becomes a full record, for its id hangs on its bytes.
    """
    found = list(records(data))
    blocks: dict[str, str] = {}
    changed = [redactor.value(record.data) if record is not None else None for _, record in found]
    for (_, record), new in zip(found, changed, strict=True):
        if record is not None and new is not record.data:
            for old_part, new_part in zip(_parts(record.data), _parts(new), strict=True):
                if old_part is not new_part:
                    blocks[block_of(old_part)] = block_of(new_part)
    lines: list[bytes] = []
    for (line, record), new in zip(found, changed, strict=True):
        if record is None:
            lines.append(_damaged(line, redactor))
            continue
        new = _following(new, blocks)
        same = new is record.data and not _shadowed(line, new, redactor)
        lines.append(line if same else ended(dumps(new), line))
    return lines


def _parts(data: Any) -> list[Any]:
    parts = data.get("parts")
    return parts if isinstance(parts, list) else []


def _following(data: Any, blocks: dict[str, str]) -> Any:
    ops = data.get("ops")
    if not isinstance(ops, list) or not blocks:
        return data
    new = [{**op, "block": blocks[op["block"]]} if op.get("block") in blocks else op for op in ops]
    return {**data, "ops": new} if new != ops else data


def _shadowed(line: bytes, data: Any, redactor: Redactor) -> bool:
    """Whether a secret is in the line and in none of its values: under a key that stands there twice."""
    if dumps(data) == line.strip():
        return False
    if not redactor.finds(line.decode()):
        return False
    import json

    lost: list[int] = []  # for each object, how many of its keys stand there again

    def pairs(items: list[tuple[str, Any]]) -> None:
        lost.append(len(items) - len(dict(items)))

    json.loads(line, object_pairs_hook=pairs)
    return any(lost)


def _damaged(line: bytes, redactor: Redactor) -> bytes:
    text = line.decode("utf-8", "surrogateescape")
    new = redactor.text(text)
    return line if new == text else new.encode("utf-8", "surrogateescape")


def rewritten(data: bytes, whole: list[bytes], redactor: Redactor) -> list[bytes]:
    """A file's lines without their secrets; `whole` are the same lines with what lies in blocks.

    A message with a secret in one of its blocks comes back into the file, the others stay by reference.
    """
    new = redacted_lines(b"".join(whole), redactor)
    given = zip(lines_of(data), whole, new, strict=True)
    return [line if after == before else after for line, before, after in given]


def stream(lines: Iterable[bytes], whole: Iterable[bytes], redactor: Redactor) -> list[bytes]:
    """The lines of a session stream without secrets; `whole` are the same with what lies in blocks."""
    result: list[bytes] = []
    for line, text in zip(lines, whole, strict=True):
        data = orjson.loads(text)
        new = redactor.value(data)
        same = new is data and not _shadowed(text, data, redactor)
        result.append(line if same else dumps(new) + b"\n")
    return result


def redacted_view(view: View, redactor: Redactor) -> View:
    """The view with no secret that the rules know in its messages, summaries and settings."""
    messages = [_without_secrets(message, redactor) for message in view.messages]
    summaries = [Summary(fields=redactor.value(s.fields), place=s.place, raw=None) for s in view.summaries]
    clean = view.with_messages(messages, summaries)
    clean.meta = redactor.value(view.meta)
    return clean


def _without_secrets(message: Message, redactor: Redactor) -> Message:
    """The message with clean parts, pending ones too, and clean references and names."""
    parts, pending = redactor.value(message.parts), redactor.value(message.pending)
    rest = {name: value for name, value in message.fields.items() if name != "parts"}
    fields = redactor.value(rest)
    if parts is message.parts and pending is message.pending and fields is rest:
        return message
    copy = message.derive(parts)
    copy.own = parts if message.own is not None else None
    copy.pending = pending
    copy.fields = {**message.fields, **fields}
    return copy


def report(env: Env, session: str, redactor: Redactor) -> None:
    """How many of each kind were replaced; never a value."""
    total = sum(redactor.counts.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(redactor.counts.items()))
    env.note(f"{session}: {total} redacted{f' ({kinds})' if kinds else ''}; best effort, so look it over")
