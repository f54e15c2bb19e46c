"""Hand-made files of products and interchange formats: whole values, many conversations a file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

Json = dict[str, Any]


class ChatGpt:
    """A conversation of ChatGPT's export: each node hangs on the one before unless told otherwise."""

    def __init__(self, id: str = "c1", title: str = "A title") -> None:
        self.tree: Json = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
        self.last = "root"
        self.about: Json = {"title": title, "create_time": 1767225600.5, "conversation_id": id}

    def node(
        self, id: str, role: str, content: Any, parent: str = "", recipient: str = "all", **metadata: Any
    ) -> str:
        above = parent or self.last
        said = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
        name = metadata.pop("name", None)
        message = {
            "id": id, "author": {"role": role, "name": name, "metadata": {}}, "content": said, "weight": 1.0,
            "create_time": 1767225600.0 + len(self.tree), "metadata": metadata, "recipient": recipient,
        }  # fmt: skip
        self.tree[id] = {"id": id, "parent": above, "children": [], "message": message}
        self.tree[above]["children"].append(id)
        self.last = id
        return id

    def user(self, id: str, content: Any, parent: str = "") -> str:
        return self.node(id, "user", content, parent)

    def said(self, id: str, content: Any, parent: str = "", **fields: Any) -> str:
        return self.node(id, "assistant", content, parent, model_slug="gpt-5", **fields)

    def called(self, id: str, tool: str, text: str) -> str:
        return self.said(id, {"content_type": "code", "language": "unknown", "text": text}, recipient=tool)

    def result(self, id: str, tool: str, text: str) -> str:
        return self.node(id, "tool", {"content_type": "execution_output", "text": text}, name=tool)

    @property
    def value(self) -> Json:
        return {**self.about, "mapping": self.tree, "current_node": self.last}


def chatgpt() -> list[Any]:
    """Two conversations: a branch, a call, thoughts, an image, hidden and unknown nodes."""
    first = ChatGpt()
    first.node("s", "system", "", is_visually_hidden_from_conversation=True)
    first.node("e", "user", {"content_type": "user_editable_context", "user_profile": "x"})
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1", "width": 9}
    first.user("a", {"content_type": "multimodal_text", "parts": [image, "one"]})
    first.said("x", "abandoned")
    thoughts = [{"summary": "Thinking", "content": "hm"}]
    first.said("t", {"content_type": "thoughts", "thoughts": thoughts}, "a")
    first.called("b", "python", "print(1)")
    first.result("c", "python", "1")
    first.said("r", {"content_type": "reasoning_recap", "content": "Thought for 1s"})
    first.said("d", "two")
    first.node("h", "assistant", {"content_type": "hologram", "x": 1})
    second = ChatGpt("c2", "Another")
    second.user("k", "three")
    second.said("l", "four")
    return [first.value, second.value]


class ClaudeAi:
    """A conversation of Claude.ai's export."""

    def __init__(self, id: str = "c1", title: str = "A title") -> None:
        self.messages: list[Any] = []
        self.about: Json = {"uuid": id, "name": title, "created_at": "2026-01-01T00:00:00.000000Z"}

    def message(self, id: str, sender: str, *blocks: Any, **fields: Any) -> str:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        text = "\n\n".join(block["text"] for block in content if "text" in block)
        at = f"2026-01-01T00:00:{len(self.messages):02d}.000000Z"
        given = {"uuid": id, "text": text, "content": content, "sender": sender, "created_at": at}
        self.messages.append({**given, "attachments": [], "files": [], **fields})
        return id

    @property
    def value(self) -> Json:
        return {**self.about, "account": {"uuid": "me"}, "chat_messages": self.messages}


def claude_ai() -> list[Any]:
    """Two conversations: tools and thinking in one answer, attached files, blocks that are not known."""
    first = ClaudeAi()
    attached = [{"file_name": "a.txt", "file_size": 3, "extracted_content": "abc"}]
    first.message("a", "human", "one", attachments=attached, files=[{"file_name": "p.png"}])
    first.message(
        "b", "assistant", {"type": "thinking", "thinking": "hm"}, "let me see",
        {"type": "tool_use", "name": "search", "input": {"q": 1}},
        {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "found"}]},
        {"type": "token_budget"}, "two",
    )  # fmt: skip
    second = ClaudeAi("c2")
    second.message("c", "human", "three")
    second.message("d", "assistant", "four")
    return [first.value, second.value]


def listed(values: list[Any]) -> bytes:
    """A file that is one list."""
    return b"[" + b",\n".join(orjson.dumps(value) for value in values) + b"]"


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip of these files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def saved(folder: Path, values: list[Any], name: str = "conversations.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(listed(values))
    return path


# Of each format a file: its conversations, and what makes a file of them.
FORMATS: dict[str, tuple[Callable[[], list[Any]], Callable[[list[Any]], bytes]]] = {
    "chatgpt": (chatgpt, listed),
    "claude-ai": (claude_ai, listed),
}
