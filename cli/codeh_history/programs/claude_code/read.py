"""A file of Claude Code → its session: its live branch, and what compactions on it replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ...providers import usage
from ...providers.anthropic import NAME as FORMAT
from ...providers.anthropic.blocks import says
from ...providers.anthropic.body import Reader
from ...providers.anthropic.response import USAGE
from ...providers.parts import listed, name_of, object_of, text_of
from ...session.model import Json, Part
from ..builder import Builder, texts
from ..model import ABANDONED, SUB_AGENT, SUB_AGENTS, Entry, Session, Used, omit_empty
from ..protocol import Program, Refused, Source
from ..records import session_id, time_of
from ..source import Held, line_objects
from ..tree import apart, branch_of, branches, used
from . import INTERFACE, attachments
from .tree import Branch, Node, Tree, forgotten, siblings

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-[\w-]+")
_FOLDER = "subagents"  # below the session's own folder: a file each
_TITLES = {
    "custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle", "summary": "summary",
}  # fmt: skip
_ERRORS = "<synthetic>"  # the model of lines that only say that something went wrong
_STUB, _BEGIN = "<persisted-output>", 80
_SPILLED = re.compile(
    r"<persisted-output>\s.*?Full output saved to: ([^\n]+)\n.*</persisted-output>\s*", re.DOTALL
)


def read(source: Source, program: Program) -> Iterable[Session]:
    """The session of a file."""
    session = Session(program.name, source.stem)
    tree = _tree(source, session, program)
    leaf = tree.leaf()
    if leaf is not None:
        branch = tree.branch(leaf)
        session.problems += forgotten(branch, program.title)
        if tree.beyond is not None:
            why = f"it names line {tree.beyond.number}, one of several results:"
            why += f" {program.title} 2.1.197 would forget what follows them"
            session.problem(tree.leaf_line, "forgets", why, "all are read")
        _Items(session, source, tree).add(branch)
        session.branches = partial(_branches, source, session, tree, branch, program)
        session.used = partial(_used, source, tree, program)
        _count(session, tree, branch)
        session.leave(SUB_AGENTS, len(_files(source)))
    yield session


def _tree(source: Source, session: Session, program: Program) -> Tree:
    """All lines, and what they say of the session."""
    tree = Tree()
    titles: dict[tuple[str, str | None], str] = {}  # by kind, and the line that they are of
    id = session.id if _ID.fullmatch(session.id) else None
    for number, data in line_objects(source, session.problems, program.recognises):
        kind = text_of(data.get("type"))
        node = tree.add(number, data)
        session.version = name_of(data.get("version")) or session.version
        session.cwd = session.cwd or name_of(data.get("cwd"))
        session.created = session.created or time_of(data.get("timestamp"))
        session.id = id or name_of(data.get("sessionId")) or session.id
        if kind in _TITLES and name_of(data.get(_TITLES[kind])):
            of = name_of(data.get("leafUuid")) if kind == "summary" else None
            titles[kind, of] = data[_TITLES[kind]]
        repeated = node is None and name_of(data.get("uuid"))
        if not repeated and (node is None or not (node.talks or node.queued or node.attached)):
            session.skip(_kind(data), own=kind in INTERFACE)
    own = {kind: title for (kind, of), title in titles.items() if of is None or of in tree.nodes}
    if own:  # older versions wrote titles of other sessions first
        session.settings["title"] = next(own[kind] for kind in _TITLES if kind in own)
    return tree


def _kind(data: Json) -> str:
    """What a line that is no message is called among what was left out."""
    kind = str(data.get("type", "line without a type"))
    beside = name_of(data.get("subtype")) or name_of(object_of(data.get("attachment")).get("type"))
    return f"{kind} ({beside})" if beside else kind


def _count(session: Session, tree: Tree, branch: Branch) -> None:
    """Count the messages that are not of the branch."""
    on = {node.id for node in (*branch.nodes, *siblings(tree, branch.nodes))}
    for node in (node for node in tree.nodes.values() if node.id not in on):
        if node.talks or node.queued:
            session.left[SUB_AGENT if node.side else ABANDONED] += 1
        elif node.attached:
            session.skip(_kind(node.data))
    session.leave("repeated line", tree.repeated)


# -- what else there is to import --------------------------------------------------------------------------


def _branches(
    source: Source, session: Session, tree: Tree, live: Branch, program: Program
) -> Iterator[Session]:
    """Abandoned branches and sub-agents as sessions of their own: in the file, or in files of theirs."""
    on = {node.id for node in (*live.nodes, *siblings(tree, live.nodes))}

    def whole(leaf: Node) -> list[Node]:
        nodes = tree.branch(leaf).nodes
        return [*nodes, *siblings(tree, nodes)]

    def made(own: list[Node]) -> Session:
        branch = branch_of(session, own[0].id[:8])
        branch.agent = own[0].side
        _Items(branch, source, tree).add(tree.branch(own[-1]))
        return branch

    for talk in (tree.talk, tree.others):
        yield from branches(apart(talk, tree.nodes, on, whole), made, session)
    for agent in _agents(source, program):
        agent.id = f"{session.id}-{agent.id}"
        agent.set_parent(session_id(session), agent=True)
        yield agent


def _used(source: Source, tree: Tree, program: Program) -> Iterator[Used]:
    """What sub-agents used, in the file and in their own."""
    side = Session("", "")
    items = _Items(side, source, tree)
    for node in tree.others:
        if node.type == "assistant":
            items.answer(node, [])
    for agent in (side, *_agents(source, program)):
        yield from used(agent)


def _agents(source: Source, program: Program) -> Iterator[Session]:
    """The sub-agents that have files of their own, by the names of these."""
    for name in _files(source):
        try:
            held = Held(source.beside(_FOLDER, name), name.removesuffix(".jsonl"))
        except Refused:
            continue
        for agent in read(held, program):
            agent.id = held.stem
            yield agent


def _files(source: Source) -> list[str]:
    """The names of the files of sub-agents."""
    return [name for name in source.names(_FOLDER) if name.endswith(".jsonl")]


# -- items -------------------------------------------------------------------------------------------------


class _Items:
    """Makes entries and summaries of a branch."""

    def __init__(self, session: Session, source: Source, tree: Tree) -> None:
        self.session = session
        self.source = source
        self.tree = tree
        self.talk = Builder(session)
        self.reader = Reader(FORMAT, {})
        self.responses: dict[str, Entry] = {}  # by the id that Claude's API gave
        self.results: list[Node] = []  # of the response that was added last

    def add(self, branch: Branch) -> None:
        beside: dict[str, list[Node]] = {}
        answers: dict[str, list[Node]] = {}
        for node in siblings(self.tree, branch.nodes):
            if node.type == "assistant":
                beside.setdefault(str(node.response), []).append(node)
            else:
                answers.setdefault(str(self.tree.nodes[str(node.parent)].response), []).append(node)
        ends = {str(node.response): place for place, node in enumerate(branch.nodes)}
        for place, node in enumerate(branch.nodes):
            if place in branch.starts:
                self.flush()
            if node.type == "assistant":
                response = str(node.response)
                self.answer(node, beside.get(response, []) if place == ends[response] else [])
                self.results += answers.pop(response, [])
            elif node.answers:
                self.results.append(node)
            elif node.attached:
                self.attached(node, object_of(node.data.get("attachment")))
            elif node.type == "user" or node.queued or node.local:
                self.user(node)
        self.flush()

    def answer(self, node: Node, beside: list[Node]) -> None:
        """A response: all its lines are one message, at the place of the first.

        `beside`: its lines that are not of the branch, which come after its last line there.
        """
        earlier = self.responses.get(node.response or "")
        if earlier is None:
            self.flush()
        entry = earlier or Entry(node.id, "codeh", node.ts, [])
        for line in (node, *beside):
            self.extend(entry, line)
        if entry.pieces and earlier is None:
            self.talk.keep(entry)
            if node.response:
                self.responses[node.response] = entry

    def extend(self, entry: Entry, node: Node) -> None:
        """Add a line to the response that it is of."""
        message = object_of(node.data.get("message"))
        model = message.get("model")
        if model == _ERRORS or node.data.get("isApiErrorMessage") is True:
            self.session.left["error of the program"] += 1
            return
        if not name_of(model):
            why = "a model's message without `model`: Claude Code hangs"
            self.session.problem(node.number, "refused", why)
        self.talk.extend(entry, self.parts(message.get("content"), "assistant"), node.number)
        counts, before = usage.read(object_of(message.get("usage")), USAGE), entry.fields.get("usage") or {}
        if counts is not None and counts.get("output", 0) < before.get("output", 0):
            counts = None  # it grows from line to line
        entry.fields |= omit_empty(
            provider=FORMAT, model=name_of(model), finish=name_of(message.get("stop_reason")),
            usage=counts, response=node.response,
        )  # fmt: skip

    def user(self, node: Node) -> None:
        """A prompt, or what came while the model worked: notifications, a command with what it printed."""
        self.flush()
        data = node.data
        self.talk.number = node.number
        if node.queued:
            content = attachments.queued(data["attachment"])
        else:
            content = data.get("content") if node.local else object_of(data.get("message")).get("content")
        parts = self.parts(content, "user")
        if data.get("isCompactSummary") is True and (text := "\n\n".join(texts(parts))):
            self.talk.summarise(node.id, node.ts, text)
        else:
            self.talk.add("user", parts, id=node.id, ts=node.ts)

    def attached(self, node: Node, attachment: Json) -> None:
        """What was attached to a prompt goes with it, what came with results behind them."""
        parts = attachments.parts(attachment)
        if parts:
            self.flush()
        self.talk.number = node.number
        last = self.session.items[-1] if self.session.items else None
        if not parts:
            self.session.skip(f"attachment ({attachment['type']})")
        elif isinstance(last, Entry) and last.kind == "user":
            self.talk.extend(last, parts)
        else:
            self.talk.add("user", parts, id=node.id, ts=node.ts)

    def flush(self) -> None:
        """Add the results of a response, in the order of their lines."""
        held, self.results = sorted(self.results, key=lambda node: node.number), []
        for node in held:
            self.talk.number = node.number
            parts = self.parts(object_of(node.data.get("message")).get("content"), "user")
            results = [self.whole(part, node) for part in parts if "functionResponse" in part]
            self.talk.add("tool", results, id=node.id, ts=node.ts)
            others = [part for part in parts if "functionResponse" not in part]
            self.talk.add("user", others, id=f"{node.id}.1", ts=node.ts)

    def parts(self, content: Any, role: str) -> list[Part]:
        """The parts of a line's content."""
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        made = [self.reader.part(block, role) for block in listed(content)]
        return [part for part in made if len(part) > 1 or "text" not in part or says(part["text"])]

    def whole(self, part: Any, node: Node) -> Part:
        """A result whose text was written to a file of its own, with that text."""
        response = part["functionResponse"]
        field = next((f for f in ("output", "error") if isinstance(response["response"].get(f), str)), None)
        text = response["response"][field] if field else ""
        stub = _SPILLED.fullmatch(text.strip()) if _STUB in text[:_BEGIN] else None
        if not stub:
            return part  # type: ignore[no-any-return]
        name = re.split(r"[/\\]", stub[1].strip())[-1]
        try:
            text = self.source.beside("tool-results", name).decode("utf-8", "replace")
        except Refused as error:
            self.session.problem(node.number, "drops", str(error), "its beginning stands for it")
            return part  # type: ignore[no-any-return]
        whole = {**response, "response": {**response["response"], field: text}}
        return {"functionResponse": whole, "spilled": {"name": name}}  # type: ignore[typeddict-unknown-key, typeddict-unknown-key]
