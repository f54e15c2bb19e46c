"""Read and write Copilot CLI's sessions: events in `~/.copilot/session-state/UUID/events.jsonl`.

They are in order, since a rewind removes lines; those of sub-agents are in the same file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from ..providers.anthropic.blocks import THINKING
from ..providers.parts import native
from ..session.model import Json, Message, Part
from . import pairs, writing
from .fields import answer_fields, hash_id, name_at, object_at, objects_at, omit_empty, text_at, time_of
from .model import SUB_SESSION, Entry, Session
from .parts import inline, thought
from .protocol import Head, Place, Program, Source, Unreadable
from .source import lines_once
from .tree import usage_of

_SUMMARY_SOURCE = "summary"  # the source of a prompt that our writer made of a summary
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FORK = re.compile(rf"Forked from .*?\(({_UUID.pattern})\)", re.IGNORECASE)
_ADDED = re.compile(  # the date and reminders, which the program adds to a prompt
    r"\A<current_datetime>[^<]*</current_datetime>\n\n|\n\n<(system_reminder|reminder)>(?:(?!</?\1>).)*</\1>\Z",
    re.DOTALL,
)
_NAME = re.compile(r"^name: *['\"]?(.*?)['\"]? *$", re.MULTILINE)  # in workspace.yaml
_TYPE = re.compile(r"abort|\w+\.\w+")
_OWN = "session assistant tool hook permission subagent system model skill command mcp abort".split()
_TEXTS = {  # required fields, by kind of event
    "user.message": ["content"],
    "assistant.message": ["messageId", "content"],
    "tool.execution_complete": ["toolCallId"],
}
_REFERRED = {  # events to which others refer by this id
    "session.binary_asset": "assetId",
    "session.usage_record": "usage.apiCallId",
    "tool.user_requested": "toolCallId",
}
_ANSWER = {"model": "model", "finish": "usage.finishReason", "response": "apiCallId", "usage": "usage"}
_COMPACTION = {"model": "compactionTokensUsed.model", "usage": "compactionTokensUsed"}
_ENDPOINTS = {
    "/v1/messages": "anthropic", "/chat/completions": "openai-chat", "/responses": "openai-responses",
}  # fmt: skip
_USAGE = {
    "input": "inputTokens", "output": "outputTokens", "cached": "cacheReadTokens",
    "cacheWrite": "cacheWriteTokens", "reasoning": "reasoningTokens",
}  # fmt: skip
_SUMMARY = """Some of the conversation history has been summarized to free up context.

You were originally given instructions from a user over one or more turns. Here were the user messages:
{}

Here is a summary of the prior context:
<summary>
{}
</summary>"""
_CLEARED = "The context was cleared."
_SHELL = """<user_shell_command_output>
The user executed a shell command directly in their terminal ({}).

Command:
{}

Output:
{}
</user_shell_command_output>"""
VERSION = "1.0.102"  # the version whose format is written
_DOCUMENTS = ["application/pdf"]  # types that are sent unchanged


def recognises(head: Head) -> bool:
    keys = {"parentId", "timestamp", "data"}
    return any(keys <= data.keys() and _TYPE.fullmatch(text_at(data, "type")) for data in head.objects)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    folder = source.path.rpartition("/")[0].rpartition("/")[2]
    session = Session(program.name, folder if _UUID.fullmatch(folder) else source.stem)
    main = _Log(session)
    logs: dict[str | None, _Log] = {None: main}  # and those of sub-agents
    refused = f"{program.title} does not open the file"
    for number, event in lines_once(source, session, program):
        id, kind, data = text_at(event, "id"), text_at(event, "type"), object_at(event, "data")
        valid = {"id": bool(_UUID.fullmatch(id)), "timestamp": bool(time_of(event.get("timestamp")))}
        valid |= {field: isinstance(data.get(field), str) for field in _TEXTS.get(kind, ())}
        if invalid := [field for field in valid if not valid[field]]:
            session.problem(number, "refused", f"an event whose `{invalid[0]}` is invalid: {refused}")
        if kind in _REFERRED:
            main.events[kind, text_at(data, _REFERRED[kind])] = data
            continue
        agent = name_at(event, "agentId", "data.parentToolCallId")
        if agent not in logs:
            logs[agent] = _Log(Session(program.name, f"{session.id}-{agent}"), main)
            logs[agent].session.set_parent(session.id, agent=True)
        logs[agent].read(number, event)
    if session.created is None:
        session.problem(1, "refused", f"no session.start: {refused}", "read without it")
    for number, _ in (waiting for log in logs.values() for waiting in log.early.values()):
        session.problem(number, "drops", f"a result that answers no call: {program.title} drops it")
        session.skip("result without its call")
    with suppress(Unreadable):
        about = source.beside(folder, "workspace.yaml", above=1).decode("utf-8", "replace")
        session.set(title=next(iter(_NAME.findall(about)), None))
    for log in logs.values():  # a sub-agent's event may precede the session's id
        if log.session.agent and log.session.parent:
            log.session.set_parent(session.id, log.session.parent["at"], agent=True)
            log.session.cwd = session.cwd
    agents = [log.session for log in logs.values() if log is not main and log.session.items]
    session.skip(SUB_SESSION, len(agents))
    session.branches = lambda: agents
    session.agent_usage = lambda: usage_of(agents)
    yield session


class _Log:
    """Reads the events of a session or a sub-agent in order; `main` is the session's log."""

    def __init__(self, session: Session, main: _Log | None = None) -> None:
        self.session = session
        self.main = main or self
        self.stamp: dict[str, Any] = {}  # id and time of the current event
        self.events: dict[tuple[str, str], Json] = {}  # events to which others refer (only in `main`)
        self.calls: dict[str, str] = {}  # call → its message
        self.early: dict[str, tuple[int, Json]] = {}  # results that precede their call
        self.prompts: list[str] = []  # the user's prompts since the last summary
        self.replaced: set[str] | None = None  # the items that the running compaction replaces

    def read(self, number: int, event: Json) -> None:
        session, kind, data = self.session, text_at(event, "type"), object_at(event, "data")
        session.number = number
        id = name_at(event, "id") or hash_id(session.id, number)
        self.stamp = {"id": id, "ts": time_of(event.get("timestamp"))}
        match kind:
            case "user.message" if data.get("source") == _SUMMARY_SOURCE:
                session.summarise(**self.stamp, text=text_at(data, "content"))
            case "user.message":
                self.prompt(data)
            case "system.notification" | "skill.context_delivered":
                self.add("user", [{"text": text_at(data, "content")}])
            case "assistant.message":
                self.answer(data)
            case "tool.execution_complete":
                self.result(data, event)
            case "session.compaction_start":
                waiting = [self.calls.get(id) for id in session.open_calls]
                self.replaced = {id for id in session.live if id not in waiting}
            case "session.compaction_complete" if data.get("success") is True:
                self.compact(data)
            case "session.context_cleared":
                self.prompts.clear()
                session.summarise(**self.stamp, text=text_at(data, "initialMessage") or _CLEARED)
            case "session.start" | "session.resume" | "session.context_changed" | "session.title_changed":
                self.set_fields(kind, data)
            case "session.info" if parent := _FORK.match(text_at(data, "message")):
                session.set_parent(parent[1])
            case "subagent.started" if session.parent:
                session.parent["at"] = self.main.calls.get(text_at(data, "toolCallId"))
                session.agent_name = name_at(data, "agentName")
                session.about(data, title="agentDescription")
            case _:
                session.skip(kind or "line without a type", own=kind.partition(".")[0] in _OWN)

    def set_fields(self, kind: str, data: Json) -> None:
        """Set the session's fields from an event."""
        session, about = self.session, object_at(data, "context") or data
        git = omit_empty(branch=name_at(about, "branch"), commit=name_at(about, "headCommit"))
        session.git = git or session.git
        session.about(data, title="title")
        if kind == "session.start":
            session.about(data, id="sessionId", version="copilotVersion", created="startTime")
            session.about(about, cwd="cwd")
            session.created = session.created or self.stamp["ts"]

    def add(self, kind: str, parts: list[Part], **fields: Any) -> Entry | None:
        """Add a message; count an empty one as skipped, but keep its usage."""
        message = self.session.add(kind, parts, **self.stamp, **fields)
        self.session.skip("empty message", message is None)
        if message is None:
            self.session.keep_usage(**self.stamp, fields=fields)
        return message

    def prompt(self, data: Json) -> None:
        """Add a prompt with its files, in the form that the program sends."""
        attached = objects_at(data, "attachments")
        text = _ADDED.sub("", text_at(data, "transformedContent")) or text_at(data, "content")
        if tagged := [entry for each in attached if (entry := name_at(each, "taggedFilesEntry"))]:
            text += "\n\n\n\n<tagged_files>\n" + "\n".join(tagged) + "\n</tagged_files>"
        parts: list[Part] = [{"text": text}]
        for each in attached:
            path, file = name_at(each, "path"), self.file(each)
            if file is not None:
                label = f"Image file at path {path}" if path else text_at(each, "displayName")
                parts += [{"text": label}, file]
            elif "taggedFilesEntry" not in each:
                self.session.skip(f"attachment that is not sent ({each.get('type')})")
        self.add("user", parts)
        if text_at(data, "source").partition("-")[0] in ("", "agent"):
            self.prompts.append(text_at(data, "content"))

    def file(self, data: Json) -> Part | None:
        """The part of a file; None if its bytes are not in the session."""
        asset = self.main.events.get(("session.binary_asset", text_at(data, "assetId")), data)
        content = name_at(asset, "data")
        return inline(content, asset.get("mimeType")) if content else None

    def answer(self, data: Json) -> None:
        session, text, calls = self.session, text_at(data, "content"), objects_at(data, "toolRequests")
        is_anthropic = text_at(data, "reasoningBlocks.provider") == "anthropic-messages"
        parts: list[Any] = []
        for block in objects_at(data, "reasoningBlocks.blocks"):
            if block.get("type") == "thinking":
                parts.append(thought(text_at(block, "thinking"), block.get("signature")))
            else:
                parts.append(native("anthropic" if is_anthropic else "openai-responses", block))
        parts = parts or [thought(text_at(data, "reasoningText"))]
        parts.append({"text": text if text.strip() else ""})
        for call in calls:
            arguments = call.get("arguments")
            if call.get("type") == "custom" and isinstance(arguments, str):
                arguments = {"input": arguments}
            parts.append(session.call(call.get("toolCallId"), call.get("name"), arguments))
        older = {"usage": {key: data[key] for key in ("outputTokens",) if key in data}}  # older versions
        record = self.main.events.pop(("session.usage_record", text_at(data, "apiCallId")), older)
        provider = _ENDPOINTS.get(text_at(record, "usage.apiEndpoint"))
        message = self.add("codeh", parts, **answer_fields({**data, **record}, _ANSWER, _USAGE, provider))
        self.calls |= {text_at(call, "toolCallId"): message.id for call in calls if message}
        for call in calls:
            if waiting := self.early.pop(text_at(call, "toolCallId"), None):
                self.read(*waiting)

    def result(self, data: Json, event: Json) -> None:
        """Add a result; one that precedes its call is added after that."""
        session, id, failed = self.session, text_at(data, "toolCallId"), data.get("success") is not True
        text = text_at(data, "error.message" if failed else "result.content")
        if shell := self.main.events.pop(("tool.user_requested", id), None):
            ended = "non-zero exit code" if failed else "exit code 0"
            text = _SHELL.format(ended, text_at(shell, "arguments.command"), text)
            self.add("user", [{"text": text}])
        elif id not in self.calls:
            self.early.setdefault(id, (session.number, event))
        else:
            parts: list[Part] = [{"text": text or ("Tool execution failed" if failed else "")}]
            for file in map(self.file, objects_at(data, "result.binaryResultsForLlm")):
                parts += [file] if file is not None else []
                session.skip("file that was left out of the session", file is None)
            self.add("tool", [session.result(id, None, parts, failed=failed)])

    def compact(self, data: Json) -> None:
        """Summarise the items before the start of the compaction, except calls that were open then."""
        prompts = "\n".join(f"<user_message>\n{prompt}\n</user_message>" for prompt in self.prompts)
        texts = [_SUMMARY.format(prompts, text_at(data, "summaryContent"))]
        texts += [name] if (name := name_at(data, "activeWorkflowSummary")) else []
        self.session.summarise(**self.stamp, text="\n\n\n".join(texts), only=self.replaced)
        self.replaced = None
        self.session.keep_usage(**self.stamp, fields=answer_fields(data, _COMPACTION, _USAGE))


# -- writing ---------------------------------------------------------------------------------------------


class File(writing.BlockWriter):
    """An event for each text and each result; a summary is a prompt, because Copilot CLI words its own."""

    def begin(self) -> None:
        about = self.about
        self.event(
            "session.start", sessionId=about.id, version=1, producer="codeh-history",
            copilotVersion=VERSION, startTime=self.ts, context={"cwd": about.cwd}, alreadyInUse=False,
        )  # fmt: skip
        if about.title:
            self.event("session.title_changed", title=about.title)

    def name(self) -> str:
        return f"session-state/{self.about.id}/events.jsonl"

    def event(self, kind: str, **data: Any) -> Json:
        """Write an event of this kind; return its data."""
        last = self.lines[-1]["id"] if self.lines else None
        line = {"type": kind, "data": data, "id": self.uuid(), "timestamp": self.ts, "parentId": last}
        self.lines.append(line)
        return data

    def message(self, text: str, **data: Any) -> Json:
        return self.event("user.message", content=text, attachments=[], **data)

    def summary(self, text: str) -> None:
        self.message(text, source=_SUMMARY_SOURCE)

    def prompt(self, contents: list[Json]) -> None:
        last: Json | None = None
        for content in contents:
            if content["type"] == "text":
                last = self.message(content["text"])
            else:
                last = last or self.message("")
                last["attachments"].append({**content, "type": "blob"})
                last["supportedNativeDocumentMimeTypes"] = _DOCUMENTS

    def answer(self, blocks: Sequence[Json], sources: Sequence[Message | None]) -> None:
        """Write an answer: an event for each text, with the thinking before it and the calls after it."""
        model = writing.model_of(sources)
        last: Json | None = None
        thinking: list[Json] = []
        for block in blocks:
            if block["type"] in THINKING:
                thinking.append(block)
                continue
            if last is None or block["type"] == "text" or thinking:
                id = self.uuid("message")
                answer: Json = {"messageId": id, "model": model, "content": "", "toolRequests": []}
                last = self.event("assistant.message", **answer)
                if thinking:
                    last["reasoningBlocks"] = {"provider": "anthropic-messages", "blocks": thinking}
                    thinking = []
            for content in self.contents([block]):
                if content["type"] == "function":
                    last["toolRequests"].append(content)
                else:
                    last["content"] += content.get("text", "")

    def result(self, block: Json, contents: list[Json], _source: Message | None) -> None:
        text = "\n".join(item["text"] for item in contents if item["type"] == "text")
        files = [item for item in contents if item["type"] != "text"]
        outcome: Json = {
            "success": True,
            "result": {"content": text, **omit_empty(binaryResultsForLlm=files)},
        }
        if block.get("is_error"):
            outcome = {"success": False, "error": {"message": text}}
        self.event("tool.execution_complete", toolCallId=block["tool_use_id"], **outcome)

    def call(self, block: Json) -> Json:
        call = {"toolCallId": block["id"], "name": block["name"], "arguments": block["input"]}
        return {**call, "type": "function"}

    def file(self, block: Json) -> Json | None:
        match block.get("source"):
            case {"type": "base64", "data": data, "media_type": mime}:
                return {"type": "image", "data": data, "mimeType": mime}
        return None


PROGRAM = Program(
    "copilot-cli", "Copilot CLI", recognises, read,
    (Place("COPILOT_HOME", ".copilot", ("session-state/*/events.jsonl", "session-state/*.jsonl")),),
    writer=f"{__name__}:File", format="anthropic", keeps_thinking=True, command="copilot",
    pairs={
        pairs.OPEN: ("drops", "{} answers it as interrupted"), pairs.ORPHAN: pairs.DROPPED,
        pairs.DOUBLE: pairs.DROPPED,
    },
    doubles=("user.message", "assistant.message"),
)  # fmt: skip
