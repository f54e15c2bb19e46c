"""Append a message with calls, a result, files, references or a key, or a pending message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData, NotFound, Usage
from ...base.input import piped_text, read_file
from ...base.read_json import parse_json
from ...filters.compact.units import limit_messages
from ...session.by_reference import to_references
from ...session.model import ROLE_OF_KIND, Json
from ...session.ops import drop
from ...session.pairing import call_to_answer
from ...session.records import Log, depth_exceeds, dumps
from ...store import log, read
from ...store.locked import Locked
from ...store.resolve import Target, for_writing
from ...views.filtering import compaction
from ...views.view import locked_view, read_only_view
from .jsonl import equal_id, stored_messages
from .options import Options
from .parts import Cleaning, attach, calls, result
from .text import begin, kind_and_role, print_ids, require_free, target_of, text_of


class Draft(NamedTuple):
    """A message to be stored, without its id, its time and the fields that depend on the session."""

    options: Options
    fields: Json
    blocks: list[str]  # ids of attached files that are already in the block store
    references: list[Json] | None


def run(env: Env, options: Options) -> None:
    """Append the message and print its id; if its `--key` is already stored, print that message's id."""
    options.check()
    target: Target | None
    if options.result or options.call_id:  # these never begin a session
        target = for_writing(env, options.session)
    else:
        target = target_of(env, options.session, new=options.new)
    if options.pending and not (options.message or options.file or options.call or options.result):
        text = piped_text(env, "-m '' reads none") or ""
    else:
        files = options.file or (["-"] if options.result and not options.message else [])
        needed = not (options.call or options.attach or options.result or options.pending)
        text = text_of(env, options.message, files, needed=needed)
    target = target or begin(env, text)
    id, created = store(env, target, draft(env, options, text))
    print_ids(env, target, [id], created=created)


def draft(env: Env, options: Options, text: str) -> Draft:
    """Build the message with this text; large attached files are stored as blocks."""
    cleaning = Cleaning(env) if options.redact else None
    chosen = kind_and_role(options.role, options.kind)[0]
    kind = "tool" if options.result else "codeh" if options.call else chosen
    if kind != chosen and (options.role or options.kind):
        raise Usage(f"--{'result' if options.result else 'call'} makes a message of kind {kind}")
    if options.result:
        id = next(iter(options.call_id), None)
        parts = [result(options.result, id, text, failed=options.failed)]
    else:
        parts = [{"text": text}] if text else []
        parts += calls(options.call, options.args, options.call_id)
    files = attach(env, options.attach, len(parts), cleaning)
    references = _references(options.references)
    if cleaning is not None:
        parts, references = cleaning.value(parts, "parts"), cleaning.value(references, "references")
        cleaning.report()
    blocks = [file.block for file in files if file.block]
    fields: Json = {
        "kind": kind, "role": ROLE_OF_KIND[kind],
        "parts": parts if blocks else [*parts, *(file.part for file in files)],
        "attached": [file.entry for file in files], "key": options.key, "pinned": options.pin,
    }  # fmt: skip
    fields = {key: value for key, value in fields.items() if value or key == "parts"}
    return Draft(options, fields, blocks, references)


def store(env: Env, target: Target, draft: Draft, before: bytes = b"") -> tuple[str, bool]:
    """Append the `before` lines and the message; return its id and whether the session is new."""
    options = draft.options
    stored = ""

    def build(locked: Locked) -> bytes | None:
        nonlocal stored
        require_free(target, locked)
        if same := id_of_key(env, locked, draft):
            stored = same
            return before
        stored = env.id_in(locked, len(before))
        more: Json = {}
        if options.result and not options.call_id:
            call = call_to_answer(locked_view(env, locked).messages, options.result)
            if call is None:
                no_call = f"no open call of {options.result} (`codeh-history calls` lists them)"
                raise NotFound(f"{locked.session}: {no_call}")
            if call.has_id:
                more["parts"] = _with_id(draft.fields["parts"], call.id)
        if draft.references is not None:
            more["references"] = numbered(draft.references, read.read_log(locked.read()))
        lines = before + _lines(env, draft, stored, locked.session, more)
        if options.max_items is not None:
            view = read_only_view(env, locked.read() + b"\n" + lines, locked.session)
            if gone := limit_messages(view.messages, options.max_items):
                id = env.id_in(locked, len(lines))
                policy = {"policy": f"max-items {options.max_items}"}
                ops = [drop(gone, f"more than {options.max_items} messages")]
                lines += dumps(compaction(id, env.now(), ops, policy)) + b"\n"
        return lines

    created = log.append(env, target.path, build, create=options.result is None)
    return stored, created


def line_of(env: Env, draft: Draft, session: str) -> bytes:
    """Return the message's line without storing it, with a random id."""
    return _lines(env, draft, env.random_id(), session, {})


def _lines(env: Env, draft: Draft, id: str, session: str, more: Json) -> bytes:
    """Return the message's lines, with `more` fields; with large files, one that refers to its parts."""
    message: Json = {"type": "message", "id": id, "ts": env.now(), **draft.fields, **more}
    if depth_exceeds(dumps(message)):
        raise BadData("the message nests deeper than 200 levels")
    records = [message]
    if draft.blocks:
        from ...store.blocks import open_store

        converted = to_references(message, None, session, every=True)
        assert converted is not None  # noqa: S101 - its nesting was checked
        ref, blocks = converted
        if blocks:
            open_store(env).mset(blocks)
        records = [{**ref, "blockIds": [*ref["blockIds"], *draft.blocks]}]
    elif draft.options.pending:
        parts = message.pop("parts")
        records = [message | {"type": "open"}]
        records += [{"type": "delta", "of": id, "parts": parts}] if parts else []
    return b"".join(dumps(record) + b"\n" for record in records)


def _references(name: str | None) -> list[Json] | None:
    if name is None:
        return None
    items = parse_json(read_file(name), name)
    if not isinstance(items, list):
        raise BadData(f"{name}: expected a list of references")
    for number, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("text"), str) or "id" not in item:
            raise BadData(f"{name}: reference {number}: expected an object with `id` and `text`")
    return items


def numbered(references: Sequence[Json], before: Log) -> list[Json]:
    """Number the references; numbers of earlier references, undone ones too, are never reused."""
    earlier = (item for record in before.records for item in record.data.get("references") or ())
    numbers = (item.get("number") for item in earlier if isinstance(item, dict))
    used = max((number for number in numbers if isinstance(number, int)), default=0)
    return [{**item, "number": used + n} for n, item in enumerate(references, 1)]


def id_of_key(env: Env, locked: Locked, draft: Draft) -> str | None:
    """Return the id of the live message with the draft's key; raise BadData if its content differs."""
    options, message = draft.options, draft.fields
    if options.key is None or next(locked.lines_with_key(options.key), None) is None:
        return None
    stored = stored_messages(locked)
    if options.result and not options.call_id:  # the result has the id of the call that it answered
        messages = locked_view(env, locked).all.values()
        parts = [p for m in messages if m.fields.get("key") == options.key for p in m.parts]
        if id := next((p["functionResponse"].get("id") for p in parts if "functionResponse" in p), None):
            message = {**message, "parts": _with_id(message["parts"], id)}
    return equal_id(stored, message, locked.session, draft.blocks)


def _with_id(parts: list[Json], id: str) -> list[Json]:
    """Set the call id of a result that has none."""
    return [{"functionResponse": {"id": id, **parts[0]["functionResponse"]}}, *parts[1:]]
