"""Read and write Qwen Code's files: JSON lines in `~/.qwen/projects/DIR/chats/UUID.jsonl`.

A line contains a content of Gemini's API. A session is the branch of their tree that ends at the last line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from ..providers.gemini import NAME as FORMAT
from ..providers.gemini.body import part_of
from ..session.model import Json, Message, Part
from . import pairs, writing
from .fields import answer_fields, name_at, object_at, objects_at, omit_empty, time_of
from .model import ABANDONED, REWOUND, Entry, Piece, Session
from .parts import texts
from .protocol import Head, Place, Program, Source
from .source import lines_once
from .tree import Broken, Node, add_agents, agent_files, read_tree, report_broken

_TALK = ("user", "assistant", "tool_result")
_COMPRESSION = "chat_compression"
_UNSENT = ("code_mode_tool_result", "realtime_message")
_BESIDE = ("session_artifact_event", "session_artifact_snapshot", "session_sources_snapshot")
_ANSWER = {"model": "model", "usage": "usageMetadata"}
_USAGE = {
    "input": "promptTokenCount", "output": "candidatesTokenCount", "cached": "cachedContentTokenCount",
    "reasoning": "thoughtsTokenCount", "total": "totalTokenCount",
}  # fmt: skip
_AGENTS = "subagents"  # a folder next to `chats`, with a folder per session and a file per sub-agent
VERSION = "0.24.4"  # the version whose format is written


def recognises(head: Head) -> bool:
    lines = (data for data in head.objects if {"uuid", "parentUuid", "sessionId", "type"} <= data.keys())
    return any("systemPayload" in data or "parts" in object_at(data, "message") for data in lines)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    nodes = _nodes(source, session, program)
    leaf = next((node for node in reversed(nodes.values()) if node.subtype not in _BESIDE), None)
    if leaf is not None:
        _read_tree(session, nodes, leaf, program.title)
        add_agents(session, source, program, agent_files(source, _AGENTS, source.stem, above=1))
    yield session


def _read_tree(session: Session, nodes: dict[str, _Node], leaf: _Node, title: str) -> None:
    def fill(session: Session, path: list[_Node]) -> None:
        branch = _Branch(session)
        for node in path:
            branch.add(node)

    def report(path: list[_Node], broken: list[Broken[_Node]]) -> None:
        sent = [node for node in path if node.talks or node.subtype == _COMPRESSION]
        first = max((node.number for node in sent if not node.talks), default=0)
        talk = [node.number for node in sent if node.number >= first]
        report_broken(session, [lost for lost in broken if lost.node.number >= first], talk, title)

    talk = [node for node in nodes.values() if node.talks]
    path = read_tree(session, nodes, leaf, talk, fill, report)
    for node in path:
        if node.forked:
            session.set_parent(node.forked, node.id)
    live = {node.id for node in path}
    rewound = any(node.subtype == "rewind" for node in nodes.values())
    session.skip(REWOUND if rewound else ABANDONED, sum(node.id not in live for node in talk))


class _Node(Node):
    """The lines with one id; `number` is the number of the first."""

    def __init__(self, id: str, line: int, data: Json) -> None:
        super().__init__(id, name_at(data, "parentUuid"), line)
        self.lines = [(line, data)]
        self.data = data
        self.type, self.subtype = name_at(data, "type"), name_at(data, "subtype")
        self.ts = time_of(data.get("timestamp"))
        self.talks = self.type in _TALK and self.subtype not in _UNSENT
        self.forked = name_at(data, "forkedFrom.sessionId")


def _nodes(source: Source, session: Session, program: Program) -> dict[str, _Node]:
    """Read all lines into nodes, and set the session's fields."""
    nodes: dict[str, _Node] = {}
    for line, data in lines_once(source, session, program):
        id = name_at(data, "uuid")
        if id is None:
            session.skip("line without an id")
        elif id not in nodes:
            node = nodes[id] = _Node(id, line, data)
            session.about(data, version="version", cwd="cwd", created="timestamp")
            session.git = session.git or omit_empty(branch=name_at(data, "gitBranch"))
            if node.subtype == "custom_title":
                session.about(data, title="systemPayload.customTitle")
            if node.type not in (*_TALK, "system"):
                why = f"an unknown type, {node.type}: {program.title} forgets everything before it"
                session.problem(line, "forgets", why, "skipped")
            if not node.talks and node.subtype != _COMPRESSION:
                session.skip(f"{node.type} ({node.subtype})", own=True)
        elif nodes[id].talks and nodes[id].type == data.get("type"):
            nodes[id].lines.append((line, data))
        else:
            session.skip("line of another type with the id of an earlier one")
    return nodes


class _Branch:
    """Makes the messages and summaries of a branch."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.usage: Json = {}  # the usage of an answer without parts, for the next line with its calls
        self.local: Entry | None = None  # the last message if it is a prompt, maybe a local command

    def add(self, node: _Node) -> None:
        """Add the message or summary of a line."""
        session, data = self.session, node.data
        session.number = node.number
        if node.subtype == _COMPRESSION:
            self.compress(node, objects_at(data, "systemPayload.compressedHistory"))
        elif node.subtype == "slash_command":
            self.command(object_at(data, "systemPayload"))
        elif node.type == "assistant":
            self.local = None
            fields = {**self.usage, **answer_fields(data, _ANSWER, _USAGE, FORMAT)}
            used = fields.get("usage", {})
            if "input" in used and "total" in used:  # some providers do not count thoughts as candidates
                used["output"] = max(used["total"] - used["input"], 0)
            entry = self.turn(node, "codeh", **fields)
            self.usage = {} if entry else omit_empty(usage=fields.get("usage"))
        elif node.talks:
            entry = self.turn(node, "user")
            self.local = entry if node.type == "user" and not node.subtype else None

    def turn(self, node: _Node, kind: str, **fields: object) -> Entry | None:
        """Add the messages of a node, and return the last, which also gets the node's later lines."""
        items, before = self.session.items, len(self.session.items)
        parts = _parts(object_at(node.data, "message"))
        self.session.turn(kind, parts, id=node.id, ts=node.ts, **fields)
        last = items[-1] if len(items) > before else None
        if not isinstance(last, Entry):
            return None
        more = ((line, _parts(object_at(data, "message"))) for line, data in node.lines[1:])
        last.pieces += [Piece(line, parts) for line, parts in more if parts]
        return last

    def compress(self, node: _Node, contents: list[Json]) -> None:
        """Summarise everything; the first content is the summary, the others are messages."""
        text = "\n\n".join(texts(_parts(contents[0]))) if contents else ""
        if not text:
            self.session.skip("compression without a summary")
            return
        self.session.summarise(node.id, node.ts, text)
        for number, content in enumerate(contents[1:], 1):
            kind = "codeh" if content.get("role") == "model" else "user"
            self.session.turn(kind, _parts(content), id=f"{node.id}.{number}", ts=node.ts)
        self.local = None

    def command(self, payload: Json) -> None:
        """Remove a prompt that was a local command, which is not sent, nor is its output."""
        output = objects_at(payload, "outputHistoryItems")
        local = payload.get("phase") == "result" and payload.get("sentToModel") is not True
        shown = bool(output) and all(item.get("type") == "assistant" for item in output)
        if self.local and local and shown and self.local.parts == [{"text": payload.get("rawCommand")}]:
            self.session.items.pop()
            self.session.skip("local command")
        self.local = None


def _parts(content: Json) -> list[Part]:
    return [part_of(part) for part in objects_at(content, "parts")]


# -- writing ---------------------------------------------------------------------------------------------


class File(writing.Writer):
    """A chain of lines, each the parent of the next; a summary becomes a compression."""

    def begin(self) -> None:
        self.last: str | None = None
        if self.about.title:
            title = {"customTitle": self.about.title, "titleSource": "manual"}
            self.line("system", subtype="custom_title", systemPayload=title)

    def name(self) -> str:
        return f"projects/{re.sub('[^a-zA-Z0-9]', '-', self.about.cwd)}/chats/{self.about.id}.jsonl"

    def line(self, kind: str, **fields: object) -> None:
        """Write a line of this kind."""
        about, id = self.about, self.uuid()
        self.lines.append({
            "uuid": id, "parentUuid": self.last, "sessionId": about.id, "timestamp": self.ts, "type": kind,
            "cwd": about.cwd, "version": VERSION, **fields,
        })  # fmt: skip
        self.last = id

    def summary(self, text: str) -> None:
        contents = [{"role": "user", "parts": [{"text": text}]}]
        self.line("system", subtype="chat_compression", systemPayload={"compressedHistory": contents})

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element; results get lines of their own."""
        parts = writing.without_placeholders(element["parts"])
        if element["role"] == "model":
            fields = omit_empty(model=writing.model_of(sources))
            self.line("assistant", message={"role": "model", "parts": parts}, **fields)
            return
        for answers, run in groupby(parts, lambda part: "functionResponse" in part):
            kind = "tool_result" if answers else "user"
            self.line(kind, message={"role": "user", "parts": list(run)})


PROGRAM = Program(
    "qwen-code", "Qwen Code", recognises, read,
    (Place("QWEN_HOME", ".qwen", ("projects/*/chats/*.jsonl", "projects/*/chats/archive/*.jsonl")),),
    writer=f"{__name__}:File", format=FORMAT, keeps_thinking=True, command="qwen", by_folder=True,
    pairs={pairs.ORPHAN: pairs.REFUSED}, doubles=_TALK,
)  # fmt: skip
