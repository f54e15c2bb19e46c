"""Read chats of Copilot in VS Code: `chatSessions/ID.json`, or `ID.jsonl`, a log of changes to it.

The file does not contain everything that the extension sends: prompts are read as typed, and the
extension's summaries are not applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from ..providers import usage
from ..providers.parts import text_of
from ..session.model import Json, Part
from .fields import at, list_at, name_at, object_at, objects_at, omit_empty, text_at, time_of
from .model import REWOUND, Entry, Session
from .parts import thought
from .protocol import Head, Place, Program, Source
from .source import objects, value_beside

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
    """The chat in a file or in the first line of a log."""
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
    session.about(state, id="sessionId", created="creationDate", title="customTitle")
    folder = name_at(value_beside(source, "workspace.json", above=1), "folder")
    session.cwd = unquote(urlsplit(folder).path) if folder else None
    for session.number, request in enumerate(objects_at(state, "requests"), 1):
        if request.get("isHidden") is True or request.get("shouldBeRemovedOnSend"):
            session.skip(REWOUND)
        else:
            _add(session, request)
    yield session


def _apply(state: Any, change: Json) -> bool:
    """Apply a line of the log to the chat; return whether its target exists."""
    path = list_at(change, "k")
    try:
        for key in path[:-1]:
            state = state[key]
        match change.get("kind"):
            case 1:  # set
                state[path[-1]] = change.get("v")
            case 2:  # append, after the first `i` items
                items = state.setdefault(path[-1], []) if isinstance(state, dict) else state[path[-1]]
                items[change.get("i", len(items)) :] = list_at(change, "v")
            case 3:  # delete
                del state[path[-1]]
            case _:
                return False
    except (KeyError, IndexError, TypeError, AttributeError):
        return False
    return True


def _add(session: Session, request: Json) -> None:
    """Add a prompt and its answer: a message for each request to the model, and its results."""
    about, id = object_at(request, "result.metadata"), name_at(request, "requestId")
    ts, results = time_of(request.get("timestamp")), object_at(about, "toolCallResults")
    session.add("user", [{"text": text_at(request, "message.text")}], id=id, ts=ts)
    for attached in objects_at(request, "variableData.variables"):
        session.skip(f"attachment ({attached.get('kind')})")
    answer: Entry | None = None
    for each in objects_at(about, "toolCallRounds") or [{}]:
        calls = objects_at(each, "toolCalls")
        parts = [*_request_parts(session, each, calls)] if each else [*_displayed_parts(session, request)]
        entry = session.add("codeh", parts, id=id and f"{id}-answer", ts=ts)
        session.skip("empty answer", entry is None)
        answer = entry or answer
        for call in calls:
            if (name := text_at(call, "id")) in results:
                text = _text_in(at(results[name], "content"))
                session.add("tool", [session.result(name, None, [{"text": text}])], ts=ts)
    if answer is not None:
        counts = {key: about[key] for key in _USAGE.values() if key in about}
        model = name_at(about, "resolvedModel") or name_at(request, "modelId")
        answer.fields |= omit_empty(model=model, usage=usage.read(counts, _USAGE))


def _request_parts(session: Session, data: Json, calls: list[Json]) -> Iterator[Part]:
    """Yield the thinking, text and calls of the answer to one request."""
    yield thought(_text_in(at(data, "thinking.text")))
    yield {"text": text_at(data, "response")}
    yield from session.calls(calls, "id", "name", "arguments")
    if name_at(data, "summary"):
        why = "a summary that is sent in place of what precedes it is not applied"
        session.problem(0, "skips", f"request {session.number}: {why}")


def _displayed_parts(session: Session, request: Json) -> Iterator[Part]:
    """Yield the displayed parts of an answer whose requests are not in the file."""
    text = ""
    for item in objects_at(request, "response"):
        match item.get("kind"):
            case None | "markdownContent":
                text += text_at(item, "value") or text_at(item, "content.value")
            case "inlineReference":
                path = name_at(item, "inlineReference.path", "inlineReference.location.uri.path") or ""
                text += name_at(item, "name") or path.rpartition("/")[2]
            case "thinking":
                yield thought(_text_in(item.get("value")))
            case "toolInvocationSerialized":
                why = f"the arguments and the result of {item.get('toolId')} are not in the file"
                session.problem(0, "skips", f"request {session.number}: {why}")
                session.skip("tool call without arguments and result")
            case kind:
                session.skip(f"part of an answer ({kind})", own=True)
    yield {"text": text}


def _text_in(value: Any) -> str:
    """Join all text in a value: a string, a list, or a tree of nodes."""
    if isinstance(value, dict):
        value = [value[key] for key in ("text", "value", "node", "children") if key in value]
    if isinstance(value, list):
        return "".join(map(_text_in, value))
    return text_of(value)


PROGRAM = Program(
    "vscode", "VS Code", recognises, read,
    (Place("XDG_CONFIG_HOME", ".config", _FOLDERS), Place("", "Library/Application Support", _FOLDERS)),
)  # fmt: skip
