"""Read Copilot CLI's sessions: lines of events in `~/.copilot/session-state/UUID/events.jsonl`.

A session is its events in file order (a rewind removes lines); those of sub-agents are among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...providers import usage
from ...providers.parts import native
from ...session.model import Json, Part
from .. import pairs
from ..fields import hash_id, name_at, object_at, objects_at, omit_empty, text_at, time_of
from ..model import CLEARED, SUB_SESSION, AgentUsage, Entry, Item, Session
from ..parts import inline, thought
from ..protocol import Head, Place, Program, Source, Unreadable
from ..records import session_id
from ..source import line_objects
from ..tree import undone_branches, usage_of

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FORK = re.compile(rf"Forked from .*?\(({_UUID.pattern})\)", re.IGNORECASE)
_DATE = re.compile(r"\A<current_datetime>[^<]*</current_datetime>\n\n")
_NAME = re.compile(r"^name: *(.*)$", re.MULTILINE)  # of workspace.yaml
_OWN = frozenset(
    "session assistant tool hook permission subagent system model skill external_tool mcp command abort"
    " tool_search human_response".split()
)  # the events that the program writes for itself are of these kinds
_DEMANDED = {  # the program does not open a file with such an event
    "user.message": ("content",), "assistant.message": ("messageId", "content"),
    "tool.execution_complete": ("toolCallId",),
}  # fmt: skip
_ENDPOINTS = {
    "/v1/messages": "anthropic", "/chat/completions": "openai-chat", "/responses": "openai-responses",
}  # fmt: skip
_USAGE = {
    "input": "inputTokens", "output": "outputTokens", "cached": "cacheReadTokens",
    "cacheWrite": "cacheWriteTokens", "reasoning": "reasoningTokens",
}  # fmt: skip
_SUMMARY = """\
Some of the conversation history has been summarized to free up context.

You were originally given instructions from a user over one or more turns. Here were the user messages:
{}

Here is a summary of the prior context:
<summary>
{}
</summary>"""
_SHELL = """\
<user_shell_command_output>
The user executed a shell command directly in their terminal ({}).

Command:
{}

Output:
{}
</user_shell_command_output>"""


def recognises(head: Head) -> bool:
    return any(map(_is_event, head.objects))


def _is_event(data: Json) -> bool:
    dotted = "." in text_at(data, "type") or data.get("type") == "abort"
    return dotted and isinstance(data.get("data"), dict) and "parentId" in data and "timestamp" in data


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    folder = source.path.rpartition("/")[0].rpartition("/")[2]
    session = Session(program.name, folder if _UUID.fullmatch(folder) else source.stem)
    log = _Log(session, {})
    agents: dict[str, _Log] = {}
    seen: dict[object, int] = {}
    started = False
    for number, event in line_objects(source, session.problems, program.recognises):
        kind, data = text_at(event, "type"), object_at(event, "data")
        if reason := _invalid(event):
            why = f"{reason}: {program.title} does not open the file"
            session.problem(number, "refused", why, "read anyway" if data else None)
        if (before := seen.setdefault(event.get("id") or number, number)) != number:
            if kind in _DEMANDED and kind != "tool.execution_complete":
                why = f"the same as line {before}: {program.title} sends it twice"
                session.problem(number, "doubles", why, "read once")
            session.skip("repeated line")
            continue
        started = started or kind == "session.start"
        agent = name_at(event, "agentId") or name_at(data, "parentToolCallId")
        if agent is None:
            log.event(number, event, kind, data)
        else:
            if agent not in agents:
                agents[agent] = _Log(Session(program.name, f"{session.id}-{agent}"), log.assets)
            agents[agent].event(number, event, kind, data)
    if not started:
        why = f"no session.start: {program.title} does not open the file"
        session.problem(1, "refused", why, "read without it")
    for each in (log, *agents.values()):
        each.end(program.title)
    if title := _title(source, folder):
        session.set_title(title)
    _add_agents(session, log, agents)
    yield session


def _invalid(event: Json) -> str | None:
    """Why the program refuses an event, and with it the file; None if it does not."""
    if not _UUID.fullmatch(text_at(event, "id")):
        return "an event whose `id` is not a UUID"
    if time_of(event.get("timestamp")) is None:
        return "an event without a valid `timestamp`"
    fields = _DEMANDED.get(text_at(event, "type"), ())
    lacking = [field for field in fields if not isinstance(object_at(event, "data").get(field), str)]
    return f"an event whose {lacking[0]} is not text" if lacking else None


def _title(source: Source, folder: str) -> str | None:
    """The name of the session in the file beside it."""
    try:
        text = source.beside(folder, "workspace.yaml", above=1).decode("utf-8", "replace")
    except Unreadable:
        return None
    name = _NAME.search(text)
    return name[1].strip().strip("\"'") if name else None


def _add_agents(session: Session, log: _Log, agents: dict[str, _Log]) -> None:
    """Make the sub-agents the session's branches, and count their usage with its compactions'."""
    for each in agents.values():
        call = log.calls.get(each.caller or "")
        each.session.set_parent(session_id(session), call.id if call else None, agent=True)
        each.session.cwd = session.cwd
    own = [each.session for each in agents.values() if each.session.items]
    session.skip(SUB_SESSION, len(own))
    session.branches = lambda: (*own, *undone_branches(session, reversed(log.before)))
    spent = [item for each in (log, *agents.values()) for item in each.spent]
    session.used = lambda: (*spent, *(item for agent in own for item in usage_of(agent)))


class _Log:
    """Reads the events of a session, or of one of its sub-agents, in order."""

    def __init__(self, session: Session, assets: dict[str, Json]) -> None:
        self.session = session
        self.assets = assets  # images, by id
        self.caller: str | None = None  # the call that started this sub-agent
        self.calls: dict[str, Entry] = {}  # by call: its message
        self.early: dict[str, tuple[int, Json, Json]] = {}  # results before their call
        self.shell: dict[str, str] = {}  # commands that the user ran
        self.usage: dict[str | None, Json] = {}  # of responses that are still to come
        self.spent: list[AgentUsage] = []  # by compactions
        self.prompts: list[str] = []  # the user's, for the next summary
        self.begun: int | None = None  # the number of items when a compaction began
        self.before: list[list[Item]] = []  # the items before each time that the context was cleared
        self.lost: set[str] = set()  # calls among these

    def event(self, number: int, event: Json, kind: str, data: Json) -> None:
        session, ts = self.session, time_of(event.get("timestamp"))
        session.number = number
        match kind:
            case "user.message":
                self.prompt(event, ts, data)
            case "system.notification" | "skill.context_delivered":
                session.add("user", [{"text": text_at(data, "content")}], id=event.get("id"), ts=ts)
            case "assistant.message":
                self.answer(event, ts, data)
            case "tool.execution_complete":
                self.result(event, ts, data)
            case "session.compaction_complete" if data.get("success") is True:
                self.compacted(event, ts, data)
            case "session.context_cleared":
                self.cleared(event, ts, data)
            case _:
                self.note(kind, ts, data)

    def note(self, kind: str, ts: str | None, data: Json) -> None:
        """Take from an event what messages refer to, and what it says of the session."""
        session = self.session
        match kind:
            case "session.start":
                session.id = name_at(data, "sessionId") or session.id
                session.version, session.cwd = name_at(data, "copilotVersion"), name_at(data, "context.cwd")
                session.created = time_of(data.get("startTime")) or ts
            case "session.binary_asset":
                self.assets[text_at(data, "assetId")] = data
            case "session.usage_record":
                self.usage[name_at(data, "usage.apiCallId")] = object_at(data, "usage")
            case "session.compaction_start":
                self.begun = len(session.items)
            case "session.info" if parent := _FORK.match(text_at(data, "message")):
                session.set_parent(f"{session.program}-{parent[1]}")
            case "tool.user_requested":
                command = name_at(data, "arguments.command") or text_at(data, "toolName")
                self.shell[text_at(data, "toolCallId")] = command
            case "subagent.started":
                self.caller = name_at(data, "toolCallId")
                session.set_title(data.get("agentDescription"))
            case _:
                session.skip(kind or "line without a type", own=kind.partition(".")[0] in _OWN)

    # -- messages ------------------------------------------------------------------------------------------

    def prompt(self, event: Json, ts: str | None, data: Json) -> None:
        text = _DATE.sub("", text_at(data, "transformedContent")) or text_at(data, "content")
        attached = objects_at(data, "attachments")
        if tagged := [entry for each in attached if (entry := name_at(each, "taggedFilesEntry"))]:
            text += "\n\n\n\n<tagged_files>\n" + "\n".join(tagged) + "\n</tagged_files>"
        parts: list[Part] = [{"text": text}]
        for each in attached:
            if (file := self.file(each)) is not None:
                path = name_at(each, "path")
                label = f"Image file at path {path}" if path else text_at(each, "displayName")
                parts += [{"text": label}, file]
            elif not name_at(each, "taggedFilesEntry"):
                self.session.skip(f"attachment that is not sent ({each.get('type')})")
        if not self.session.add("user", parts, id=event.get("id"), ts=ts):
            self.session.skip("empty message")
        if text_at(data, "source") == "" or text_at(data, "source").startswith("agent-"):
            self.prompts.append(text_at(data, "content"))

    def file(self, data: Json) -> Any:
        """The part of a file whose bytes are in the session; None if they are not."""
        asset = self.assets.get(text_at(data, "assetId"), data)
        content = name_at(asset, "data")
        return inline(content, asset.get("mimeType") or data.get("mimeType")) if content else None

    def answer(self, event: Json, ts: str | None, data: Json) -> None:
        session, call = self.session, name_at(data, "apiCallId")
        used = self.usage.pop(call, {})
        fields = omit_empty(
            provider=_ENDPOINTS.get(text_at(used, "apiEndpoint")), model=name_at(data, "model"),
            finish=name_at(used, "finishReason"), response=call, usage=usage.read(used, _USAGE),
        )  # fmt: skip
        parts = [*_thoughts(data)]
        if text_at(data, "content").strip():
            parts.append({"text": data["content"]})
        requests = objects_at(data, "toolRequests")
        parts += [
            session.call(each.get("toolCallId"), each.get("name"), _arguments(each)) for each in requests
        ]
        entry = session.add("codeh", parts, id=event.get("id"), ts=ts, **fields)
        if entry is None:
            session.skip("empty message")
            return
        for id in (text_at(request, "toolCallId") for request in requests):
            self.calls[id] = entry
            if id in self.early:
                session.number, first, result = self.early.pop(id)
                self.result(first, time_of(first.get("timestamp")), result)

    def result(self, event: Json, ts: str | None, data: Json) -> None:
        """Add a result; one that comes before its call waits for it."""
        session, id = self.session, text_at(data, "toolCallId")
        failed = data.get("success") is not True
        text = text_at(data, "error.message") if failed else text_at(data, "result.content")
        if id in self.shell:
            ended = "non-zero exit code" if failed else "exit code 0"
            said = _SHELL.format(ended, self.shell.pop(id), text)
            session.add("user", [{"text": said}], id=event.get("id"), ts=ts)
            return
        if id in self.lost:
            session.skip("result of a call that was cleared")
            return
        if id not in self.calls:
            self.early.setdefault(id, (session.number, event, data))
            return
        parts: list[Any] = [{"text": text or "Tool execution failed" if failed else text}]
        for each in objects_at(data, "result.binaryResultsForLlm"):
            file = self.file(each)
            parts += [file] if file is not None else []
            session.skip("file that was left out of the session", file is None)
        result = session.result(id, None, parts, failed=failed)
        session.add("tool", [result], id=event.get("id"), ts=ts)

    # -- what replaces them --------------------------------------------------------------------------------

    def compacted(self, event: Json, ts: str | None, data: Json) -> None:
        """Summarise what came before the compaction began; calls whose results came later are kept."""
        session = self.session
        after = session.items[len(session.items) if self.begun is None else self.begun :]
        keep = {item.id for item in after}
        for item in after:
            for part in item.parts if isinstance(item, Entry) else ():
                if "functionResponse" in part and (
                    call := self.calls.get(part["functionResponse"].get("id", ""))
                ):
                    keep.add(call.id)
        prompts = "\n".join(f"<user_message>\n{prompt}\n</user_message>" for prompt in self.prompts)
        text = _SUMMARY.format(prompts, text_at(data, "summaryContent"))
        if workflow := name_at(data, "activeWorkflowSummary"):
            text += f"\n\n\n{workflow}"
        id = name_at(event, "id") or hash_id(session.id, "compacted", text)
        session.summarise(id, ts, text, keep)
        self.begun = None
        used = object_at(data, "compactionTokensUsed")
        if counts := usage.read(used, _USAGE):
            self.spent.append(AgentUsage(id, ts, omit_empty(model=name_at(used, "model"), usage=counts)))

    def cleared(self, event: Json, ts: str | None, data: Json) -> None:
        """Start again without the messages so far."""
        session = self.session
        session.skip(CLEARED, sum(isinstance(item, Entry) for item in session.items))
        self.before.append(session.items)
        session.items, session.live, self.prompts, self.begun = [], [], [], None
        self.lost.update(self.calls)
        self.calls.clear()
        session.add("user", [{"text": text_at(data, "initialMessage")}], id=event.get("id"), ts=ts)

    def end(self, title: str) -> None:
        """Report the results whose calls are lost."""
        for number, _, _ in self.early.values():
            why = f"a result that answers no call: {title} drops it"
            self.session.problem(number, "drops", why)
            self.session.skip("result without its call")


def _thoughts(data: Json) -> Iterator[Any]:
    """The thinking of an answer; its blocks are as their provider sent them."""
    blocks, provider = objects_at(data, "reasoningBlocks.blocks"), text_at(data, "reasoningBlocks.provider")
    if provider != "anthropic-messages" or not blocks:
        yield from (native("openai-responses", block) for block in blocks)
        if not blocks and (text := name_at(data, "reasoningText")):
            yield thought(text)
        return
    for block in blocks:
        if block.get("type") == "thinking":
            yield thought(text_at(block, "thinking"), block.get("signature"))
        else:
            yield native("anthropic", block)


def _arguments(request: Json) -> Any:
    """The arguments of a call; those of a custom tool are a text."""
    arguments = request.get("arguments")
    return (
        {"input": arguments}
        if request.get("type") == "custom" and isinstance(arguments, str)
        else arguments
    )


PROGRAM = Program(
    "copilot-cli", "Copilot CLI", recognises, read,
    (Place("COPILOT_HOME", ".copilot", ("session-state/*/events.jsonl", "session-state/*.jsonl")),),
    pairs={
        pairs.OPEN_AT_THE_END: ("drops", "{} answers it as interrupted"),
        pairs.OPEN_BETWEEN: ("drops", "{} answers it as interrupted"),
        pairs.DOUBLE: ("drops", "{} drops it"),
    },
)  # fmt: skip
