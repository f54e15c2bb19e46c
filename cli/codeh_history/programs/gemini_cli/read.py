"""A file of Gemini CLI → its session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from ...providers.parts import listed, name_of, objects
from ...session.model import Json
from ...session.records import dumps
from .. import pairs
from .. import source as sources
from ..model import Entry, Session, Summary
from ..protocol import Program, Source
from ..records import made_id, time_of
from ..tree import branch_of, branches
from . import TYPES, messages
from .operations import Operations, Stood

_PROJECT = re.compile(r".*/tmp/([^/]+)/[^/]+$", re.DOTALL)  # of a checkpoint
_CHATS = re.compile(r".*/chats/([^/]+)/[^/]+$", re.DOTALL)  # of a sub-agent, below its parent's
_PAIRS: pairs.Does = {
    pairs.OPEN_AT_THE_END: ("refused", "{} sends it unanswered, which its provider refuses"),
    pairs.OPEN_BETWEEN: ("refused", "{} sends it unanswered, which its provider refuses"),
    pairs.ORPHAN: ("refused", "{} sends it, which its provider refuses"),
    pairs.DOUBLE: ("doubles", "{} sends both"),
}


def read(source: Source, program: Program) -> Iterable[Session]:
    """The session of a file: what its operations leave, and what compressions replaced."""
    session = Session(program.name, source.stem)
    reading = _Reading(session, source, program.title)
    for number, data in sources.objects(source, session.problems, program.recognises):
        reading.line(number, data)
    reading.end()
    session.branches = partial(_branches, source, session, reading)
    pairs.report(session, _PAIRS, program.title)
    yield session


def _branches(source: Source, session: Session, whole: _Reading) -> Iterator[Session]:
    """What was rewound, each time with all that stood before it, the newest first."""

    def made(stood: Stood) -> Session:
        branch = branch_of(session, "")
        reading = _Reading(branch, source, whole.title)
        reading.headed = True
        reading.done = whole.done.before(stood)
        reading.end()
        branch.id += made_id(branch.items[-1].id)[:8] if branch.items else "nothing"
        branch.left.clear()
        return branch

    yield from branches(reversed(whole.stood), made, session)


class _Reading:
    """The operations one after the other."""

    def __init__(self, session: Session, source: Source, title: str) -> None:
        self.session = session
        self.title = title
        self.stood: list[Stood] = []  # before each rewind
        self.path = source.path
        self.stem = source.stem
        self.done = Operations()
        self.headed = False
        self.checkpoint = False  # a file of contents, whose name is its only one
        self.seen: dict[bytes, int] = {}  # these, and how often each was met
        self.results: dict[str, bytes] = {}  # by the call that they answer, those that were read

    def line(self, number: int, data: Json) -> None:
        """An operation; what it is, its keys tell, asked for in this order."""
        if isinstance(data.get("$rewindTo"), str):
            self.rewound(number, data["$rewindTo"])
        elif name_of(data.get("id")):
            if data.get("type") in TYPES:
                self.done.message(number, data)
            else:
                self.session.left[f"{data.get('type')} message"] += 1
        elif isinstance(data.get("$set"), dict):
            self.settings(number, data["$set"])
        elif "sessionId" in data and "projectHash" in data:
            self.header(number, data)
        elif isinstance(data.get("history"), list):
            self.contents(number, data["history"])
        elif isinstance(data.get("parts"), list) and not self.headed:  # of a bare list
            self.contents(number, [data])
        else:
            kind = next((key for key in data if key.startswith("$")), None)
            self.session.skip(kind or "line of an unknown kind")

    def header(self, number: int, data: Json) -> None:
        """The first one is the session's; a resumed file has more of them."""
        if self.headed:
            self.session.skip("header of a resumption")
        else:
            self.headed = True
            self.session.id = name_of(data.get("sessionId")) or self.session.id
            self.session.created = time_of(data.get("startTime"))
            parent = _CHATS.fullmatch(self.path) if data.get("kind") == "subagent" else None
            if parent:
                self.session.set_parent(f"{self.session.program}-{parent[1]}", agent=True)
                if self.session.id == parent[1]:  # whose the file's name alone tells
                    self.session.id = f"{parent[1]}-{self.stem}"
        self.settings(number, data)

    def settings(self, number: int, values: Json) -> None:
        """What the session is called, where it takes place, and which messages it has from here on."""
        self.session.titled(values.get("summary"))
        directories = [one for one in listed(values.get("directories")) if name_of(one)]
        if directories:
            self.session.cwd = self.session.cwd or directories[0]
        if isinstance(values.get("messages"), list):
            named = [one for one in objects(values["messages"]) if name_of(one.get("id"))]
            self.done.replaced(number, [one for one in named if one.get("type") in TYPES])

    def contents(self, number: int, contents: list[Any]) -> None:
        """Messages as the provider gets them, of a checkpoint; they have no ids."""
        self.checkpoint = True
        project = _PROJECT.fullmatch(self.path)
        self.session.id = f"{project[1]}-{self.stem}" if project else self.session.id
        for content in objects(contents):
            raw = dumps(content)
            times = self.seen[raw] = self.seen.get(raw, -1) + 1
            kind = "gemini" if content.get("role") == "model" else "user"
            id = made_id(raw, times)
            self.done.message(number, {"id": id, "type": kind, "content": content.get("parts")})

    def rewound(self, number: int, id: str) -> None:
        if id not in self.done.live:
            why = f"rewound to {id[:60]}, which is not there: {self.title} forgets all that stands before"
            self.session.problem(number, "forgets", why, "nothing is taken back")
            return
        self.stood.append(self.done.stood(number))
        self.done.rewound(id)

    def end(self) -> None:
        """Make the items of what is left."""
        if not self.headed and not self.checkpoint:
            why = f"no header: {self.title} does not find the session"
            self.session.problem(1, "forgets", why, "read without")
        self.session.left.update(self.done.gone.values())
        ids: dict[str, list[str]] = {}  # of a message of theirs, those of ours
        for item in self.done.log:
            if isinstance(item, Summary):
                covers = [one for id in item.covers for one in ids.get(id, [])]
                self.session.items.append(replace(item, covers=covers))
                ids[item.id] = [item.id]
            else:
                made = self.entries(item)
                ids[item] = [one.id for one in made]
                self.session.items += made

    def entries(self, id: str) -> list[Entry]:
        versions = self.done.versions[id]
        number, data = versions[-1]
        if data["type"] not in ("user", "gemini"):
            self.session.left[f"{data['type']} message"] += 1
            return []
        if messages.is_context(data):
            self.session.skip("context message")
            return []
        command = messages.beginning(data.get("content")).startswith(("/", "?"))
        if data["type"] == "user" and command and not self.checkpoint:
            why = f"a prompt that begins with / or ?: {self.title} forgets it when it resumes"
            self.session.problem(number, "drops", why)
        made = list(messages.entries(versions, self.repeated(number, data)))
        if not made and any(list(messages.entries([one], set())) for one in versions[:-1]):
            self.session.left["message that was written again without its content"] += 1
        return made

    @cached_property
    def in_calls(self) -> set[str]:
        """Ids of calls in which their results stand, of what is left in the end."""
        return {id for data in self.done.newest() for id in messages.answered(data)}

    def repeated(self, line: int, data: Json) -> set[str]:
        """The calls whose results in this user's message stand in them too, or in a message before."""
        results = {call: dumps(part) for part in messages.results(data) if (call := messages.call_of(part))}
        if not results:
            return set()
        repeated = {id for id, raw in results.items() if id in self.in_calls or self.results.get(id) == raw}
        self.results |= results
        for call in sorted(repeated):
            why = f"the result of {call} stands there before: {self.title} sends it twice"
            self.session.problem(line, "doubles", why)
        return repeated
