"""Read and write pi's files: JSON lines in `~/.pi/agent/sessions/--DIR--/TIME_UUID.jsonl`.

The lines of a file are a tree; a session is the branch that ends at its last line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..base.read_json import json_object
from ..base.times import to_millis
from ..providers.names import WORD, Alphabet
from ..providers.parts import native
from ..session.model import Json, Message, Part
from ..session.records import dumps
from . import pairs, writing
from .fields import answer_fields, hash_id, name_at, object_at, omit_empty, text_at, time_of
from .model import ABANDONED, Session, Summary
from .parts import parts_of, thought
from .protocol import Head, Place, Program, Source
from .source import line_objects
from .tree import Broken, Node, read_tree, report_broken

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
_APIS = {  # the format of an answer → API and provider
    "anthropic": ("anthropic-messages", "anthropic"), "gemini": ("google-generative-ai", "google"),
    "openai-responses": ("openai-responses", "openai"), "openai-chat": ("openai-completions", "openai"),
}  # fmt: skip
_UNKNOWN = ("anthropic-messages", "unknown")
_IDS = Alphabet(WORD + "-", 64)  # pi cuts longer ids
_COUNTS = ("input", "output", "cacheRead", "cacheWrite")


def recognises(head: Head) -> bool:
    messages = (data for data in head.objects if data.get("type") == "message" and "parentId" in data)
    return any(map(_is_header, head.objects)) or any(isinstance(m.get("message"), dict) for m in messages)


def _is_header(data: Json) -> bool:
    """Whether this is pi's header, not ours, which has `created`."""
    return data.get("type") == "session" and "timestamp" in data and "created" not in data


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    lines = _Lines(session)
    headed = False
    for line, data in line_objects(source, session.problems, program.recognises):
        if data.get("type") != "session":
            lines.add(line, data)
        elif not headed and _is_header(data):
            headed = line == 1
            session.about(data, id="id", cwd="cwd", created="timestamp")
            session.version = str(data.get("version", 1))
            if parents := _UUID.findall(text_at(data, "parentSession")):
                session.set_parent(parents[-1])
    if not headed:
        why = f"no header: {program.title} refuses the file (0.74 overwrites it, and its messages are gone)"
        session.problem(1, "forgets", why, "read without a header")
    if lines.again is not None:
        number, first = lines.again
        why = f"the same as line {first.number}: {program.title} goes back there,"
        why += " and forgets what came after"
        session.problem(number, "forgets", why, "not treated as the end of the conversation")
    if lines.leaf is not None:
        _read_tree(session, lines.nodes, lines.leaf, program.title)
    yield session


def _read_tree(session: Session, nodes: dict[str, _Node], leaf: _Node, title: str) -> None:
    def fill(branch: Session, path: list[_Node]) -> None:
        reader = _Branch(branch, path, title)
        for node in path:
            branch.number = node.line
            reader.add(node)

    def report(path: list[_Node], broken: list[Broken[_Node]]) -> None:
        talk = (node.line for node in path if node.type == "message")
        report_broken(session, broken, talk, title)

    talk = [node for node in nodes.values() if node.type in _TALK]
    path = read_tree(session, nodes, leaf, talk, fill, report, lambda tail: tail[0].id)
    live = {node.id for node in path}
    session.skip(ABANDONED, sum(node.type == "message" and node.id not in live for node in talk))


class _Node(Node):
    """The lines with one id: `number` is the first, `line` the last, which has the content."""

    def fill(self, line: int, data: Json, parent: str | None) -> None:
        self.line, self.data, self.parent = line, data, parent
        self.type, self.ts = data.get("type"), time_of(data.get("timestamp"))


class _Lines:
    """The lines in file order; the parent of an entry without ids (version 1) is the entry before."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.nodes: dict[str, _Node] = {}
        self.leaf: _Node | None = None
        self.again: tuple[int, _Node] | None = None  # the last line, if it repeats another
        self.seen: Counter[bytes] = Counter()  # lines without an id

    def add(self, line: int, data: Json) -> None:
        """Add a line to the tree, and set the title if it has one."""
        session, id, parent = self.session, name_at(data, "id"), name_at(data, "parentId")
        if data.get("type") == "session_info":
            session.about(data, title="name")
        if id is None:
            raw = dumps(data)
            id = hash_id(raw, self.seen[raw])
            self.seen[raw] += 1
        node = self.nodes.get(id)
        if node is not None:
            session.skip("repeated line")
            if node.data == data:
                self.again = (line, node) if node is not self.leaf else None
                return
        else:
            if "parentId" not in data:
                parent = next(reversed(self.nodes), None)
            node = self.nodes[id] = _Node(id, parent, line)
            if data.get("type") not in _TALK:
                kind, custom = str(data.get("type")), name_at(data, "customType")
                session.skip(f"{kind} ({custom})" if custom else kind, own=True)
        node.fill(line, data, parent)
        self.leaf, self.again = node, None


class _Branch:
    """Makes the messages and summaries of a branch, whose nodes are `path`."""

    def __init__(self, session: Session, path: list[_Node], title: str) -> None:
        self.session = session
        self.path = path
        self.title = title

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
                self.answer(node, message)
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

    def answer(self, node: _Node, message: Json) -> None:
        if "totalTokens" not in object_at(message, "usage"):
            why = f"a model's message without `usage.totalTokens`: {self.title} crashes"
            self.session.problem(node.line, "refused", why)
        provider = _FORMATS.get(text_at(message, "api"))
        fields = answer_fields(message, _ANSWER, _USAGE, provider)
        if message.get("stopReason") in ("error", "aborted"):
            self.session.skip("failed or aborted answer")
            self.session.keep_usage(node.id, node.ts, fields)
        else:
            self.keep(node, "codeh", self.content(message, provider), **fields)

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
        return parts_of(message.get("content"), lambda block: self.part(block, provider))

    def part(self, block: Json, provider: str | None) -> Any:
        """The part of a block; thinking and its signature are only for the provider that made it."""
        signature, text = name_at(block, "thinkingSignature"), text_at(block, "thinking")
        match block.get("type"):
            case "thinking" if provider == "openai-responses" and (item := json_object(signature)):
                return native(provider, item)
            case "thinking" if provider == "anthropic" and block.get("redacted") is True:
                return native(provider, {"type": "redacted_thinking", "data": signature or ""})
            case "thinking":
                part = thought(text, signature if provider in _SIGNED else None)
                return part if text or signature else None
            case "toolCall":
                signed = omit_empty(thoughtSignature=name_at(block, "thoughtSignature"))
                return {**(self.session.part(block) or {}), **signed}
        return self.session.part(block)


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


# -- writing ---------------------------------------------------------------------------------------------


class File(writing.BlockWriter):
    """A chain of entries, each the parent of the next; a summary becomes a compaction.

    Thinking is left out, because pi would send it as text.
    """

    RESUME = ("--session",)
    TAKES_FILES = True

    def begin(self) -> None:
        about = self.about
        self.last: str | None = None
        self.names: dict[str, str] = {}  # the functions of the last calls, by id
        head = {"type": "session", "version": 3, "id": about.id, "timestamp": self.ts, "cwd": about.cwd}
        self.lines.append(head)
        if about.title:
            self.entry("session_info", name=about.title)

    def name(self) -> str:
        cwd = self.about.cwd
        folder = (cwd[1:] if cwd[:1] in "/\\" else cwd).translate(str.maketrans("/\\:", "---"))
        time = self.about.time.replace(":", "-").replace(".", "-")
        return f"sessions/--{folder}--/{time}_{self.about.id}.jsonl"

    def summary(self, text: str) -> None:
        self.entry("compaction", summary=text, firstKeptEntryId="", tokensBefore=0)

    def entry(self, type: str, **fields: object) -> None:
        id = self.uuid()[:13]
        self.lines.append({"type": type, "id": id, "parentId": self.last, "timestamp": self.ts, **fields})
        self.last = id

    def message(self, role: str, content: list[Json], **fields: object) -> None:
        message: Json = {"role": role, "content": content, **fields, "timestamp": to_millis(self.ts) or 0}
        self.entry("message", message=message)

    def prompt(self, contents: list[Json]) -> None:
        self.message("user", contents)

    def result(self, block: Json, contents: list[Json], _source: Message | None) -> None:
        id, failed = _IDS.fit(block["tool_use_id"]), bool(block.get("is_error"))
        name = self.names.get(id, "tool")
        self.message("toolResult", contents, toolCallId=id, toolName=name, isError=failed)

    def answer(self, blocks: Sequence[Json], sources: Sequence[Message | None]) -> None:
        """Write an answer with zero usage, without which pi crashes."""
        contents = self.contents(blocks)
        self.names = {item["id"]: item["name"] for item in contents if item["type"] == "toolCall"}
        if not contents:
            return
        source = writing.first_source(sources)
        api, provider = _APIS.get((source and source.provider) or "", _UNKNOWN)
        usage: Json = {**dict.fromkeys(_COUNTS, 0), "totalTokens": 0}
        self.message(
            "assistant", contents, api=api, provider=provider, model=(source and source.model) or "unknown",
            usage={**usage, "cost": dict.fromkeys((*_COUNTS, "total"), 0)},
            stopReason="toolUse" if self.names else "stop",
        )  # fmt: skip

    def call(self, block: Json) -> Json:
        id = _IDS.fit(block["id"])
        return {"type": "toolCall", "id": id, "name": block["name"], "arguments": block["input"]}

    def file(self, block: Json) -> Json | None:
        match block:
            case {"type": "image", "source": {"type": "base64", "data": data, "media_type": mime}}:
                return {"type": "image", "data": data, "mimeType": mime}
        return None


PROGRAM = Program(
    "pi", "pi", recognises, read, (Place("PI_CODING_AGENT_DIR", ".pi/agent", ("sessions/*/*.jsonl",)),),
    writer=f"{__name__}:File", format="anthropic", command="pi", by_folder=True,
    pairs={pairs.ORPHAN: pairs.REFUSED, pairs.DOUBLE: pairs.BOTH_REFUSED},
)  # fmt: skip
