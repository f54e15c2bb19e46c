"""Read Kimi Code's files: events in `~/.kimi-code/sessions/wd_*/session_UUID/agents/main/wire.jsonl`.

A session is the context after all events, including what compactions replaced. Each step of an answer is a
message. The predecessor, Kimi CLI, wrote each message of the context as a line of
`~/.kimi/sessions/HASH/UUID/context.jsonl`, and began a new file when it compacted or rewound the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import md5

from ..session.model import Json, Part
from ..session.records import dumps
from . import pairs
from .fields import answer_fields, at, hash_id, name_at, object_at, objects_at, text_at, time_of
from .model import REWOUND, Entry, Item, Session
from .parts import inline, media, parts_of, texts, thought
from .protocol import Head, Place, Program, Source, Unreadable
from .source import lines_once, value_beside
from .tree import add_agents, undone_branches

_PATH = re.compile(r".*/(?:session_)?([^/]+)/agents/([^/]+)/wire\.jsonl", re.DOTALL)
_BLOB = re.compile(r"blobref:([^;]*);([0-9a-f]+)")  # a file in the folder `blobs` of the session
_FILES = ("image_url", "audio_url", "video_url")
_TIMED = re.compile("Agent|AgentSwarm|Bash|FetchURL|Glob|Grep|WebSearch|mcp__.*")  # report their duration
_KINDS = {"user": "user", "assistant": "codeh", "tool": "tool"}
_ANSWER = {"finish": "finishReason", "response": "messageId", "usage": "usage"}
_USAGE = {
    "input": "inputOther inputCacheRead inputCacheCreation", "output": "output", "cached": "inputCacheRead",
    "cacheWrite": "inputCacheCreation",
}  # fmt: skip
_OF_CLI = ("_system_prompt", "_checkpoint", "_usage")  # roles of Kimi CLI's own lines
_CONTEXT = re.compile(r".*/([^/]+)/([^/]+)/context\.jsonl", re.DOTALL)
_EARLIER = re.compile(r"context_\d+\.jsonl")
_REMINDER = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)


def recognises(head: Head) -> bool:
    return any(
        text_at(data, "type").startswith("context.") or {"protocol_version", "created_at"} <= data.keys()
        for data in head.objects
    )


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    path = _PATH.fullmatch(source.path)
    id, agent = path.groups() if path else (source.stem, "")
    session = Session(program.name, id)
    reading = _Reading(session, source, program.title)
    if agent == "main":
        state = value_beside(source, "state.json", above=2)
        session.about(state, cwd="cwd", created="createdAt", title="title")
        if parent := name_at(state, "forkedFrom"):
            session.set_parent(parent.removeprefix("session_"))
    elif agent:
        session.id = f"{id}-{agent}"
        session.set_parent(id, agent=True)
    reading.read(program)
    session.branches = lambda: undone_branches(session, reversed(reading.before))
    agents = source.names(above=1) if agent == "main" else ()
    files = {name: (name, "wire.jsonl") for name in agents if name != agent}
    add_agents(session, source, program, files)
    yield session


class _Reading:
    """Applies the lines of a file to a session, in order."""

    def __init__(self, session: Session, source: Source, title: str) -> None:
        self.session = session
        self.source = source
        self.title = title
        self.context: list[str] = []  # ids of the program's messages, imported or not
        self.typed: dict[str, bool] = {}  # ids of messages that a user typed; True: it begins a turn
        self.summarised = 0  # number of messages up to the last summary, which cannot be undone
        self.before: list[list[Item]] = []  # the items before each undo
        self.step: str | None = None  # the open step
        self.entry: Entry | None = None  # the message of that step, once it has parts
        self.model: Json = {}

    def read(self, program: Program) -> None:
        """Read all lines."""
        session, problems = self.session, self.session.problems
        for number, data in lines_once(self.source, session, program):
            session.number = number
            loops = data.get("type") == "context.append_loop_event"
            self.apply(object_at(data, "event") if loops else data, time_of(data.get("time")))
        for place, problem in enumerate(problems):
            if problem.reason.startswith("not JSON"):
                reason = f"{problem.reason}: {self.title} forgets everything after it"
                problems[place] = problem._replace(effect="forgets", reason=reason)

    def apply(self, data: Json, ts: str | None) -> None:
        """Apply a line, or the event in it."""
        session = self.session
        match data.get("type"):
            case "context.append_message":
                self.message(object_at(data, "message"), ts)
            case "context.apply_compaction":
                self.compact(data, ts)
            case "context.undo":
                self.undo(data.get("count"))
            case "context.clear":
                self.cut(0, "cleared message")
            case "step.begin":
                self.step, self.entry = name_at(data, "uuid"), None
            case "content.part":
                self.extend(data, parts_of([data.get("part")], self.part), ts)
            case "tool.call":
                self.extend(data, session.calls([data], "toolCallId", "name", "args"), ts)
            case "tool.result":
                self.result(data, ts)
            case "step.end" if self.entry is not None and name_at(data, "uuid") == self.step:
                self.entry.fields |= answer_fields(data, _ANSWER, _USAGE)
            case "metadata":
                session.version = name_at(data, "app_version", "protocol_version")
                session.created = session.created or time_of(data.get("created_at"))
            case "llm.request":
                provider = "anthropic" if data.get("provider") == "anthropic" else "openai-chat"
                self.model = {"provider": provider, "model": name_at(data, "model")}
            case kind:
                session.skip(str(kind), own=True)

    def message(self, message: Json, ts: str | None) -> None:
        """Add a message that is not a step of an answer."""
        session, role, origin = self.session, text_at(message, "role"), object_at(message, "origin")
        kind, entry = name_at(origin, "kind"), None
        if kind == "injection":
            session.skip(f"injection ({origin.get('variant')})", own=True)
        elif our_kind := session.kind_of(role, _KINDS):
            parts = parts_of(message.get("content"), self.part)
            if role == "tool":
                failed = message.get("isError") is True
                id = name_at(message, "toolCallId", "tool_call_id")
                parts = [session.result(id, None, parts, failed=failed)]
            calls = objects_at(message, "toolCalls") or objects_at(message, "tool_calls")
            named = ({**call, **object_at(call, "function")} for call in calls)  # older versions nest it
            parts += session.calls(named, "id", "name", "arguments")
            entry = session.add(our_kind, parts, id=message.get("id"), ts=ts)
        self.context.append(entry.id if entry else f"not imported: {session.number}")
        if role == "user" and (kind in (None, "user") or origin.get("trigger") == "user-slash"):
            self.typed[self.context[-1]] = origin.get("inTurn") is not True

    def extend(self, event: Json, parts: list[Part], ts: str | None) -> None:
        """Add parts to the message of a step; report a step without a beginning, but read it."""
        step = name_at(event, "stepUuid")
        if step is None or step != self.step:
            self.step, self.entry = step, None
            why = f"a part of a step without a beginning: {self.title} drops it"
            self.session.problem(self.session.number, "drops", why, "read as a message")
        if self.entry is not None:
            self.session.extend(self.entry, parts)
        elif entry := self.session.add("codeh", parts, id=step, ts=ts, **self.model):
            self.entry = entry
            self.context.append(entry.id)

    def result(self, event: Json, ts: str | None) -> None:
        """Add a result in the form that the program sends."""
        session, result, call = self.session, object_at(event, "result"), text_at(event, "toolCallId")
        note, took = text_at(result, "note"), result.get("durationMs")
        parts = parts_of(result.get("output"), self.part)
        if isinstance(took, (int, float)) and _TIMED.fullmatch(session.open_calls.get(call, "")):
            text = parts.pop(0)["text"] if parts and "text" in parts[0] else ""
            parts.insert(0, {"text": f"Wall time: {took / 1000:.3f} seconds\n{text}".rstrip("\n")})
        parts += [{"text": note}] if note else []
        answer = session.result(call, None, parts, failed=result.get("isError") is True)
        session.add("tool", [answer], id=f"{event.get('parentUuid')}.result", ts=ts)
        self.context.append(session.items[-1].id)

    def part(self, block: Json) -> Part | None:
        """The part of a block, with its file read from the session's folder; None if it is not imported."""
        kind = text_at(block, "type")
        if kind == "think":
            return thought(text_at(block, kind), block.get("encrypted"))
        if kind not in _FILES:
            return self.session.part(block)
        url = name_at(block, "imageUrl.url", "audioUrl.url", "videoUrl.url", f"{kind}.url")
        if blob := _BLOB.fullmatch(url or ""):
            folder = self.source.path.split("/")[-2:-1]
            try:
                return inline(self.source.beside(*folder, "blobs", blob[2], above=1), blob[1])
            except Unreadable as error:
                self.session.problem(self.session.number, "drops", str(error), "its name is used instead")
                url = None
        return media(url, None, kind.removesuffix("_url"))

    def compact(self, data: Json, ts: str | None) -> None:
        """Summarise all messages except the newest, or except the user's oldest and newest."""
        text = text_at(data, "contextSummary") or text_at(data, "summary")
        text = text or "".join(texts(parts_of(at(data, "summary.content"), self.part)))
        kept, head = data.get("keptUserMessageCount"), data.get("keptHeadUserMessageCount")
        count = data.get("compactedCount", data.get("count"))
        if not text:
            self.session.skip("compaction without a summary")
            return
        live = self.context[count:] if isinstance(count, int) else []
        if isinstance(kept, int):
            typed = [id for id in self.context if id in self.typed]
            first = head if isinstance(head, int) else 0
            live = [*typed[:first], *typed[max(first, len(typed) - (kept - first)) :]]
        self.session.summarise(f"compaction-{self.session.number}", ts, text, live)
        self.context = [*live, ""]
        self.summarised = len(self.context)

    def undo(self, count: object) -> None:
        """Undo the last `count` turns, unless there are fewer since the last compaction."""
        turns = [n for n, id in enumerate(self.context) if n >= self.summarised and self.typed.get(id)]
        if isinstance(count, int) and 0 < count <= len(turns):
            self.cut(turns[-count], REWOUND)

    def cut(self, place: int, kind: str) -> None:
        """Remove the messages from an index on, and count them under this kind."""
        session = self.session
        removed = {item.id for item in session.items}.intersection(self.context[place:])
        del self.context[place:]
        self.summarised = min(self.summarised, place)
        self.before.append([*session.items])
        first = next((n for n, item in enumerate(session.items) if item.id in removed), len(session.items))
        del session.items[first if place else 0 :]
        self.step = self.entry = None
        session.skip(kind, len(removed))


# -- Kimi CLI ----------------------------------------------------------------------------------------------


def recognises_cli(head: Head) -> bool:
    return any(text_at(data, "role") in _OF_CLI for data in head.objects)


def recognises_own_cli(head: Head) -> bool:
    """Whether a file in the program's folder is a session, even if it begins with plain messages."""
    return any({"role", "content"} <= data.keys() for data in head.objects)


def read_cli(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    path = _CONTEXT.fullmatch(source.path)
    session = Session(program.name, path[2] if path else source.stem)
    reading = _Reading(session, source, program.title)
    for line, data in lines_once(source, session, program):
        session.number = line
        role, content = text_at(data, "role"), data.get("content")
        if role in _OF_CLI:
            session.skip(role, own=True)
        elif role == "user" and isinstance(content, str) and _REMINDER.fullmatch(content):
            session.skip("reminder", own=True)
        else:
            reading.message({**data, "id": hash_id(role, dumps(data))}, None)  # lines have no ids
    if path:
        folder, id = path.groups()
        session.about(value_beside(source, id, "state.json", above=1), title="custom_title")
        for place in objects_at(value_beside(source, "kimi.json", above=3), "work_dirs"):
            cwd = text_at(place, "path").encode("utf-8", "replace")
            if md5(cwd, usedforsecurity=False).hexdigest() == folder:
                session.about(place, cwd="path")
        earlier = filter(_EARLIER.fullmatch, source.names(id, above=1))
        session.skip("earlier context in a file of its own", len(list(earlier)))
        agents = source.names(id, "subagents", above=1)
        files = {name: (id, "subagents", name, "context.jsonl") for name in agents}
        add_agents(session, source, program, files)
    yield session


PROGRAM = Program(
    "kimi-code", "Kimi Code", recognises, read,
    (Place("KIMI_CODE_HOME", ".kimi-code", ("sessions/*/*/agents/main/wire.jsonl",)),), command="kimi",
    pairs={pairs.ORPHAN: pairs.DROPPED, pairs.DOUBLE: ("drops", "{} sends the first")},
    doubles=("context.append_message", "context.append_loop_event"),
)  # fmt: skip
KIMI_CLI = Program(
    "kimi-cli", "Kimi CLI", recognises_cli, read_cli,
    (Place("KIMI_SHARE_DIR", ".kimi", ("sessions/*/*/context.jsonl",)),), recognises_own_cli,
)  # fmt: skip
