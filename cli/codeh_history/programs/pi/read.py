"""A file of pi → its session: the branch that ends at its last line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ...base.read_json import json_object
from ...providers import usage
from ...providers.parts import name_of, native, object_of, objects, text_of
from ...session.model import Json, Part
from ...session.records import dumps
from ..builder import Builder, thought
from ..model import ABANDONED, Session, Summary, omit_empty
from ..protocol import Program, Source
from ..records import made_id, time_of
from ..source import line_objects
from ..tree import Node, apart, branch_of, branches, walk
from . import is_header

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TALK = ("message", "custom_message", "branch_summary", "compaction")
_FORMATS = {  # by the API that a message came through
    "anthropic-messages": "anthropic", "bedrock-converse-stream": "anthropic",
    "openai-responses": "openai-responses", "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses", "openai-completions": "openai-chat",
    "google-generative-ai": "gemini", "google-gemini-cli": "gemini", "google-vertex": "gemini",
}  # fmt: skip
_SIGNED = ("anthropic", "gemini")  # whose signatures stand on the part that they sign
_USAGE = {
    "input": "input cacheRead cacheWrite", "output": "output", "cached": "cacheRead",
    "cacheWrite": "cacheWrite", "total": "totalTokens",
}  # fmt: skip
_BRANCH = """\
The following is a summary of a branch that this conversation came back from:

<summary>
{}</summary>"""


def read(source: Source, program: Program) -> Iterable[Session]:
    """The session of a file."""
    session = Session(program.name, source.stem)
    tree = _Tree()
    headed = False
    for line, data in line_objects(source, session.problems, program.recognises):
        if data.get("type") != "session":
            tree.add(line, data, session)
        elif not headed and is_header(data):
            headed = line == 1
            _header(session, data)
    if not headed:
        why = "no header: pi overwrites the file when it opens it, and its messages are gone"
        session.problem(1, "forgets", why, "read without")
    on = {node.id for node in tree.branch(session, tree.leaf)} if tree.leaf is not None else set()
    others = (node for node in tree.nodes.values() if node.id not in on)
    session.leave(ABANDONED, sum(node.type == "message" for node in others))
    session.branches = partial(_branches, session, tree, on)
    session.leave("repeated line", tree.repeated)
    yield session


def _header(session: Session, data: Json) -> None:
    session.id = name_of(data.get("id")) or session.id
    session.cwd = name_of(data.get("cwd"))
    session.created = time_of(data.get("timestamp"))
    session.version = str(data["version"]) if "version" in data else "1"
    parent = _UUID.findall(text_of(data.get("parentSession")))
    if parent:
        session.set_parent(f"{session.program}-{parent[-1]}")


def _branches(session: Session, tree: _Tree, on: set[str]) -> Iterator[Session]:
    """The branches that do not end at the last line, as sessions of their own."""
    talk = [node for node in tree.nodes.values() if node.type in _TALK]

    def made(own: list[_Node]) -> Session:
        branch = branch_of(session, own[0].id)
        tree.branch(branch, own[-1])
        branch.problems.clear()
        return branch

    yield from branches(apart(talk, tree.nodes, on), made, session)


# -- the tree ----------------------------------------------------------------------------------------------


class _Node(Node):
    """A line of the tree; `number`: the first line with its id."""

    __slots__ = ("data", "line", "ts", "type")

    def __init__(self, id: str, parent: str | None, line: int, data: Json) -> None:
        super().__init__(id, parent, line)
        self.fill(line, data)

    def fill(self, line: int, data: Json) -> None:
        """Take what a line says; another one of the same id takes the place of the first."""
        self.line = line
        self.data = data
        self.type = data.get("type")
        self.ts = time_of(data.get("timestamp"))


class _Tree:
    """Takes the lines in the order of the file; entries without ids (version 1) follow each other."""

    def __init__(self) -> None:
        self.nodes: dict[str, _Node] = {}
        self.leaf: _Node | None = None
        self.repeated = 0
        self.again: tuple[int, _Node] | None = None  # the last line, if it is the same as one before
        self.seen: Counter[bytes] = Counter()  # lines without an id

    def add(self, line: int, data: Json, session: Session) -> None:
        id, parent, raw = name_of(data.get("id")), name_of(data.get("parentId")), b""
        if data.get("type") == "session_info":
            session.titled(data.get("name"))
        if id is None:
            raw = dumps(data)
            id = made_id(raw, self.seen[raw])
            self.seen[raw] += 1
        node = self.nodes.get(id)
        if node is not None:
            self.repeated += 1
            if node.data == data:
                self.again = (line, node) if node is not self.leaf else None
                return
            node.fill(line, data)
            node.parent = parent
        else:
            if "parentId" not in data:
                parent = next(reversed(self.nodes), None)
            node = self.nodes[id] = _Node(id, parent, line, data)
            if node.type not in _TALK:
                kind, own = str(node.type), name_of(data.get("customType"))
                session.skip(f"{kind} ({own})" if own else kind)
        self.leaf, self.again = node, None

    def branch(self, session: Session, leaf: _Node) -> list[_Node]:
        """Fill a session with the branch up to a leaf; the line before stands in for a missing parent."""
        path, broken = walk(self.nodes, leaf)
        talk = [node for node in path if node.type == "message"]
        for lost in broken:
            count = sum(node.line >= lost.node.line for node in talk)
            reason = f"its parent {lost.node.parent} {lost.why}: pi would send {count} of {len(talk)}"
            reason += " messages"
            session.problem(lost.node.line, "forgets", reason, lost.mended)
        if self.again is not None and leaf is self.leaf:
            number, first = self.again
            why = f"the same as line {first.number}: pi goes back there, and forgets what came after"
            session.problem(number, "forgets", why, "not taken for the end")
        _Branch(session, path).read()
        return path


# -- a branch ----------------------------------------------------------------------------------------------


class _Branch:
    """Makes entries and summaries of the nodes of a branch."""

    def __init__(self, session: Session, path: list[_Node]) -> None:
        self.session = session
        self.path = path
        self.talk = Builder(session)

    def read(self) -> None:
        for node in self.path:
            self.talk.number = node.line
            data = node.data
            match node.type:
                case "message":
                    self.message(node, object_of(data.get("message")))
                case "custom_message":
                    self.add(node, "user", self.content(data))
                case "branch_summary" if text_of(data.get("summary")):
                    self.add(node, "user", [{"text": _BRANCH.format(data["summary"])}])
                case "compaction":
                    self.compacted(node, data)

    def message(self, node: _Node, message: Json) -> None:
        match message.get("role"):
            case "user" | "custom" | "hookMessage":
                self.add(node, "user", self.content(message))
            case "assistant":
                self.answer(node, message)
            case "toolResult":
                content = [part for part in self.content(message) if part != {"text": ""}]
                id, name = message.get("toolCallId"), message.get("toolName")
                failed = message.get("isError") is True
                self.add(node, "tool", [self.talk.result_of(id, name, content, failed=failed)])
            case "bashExecution" if message.get("excludeFromContext") is True:
                self.session.left["command that is not sent"] += 1
            case "bashExecution":
                self.add(node, "user", [{"text": _shell(message)}])
            case role:
                self.session.left[f"{role} message"] += 1

    def answer(self, node: _Node, message: Json) -> None:
        counts = object_of(message.get("usage"))
        if "totalTokens" not in counts:
            why = "a model's message without `usage.totalTokens`: pi crashes"
            self.session.problem(self.talk.number, "refused", why)
        if message.get("stopReason") in ("error", "aborted"):
            self.session.left["answer that failed or was aborted"] += 1
            return
        provider = _FORMATS.get(text_of(message.get("api")))
        self.add(
            node, "codeh", self.content(message, provider), provider=provider,
            model=name_of(message.get("model")), finish=name_of(message.get("stopReason")),
            response=name_of(message.get("responseId")), usage=usage.read(counts, _USAGE),
        )  # fmt: skip

    def add(self, node: _Node, kind: str, content: list[Part], **fields: Any) -> None:
        if self.talk.add(kind, content, id=node.id, ts=node.ts, **fields) is None:
            self.session.left["empty message"] += 1

    def compacted(self, node: _Node, data: Json) -> None:
        """The summary of all before the first entry that is kept; older summaries are always replaced."""
        id, index = data.get("firstKeptEntryId"), data.get("firstKeptEntryIndex")
        if isinstance(index, int):  # of the first version, the header being 0
            first = max(index - 1, 0)
        else:
            places = (place for place, node in enumerate(self.path) if node.id == id)
            first = next(places, len(self.path))
        older = {item.id for item in self.session.items if isinstance(item, Summary)}
        keep = {node.id for node in self.path[first:]} - older
        self.talk.summarise(node.id, node.ts, text_of(data.get("summary")), keep)

    # -- contents ------------------------------------------------------------------------------------------

    def content(self, message: Json, provider: str | None = None) -> list[Part]:
        """The parts of a content: a text, or a list of blocks."""
        content = message.get("content")
        if isinstance(content, str):
            return [{"text": content}]
        return [part for block in objects(content) for part in self.part(block, provider)]

    def part(self, block: Json, provider: str | None) -> Iterator[Any]:
        match block.get("type"):
            case "text":
                yield {"text": text_of(block.get("text"))}
            case "thinking":
                yield from _thought(block, provider)
            case "toolCall":
                part = self.talk.call(block.get("id"), block.get("name"), block.get("arguments"))
                yield {**part, **omit_empty(thoughtSignature=name_of(block.get("thoughtSignature")))}
            case "image":
                mime, data = text_of(block.get("mimeType")), text_of(block.get("data"))
                yield {"inlineData": {"mimeType": mime, "data": data}}
            case _:
                yield native("pi", block)


def _thought(block: Json, provider: str | None) -> Iterator[Any]:
    signature, text = name_of(block.get("thinkingSignature")), text_of(block.get("thinking"))
    item = json_object(signature) if provider == "openai-responses" and signature else None
    if item is not None:
        yield native("openai-responses", item)
    elif block.get("redacted") is True and provider == "anthropic":
        yield native(provider, {"type": "redacted_thinking", "data": signature or ""})
    elif text or signature:
        yield thought(text, signature if provider in _SIGNED else None)


def _shell(message: Json) -> str:
    """What the model reads of a command that the user ran."""
    output = text_of(message.get("output"))
    text = f"Ran `{text_of(message.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif message.get("exitCode"):
        text += f"\n\nCommand exited with code {message['exitCode']}"
    if message.get("truncated") is True and name_of(message.get("fullOutputPath")):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text
