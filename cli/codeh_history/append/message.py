"""Messages that are more than a text: calls, results, files, references, keys; pending ones too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..base.env import Env
from ..base.errors import BadData, NotFound, Usage
from ..base.input import piped_text, read_file
from ..base.read_json import demanded, json_object
from ..filters.curate import limit
from ..session.depth import depth_exceeds
from ..session.fold import join, kind_of
from ..session.live import undone
from ..session.model import Json, Part
from ..session.pairing import awaited
from ..session.records import Log, Record, block_of, dumps
from ..session.rules import PLACING, ROLE_OF_KIND
from ..session.view import View
from ..store import log, read
from ..store.protocol import Locked
from ..store.resolve import Target, for_writing
from ..views.result import compaction
from ..views.view import locked_view, looked_at
from . import tool_parts
from .options import Options
from .text import announce, begin, kind_and_role, target_of, text_of, untaken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .attach import Attached
    from .clean import Cleaning


@dataclass(frozen=True)
class Draft:
    """A message about to be stored: all of it but its id, its time and what hangs on the session."""

    given: Options
    fields: Json
    blocks: list[str]  # of large files, which are in the block store already
    references: list[Json] | None


def run(env: Env, given: Options) -> None:
    """Append the message and print its id; with a known `--key` print the id it has."""
    given.check()
    never = given.result or given.call_id  # begins a session
    chosen = for_writing(env, given.session) if never else target_of(env, given.session, new=given.new)
    text = _text(env, given)
    target = chosen or begin(env, text)
    stored = store(env, target, draft(env, given, text))
    announce(env, target, [stored.id], created=stored.created)


def draft(env: Env, given: Options, text: str) -> Draft:
    """The message that was asked for, with this text."""
    cleaning = None
    if given.redact:
        from .clean import Cleaning

        cleaning = Cleaning(env)
    fields, blocks = _fields(env, given, text, cleaning)
    references = _references(given.references)
    if cleaning is not None:
        references = cleaning.value(references, "references")
        cleaning.tell()
    return Draft(given, fields, blocks, references)


class Stored(NamedTuple):
    """The id of a stored message, whether its session is new, and how long the file was before."""

    id: str
    created: bool
    size: int


def store(env: Env, target: Target, draft: Draft, before: bytes = b"") -> Stored:
    """Store the message, after these lines."""
    given = draft.given
    stored: list[tuple[str, int]] = []

    def build(locked: Locked) -> bytes | None:
        untaken(target, locked)
        key = given.key
        known = keyed(env, locked, key, draft.fields, draft.blocks) if key is not None else None
        if known is not None:
            stored.append((known, locked.size))
            return before
        id = env.id_in(locked, len(before))
        message = {"type": "message", "id": id, "ts": env.now(), **draft.fields}
        if given.result and not given.call_id:
            message["parts"] = _answering(locked_view(env, locked), message["parts"], locked.session)
        if draft.references is not None:
            message["references"] = numbered(draft.references, read.read_log(locked.read()))
        if draft.blocks:
            message = _by_reference(env, message, draft.blocks, locked.session)
        stored.append((id, locked.size))
        lines = before + _lines(message, pending=given.pending)
        if given.max_items is not None:
            lines += _limited(env, locked, lines, given.max_items)
        return lines

    created = log.append(env, target.path, build, create=given.result is None)
    return Stored(stored[0][0], created, stored[0][1])


def line_of(env: Env, draft: Draft, session: str) -> bytes:
    """The line of the message as it would be stored, under an id that no stored one has."""
    message = {"type": "message", "id": env.random_id(), "ts": env.now(), **draft.fields}
    if draft.blocks:
        message = _by_reference(env, message, draft.blocks, session)
    return _lines(message, pending=False)


def _text(env: Env, given: Options) -> str:
    """The message's text; stdin is read where nothing else gives content (or is a tool's result)."""
    if given.message or given.file:
        needed = not (given.call or given.attach or given.result or given.pending)
        return text_of(env, given.message, given.file, needed=needed)
    if given.result:
        return text_of(env, [], ["-"], needed=False)
    if given.pending and not given.call:
        return piped_text(env, "-m '' reads none") or ""
    return text_of(env, [], [], needed=not (given.call or given.attach))


def _fields(env: Env, given: Options, text: str, cleaning: Cleaning | None) -> tuple[Json, list[str]]:
    """Kind, role, parts and what else was given (no id and no time yet), and the blocks of large files."""
    asked = kind_and_role(given.role, given.kind)[0]
    kind = "tool" if given.result else "codeh" if given.call else asked
    if kind != asked and (given.role or given.kind):
        raise Usage(f"--{'result' if given.result else 'call'} makes a message of kind {kind}")
    fields: Json = {"kind": kind}
    if ROLE_OF_KIND[kind]:
        fields["role"] = ROLE_OF_KIND[kind]
    if given.result:
        parts = [tool_parts.result(given.result, given.call_id, text, failed=given.failed)]
    else:
        parts = [{"text": text}] if text else []
        parts += tool_parts.calls(given.call, given.args, given.call_id)
    files = _files(env, given.attach, len(parts), cleaning)
    blocks = [file.block for file in files if file.block]
    if cleaning is not None:
        parts = cleaning.value(parts)
    fields["parts"] = parts if blocks else [*parts, *(file.part for file in files)]
    if files:
        fields["attached"] = [file.about for file in files]
    if given.key is not None:
        fields["key"] = given.key
    if given.pin:
        fields["pinned"] = True
    return fields, blocks


def _files(env: Env, names: Sequence[str], first: int, cleaning: Cleaning | None) -> list[Attached]:
    if not names:
        return []
    from .attach import attach

    return attach(env, names, first, cleaning.file if cleaning is not None else None)


def _by_reference(env: Env, message: Json, files: list[str], flow: str) -> Json:
    """The message as a `ref`: its own parts are stored beside the blocks of its files."""
    from ..blocks import open_store

    own = {block_of(part): dumps(part) for part in message["parts"]}
    if own:
        open_store(env).mset(own)
    ids = [*map(block_of, message["parts"]), *files]
    named = {"blockIds" if key == "parts" else key: value for key, value in message.items()}
    return {**named, "blockIds": ids, "type": "ref", "flowId": flow}


def _references(name: str | None) -> list[Json] | None:
    if name is None:
        return None
    items = demanded(read_file(name), name)
    if not isinstance(items, list):
        raise BadData(f"{name}: a list of references expected")
    for number, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("text"), str) or "id" not in item:
            raise BadData(f"{name}: reference {number}: an object with `id` and `text` expected")
    return items


def numbered(references: Sequence[Json], before: Log) -> list[Json]:
    """References with numbers unique in the session, never used before, not even by what was undone."""
    known = [item for record in before.records for item in record.data.get("references") or ()]
    numbers = [item.get("number") for item in known if isinstance(item, dict)]
    used = max([0, *(number for number in numbers if isinstance(number, int))])
    return [{**item, "number": used + n} for n, item in enumerate(references, 1)]


def _answering(view: View, parts: list[Part], session: str) -> list[Part]:
    """The result with the id of the open call of its name that waits for it."""
    response = parts[0]["functionResponse"]
    call = awaited(view.messages, response["name"])
    if call is None:
        raise NotFound(f"{session}: no open call of {response['name']} (`codeh-history calls` lists them)")
    if not call.given:
        return parts
    return [{"functionResponse": {"id": call.id, **response}}, *parts[1:]]


def _lines(message: Json, *, pending: bool) -> bytes:
    line = dumps(message)
    if depth_exceeds(line):
        raise BadData("the message nests deeper than 200 levels")
    if not pending:
        return line + b"\n"
    opened = {**{k: v for k, v in message.items() if k != "parts"}, "type": "open"}
    lines = dumps(opened) + b"\n"
    if message["parts"]:
        lines += dumps({"type": "delta", "of": message["id"], "parts": message["parts"]}) + b"\n"
    return lines


def keyed(env: Env, locked: Locked, key: str, fields: Json, blocks: Sequence[str] = ()) -> str | None:
    """The id of the live message already stored under this key; other content is BadData."""
    found = [data for data in objects(locked.keyed(key)) if data.get("key") == key]
    if not found:
        return None
    whole = all("id" in data and data.get("type") in ("message", "ref") for data in found)
    if whole and next(locked.lines_with("type", "revert"), None) is None:
        return _same(env, found[0], fields, blocks, key)
    records = read.read_log(locked.read()).records
    dead = undone(records, [])  # what was taken back leaves its key free again
    for place, record in enumerate(records):
        data = record.data
        if data.get("key") == key and data["type"] in PLACING and place not in dead:
            if data["type"] == "open":
                data = {**data, "parts": _streamed(env, data["id"], records[place:])}
            return _same(env, data, fields, blocks, key)
    return None


def objects(lines: Iterable[bytes]) -> Iterator[Json]:
    """The lines that are JSON objects."""
    yield from (data for line in lines if (data := json_object(line)) is not None)


def _streamed(env: Env, id: str, records: Sequence[Record]) -> list[Part]:
    """What the deltas of a message say before it is committed or changed."""
    parts: list[Part] = []
    for record in records:
        if record.data.get("of") == id:
            if record.data["type"] != "delta":
                break
            parts += _stored_parts(env, record.data)
    return join([], parts)


def _same(env: Env, data: Json, fields: Json, blocks: Sequence[str], key: str) -> str:
    new = [*map(block_of, fields["parts"]), *blocks]
    old = data.get("blockIds")
    if not isinstance(old, list):
        parts = _list(data.get("parts"))
        old = new if not blocks and parts == fields["parts"] else [block_of(part) for part in parts]
    if old != new and any("functionResponse" in part for part in fields["parts"]):
        old = [block_of(_without_id(part)) for part in _stored_parts(env, data)]  # it was given its call's
    if old != new or kind_of(data) != fields["kind"]:
        raise BadData(f"--key {key}: already used by {data['id']}, with other content")
    return str(data["id"])


def _stored_parts(env: Env, data: Json) -> list[Part]:
    """The parts of a stored record, fetched where they lie in blocks."""
    ids = [id for id in _list(data.get("blockIds")) if isinstance(id, str)]
    if not ids:
        return _list(data.get("parts"))
    from ..blocks import fetch, open_stores
    from ..views.stored_parts import parts_of

    stores = open_stores(env)
    found = parts_of(stores, ids, fetch(stores, ids))
    return [found[id] for id in ids]


def _without_id(part: Part) -> Part:
    given = part.get("functionResponse") if isinstance(part, dict) else None
    if not isinstance(given, dict):
        return part
    rest = {name: value for name, value in given.items() if name != "id"}
    return {**part, "functionResponse": rest}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _limited(env: Env, locked: Locked, lines: bytes, most: int) -> bytes:
    """The compaction record that keeps the session within `--max-items`, or nothing."""
    ops = limit.ops(looked_at(env, locked.read() + b"\n" + lines, locked.session), most)
    if not ops:
        return b""
    id = env.id_in(locked, len(lines))
    return dumps(compaction(id, env.now(), ops, {"policy": f"max-items {most}"})) + b"\n"
