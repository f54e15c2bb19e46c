"""`atif`: a trajectory of an agent (Agent Trajectory Interchange Format), one JSON object.

https://github.com/harbor-framework/harbor/blob/main/rfcs/0001-trajectory-format.md
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson

from .. import __version__
from ..programs.model import told
from ..providers.answers import answer, arguments
from ..session.imported import origin
from ..session.model import Json, Message
from ..session.view import View
from . import Exported
from .interchange import Content, Talk, counts, mime_of, modality_of, models, prepared

VERSION = "ATIF-v1.7"
OURS = "codeh-history"
_COUNTS = {"input": "prompt_tokens", "output": "completion_tokens", "cached": "cached_tokens"}
_FURTHER = {"reasoning": "reasoning_tokens", "cacheWrite": "cache_write_tokens"}
_MEDIA = {  # what may be named by where it lies
    "image/jpeg", "image/png", "image/gif", "image/webp", "audio/wav", "audio/mpeg", "audio/mp4",
    "audio/aac", "audio/ogg", "audio/flac", "audio/webm", "audio/aiff",
}  # fmt: skip


def export(view: View) -> Exported:
    """A step a message; results stand with the step whose calls they answer."""
    talk = prepared(view)
    steps = _Steps(talk.left)
    if talk.system:
        steps.add("system", talk.system)
    if talk.opening:
        steps.add("user", talk.opening)
    for message in talk.messages:
        steps.message(message)
    value = {
        "schema_version": VERSION, "session_id": view.id or OURS, "agent": _agent(view, talk),
        "steps": steps.found, "final_metrics": _totals(steps.found),
    }  # fmt: skip
    return Exported(orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n", talk.left)


def _agent(view: View, talk: Talk) -> Json:
    of = origin(view.header)
    return {
        "name": str(of.get("from") or OURS), "version": str(of.get("version") or __version__),
        **told(model_name=next(models(talk.messages), None), tool_definitions=talk.tools),
    }  # fmt: skip


class _Steps:
    def __init__(self, left: Counter[str]) -> None:
        self.left = left
        self.found: list[Json] = []
        self.calling: dict[str, Json] = {}  # the step of each call

    def add(self, source: str, message: object, ts: str | None = None, **fields: object) -> Json:
        step: Json = {"step_id": len(self.found) + 1, "source": source, "message": message}
        step |= told(timestamp=ts, **fields)
        self.found.append(step)
        return step

    def message(self, message: Message) -> None:
        content = Content(message, self.left)
        for result in content.results:
            self.result(result)
        said = self.said(content)
        if message.role == "model":
            step = self.add(
                "agent", said, message.ts, model_name=message.model,
                reasoning_content="\n\n".join(content.thoughts), tool_calls=list(map(_call, content.calls)),
                metrics=_metrics(counts(message)),
            )  # fmt: skip
            self.calling |= {call["tool_call_id"]: step for call in step.get("tool_calls", ())}
        elif said:
            self.add("user", said, message.ts)

    def said(self, content: Content) -> str | list[Json]:
        """One text as it is; several, or what else there is to see or hear, as parts."""
        media = [found for part in content.media if (found := self.media(part)) is not None]
        if not media and len(content.texts) < 2:
            return "".join(content.texts)
        return [*({"type": "text", "text": text} for text in content.texts), *media]

    def media(self, part: Any) -> Json | None:
        """A picture or sound by its address, which may hold it."""
        mime, blob, file = mime_of(part), part.get("inlineData"), part.get("fileData")
        kind = modality_of(mime)
        if mime not in _MEDIA or (blob and not isinstance(blob.get("data"), str)):
            self.left[kind] += 1
            return None
        path = f"data:{mime};base64,{blob['data']}" if blob else str(file.get("fileUri"))
        return {"type": kind, "source": {"media_type": mime, "path": path}}

    def result(self, response: Any) -> None:
        """What a call gave, with its step."""
        text, failed = answer(response.get("response"))
        step = self.calling.get(str(response.get("id")))
        if step is None:  # of a call that is not there
            self.add("user", text)
            return
        found = {"source_call_id": response["id"], "content": text}
        if failed:
            found["extra"] = {"failed": True}
        step.setdefault("observation", {"results": []})["results"].append(found)


def _call(part: Any) -> Json:
    call = part["functionCall"]
    return {"tool_call_id": call["id"], "function_name": call["name"], "arguments": arguments(part)}


def _metrics(usage: Json) -> Json:
    found: Json = {theirs: usage[ours] for ours, theirs in _COUNTS.items() if ours in usage}
    further = {theirs: usage[ours] for ours, theirs in _FURTHER.items() if ours in usage}
    return {**found, "extra": further} if further else found


def _totals(steps: list[Json]) -> Json:
    metrics = [step["metrics"] for step in steps if "metrics" in step]
    sums = {
        f"total_{name}": sum(one[name] for one in metrics if name in one)
        for name in _COUNTS.values()
        if any(name in one for one in metrics)
    }
    return {**sums, "total_steps": len(steps)}
