"""Messages whose parts lie in the block store, with their parts."""

from __future__ import annotations

import orjson

from ..blocks import BlockStore, is_block_id, open_store
from ..env import Env
from ..errors import BadData
from ..model import Message, Part
from ..session import View, number_calls, replaced_parts


def hydrated(env: Env, view: View, *, store: BlockStore | None = None, allow_missing: bool = False) -> View:
    """The view with every visible message's parts, fetched with one `mget`; raises BadData naming a missing block."""
    wanted = [m for m in view.all.values() if m.blocks is not None and m.hidden is None]
    ids = list(dict.fromkeys(id for message in wanted for id in message.blocks or ()))
    for id in ids:
        if not is_block_id(id):
            raise BadData(f"{view.id}: {id!r} is no block id (64 hexadecimal digits)")
    store = store or open_store(env)
    found = store.mget(ids)
    fetched: dict[str, Message] = {}
    for message in wanted:
        own = [_part(id, found, store.name, allow_missing=allow_missing) for id in message.blocks or ()]
        copy = message.derive(replaced_parts(own, message.replaced) if message.replaced else own)
        copy.own = own
        copy.raw = message.raw if not message.replaced else None
        fetched[message.id] = copy
    result = view.with_messages([fetched.get(m.id, m) for m in view.messages])
    result.all = {id: fetched.get(id, m) for id, m in view.all.items()}
    number_calls(result)
    return result


def _part(id: str, found: dict[str, bytes], store: str, *, allow_missing: bool) -> Part:
    data = found.get(id)
    if data is None:
        if allow_missing:
            return {"text": f"[block {id} is missing]"}
        raise BadData(f"block {id} is missing from {store} (--allow-missing puts a placeholder)")
    try:
        part = orjson.loads(data)
    except ValueError:
        part = None
    if not isinstance(part, dict):
        raise BadData(f"{store}: block {id} is no part")
    result: Part = part  # type: ignore[assignment]
    return result
