"""`markdown`: a readable conversation, with references as footnotes."""

from __future__ import annotations

import re
from collections.abc import Collection

import orjson

from ..render.parts import media, names, references, result_text
from ..session.model import Message, Part
from ..session.view import View

NAMES = {"user": "User", "codeh": "Model", "tool": "Tool", "error": "Error", "info": "Info"}
_BACKTICKS = re.compile("```+")
_SOURCE = re.compile(r"\[source\s?(\d+)\]", re.IGNORECASE)


def export(view: View) -> bytes:
    """Export title, system prompt, summaries, messages; a known `[sourceN]` becomes a footnote."""
    title = view.meta.get("title") or view.id or "Conversation"
    blocks = [f"# {title}"]
    system = view.meta.get("system")
    blocks += [f"## System\n\n{system}"] if isinstance(system, str) and system else []
    blocks += (f"## Summary\n\n{summary.text}" for summary in view.summaries)
    cited = references(view.messages)
    blocks += (_message(message, cited.keys()) for message in view.messages)
    notes: list[str] = []
    for number, reference in cited.items():
        url = f" <{reference['url']}>" if reference.get("url") else ""
        label = f"{reference.get('title') or reference.get('id', '')}{url}"
        notes.append(f"[^{number}]: {' '.join(label.split())}")
    blocks += ["\n".join(notes)] if notes else []
    return ("\n\n".join(blocks) + "\n").encode("utf-8", "replace")


def _message(message: Message, citable: Collection[int]) -> str:
    parts = message.parts if message.committed else message.pending or []
    head = f"## {NAMES.get(message.kind, message.kind)}"
    if message.ts:
        head += f" ({message.ts})"
    if not message.committed:
        head += " (pending)"
    named = zip(parts, names(parts, message), strict=True)
    return "\n\n".join([head, *(text for part, name in named if (text := part_text(part, citable, name)))])


def part_text(part: Part, citable: Collection[int], name: str = "") -> str:
    """Format a part as Markdown, "" if it is not readable; `citable`: the numbers of the references."""
    if "text" in part:

        def citation(match: re.Match[str]) -> str:
            number = match[1].lstrip("0") or "0"
            return f"[^{number}]" if len(number) < 10 and int(number) in citable else match[0]

        text = _SOURCE.sub(citation, part["text"])
        return "\n".join(f"> {line}" for line in text.splitlines()) if part.get("thought") else text
    if "functionCall" in part:
        call = part["functionCall"]
        return f"**Call `{call['name']}`**\n\n{_json(call.get('args') or {})}"
    if "functionResponse" in part:
        response = part["functionResponse"]
        value = response.get("response") or {}
        output = result_text(value)
        shown = _json(value) if output is None else _block(output)
        return f"**Result of `{response['name']}`**\n\n{shown}"
    if "inlineData" in part:
        return f"*[{media(part, name)}]*"
    if "fileData" in part:
        file = part["fileData"]
        return f"[{file.get('mimeType', 'file')}]({file.get('fileUri', '')})"
    return ""


def _json(value: object) -> str:
    return _block(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def _block(body: str) -> str:
    fence = "`" * max((len(row) + 1 for row in _BACKTICKS.findall(body)), default=3)
    return f"{fence}\n{body}\n{fence}"
