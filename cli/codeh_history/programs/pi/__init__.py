"""Read pi's files: JSON lines in `~/.pi/agent/sessions/--DIR--/TIME_UUID.jsonl`, a tree per session.

A session is the branch that ends at its last line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ...base.read_json import json_object
from ...providers.parts import native, objects
from ...session.model import Json, Part
from ...session.records import dumps
from .. import pairs
from ..fields import answer_fields, hash_id, name_at, object_at, omit_empty, text_at, time_of
from ..model import ABANDONED, Session, Summary
from ..parts import inline, thought
from ..protocol import Head, Place, Program, Source
from ..source import line_objects
from ..tree import Node, branches, own_nodes, report_broken, walk

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TALK = ("message", "custom_message", "branch_summary", "compaction")
_FORMATS = {  # API of a message → our format
    "anthropic-messages": "anthropic", "bedrock-converse-stream": "anthropic",
    "openai-responses": "openai-responses", "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses", "openai-completions": "openai-chat",
    "google-generative-ai": "gemini", "google-gemini-cli": "gemini", "google-vertex": "gemini",
}  # fmt: skip
_SIGNED = ("anthropic", "gemini")  # formats whose thoughts have a signature
_ANSWER = {"model": "model", "finish": "stopReason", "response": "responseId", "usage": "usage"}
_USAGE = {
    "input": "input cacheRead cacheWrite", "output": "output", "cached": "cacheRead",
    "cacheWrite": "cacheWrite", "total": "totalTokens",
}  # fmt: skip
_BRANCH = """\
The following is a summary of a branch that this conversation came back from:

<summary>
{}</summary>"""


def recognises(head: Head) -> bool:
    messages = (data for data in head.objects if data.get("type") == "message" and "parentId" in data)
    return any(map(_is_header, head.objects)) or any(isinstance(m.get("message"), dict) for m in messages)


def _is_header(data: Json) -> bool:
    """Whether this is pi's header, not ours, which has `created`."""
    return data.get("type") == "session" and "timestamp" in data and "created" not in data


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    tree = _Tree(program.title)
    headed = False
    for line, data in line_objects(source, session.problems, program.recognises):
        if data.get("type") != "session":
            tree.add(line, data, session)
        elif not headed and _is_header(data):
            headed = line == 1
            session.id = name_at(data, "id") or session.id
            session.cwd, session.created = name_at(data, "cwd"), time_of(data.get("timestamp"))
            session.version = str(data.get("version", 1))
            if parents := _UUID.findall(text_at(data, "parentSession")):
                session.set_parent(f"{session.program}-{parents[-1]}")
    if not headed:
        why = f"no header: {program.title} refuses the file (0.74 overwrites it, and its messages are gone)"
        session.problem(1, "forgets", why, "read without a header")
    if tree.again is not None:
        number, first = tree.again
        why = f"the same as line {first.number}: {program.title} goes back there,"
        why += " and forgets what came after"
        session.problem(number, "forgets", why, "not treated as the end of the conversation")
    on = {node.id for node in _Branch(session, tree, tree.leaf).path} if tree.leaf is not None else set()
    nodes = tree.nodes.values()
    session.skip(ABANDONED, sum(node.type == "message" and node.id not in on for node in nodes))
    session.skip("repeated line", tree.repeated)
    talk = [node for node in nodes if node.type in _TALK]

    def fill(branch: Session, tail: list[_Node]) -> None:
        _Branch(branch, tree, tail[-1])
        branch.problems.clear()

    others = partial(own_nodes, talk, tree.nodes, on)
    session.branches = lambda: branches(session, others(), fill, lambda own: own[0].id)
    yield session


class _Node(Node):
    """The lines with one id: `number` is the first, `line` the last, which has the content."""

    def __init__(self, id: str, parent: str | None, line: int, data: Json) -> None:
        super().__init__(id, parent, line)
        self.fill(line, data)

    def fill(self, line: int, data: Json) -> None:
        self.line = line
        self.data = data
        self.type = data.get("type")
        self.ts = time_of(data.get("timestamp"))


class _Tree:
    """The lines in file order; the parent of an entry without ids (version 1) is the entry before."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.nodes: dict[str, _Node] = {}
        self.leaf: _Node | None = None
        self.repeated = 0
        self.again: tuple[int, _Node] | None = None  # the last line, if it repeats another
        self.seen: Counter[bytes] = Counter()  # lines without an id

    def add(self, line: int, data: Json, session: Session) -> None:
        """Add a line to the tree, and set the title if it has one."""
        id, parent = name_at(data, "id"), name_at(data, "parentId")
        if data.get("type") == "session_info":
            session.set_title(data.get("name"))
        if id is None:
            raw = dumps(data)
            id = hash_id(raw, self.seen[raw])
            self.seen[raw] += 1
        node = self.nodes.get(id)
        if node is None:
            if "parentId" not in data:
                parent = next(reversed(self.nodes), None)
            node = self.nodes[id] = _Node(id, parent, line, data)
            if node.type not in _TALK:
                kind, custom = str(node.type), name_at(data, "customType")
                session.skip(f"{kind} ({custom})" if custom else kind, own=True)
        else:
            self.repeated += 1
            if node.data == data:
                self.again = (line, node) if node is not self.leaf else None
                return
            node.fill(line, data)
            node.parent = parent
        self.leaf, self.again = node, None


class _Branch:
    """Makes the messages and summaries of the branch up to a leaf."""

    def __init__(self, session: Session, tree: _Tree, leaf: _Node) -> None:
        self.session = session
        self.title = tree.title
        self.path, broken = walk(tree.nodes, leaf)
        talk = (node.line for node in self.path if node.type == "message")
        report_broken(session, broken, talk, tree.title)
        for node in self.path:
            session.number = node.line
            self.add(node)

    def add(self, node: _Node) -> None:
        """Add the message or summary of a line."""
        data, session = node.data, self.session
        message = object_at(data, "message") if node.type == "message" else {}
        match message.get("role") or node.type:
            case "compaction":
                self.compact(node, data)
            case "branch_summary" if text_at(data, "summary"):
                self.keep(node, "user", [{"text": _BRANCH.format(data["summary"])}])
            case "custom_message":
                self.keep(node, "user", self.content(data))
            case "user" | "custom" | "hookMessage":
                self.keep(node, "user", self.content(message))
            case "assistant":
                if "totalTokens" not in object_at(message, "usage"):
                    why = f"a model's message without `usage.totalTokens`: {self.title} crashes"
                    session.problem(session.number, "refused", why)
                provider = _FORMATS.get(text_at(message, "api"))
                fields = answer_fields(message, _ANSWER, _USAGE, provider)
                if message.get("stopReason") in ("error", "aborted"):
                    session.skip("failed or aborted answer")
                    session.keep_usage(node.id, node.ts, fields)
                    return
                self.keep(node, "codeh", self.content(message, provider), **fields)
            case "toolResult":
                id, name = message.get("toolCallId"), message.get("toolName")
                content = [part for part in self.content(message) if part != {"text": ""}]
                result = session.result(id, name, content, failed=message.get("isError") is True)
                self.keep(node, "tool", [result])
            case "bashExecution" if message.get("excludeFromContext") is True:
                session.skip("command that is not sent")
            case "bashExecution":
                self.keep(node, "user", [{"text": _shell(message)}])
            case _ if node.type == "message":
                session.skip(f"{message.get('role')} message")

    def keep(self, node: _Node, kind: str, content: list[Part], **fields: Any) -> None:
        if self.session.add(kind, content, id=node.id, ts=node.ts, **fields) is None:
            self.session.skip("empty message")

    def compact(self, node: _Node, data: Json) -> None:
        """Summarise everything before the first entry that was kept, and all older summaries."""
        id, index = text_at(data, "firstKeptEntryId"), data.get("firstKeptEntryIndex")
        if isinstance(index, int):  # version 1; the header is 0
            first = max(index - 1, 0)
        else:
            # if that entry is lost, what follows it was kept too
            places = (place for place, node in enumerate(self.path) if id in (node.id, node.parent))
            first = next(places, len(self.path))
        older = {item.id for item in self.session.items if isinstance(item, Summary)}
        keep = {node.id for node in self.path[first:]} - older
        self.session.summarise(node.id, node.ts, text_at(data, "summary"), keep)

    def content(self, message: Json, provider: str | None = None) -> list[Part]:
        """The parts of a message's content, which is a string or a list of blocks."""
        content = message.get("content")
        if isinstance(content, str):
            return [{"text": content}]
        return [part for block in objects(content) for part in self.parts(block, provider)]

    def parts(self, block: Json, provider: str | None) -> Iterator[Any]:
        match block.get("type"):
            case "text":
                yield {"text": text_at(block, "text")}
            case "thinking":
                signature, text = name_at(block, "thinkingSignature"), text_at(block, "thinking")
                item = json_object(signature) if provider == "openai-responses" and signature else None
                if item is not None:
                    yield native("openai-responses", item)
                elif block.get("redacted") is True and provider == "anthropic":
                    yield native(provider, {"type": "redacted_thinking", "data": signature or ""})
                elif text or signature:
                    yield thought(text, signature if provider in _SIGNED else None)
            case "toolCall":
                part = self.session.call(block.get("id"), block.get("name"), block.get("arguments"))
                yield {**part, **omit_empty(thoughtSignature=name_at(block, "thoughtSignature"))}
            case "image":
                yield inline(text_at(block, "data"), text_at(block, "mimeType"), "")
            case _:
                yield native(self.session.program, block)


def _shell(message: Json) -> str:
    """The text by which pi tells the model about a command that the user ran."""
    output = text_at(message, "output")
    text = f"Ran `{text_at(message, 'command')}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif message.get("exitCode"):
        text += f"\n\nCommand exited with code {message['exitCode']}"
    if message.get("truncated") is True and name_at(message, "fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text


PROGRAM = Program(
    "pi", "pi", recognises, read, (Place("PI_CODING_AGENT_DIR", ".pi/agent", ("sessions/*/*.jsonl",)),),
    writer=f"{__name__}.write:File", format="anthropic", command="pi", by_folder=True,
    pairs={pairs.ORPHAN: pairs.REFUSED, pairs.DOUBLE: pairs.BOTH_REFUSED},
)  # fmt: skip
