"""Read the files of Kimi CLI, Kimi Code's predecessor: `~/.kimi/sessions/HASH/UUID/context.jsonl`.

A line is a message of the context. When this is compacted or rewound, the program begins a new file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import md5

from ..session.model import Json
from ..session.records import dumps
from .fields import at, hash_id, name_at, objects_at, text_at
from .kimi_code import Reading
from .model import SUB_AGENTS, Session
from .protocol import Head, Place, Program, Source
from .source import line_objects, value_beside
from .tree import of_session, read_agents

_OWN = ("_system_prompt", "_checkpoint", "_usage")
_PATH = re.compile(r".*/([^/]+)/([^/]+)/context\.jsonl", re.DOTALL)
_FILE, _AGENTS = "context.jsonl", "subagents"
_EARLIER = re.compile(r"context_\d+\.jsonl")
_REMINDER = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)


def recognises(head: Head) -> bool:
    return any(text_at(data, "role") in _OWN for data in head.objects)


def recognises_own(head: Head) -> bool:
    """Whether a file in the program's folder is a session: its first lines may all be messages."""
    return any({"role", "content"} <= data.keys() for data in head.objects)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    path = _PATH.fullmatch(source.path)
    session = Session(program.name, path[2] if path else source.stem)
    agents: dict[str, Sequence[str]] = {}
    if path:
        folder, id = path.groups()
        session.set_title(at(value_beside(source, id, "state.json", above=1), "custom_title"))
        for place in objects_at(value_beside(source, "kimi.json", above=3), "work_dirs"):
            cwd = text_at(place, "path")
            if md5(cwd.encode("utf-8", "replace"), usedforsecurity=False).hexdigest() == folder:
                session.cwd = cwd
        names = source.names(id, _AGENTS, above=1)
        agents = {name: (id, _AGENTS, name, _FILE) for name in names}
        session.skip(SUB_AGENTS, len(agents))
        earlier = filter(_EARLIER.fullmatch, source.names(id, above=1))
        session.skip("earlier context in a file of its own", len(list(earlier)))
    reading = Reading(session, source, program.title)
    for line, data in line_objects(source, session.problems, program.recognises):
        session.number = line
        role, content = text_at(data, "role"), data.get("content")
        if role in _OWN or (role == "user" and isinstance(content, str) and _REMINDER.fullmatch(content)):
            session.skip(role if role in _OWN else "reminder", own=True)
            continue
        id = hash_id(role, dumps(data))  # it gives them none
        message: Json = {"id": id, "role": role, "content": content, "toolCalls": data.get("tool_calls")}
        reading.message({**message, "toolCallId": name_at(data, "tool_call_id")}, None)
    session.branches = lambda: of_session(session, read_agents(source, program, agents, above=1))
    yield session


PROGRAM = Program(
    "kimi-cli", "Kimi CLI", recognises, read,
    (Place("KIMI_SHARE_DIR", ".kimi", (f"sessions/*/*/{_FILE}",)),), recognises_own,
)  # fmt: skip
