"""Write a view as a file that Gemini CLI resumes: Gemini contents, with results inside their calls."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from ...providers.json_text import value_of
from ...providers.parts import name_of
from ...session.model import SUMMARY_HEAD, Json, Message
from .. import writing
from ..fields import name_at, object_at, omit_empty
from . import SNAPSHOT, WRAPPER, is_forgotten


class File(writing.Writer):
    """One line per message; a summary becomes a compression."""

    def begin(self) -> None:
        about = self.about
        self.calls: dict[str | None, Json] = {}  # the calls of the last model message, by id
        self.folder = self.program.places[0].patterns[0].partition("/")[0]  # in the home directory
        head: Json = {
            "sessionId": about.id, "projectHash": _hash(about.cwd), "startTime": self.ts,
            "lastUpdated": about.time, "kind": "main", "directories": [about.cwd],
        }  # fmt: skip
        self.lines.append({**head, "summary": about.title} if about.title else head)

    def name(self) -> str:
        """The path in the project's folder; Gemini CLI later renames one that is named by a hash."""
        about = self.about
        table = value_of(about.read_file(f"{self.folder}/projects.json"))  # the projects' names
        project = name_of(object_at(table, "projects").get(about.cwd)) or _hash(about.cwd)
        minute = about.time[:16].replace(":", "-")
        chats = f"{project.replace('/', '-')}/chats"
        return f"{self.folder}/tmp/{chats}/session-{minute}-{about.id[:8]}.jsonl"  # noqa: S108 - in the home

    def summary(self, text: str) -> None:
        headed = text if text.startswith(SUMMARY_HEAD) else f"{SUMMARY_HEAD}\n\n{text}"
        text = text if SNAPSHOT in text else WRAPPER.format(headed)
        self.lines.append({"$set": {"messages": [self._message("user", content=[{"text": text}])]}})

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element; results are added to their calls."""
        parts, providers = element["parts"], (None, self.program.format)
        if element["role"] == "model":
            models = (source.model for source in sources if source and source.provider in providers)
            self._model(parts, next(filter(None, models), None))
            return
        for part in parts:
            response = object_at(part, "functionResponse")
            call = self.calls.get(_id(response) or "")
            if call is not None:  # the program drops media inside a result whose id it changes
                answer = {**response, "id": call["id"]}
                files = answer.pop("parts", []) if answer["id"] != response["id"] else []
                call["result"] = [{"functionResponse": answer}, *files]
                call["status"] = "error" if "error" in object_at(answer, "response") else "success"
        others = [part for part in parts if "functionResponse" not in part]
        if others:
            self.calls = {}
            # `thought: false` keeps the program from dropping it as a command or as blank
            if is_forgotten(others):
                others[0] = {**others[0], "thought": False}
            self.lines.append(self._message("user", content=others))

    def _model(self, parts: list[Any], model: str | None) -> None:
        """Write a model message; unless its parts are texts, then calls, its content is all parts."""
        parts = writing.without_placeholders(parts)
        done = {"status": "success", "timestamp": self.ts}
        self.calls = {
            _id(call): {"id": _id(call), "name": call["name"], "args": call.get("args") or {}, **done}
            for call in (part["functionCall"] for part in parts if _is_call(part))
        }
        texts = [part for part in parts if not _is_call(part)]
        content: Json = {"content": texts}
        keys = [{"text"}] * len(texts) + [{"functionCall"}] * (len(parts) - len(texts))
        if [part.keys() for part in parts] != keys:
            shown = [part for part in texts if part.get("thought") is not True]
            content = {"content": list(map(_with_id, parts)), "displayContent": shown}
        fields = omit_empty(model=model, toolCalls=[*self.calls.values()])
        self.lines.append(self._message("gemini", **content, **fields))

    def _message(self, kind: str, **fields: object) -> Json:
        id = self.uuid()
        return {"id": id, "timestamp": self.ts, "type": kind, **fields}


def _hash(cwd: str) -> str:
    return sha256(cwd.encode("utf-8", "surrogatepass")).hexdigest()


def _is_call(part: Any) -> bool:
    """Whether this is a call with an id and a name, which some calls in native parts lack."""
    call = part.get("functionCall")
    return bool(_id(call) and name_of(call.get("name")))


def _id(call: Any) -> str | None:
    """The id to write for a call; a leading function name is doubled, because the program removes one."""
    id = name_at(call, "id")
    prefix = f"{call.get('name')}__" if id else ""
    return prefix + id if id and id.startswith(prefix) else id


def _with_id(part: Any) -> Any:
    """The part with the id to write if it is a call."""
    call = part.get("functionCall")
    return {**part, "functionCall": {**call, "id": _id(call)}} if _is_call(part) else part
