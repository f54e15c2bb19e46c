"""Read Gemini CLI's files: operations in `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, one per session.

Older versions wrote one JSON object per session; `checkpoint-TAG.json` contains the request's contents. A
session consists of the messages that remain after all operations, and those that compressions replaced.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import dropwhile, groupby
from typing import Any

from ...providers.gemini import NAME as FORMAT
from ...providers.gemini.body import part_of
from ...providers.parts import name_of, objects
from ...session.model import SUMMARY_HEAD, Json, Part
from ...session.records import dumps
from .. import pairs
from .. import source as sources
from ..fields import answer_fields, hash_id, list_at, name_at, object_at, objects_at, text_at, time_of
from ..model import REWOUND, Entry, Item, Piece, Session, Summary
from ..protocol import Head, Place, Program, Source, Unreadable
from ..tree import undone_branches

Line = tuple[int, Json]  # number and content
_TYPES = ("user", "gemini", "info", "error", "warning")
_CONTEXT = ("<session_context>", "<hook_context>")  # beginnings of messages that the program generates
SNAPSHOT = "<state_snapshot>"  # marks a summary by the program
_REPLACED = "message that a checkpoint replaced"
WRAPPER = f"{SNAPSHOT}\n{{}}\n</state_snapshot>"  # put around other summaries when writing
_PROJECT = re.compile(r".*/tmp/([^/]+)/[^/]+$", re.DOTALL)  # the project of a checkpoint
_CHATS = re.compile(r".*/chats/([^/]+)/[^/]+$", re.DOTALL)  # a sub-agent's parent session
_CONTENT = ("content", "thoughts", "toolCalls")  # fields with the content of a message
_ANSWER = {"model": "model", "usage": "tokens"}
_USAGE = {
    "input": "input tool", "output": "output thoughts", "cached": "cached", "reasoning": "thoughts",
    "total": "total",
}  # fmt: skip


def recognises(head: Head) -> bool:
    for data in head.values:
        message = data.get("type") in _TYPES and {"id", "timestamp", "content"} <= data.keys()
        headed = {"sessionId", "projectHash"} <= data.keys() or isinstance(data.get("$rewindTo"), str)
        if message or headed or any(map(_is_content, list_at(data, "history")[:1])):
            return True
    return False


def recognises_own(head: Head) -> bool:
    """Whether a file in the program's folder is a session: there a bare list of contents or {} is one."""
    bare = head.whole and all(map(_is_content, head.values))
    return bare or any(isinstance(data.get("history"), list) for data in head.values)


def _is_content(data: object) -> bool:
    return isinstance(data, dict) and {"role", "parts"} <= data.keys()


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    operations = list(sources.objects(source, session.problems, program.recognises))
    rewinds = _Reading(session, source, program.title).read(operations)

    def before() -> Iterator[list[Item]]:
        """Yield the items before each rewind, newest first."""
        for count in reversed(rewinds):
            branch = Session(program.name, source.stem)
            _Reading(branch, source, program.title).read(operations[:count])
            yield branch.items

    session.branches = lambda: undone_branches(session, before())
    yield session


class _Reading:
    """Applies a session's operations in order; has the newest `lines` of messages, and the `live` ids."""

    def __init__(self, session: Session, source: Source, title: str) -> None:
        self.session = session
        self.title = title
        self.source = source
        self.lines: dict[str, Line] = {}  # by message
        self.fields: dict[str, Json] = {}  # of answers, of each field the last value
        self.live: dict[str, None] = {}
        self.removed: dict[str, str] = {}  # ids of removed messages → why
        self.covered: dict[str, str | Summary] = {}  # ids that compressions replaced, and their summaries
        self.headed = False
        self.checkpoint = False  # the file has contents and no session id
        self.seen: Counter[bytes] = Counter()  # counts of the contents so far
        self.in_calls: set[str | None] = set()  # the calls since the last summary that have results
        self.results: dict[str, bytes] = {}  # the results in messages since then, by call

    def read(self, operations: Sequence[Line]) -> list[int]:
        """Fill the session; return the indices of the rewinds."""
        rewinds = [place for place, operation in enumerate(operations) if self.operation(*operation)]
        if not self.headed and not self.checkpoint:
            why = f"no header: {self.title} does not find the session"
            self.session.problem(1, "forgets", why, "read without a header")
        self.session.skipped.update(self.removed.values())
        for id in (id for id, why in self.removed.items() if why == _REPLACED):  # by messages without usage
            ts = time_of(self.lines[id][1].get("timestamp"))
            self.session.keep_usage(id, ts, self.fields[id])
        items = (*self.covered.values(), *(id for id in self.live if id not in self.covered))
        for is_summary, run in groupby(items, lambda item: isinstance(item, Summary)):
            group: list[Any] = [*run]
            if not is_summary:  # a compression writes the messages that it keeps again
                newest = (self.lines[id][1] for id in group)
                results = (part for data in newest for part in _results(data))
                self.in_calls, self.results = {_call_of(part) for part in results} - {None}, {}
            for item in group:
                if is_summary:
                    self.session.number = item.line
                    self.session.summarise(item.id, item.ts, item.text)
                else:
                    self.session.items += self.entries(item)
        return rewinds

    # -- operations ----------------------------------------------------------------------------------------

    def operation(self, number: int, data: Json) -> bool:
        """Apply an operation, identified by its keys; return whether it rewound the session."""
        self.session.number = number
        match data:
            case {"$rewindTo": str(id)}:
                return self.rewind(id)
            case {"id": str(id), "type": kind} if id and kind in _TYPES:
                self.message(data)
            case {"id": str(id)} if id:
                self.session.skip(f"{data.get('type')} message")
            case {"$set": dict(values)}:
                self.settings(values)
            case {"sessionId": _, "projectHash": _}:
                self.header(data)
            case {"history": list(contents)}:
                self.contents(contents)
            case {"parts": list()} if not self.headed:  # an element of a bare list
                self.contents([data])
            case _:
                kind = next((key for key in data if key.startswith("$")), None)
                self.session.skip(kind or "line of an unknown kind", own=True)
        return False

    def header(self, data: Json) -> None:
        """Read the session's header; a resumed session has several."""
        session = self.session
        if self.headed:
            session.skip("header of a resumption", own=True)
        else:
            self.headed = True
            session.about(data, id="sessionId", created="startTime")
            parent = _CHATS.fullmatch(self.source.path) if data.get("kind") == "subagent" else None
            if parent:
                session.set_parent(parent[1], agent=True)
                if session.id == parent[1]:  # then only the file's name is unique
                    session.id = f"{parent[1]}-{self.source.stem}"
            with suppress(Unreadable):  # newer versions name the folder after the project
                root = self.source.beside(".project_root", above=2 if parent else 1)
                session.cwd = root.decode("utf-8", "replace").strip() or None
        self.settings(data)

    def settings(self, values: Json) -> None:
        """Set the title and directory, and replace all messages if there is a list of them."""
        self.session.about(values, title="summary")
        directories = filter(name_of, list_at(values, "directories"))
        self.session.cwd = self.session.cwd or next(directories, None)
        if isinstance(values.get("messages"), list):
            named = [message for message in objects(values["messages"]) if name_at(message, "id")]
            self.replace([message for message in named if message.get("type") in _TYPES])

    def contents(self, contents: list[Any]) -> None:
        """Add the contents of a checkpoint as messages; their ids are hashes."""
        self.checkpoint = True
        if project := _PROJECT.fullmatch(self.source.path):
            self.session.id = f"{project[1]}-{self.source.stem}"
        for content in objects(contents):
            raw = dumps(content)
            kind = "gemini" if content.get("role") == "model" else "user"
            id = hash_id(raw, self.seen[raw])
            self.seen[raw] += 1
            self.message({"id": id, "type": kind, "content": content.get("parts")})

    def message(self, data: Json) -> None:
        """Add a message, or a new version of one."""
        id, (_, before) = data["id"], self.lines.get(data["id"], (0, {}))
        emptied = any(map(before.get, _CONTENT)) and not any(map(data.get, _CONTENT))
        self.session.skip("message that was written again without its content", emptied)
        self.lines[id] = self.session.number, data
        self.fields[id] = self.fields.get(id, {}) | answer_fields(data, _ANSWER, _USAGE, FORMAT)
        self.removed.pop(id, None)
        self.live.setdefault(id)

    def rewind(self, id: str) -> bool:
        """Undo a live message and everything after it, compressions included."""
        if id not in self.live:
            why = f"rewound to {id[:60]}, which does not exist: {self.title} forgets everything before it"
            self.session.problem(self.session.number, "forgets", why, "the rewind is ignored")
            return False
        removed: set[str] = set()
        while id not in removed:
            removed.add(self.live.popitem()[0])
        while self.covered and next(reversed(self.covered)) in removed:
            item = self.covered.popitem()[1]
            removed.update(item.covers if isinstance(item, Summary) else ())
        self.removed |= dict.fromkeys(removed, REWOUND)
        return True

    def replace(self, messages: Sequence[Json]) -> None:
        """Replace all messages; a new summary among them covers those that are missing from the list."""
        ids = {data["id"] for data in messages}
        summaries = (data for data in messages if data["type"] == "user" and SNAPSHOT in _text(data))
        summary = next((data for data in summaries if data["id"] not in self.covered), None)
        missing = [id for id in self.live if id not in ids]
        if summary is None:
            self.removed |= dict.fromkeys(missing, _REPLACED)
        else:
            before, after = WRAPPER.split("{}")  # tags that we add when writing
            text, ts = _text(summary), time_of(summary.get("timestamp"))
            if text.startswith(before + SUMMARY_HEAD) and text.endswith(after):
                text = text.removeprefix(before).removesuffix(after)
            self.covered |= {id: id for id in missing if id not in self.covered}
            self.covered[summary["id"]] = Summary(summary["id"], ts, text, self.session.number, missing)
        self.live = {}
        for data in messages:
            self.message(data)

    # -- messages ------------------------------------------------------------------------------------------

    def entries(self, id: str) -> list[Entry]:
        """Convert a message to entries."""
        number, data = self.lines[id]
        if data["type"] not in ("user", "gemini"):
            self.session.skip(f"{data['type']} message")
            return []
        first, forgotten = _beginning(data.get("content")) if data["type"] == "user" else "", ""
        if first.startswith(_CONTEXT):
            self.session.skip("context message", own=True)
            forgotten = "in one message with the program's context" if _without_context(data) else ""
        elif first.startswith(("/", "?")) and not self.checkpoint:
            forgotten = "that begins with / or ?"
        if forgotten and id not in self.covered:
            why = f"a prompt {forgotten}: {self.title} forgets it when it resumes"
            self.session.problem(number, "drops", why)
        # results in a user message may already be in the history
        results = {call: dumps(part) for part in _results_of(data) if (call := _call_of(part))}
        repeated = {id for id, raw in results.items() if id in self.in_calls or self.results.get(id) == raw}
        self.results |= results
        for call in sorted(repeated) if id not in self.covered else ():
            why = f"the result of {call} is already in the history: {self.title} sends it twice"
            self.session.problem(number, "doubles", why)
        return list(_entries(number, data, self.fields[id], repeated))


def is_forgotten(value: Any) -> bool:
    """Whether the program drops a prompt when it resumes: it is blank, a command, or context."""
    first = _beginning(value)
    return not first or first.startswith(("/", "?", *_CONTEXT))


def _beginning(value: Any) -> str:
    """The text by which the program classifies a prompt: parts other than plain text count as `...`."""
    parts = _content(value)
    words = ("..." if "text" not in part or "thought" in part else text_at(part, "text") for part in parts)
    return "".join(words).strip()


def _text(data: Json) -> str:
    """The texts of a message, without the context."""
    return "".join(text_at(part, "text") for part in _without_context(data))


def _without_context(data: Json) -> list[Any]:
    """The parts of a message after the program's context, which masking joins with the first prompt."""
    parts = _content(data.get("content"))
    return [*dropwhile(lambda part: _beginning(part).startswith(_CONTEXT), parts)]


def _content(value: Any) -> list[Any]:
    """The parts of a content, which is a string, a part, or a list of these."""
    if isinstance(value, list):
        return [part for item in value for part in _content(item)]
    if isinstance(value, str):
        return [{"text": value}] if value else []
    return [part_of(value)] if isinstance(value, dict) else []


def _entries(line: int, data: Json, answer: Json, repeated: set[str]) -> Iterator[Entry]:
    """Yield a message as entries, an answer with its fields, and without results of `repeated` calls."""
    id, ts = data["id"], time_of(data.get("timestamp"))
    if data["type"] == "gemini":
        each = [(id, "codeh", _model_parts(data)), (f"{id}_response", "tool", _results(data))]
    else:
        results = _results_of(data)
        others = (_as_sent(part) for part in _without_context(data) if "functionResponse" not in part)
        each = [
            (id, "tool", [part for part in results if _call_of(part) not in repeated]),
            (f"{id}.1" if results else id, "user", [*others]),
        ]
    for id, kind, parts in each:
        if parts:
            yield Entry(id, kind, ts, [Piece(line, parts)], answer if kind == "codeh" else {})


def _results_of(data: Json) -> list[Any]:
    """The results in a user message."""
    parts = map(_as_sent, _content(data.get("content"))) if data["type"] == "user" else ()
    return [part for part in parts if "functionResponse" in part]


def _model_parts(data: Json) -> list[Any]:
    """The thoughts, texts and calls of a model message; content with calls or thoughts has them all."""
    parts = _content(data.get("content"))
    if any("functionCall" in part or part.get("thought") for part in parts):
        return [_as_sent(part) for part in parts]
    sent: list[Json] = []
    for thought in objects_at(data, "thoughts"):
        subject, text = text_at(thought, "subject"), text_at(thought, "description")
        sent.append({"text": f"**{subject}** {text}" if subject else text, "thought": True})
    sent += parts
    for call in objects_at(data, "toolCalls"):
        name, args = name_at(call, "name") or "tool", object_at(call, "args")
        sent.append(_as_sent({"functionCall": {"id": call.get("id"), "name": name, "args": args}}))
    return sent


def _results(data: Json) -> list[Any]:
    """The results inside the calls of a message."""
    calls = objects_at(data, "toolCalls")
    return [_as_sent(part) for call in calls for part in _content(call.get("result"))]


def _call_of(part: Part) -> str | None:
    """The id of the call that a part answers."""
    return name_at(part, "functionResponse.id")


def _as_sent(part: Any) -> Any:
    """Convert a part as the program does: drop `thought: false`, and the tool's name before a call's id."""
    if part.get("thought") is False:
        part = {key: value for key, value in part.items() if key != "thought"}
    for key in ("functionCall", "functionResponse"):
        call = part.get(key)
        if isinstance(call, dict):
            id = (name_at(call, "id") or "").removeprefix(f"{call.get('name')}__")
            rest = {name: value for name, value in call.items() if id or name != "id"}
            return {**part, key: {**rest, "id": id} if id else rest}
    return part


_NAMES = ("chats/session-*.json", "chats/session-*.jsonl", "chats/*/*.jsonl", "checkpoint-*.json")
PROGRAM = Program(
    "gemini-cli", "Gemini CLI", recognises, read,
    (Place("GEMINI_CLI_HOME", ".", tuple(f".gemini/tmp/*/{name}" for name in _NAMES)),), recognises_own,
    writer=f"{__name__}.write:File", format=FORMAT, keeps_thinking=True, command="gemini", by_folder=True,
    pairs={
        pairs.OPEN: ("refused", "{} sends it unanswered, which its provider refuses"),
        pairs.ORPHAN: pairs.REFUSED, pairs.DOUBLE: ("doubles", "{} sends both"),
    },
)  # fmt: skip
