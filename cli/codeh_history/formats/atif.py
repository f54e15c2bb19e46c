"""`atif`: an agent's trajectory (Agent Trajectory Interchange Format), one JSON object.

https://github.com/harbor-framework/harbor/blob/main/rfcs/0001-trajectory-format.md
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import orjson

from ..base import VERSION as OUR_VERSION
from ..programs.fields import omit_empty
from ..session.model import Json, Message, origin
from ..session.view import View
from . import Exported
from .interchange import Content, counts, mime_of, modality_of, prepare, renamed

VERSION = "ATIF-v1.7"
OURS = "codeh-history"
_COUNTS = {"input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens"}
_FURTHER = {"reasoning": "reasoning_tokens", "cacheWrite": "cache_write_tokens"}
# Media types that may be referenced by path.
_MEDIA = re.compile(r"image/(?:jpeg|png|gif|webp)|audio/(?:wav|mpeg|mp4|aac|ogg|flac|webm|aiff)")


def export(view: View) -> Exported:
    """Export a step per message; results belong to the step of their call."""
    conversation = prepare(view)
    steps = _Steps(conversation.left_out)
    if conversation.system:
        steps.add("system", conversation.system)
    if conversation.opening:
        steps.add("user", conversation.opening)
    for message in conversation.messages:
        steps.add_message(message)
    program = origin(view.header)
    agent = {
        "name": str(program.get("from") or OURS), "version": str(program.get("version") or OUR_VERSION),
        **omit_empty(model_name=conversation.model, tool_definitions=conversation.tools),
    }  # fmt: skip
    sums: Counter[str] = Counter()
    for step in steps.steps:
        sums.update({name: number for name, number in step.get("metrics", {}).items() if name != "extra"})
    totals = {f"total_{name}": sums[name] for name in _COUNTS.values() if name in sums}
    value = {
        "schema_version": VERSION, "session_id": view.id or OURS, "agent": agent, "steps": steps.steps,
        "final_metrics": {**totals, "total_steps": len(steps.steps)},
    }  # fmt: skip
    return Exported(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n", conversation.left_out)


class _Steps:
    def __init__(self, left_out: Counter[str]) -> None:
        self.left_out = left_out
        self.steps: list[Json] = []
        self.by_call: dict[str, Json] = {}

    def add(self, source: str, message: object, ts: str | None = None, **fields: object) -> Json:
        step: Json = {"step_id": len(self.steps) + 1, "source": source, "message": message}
        step |= omit_empty(timestamp=ts, **fields)
        self.steps.append(step)
        return step

    def add_message(self, message: Message) -> None:
        content = Content(message, self.left_out)
        for id, _, result, failed in content.results:
            step = self.by_call.get(str(id))
            if step is None:  # its call is missing
                self.add("user", result)
                continue
            extra = {"failed": True} if failed else {}
            results = step.setdefault("observation", {"results": []})["results"]
            results.append({"source_call_id": str(id), "content": result, **omit_empty(extra=extra)})
        # a single text is a string; several texts, or media, are parts
        media = [shown for part in content.media if (shown := self.media(part)) is not None]
        parts = [*({"type": "text", "text": text} for text in content.texts), *media]
        text = parts if media or len(content.texts) > 1 else "".join(content.texts)
        if message.role == "model":
            usage = counts(message)
            calls: list[Json] = [
                {"tool_call_id": str(id), "function_name": name, "arguments": args}
                for id, name, args in content.calls
            ]
            step = self.add(
                "agent", text, message.ts, model_name=message.model,
                reasoning_content="\n\n".join(content.thoughts), tool_calls=calls,
                metrics=renamed(usage, _COUNTS) | omit_empty(extra=renamed(usage, _FURTHER)),
            )  # fmt: skip
            self.by_call |= {call["tool_call_id"]: step for call in calls}
        elif text:
            self.add("user", text, message.ts)

    def media(self, part: Any) -> Json | None:
        """Reference an image or sound by its (data) URI; if it is unsupported, count it and return None."""
        mime, blob, file = mime_of(part), part.get("inlineData"), part.get("fileData")
        kind = modality_of(mime)
        if not _MEDIA.fullmatch(mime) or (blob and not isinstance(blob.get("data"), str)):
            self.left_out[kind] += 1
            return None
        path = f"data:{mime};base64,{blob['data']}" if blob else str(file.get("fileUri"))
        return {"type": kind, "source": {"media_type": mime, "path": path}}
