"""`append --exchange`: a history entry as a prompt and its answer, stored together."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import BadData, Usage
from ..base.input import needed, read_file
from ..base.read_json import demanded
from ..programs.forms.history import exchange, wrong_in_entry
from ..session.model import Json
from ..session.records import dumps
from ..store.protocol import Locked
from . import jsonl
from .text import begin, store, target_of


def run(env: Env, session: str | None, file: str, *, new: bool = False) -> None:
    """Append a HistoryEntry (`-`: from stdin) and print its id; id and time are made where it has none."""
    data = needed(env) if file == "-" else read_file(file)
    entry = checked(data, "stdin" if file == "-" else file)
    target = target_of(env, session, new=new) or begin(env, entry["userMessage"])

    def build(locked: Locked, ids: list[str]) -> bytes:
        id = entry.get("id") or env.id_in(locked)
        whole = {**entry, "id": id, "timestamp": entry.get("timestamp") or env.now()}
        lines = [
            jsonl.Line(record, dumps(record), number) for number, record in enumerate(exchange(whole), 1)
        ]
        stored: list[str] = []
        new = jsonl.stored(env, locked, lines, stored, "--exchange")
        ids.append(stored[0])
        return new

    store(env, target, build, create=True)


def checked(data: bytes, name: str) -> Json:
    """The entry that these bytes are; BadData naming what is wrong, exit 2 for an unknown source."""
    entry = demanded(data, name)
    if not isinstance(entry, dict):
        raise BadData(f"{name}: a history entry (an object) expected")
    wrong = wrong_in_entry(entry)
    if "source" in wrong:
        raise Usage(f"{name}: `source` {wrong['source']}")
    if wrong:
        raise BadData(
            f"{name}: {', '.join(f'`{key}` {why}' for key, why in wrong.items())}; nothing was stored"
        )
    if not entry["userMessage"].strip():
        raise BadData(f"{name}: `userMessage` is empty; nothing was stored")
    return entry
