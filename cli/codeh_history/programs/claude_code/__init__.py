"""Read and write Claude Code's files: JSON lines in `~/.claude/projects/DIR/UUID.jsonl`.

The lines of a file are a tree. A session is its live branch, including what compactions on it replaced.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ...base.errors import BadData
from ...providers.anthropic import NAME as FORMAT
from ...providers.anthropic.blocks import has_text
from ...providers.anthropic.body import Reader
from ...providers.anthropic.response import USAGE
from ...providers.parts import blocks_of, text_of
from ...session.model import Json, Message, Part
from .. import pairs, writing
from ..fields import answer_fields, at, name_at, object_at, omit_empty, text_at
from ..model import ABANDONED, SUB_AGENT, AgentUsage, Entry, Piece, Session
from ..parts import texts
from ..protocol import Head, Place, Program, Source, Unreadable
from ..source import lines_once, value_beside
from ..tree import add_agents, agent_files, branches, own_nodes, report_broken, usage_of
from . import attachments
from .tree import Branch, Node, Tree

_TYPES = frozenset(
    "user assistant system summary attachment progress queue-operation last-prompt mode custom-title"
    " ai-title agent-name pr-link file-history-snapshot file-history-delta".split()
)
_INTERFACE = _TYPES | frozenset(
    "api-request api-request-blob api-request-shape atis-latch cost-state permission-mode tools-used"
    " worktree-state".split()
)
_KEYS = ({"sessionId"}, {"parentUuid", "uuid"}, {"summary", "leafUuid"}, {"messageId", "snapshot"})
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+")
_FOLDER = "subagents"  # in the session's own folder, one file per sub-agent
_TITLES = {
    "custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle", "summary": "summary",
}  # fmt: skip
_ERRORS = "<synthetic>"  # the `model` of a line that reports an error
_ANSWER = {"model": "model", "finish": "stop_reason", "usage": "usage", "response": "id"}
_STUB, _BEGIN = "<persisted-output>", 80
_SPILLED = re.compile(
    r"<persisted-output>\s.*?Full output saved to: ([^\n]+)\n\s*(.*)</persisted-output>\s*", re.DOTALL
)
VERSION = "2.1.197"  # the version whose format is written
UNKNOWN = "unknown"  # for an unknown model; without a model Claude Code hangs
_LONGEST = 200  # characters of a folder's name; Claude Code adds a hash to a longer one


def recognises(head: Head) -> bool:
    of_types = (data for data in head.objects if str(data.get("type")) in _TYPES)
    return any(keys <= data.keys() for data in of_types for keys in _KEYS)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    tree = _tree(source, session, program)
    leaf = tree.leaf()
    if leaf is not None:
        branch = tree.branch(leaf)
        _report(session, tree, branch, program.title)
        _Items(session, source, tree, program).add(branch)
        parent = name_at(leaf.data, "sessionId")
        if leaf.side and parent not in (None, session.id):  # a sub-agent's own file
            session.set_parent(str(parent), agent=True)
            session.agent_name = _kind_of_agent(source, source.stem, above=1)
        live = {node.id for node in branch.all}
        for node in (node for node in tree.nodes.values() if node.id not in live):
            if node.talks or node.queued:
                session.skip(SUB_AGENT if node.side else ABANDONED)
            elif node.attached:
                session.skip(_kind(node.data), own=True)
        session.branches = partial(_branches, source, session, tree, live, program)
        session.agent_usage = partial(_agent_usage, source, tree, program)
        agents, kind = agent_files(source, _FOLDER), partial(_kind_of_agent, source)
        add_agents(session, source, program, agents, above=0, kind=kind)
    yield session


def _report(session: Session, tree: Tree, branch: Branch, title: str) -> None:
    """Report missing parents, except of compacted lines, and a leaf that makes the program forget lines."""
    # compacted lines are never sent; the program links lines that are seconds apart by their times
    first = branch.nodes[branch.starts[-1]].number if branch.starts else 0
    broken = [lost for lost in branch.broken if lost.node.number >= first]
    talk = (node.number for node in branch.nodes if node.talks and node.number >= first)
    report_broken(session, broken, talk, title, " unless the times show its place")
    if tree.beyond is not None:
        why = f"it names line {tree.beyond.number}, one of several results:"
        why += f" {title} 2.1.197 would forget what follows them"
        session.problem(tree.leaf_line, "forgets", why, "all results and what follows them are read")


def _tree(source: Source, session: Session, program: Program) -> Tree:
    """Read all lines into a tree, and set the session's fields."""
    tree = Tree()
    titles: dict[tuple[str, str | None], str] = {}  # by kind, and by the line that they belong to
    id = session.id if _ID.fullmatch(session.id) else None
    for number, data in lines_once(source, session, program):
        kind = text_at(data, "type")
        node = tree.add(number, data)
        session.about(data, id="sessionId", version="version", cwd="cwd", created="timestamp")
        if kind in _TITLES and (title := name_at(data, _TITLES[kind])):
            titles[kind, name_at(data, "leafUuid") if kind == "summary" else None] = title
        repeated = node is None and name_at(data, "uuid")
        if repeated:
            session.skip("repeated line")
        elif node is None or not (node.talks or node.queued or node.attached):
            session.skip(_kind(data), own=kind in _INTERFACE)
    session.id = id or session.id
    valid = {kind: title for (kind, of), title in titles.items() if of is None or of in tree.nodes}
    session.set(title=next((valid[kind] for kind in _TITLES if kind in valid), None))
    return tree


def _kind(data: Json) -> str:
    """The kind under which to count a line that is not a message."""
    kind = str(data.get("type", "line without a type"))
    subtype = name_at(data, "subtype", "attachment.type")
    return f"{kind} ({subtype})" if subtype else kind


# -- branches and sub-agents -------------------------------------------------------------------------------


def _branches(
    source: Source, session: Session, tree: Tree, live: set[str], program: Program
) -> Iterator[Session]:
    """Yield abandoned branches, and sub-agents in this file, as sessions."""

    def fill(branch: Session, tail: list[Node]) -> None:
        branch.agent = tail[0].side
        _Items(branch, source, tree, program).add(tree.branch(tail[-1]))

    for talk in (tree.talk, tree.others):
        ends = own_nodes(talk, tree.nodes, live, lambda leaf: tree.branch(leaf).all)
        yield from branches(session, ends, fill, lambda tail: tail[0].id[:8])


def _agent_usage(source: Source, tree: Tree, program: Program) -> Iterator[AgentUsage]:
    """Yield the usage of sub-agents in this file."""
    side = Session("", "")
    items = _Items(side, source, tree, program)
    for node in tree.others:
        if node.type == "assistant":
            items.answer([node])
    return usage_of([side])


def _kind_of_agent(source: Source, id: str, above: int = 0) -> str | None:
    return name_at(value_beside(source, _FOLDER, f"{id}.meta.json", above=above), "agentType")


# -- items -------------------------------------------------------------------------------------------------


class _Items:
    """Makes the messages and summaries of a branch."""

    def __init__(self, session: Session, source: Source, tree: Tree, program: Program) -> None:
        self.session = session
        self.source = source
        self.tree = tree
        self.title = program.title
        self.reader = Reader(FORMAT, {})
        self.responses: dict[str, Entry] = {}  # by the provider's id
        self.results: list[Node] = []  # of the latest response

    def add(self, branch: Branch) -> None:
        # by response: its other lines, and results of its calls, that no path leads to
        beside = defaultdict[tuple[object, str], list[Node]](list)
        for node in branch.off_path:
            answer = node if node.type == "assistant" else self.tree.nodes[str(node.parent)]
            beside[node.type, answer.response].append(node)
        for place, node in enumerate(branch.nodes):
            self.session.git = omit_empty(branch=name_at(node.data, "gitBranch"))
            if place in branch.starts:
                self.flush()
            if node.type == "assistant":
                self.answer([node, *beside.pop(("assistant", node.response), [])])
                self.results += beside.pop(("user", node.response), [])
            elif node.answers:
                self.results.append(node)
            elif node.attached:
                self.attach(node)
            elif node.type == "user" or node.queued or node.local:
                self.user(node)
        self.flush()

    def answer(self, nodes: list[Node]) -> None:
        """Add lines of a response to one message, which is placed where the first of them is."""
        earlier = self.responses.get(nodes[0].response)
        if earlier is None:
            self.flush()
        entry = earlier or Entry(nodes[0].id, "codeh", nodes[0].ts, [])
        for node in nodes:
            message = object_at(node.data, "message")
            if at(message, "model") == _ERRORS or node.data.get("isApiErrorMessage") is True:
                self.session.skip("error of the program")
                continue
            if not name_at(message, "model"):
                why = f"a model's message without `model`: {self.title} hangs"
                self.session.problem(node.number, "refused", why)
            entry.pieces.append(Piece(node.number, self.parts(at(message, "content"), "assistant")))
            fields = answer_fields(message, _ANSWER, USAGE, FORMAT)
            used, before = fields.get("usage"), entry.fields.get("usage") or {}
            if used is not None and used.get("output", 0) < before.get("output", 0):
                del fields["usage"]  # counts grow from line to line: keep the largest
            entry.fields |= fields
        entry.pieces.sort(key=lambda piece: piece.line)
        if entry.pieces and earlier is None:
            self.session.append(entry)
            if nodes[0].response:
                self.responses[nodes[0].response] = entry

    def user(self, node: Node) -> None:
        """Add a prompt, queued input, a notification, or a local command and its output."""
        self.flush()
        data, session = node.data, self.session
        session.number = node.number
        if node.queued:
            content = attachments.queued(data["attachment"])
        else:
            content = at(data, "content" if node.local else "message.content")
        parts = self.parts(content, "user")
        if node.summarises and (text := "\n\n".join(texts(parts))):
            session.summarise(node.id, node.ts, text)
        else:
            session.add("user", parts, id=node.id, ts=node.ts)

    def attach(self, node: Node) -> None:
        """Add an attachment to the prompt before it; after results, add it as a message."""
        attachment, session = node.data["attachment"], self.session
        parts = attachments.parts(attachment)
        if not parts:
            session.skip(f"attachment ({attachment['type']})", own=True)
            return
        self.flush()
        session.number = node.number
        last = session.items[-1] if session.items else None
        if isinstance(last, Entry) and last.kind == "user":
            session.extend(last, parts)
        else:
            session.add("user", parts, id=node.id, ts=node.ts)

    def flush(self) -> None:
        """Add the pending results of the latest response, sorted by line."""
        nodes, self.results = sorted(self.results, key=lambda node: node.number), []
        for node in nodes:
            self.session.number = node.number
            parts = self.parts(at(node.data, "message.content"), "user")
            results = [self.with_full_text(part, node) for part in parts if "functionResponse" in part]
            self.session.add("tool", results, id=node.id, ts=node.ts)
            others = [part for part in parts if "functionResponse" not in part]
            self.session.add("user", others, id=f"{node.id}.1", ts=node.ts)

    def parts(self, content: Any, role: str) -> list[Part]:
        """The parts of a line's content."""
        parts = [self.reader.part(block, role) for block in blocks_of(content)]
        return [part for part in parts if len(part) > 1 or "text" not in part or has_text(part["text"])]

    def with_full_text(self, part: Any, node: Node) -> Part:
        """Put the full text into a result if the program stored that in a file of its own."""
        response = part["functionResponse"]
        field, text = next(iter(response["response"].items()), ("", ""))
        stub = _SPILLED.fullmatch(text.strip()) if _STUB in text_of(text)[:_BEGIN] else None
        if stub is None:
            return part  # type: ignore[no-any-return]
        name = re.split(r"[/\\]", stub[1].strip())[-1]
        full: Any = {}
        try:
            text = self.source.beside("tool-results", name).decode("utf-8", "replace")
            full = {"spilled": {"name": name}}
        except Unreadable as error:
            self.session.problem(node.number, "drops", str(error), "its beginning is used instead")
            text = stub[2]  # so that a rescued session does not refer to the file
        full["functionResponse"] = {**response, "response": {**response["response"], field: text}}
        return full  # type: ignore[no-any-return]


# -- writing ---------------------------------------------------------------------------------------------


class File(writing.Writer):
    """A chain of lines, each the parent of the next; a summary becomes a compaction."""

    TAKES_FILES = True

    def begin(self) -> None:
        self.last: str | None = None
        self.ts = self.about.time
        title = {"type": "custom-title", "customTitle": self.about.title, "sessionId": self.about.id}
        self.lines += [title] if self.about.title else []

    def name(self) -> str:
        return f"projects/{folder(self.about.cwd)}/{self.about.id}.jsonl"

    def line(self, kind: str, **fields: object) -> None:
        """Write a line of this kind."""
        about, id = self.about, self.uuid()
        self.lines.append({
            "parentUuid": self.last, "isSidechain": False, "userType": "external", "cwd": about.cwd,
            "sessionId": about.id, "version": VERSION, "type": kind, **fields, "uuid": id,
            "timestamp": self.ts,
        })  # fmt: skip
        self.last = id

    def summary(self, text: str) -> None:
        self.ts = self.begun
        self.line(
            "system", subtype="compact_boundary", content="Conversation compacted", isMeta=False,
            level="info", compactMetadata={"trigger": "manual", "preTokens": 0},
        )  # fmt: skip
        message = {"role": "user", "content": text}
        self.line("user", message=message, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        content = element["content"]
        if element["role"] == "user":
            (block, *others) = content
            plain = not others and block.keys() == {"type", "text"}  # as Claude Code stores a plain prompt
            message = {"role": "user", "content": block["text"] or content if plain else content}
            self.line("user", message=message)
            return
        model = writing.model_of(sources) or UNKNOWN
        id = "msg_" + self.uuid("response").replace("-", "")[:24]
        message = {"id": id, "type": "message", "role": "assistant", "model": model, "content": content}
        self.line("assistant", message=message)


def folder(cwd: str) -> str:
    """The name of the folder for a directory's sessions; a character beyond U+FFFF counts as two."""
    plain = unicodedata.normalize("NFC", cwd)
    name = re.sub(r"[^a-zA-Z0-9]", lambda match: "-" if match[0] <= "\uffff" else "--", plain)
    if len(name) > _LONGEST:
        raise BadData(f"{cwd}: too long for Claude Code's folders; pass another directory (--cwd)")
    return name


PROGRAM = Program(
    "claude-code", "Claude Code", recognises, read,
    (Place("CLAUDE_CONFIG_DIR", ".claude", ("projects/*/*.jsonl",)),), writer=f"{__name__}:File",
    format=FORMAT, keeps_thinking=True, command="claude", by_folder=True,
    pairs={
        pairs.OPEN_AT_THE_END: ("drops", "{} answers it as interrupted"),
        pairs.OPEN: ("drops", "{} drops the model's message"), pairs.ORPHAN: pairs.DROPPED,
    },
)  # fmt: skip
