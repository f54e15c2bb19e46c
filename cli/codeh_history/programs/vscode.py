"""Read the chats of VS Code with Copilot: `chatSessions/ID.json`, or `.jsonl`, a log of changes to it.

What the extension sends next is not in the file as a whole: prompts are as typed, and summaries of its own
are not applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from ..base.read_json import json_object
from ..providers import usage
from ..session.model import Json, Part
from .fields import at, list_at, name_at, object_at, objects_at, omit_empty, text_at, time_of
from .model import REWOUND, Entry, Session
from .parts import thought
from .protocol import Head, Place, Program, Source, Unreadable
from .source import objects

_BEGIN = 0  # the kind of the first line of a log
_FOLDERS = tuple(
    f"Code*/User/{folder}/*.json{end}"
    for folder in ("workspaceStorage/*/chatSessions", "globalStorage/emptyWindowChatSessions")
    for end in ("", "l")
)
_USAGE = {"input": "promptTokens", "output": "outputTokens"}


def recognises(head: Head) -> bool:
    return any("requests" in state and "sessionId" in state for state in map(_state, head.values))


def _state(value: Json) -> Json:
    """The chat that a file or the first line of a log contains."""
    return object_at(value, "v") if value.get("kind") == _BEGIN else value


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    session = Session(program.name, source.stem)
    state: Json = {}
    for number, value in objects(source, session.problems):
        if value.get("kind", _BEGIN) == _BEGIN:
            state = _state(value)
        elif not _apply(state, value):
            why = f"a change of what is not in the file: {program.title} does not open it"
            session.problem(number, "refused", why, "skipped")
    session.id = name_at(state, "sessionId") or session.id
    session.created = time_of(state.get("creationDate"))
    session.set_title(state.get("customTitle"))
    with suppress(Unreadable):
        folder = name_at(json_object(source.beside("workspace.json", above=1)), "folder")
        session.cwd = unquote(urlsplit(folder).path) if folder else None
    for session.number, request in enumerate(objects_at(state, "requests"), 1):
        if request.get("isHidden") is True or request.get("shouldBeRemovedOnSend"):
            session.skip(REWOUND)
        else:
            _Request(session, request).add()
    yield session


def _apply(state: Any, change: Json) -> bool:
    """Apply a line of the log to the chat; return whether what it changes exists."""
    path = list_at(change, "k")
    try:
        for key in path[:-1]:
            state = state[key]
        match change.get("kind"):
            case 1:  # set
                state[path[-1]] = change.get("v")
            case 2:  # append, after the first `i` items
                items = state.setdefault(path[-1], []) if isinstance(state, dict) else state[path[-1]]
                items[slice(change["i"], None) if "i" in change else slice(len(items), None)] = list_at(
                    change, "v"
                )
            case 3:  # delete
                del state[path[-1]]
            case _:
                return False
    except (KeyError, IndexError, TypeError, AttributeError):
        return False
    return True


class _Request:
    """A prompt and its answer, which has a round for each request to the model."""

    def __init__(self, session: Session, request: Json) -> None:
        self.session = session
        self.request = request
        self.about = object_at(request, "result.metadata")
        self.id = name_at(request, "requestId")
        self.ts = time_of(request.get("timestamp"))

    def add(self) -> None:
        session, request = self.session, self.request
        session.add("user", [{"text": text_at(request, "message.text")}], id=self.id, ts=self.ts)
        for attached in objects_at(request, "variableData.variables"):
            session.skip(f"attachment ({attached.get('kind')})")
        rounds = objects_at(self.about, "toolCallRounds")
        before = len(session.items)
        if rounds:
            for each in rounds:
                self.round(each)
        else:
            self.answer([*self.shown()])
        fields = omit_empty(
            model=name_at(self.about, "resolvedModel") or name_at(request, "modelId"),
            usage=usage.read({k: self.about[k] for k in _USAGE.values() if k in self.about}, _USAGE),
        )  # fmt: skip
        entries = (item for item in session.items[before:] if isinstance(item, Entry))
        if answers := [entry for entry in entries if entry.kind == "codeh"]:
            answers[-1].fields |= fields

    def answer(self, parts: list[Part]) -> None:
        if not self.session.add("codeh", parts, id=self.id and f"{self.id}-answer", ts=self.ts):
            self.session.skip("empty answer")

    def round(self, data: Json) -> None:
        """Add a round: thinking, text, calls, and their results."""
        session, results = self.session, object_at(self.about, "toolCallResults")
        parts: list[Part] = []
        if thinking := _joined(at(data, "thinking.text")):
            parts.append(thought(thinking))
        parts.append({"text": text_at(data, "response")})
        calls = objects_at(data, "toolCalls")
        parts += [session.call(call.get("id"), call.get("name"), call.get("arguments")) for call in calls]
        self.answer(parts)
        for call in calls:
            id = text_at(call, "id")
            if id in results:
                text = _joined(at(results[id], "content"))
                session.add("tool", [session.result(id, None, [{"text": text}])], ts=self.ts)
        if name_at(data, "summary"):
            why = "a summary that is sent in place of what precedes it is not applied"
            session.problem(0, "skips", f"request {session.number}: {why}")

    def shown(self) -> Iterator[Part]:
        """What the window shows of an answer whose rounds are not in the file."""
        session, text = self.session, ""
        for item in objects_at(self.request, "response"):
            match item.get("kind"):
                case None | "markdownContent":
                    text += text_at(item, "value") or text_at(item, "content.value")
                case "inlineReference":
                    path = text_at(item, "inlineReference.path") or text_at(
                        item, "inlineReference.location.uri.path"
                    )
                    text += name_at(item, "name") or path.rpartition("/")[2]
                case "thinking" if words := _joined(item.get("value")):
                    yield thought(words)
                case "toolInvocationSerialized":
                    tool = item.get("toolId")
                    why = f"the arguments and the result of {tool} are not in the file"
                    session.problem(0, "skips", f"request {session.number}: {why}")
                    session.skip("tool call without arguments and result")
                case kind:
                    session.skip(f"part of an answer ({kind})", own=True)
        yield {"text": text}


def _joined(value: Any) -> str:
    """All text in a value: a text, a list, or a tree of nodes."""
    if isinstance(value, dict):
        inner = (value[key] for key in ("text", "value", "node", "children") if key in value)
        return "".join(map(_joined, inner))
    return (
        "".join(map(_joined, value)) if isinstance(value, list) else value if isinstance(value, str) else ""
    )


PROGRAM = Program(
    "vscode", "VS Code", recognises, read,
    (Place("XDG_CONFIG_HOME", ".config", _FOLDERS), Place("", "Library/Application Support", _FOLDERS)),
)  # fmt: skip
