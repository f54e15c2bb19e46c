"""Write a view as a file that Gemini CLI resumes: Gemini contents, with results inside their calls."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from ...providers.gemini.fields import SKIP_SIGNATURE
from ...providers.json_text import value_of
from ...providers.parts import name_of
from ...session.model import SUMMARY_HEAD, Json, Message, Part
from .. import writing
from ..fields import name_at, object_at
from . import SNAPSHOT, WRAPPER, is_forgotten


class File(writing.Writer):
    """One line per message; a summary becomes a compression."""

    RESUME = ("--resume",)

    def begin(self) -> None:
        about = self.about
        self.calls: dict[str, Json] = {}  # the calls of the last model message, by id
        self.folder = self.program.places[0].patterns[0].partition("/")[0]  # in the home directory
        head: Json = {
            "sessionId": about.id, "projectHash": _hash(about.cwd), "startTime": self.ts,
            "lastUpdated": about.time, "kind": "main", "directories": [about.cwd],
        }  # fmt: skip
        self.lines.append({**head, "summary": about.title} if about.title else head)

    def name(self) -> str:
        """The path in the project's folder; a project without a name has a hash, and is moved later."""
        about = self.about
        table = value_of(about.read_file(f"{self.folder}/projects.json"))  # the projects' names
        project = name_of(object_at(table, "projects").get(about.cwd)) or _hash(about.cwd)
        minute = about.time[:16].replace(":", "-")
        chats = f"{project.replace('/', '-')}/chats"
        return f"{self.folder}/tmp/{chats}/session-{minute}-{about.id[:8]}.jsonl"  # noqa: S108 - in the home

    def summary(self, text: str) -> None:
        headed = text if text.startswith(SUMMARY_HEAD) else f"{SUMMARY_HEAD}\n\n{text}"
        text = text if SNAPSHOT in text else WRAPPER.format(headed)
        message = {**self._head("user"), "content": [{"text": text}]}
        self.lines.append({"$set": {"messages": [message]}})

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element; results are added to their calls."""
        parts = element["parts"]
        if element["role"] == "model":
            own = (
                source for source in sources if source and source.provider in (None, self.program.format)
            )
            self._model(parts, next((source.model for source in own if source.model), None))
            return
        for part in parts:
            if _id(part.get("functionResponse")) in self.calls:
                self._answered(part)
        others = [part for part in parts if "functionResponse" not in part]
        if others:
            self.calls = {}
            self.lines.append({**self._head("user"), "content": _prompt(others)})

    def _model(self, parts: list[Any], model: str | None) -> None:
        """Write a model message."""
        parts = [_without_placeholder(part) for part in parts]
        calls = [self._call(part["functionCall"]) for part in parts if _is_call(part)]
        self.calls = {call["id"]: call for call in calls}
        message = {**self._head("gemini"), **_content(parts)}
        if model:
            message["model"] = model
        self.lines.append({**message, "toolCalls": calls} if calls else message)

    def _call(self, call: Json) -> Json:
        args = call.get("args") or {}
        written = {"id": _id(call), "name": call["name"], "args": args, "status": "success"}
        return {**written, "timestamp": self.ts}

    def _answered(self, part: Json) -> None:
        """Add a result to its call; media go beside it where the program would drop nested ones."""
        answer = {**part["functionResponse"], "id": _id(part["functionResponse"])}
        call = self.calls[answer["id"]]
        held = answer.pop("parts", []) if answer["id"] != part["functionResponse"]["id"] else []
        call["result"] = [{"functionResponse": answer}, *held]
        call["status"] = "error" if "error" in object_at(answer, "response") else "success"

    def _head(self, kind: str) -> Json:
        id = writing.uuid(self.about.id, len(self.lines))
        return {"id": id, "timestamp": self.ts, "type": kind}


def _hash(cwd: str) -> str:
    return sha256(cwd.encode("utf-8", "surrogatepass")).hexdigest()


def _is_call(part: Any) -> bool:
    """Whether this is a call that can be answered; native parts may contain others."""
    call = part.get("functionCall")
    return bool(_id(call) and name_of(call.get("name")))


def _id(call: Any) -> str | None:
    """A call's id, with its function's name doubled if it begins with that: the program removes it once."""
    id = name_at(call, "id")
    prefix = f"{call.get('name')}__" if id else ""
    return prefix + id if id and id.startswith(prefix) else id


def _without_placeholder(part: Any) -> Any:
    """The part without our placeholder for a signature: the program sets its own."""
    if part.get("thoughtSignature") != SKIP_SIGNATURE:
        return part
    return {key: value for key, value in part.items() if key != "thoughtSignature"}


def _prompt(parts: list[Part]) -> list[Any]:
    """A prompt's parts, marked as no thought if the program would take them for a command or nothing."""
    if not is_forgotten(parts):
        return [*parts]
    return [{**parts[0], "thought": False}, *parts[1:]]


def _content(parts: list[Any]) -> Json:
    """A message's content besides its calls; all parts if they are more than texts followed by calls."""
    texts = [part for part in parts if not _is_call(part)]
    plain = all(part.keys() == {"text"} for part in texts) and parts[: len(texts)] == texts
    if plain and all(part.keys() == {"functionCall"} for part in parts[len(texts) :]):
        return {"content": texts}
    shown = [part for part in texts if part.get("thought") is not True]
    return {"content": list(map(_whole, parts)), "displayContent": shown}


def _whole(part: Any) -> Any:
    """The part as stored in the message: a call has the id that the program uses."""
    call = part.get("functionCall")
    return {**part, "functionCall": {**call, "id": _id(call)}} if _is_call(part) else part
