"""The cases of `fixtures/conformance`: session files, and the view that every reader must produce."""

import json
from base64 import b64decode
from dataclasses import dataclass
from typing import Any

import orjson

from codeh_history.base.env import Env
from codeh_history.session.fold import fold
from codeh_history.session.records import ELEMENT
from codeh_history.store import read
from codeh_history.views.stored_parts import hydrated
from support import ROOT

FOLDER = ROOT / "fixtures" / "conformance"


@dataclass(frozen=True)
class Case:
    """A file of the folder; `log`: the bytes of the session."""

    name: str
    about: str
    log: bytes
    blocks: dict[str, Any]
    view: dict[str, Any]


def case(path):
    value = json.loads(path.read_text())
    return Case(path.stem, value["about"], _bytes(value), value.get("blocks", {}), value["view"])


def _bytes(value):
    if "log64" in value:
        return b64decode(value["log64"])
    log = value["log"]
    return (log if isinstance(log, str) else "".join(f"{line}\n" for line in log)).encode()


def cases(prefix=""):
    return {path.stem: case(path) for path in sorted(FOLDER.glob(f"{prefix}*.json"))}


def view_of(case, home):
    """The view of the log; the blocks of the case are stored in this home."""
    view = fold(read.read_log(case.log))
    if not case.blocks:
        return view
    for id, part in case.blocks.items():
        path = home / "blocks" / id[:2] / id
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(part))
    return hydrated(Env({"CODEH_HOME": str(home)}), view)


def shape(view):
    """A view in the notation of the cases."""
    messages = []
    for message in view.messages:
        own = {
            "id": message.id, "kind": message.kind, "role": message.role, "ts": message.ts,
            "parts": message.parts if message.committed else None,
        }  # fmt: skip
        messages.append(own if message.pending is None else {**own, "pending": message.pending})
    return {
        "session": view.id,
        "settings": view.meta,
        "summaries": [{"id": summary.id, "text": summary.text} for summary in view.summaries],
        "messages": messages,
        "damaged": [each.offset for each in view.log.damage if each.line != ELEMENT],
    }
