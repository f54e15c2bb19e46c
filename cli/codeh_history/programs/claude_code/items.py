"""Lines of a branch → entries and summaries."""

from __future__ import annotations

import re
from typing import Any

from ...providers import usage
from ...providers.anthropic import NAME as FORMAT
from ...providers.anthropic.blocks import says
from ...providers.anthropic.body import Reader
from ...providers.anthropic.response import USAGE
from ...providers.parts import name_of, object_of
from ...session.model import Part
from ..model import Entry, Piece, Session, Summary, told
from ..parts import texts
from ..protocol import Refused, Source
from . import attachments
from .tree import ERRORS, Branch, Node, Tree, siblings

_STUB, _BEGIN = "<persisted-output>", 80
_SPILLED = re.compile(
    r"<persisted-output>\s.*?Full output saved to: ([^\n]+)\n.*</persisted-output>\s*", re.DOTALL
)


class Items:
    """Makes entries and summaries of a branch."""

    def __init__(self, session: Session, source: Source, tree: Tree) -> None:
        self.session = session
        self.source = source
        self.tree = tree
        self.reader = Reader(FORMAT, {})
        self.responses: dict[str, Entry] = {}  # by the id that Claude's API gave
        self.results: list[Node] = []  # of the response that was added last
        self.uncovered: list[str] = []  # ids of items that no summary covers

    def add(self, branch: Branch) -> None:
        beside: dict[str, list[Node]] = {}
        answers: dict[str, list[Node]] = {}
        for node in siblings(self.tree, branch.nodes):
            if node.type == "assistant":
                beside.setdefault(str(node.response), []).append(node)
            else:
                parent = self.tree.nodes[str(node.parent)]
                answers.setdefault(str(parent.response), []).append(node)
        ends = {str(node.response): place for place, node in enumerate(branch.nodes)}
        starts = set(branch.starts)
        for place, node in enumerate(branch.nodes):
            if place in starts:
                self.flush()
                self.compacted(branch.nodes[place:])
            if node.type == "assistant":
                response = str(node.response)
                self.assistant(node, beside.get(response, []) if place == ends[response] else [])
                self.results += answers.pop(response, [])
            elif node.type == "user":
                self.user(node)
            elif node.queued or node.local:
                self.put_in(node)
            elif node.attached:
                self.attached(node)
        self.flush()

    def assistant(self, node: Node, beside: list[Node]) -> None:
        """A response: all its lines are one message, at the place of the first.

        `beside`: its lines that are not of the branch, which come after its last one there.
        """
        known = self.responses.get(node.response or "")
        if known is None:
            self.flush()
        entry = known or Entry(node.id, "codeh", node.ts, [])
        for one in (node, *beside):
            self.said(entry, one)
        if entry.pieces and known is None:
            self.keep(entry)
            if node.response:
                self.responses[node.response] = entry

    def said(self, entry: Entry, node: Node) -> None:
        """Add a line to the response that it is of."""
        message = object_of(node.line.data.get("message"))
        model = message.get("model")
        if model == ERRORS or node.line.data.get("isApiErrorMessage") is True:
            self.session.left["error of the program"] += 1
            return
        if not name_of(model):
            why = "a model's message without `model`: Claude Code hangs"
            self.session.problem(node.number, "refused", why)
        entry.pieces.append(Piece(node.number, self.parts(node, message.get("content"), "assistant")))
        fields = entry.fields
        used, before = message.get("usage"), fields.get("usage")
        given = {
            "provider": FORMAT, "model": name_of(model), "finish": name_of(message.get("stop_reason")),
            "usage": before, "response": node.response,
        }  # fmt: skip
        if isinstance(used, dict) and (before is None or used != before["raw"]):
            count = usage.read(used, USAGE)  # it grows from line to line
            if count is not None and (count.get("output") or 0) >= ((before or {}).get("output") or 0):
                given["usage"] = count
        fields.update(told(**given))

    def user(self, node: Node) -> None:
        data = node.line.data
        content = object_of(data.get("message")).get("content")
        if node.answers:
            self.results.append(node)
            return
        self.flush()
        if data.get("isCompactSummary") is True and self.is_a_summary(node, content):
            return
        if data.get("isVisibleInTranscriptOnly") is True:
            self.session.left["message that is only shown"] += 1
            return
        parts = self.parts(node, content, "user")
        if parts:
            self.keep(Entry(node.id, "user", node.ts, [Piece(node.number, parts)]))

    def put_in(self, node: Node) -> None:
        """What came while the model worked: prompts, notifications, a command with what it printed."""
        self.flush()
        data = node.line.data
        content = data.get("content") if node.local else attachments.queued(data["attachment"])
        parts = self.parts(node, content, "user")
        if parts:
            self.keep(Entry(node.id, "user", node.ts, [Piece(node.number, parts)]))

    def attached(self, node: Node) -> None:
        """What was attached to a prompt is said with it, what came with results behind them."""
        attachment = object_of(node.line.data.get("attachment"))
        parts = attachments.parts(attachment)
        if not parts:
            self.session.aside(f"attachment ({attachment['type']})")
            return
        self.flush()
        last = self.session.items[-1] if self.session.items else None
        if isinstance(last, Entry) and last.kind == "user":
            last.pieces.append(Piece(node.number, parts))
        else:
            self.keep(Entry(node.id, "user", node.ts, [Piece(node.number, parts)]))

    def flush(self) -> None:
        """Add the results of a response, in the order of their lines."""
        if not self.results:
            return
        held, self.results = sorted(self.results, key=lambda node: node.number), []
        for node in held:
            parts = self.parts(node, object_of(node.line.data.get("message")).get("content"), "user")
            results = [self.whole(part, node) for part in parts if "functionResponse" in part]
            others = [part for part in parts if "functionResponse" not in part]
            self.keep(Entry(node.id, "tool", node.ts, [Piece(node.number, results)]))
            if others:
                self.keep(Entry(f"{node.id}.1", "user", node.ts, [Piece(node.number, others)]))

    def parts(self, node: Node, content: Any, role: str) -> list[Part]:
        """The parts of a line's content."""
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            self.session.problem(node.number, "refused", "a message without content")
            return []
        made = [self.reader.part(block, role) for block in content]
        return [part for part in made if len(part) > 1 or "text" not in part or says(part["text"])]

    def whole(self, part: Any, node: Node) -> Part:
        """A result whose text was written to a file of its own, with that text."""
        response = part["functionResponse"]
        field = next((f for f in ("output", "error") if isinstance(response["response"].get(f), str)), None)
        text = response["response"][field] if field else ""
        found = _SPILLED.fullmatch(text.strip()) if _STUB in text[:_BEGIN] else None
        if not found:
            return part  # type: ignore[no-any-return]
        name = re.split(r"[/\\]", found[1].strip())[-1]
        try:
            text = self.source.beside("tool-results", name).decode("utf-8", "replace")
        except Refused as error:
            self.session.problem(node.number, "drops", str(error), "its beginning stands for it")
            return part  # type: ignore[no-any-return]
        whole = {**response, "response": {**response["response"], field: text}}
        return {"functionResponse": whole, "spilled": {"name": name}}  # type: ignore[typeddict-unknown-key, typeddict-item]

    # -- compaction ------------------------------------------------------------------------------------

    def compacted(self, after: list[Node]) -> None:
        """The context begins anew here: where no summary follows, the boundary's own text is one."""
        first = next((node for node in after if node.talks), None)
        if first is not None and first.line.data.get("isCompactSummary") is True:
            return
        if self.uncovered and after[0].type == "system":
            self.summary(after[0], str(after[0].line.data.get("content") or "Conversation compacted"))

    def is_a_summary(self, node: Node, content: Any) -> bool:
        """Take the text that a compaction left as a summary of all before it; whether there is one."""
        said = texts(self.parts(node, content, "user"))
        if said:
            self.summary(node, "\n\n".join(said))
        return bool(said)

    def summary(self, node: Node, text: str) -> None:
        covered, self.uncovered = self.uncovered, []
        self.keep(Summary(node.id, node.ts, text, node.number, covered))

    def keep(self, item: Entry | Summary) -> None:
        self.session.items.append(item)
        self.uncovered.append(item.id)
