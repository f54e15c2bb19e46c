"""Read Copilot CLI's sessions: lines of events in `~/.copilot/session-state/UUID/events.jsonl`.

A session is its events in file order (a rewind removes lines); those of sub-agents are among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from ...providers import usage
from ...providers.parts import native
from ...session.model import Json, Part
from .. import pairs
from ..fields import hash_id, name_at, object_at, objects_at, omit_empty, text_at, time_of
from ..model import SUB_SESSION, AgentUsage, Entry, Session
from ..parts import inline, thought
from ..protocol import Head, Place, Program, Source, Unreadable
from ..records import session_id
from ..source import line_objects
from ..tree import usage_of

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FORK = re.compile(rf"Forked from .*?\(({_UUID.pattern})\)", re.IGNORECASE)
_ASIDE = re.compile(  # what is added to a prompt: the date, and reminders
    r"\A<current_datetime>[^<]*</current_datetime>\n\n|\n\n<(system_reminder|reminder)>(?:(?!</?\1>).)*</\1>\Z",
    re.DOTALL,
)
_NAME = re.compile(r"^name: *['\"]?(.*?)['\"]? *$", re.MULTILINE)  # in workspace.yaml
_OWN = "session assistant tool hook permission subagent system model skill command mcp abort".split()
_DEMANDED = {  # by event: fields without whose text the program does not open the file
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
SUMMARY_SOURCE = "summary"  # of a prompt in a file that we wrote: it is a summary
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
    return any(
        {"parentId", "timestamp"} <= data.keys() and isinstance(data.get("data"), dict)
        and ("." in text_at(data, "type") or data.get("type") == "abort")
        for data in head.objects
    )  # fmt: skip


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a file."""
    folder = source.path.rpartition("/")[0].rpartition("/")[2]
    session = Session(program.name, folder if _UUID.fullmatch(folder) else source.stem)
    logs: dict[str | None, _Log] = {None: _Log(session, {})}  # of the session, and of each sub-agent
    seen: dict[object, int] = {}
    kinds = set()
    for number, event in line_objects(source, session.problems, program.recognises):
        kind, data = text_at(event, "type"), object_at(event, "data")
        kinds.add(kind)
        if reason := _invalid(event, kind, data):
            session.problem(number, "refused", f"{reason}: {program.title} does not open the file")
        if (before := seen.setdefault(name_at(event, "id") or number, number)) != number:
            if kind in ("user.message", "assistant.message"):
                why = f"the same as line {before}: {program.title} sends it twice"
                session.problem(number, "doubles", why, "read once")
            session.skip("repeated line")
            continue
        agent = name_at(event, "agentId") or name_at(data, "parentToolCallId")
        if agent not in logs:
            logs[agent] = _Log(Session(program.name, f"{session.id}-{agent}"), logs[None].assets)
        logs[agent].event(number, event)
    if "session.start" not in kinds:
        why = f"no session.start: {program.title} does not open the file"
        session.problem(1, "refused", why, "read without it")
    for waiting, *_ in (result for log in logs.values() for result in log.early.values()):
        session.problem(waiting, "drops", f"a result that answers no call: {program.title} drops it")
        session.skip("result without its call")
    with suppress(Unreadable):
        about = source.beside(folder, "workspace.yaml", above=1).decode("utf-8", "replace")
        session.set_title(next(iter(_NAME.findall(about)), None))
    _add_agents(session, logs)
    yield session


def _invalid(event: Json, kind: str, data: Json) -> str | None:
    """Why the program refuses an event, and with it the file; None if it does not."""
    if not _UUID.fullmatch(text_at(event, "id")):
        return "an event whose `id` is not a UUID"
    if time_of(event.get("timestamp")) is None:
        return "an event without a valid `timestamp`"
    lacking = [field for field in _DEMANDED.get(kind, ()) if not isinstance(data.get(field), str)]
    return f"an event whose {lacking[0]} is not text" if lacking else None


def _add_agents(session: Session, logs: dict[str | None, _Log]) -> None:
    """Make the sub-agents the session's branches, and add their usage and that of compactions."""
    main, *others = logs.values()
    for log in others:
        call = main.calls.get(log.caller or "")
        log.session.set_parent(session_id(session), call.id if call else None, agent=True)
        log.session.cwd = session.cwd
    agents = [log.session for log in others if log.session.items]
    session.skip(SUB_SESSION, len(agents))
    session.branches = lambda: agents
    spent = [item for log in logs.values() for item in log.spent]
    session.used = lambda: (*spent, *(item for agent in agents for item in usage_of(agent)))


class _Log:
    """Reads the events of a session, or of one of its sub-agents, in order."""

    def __init__(self, session: Session, assets: dict[str, Json]) -> None:
        self.session = session
        self.assets = assets  # files, by id
        self.id: str | None = None  # of the event that is read
        self.ts: str | None = None
        self.caller: str | None = None  # the call that started this sub-agent
        self.calls: dict[str, Entry] = {}  # by call: its message
        self.early: dict[str, tuple[int, Json]] = {}  # results that came before their call
        self.shell: dict[str, str] = {}  # commands that the user ran
        self.usage: dict[str | None, Json] = {}  # of responses that are still to come
        self.spent: list[AgentUsage] = []  # by compactions
        self.prompts: list[str] = []  # the user's, for the next summary
        self.begun: int | None = None  # the number of items when a compaction began
        self.kept: list[str] = []  # messages whose calls were open then

    def event(self, number: int, event: Json) -> None:
        session, kind, data = self.session, text_at(event, "type"), object_at(event, "data")
        session.number, self.id, self.ts = number, name_at(event, "id"), time_of(event.get("timestamp"))
        match kind:
            case "user.message" if data.get("source") != SUMMARY_SOURCE:
                self.prompt(data)
            case "user.message":
                self.summarise(text_at(data, "content"))
            case "system.notification" | "skill.context_delivered":
                self.add("user", [{"text": text_at(data, "content")}])
            case "assistant.message":
                self.answer(data)
            case "tool.execution_complete":
                self.result(event, data)
            case "session.compaction_complete" if data.get("success") is True:
                self.compacted(data)
            case "session.context_cleared":
                self.prompts.clear()
                self.summarise(text_at(data, "initialMessage") or "The context was cleared.")
            case _:
                self.note(kind, data)

    def note(self, kind: str, data: Json) -> None:
        """Take from an event what messages refer to, and what it says of the session."""
        session = self.session
        match kind:
            case "session.start" | "session.resume" | "session.context_changed":
                about = object_at(data, "context") or data
                git = omit_empty(branch=name_at(about, "branch"), commit=name_at(about, "headCommit"))
                session.git = git or session.git
                if kind == "session.start":
                    session.id = name_at(data, "sessionId") or session.id
                    session.version, session.cwd = name_at(data, "copilotVersion"), name_at(about, "cwd")
                    session.created = time_of(data.get("startTime")) or self.ts
            case "session.title_changed":
                session.set_title(data.get("title"))
            case "session.binary_asset":
                self.assets[text_at(data, "assetId")] = data
            case "session.usage_record":
                self.usage[name_at(data, "usage.apiCallId")] = object_at(data, "usage")
            case "session.compaction_start":
                self.begun = len(session.items)
                self.kept = [self.calls[id].id for id in session.open_calls if id in self.calls]
            case "session.info" if parent := _FORK.match(text_at(data, "message")):
                session.set_parent(f"{session.program}-{parent[1]}")
            case "tool.user_requested":
                self.shell[text_at(data, "toolCallId")] = text_at(data, "arguments.command")
            case "subagent.started":
                self.caller, session.agent_name = name_at(data, "toolCallId"), name_at(data, "agentName")
                session.set_title(data.get("agentDescription"))
            case _:
                session.skip(kind or "line without a type", own=kind.partition(".")[0] in _OWN)

    # -- messages ------------------------------------------------------------------------------------------

    def add(self, kind: str, parts: list[Part], **fields: Any) -> Entry | None:
        entry = self.session.add(kind, parts, id=self.id, ts=self.ts, **fields)
        self.session.skip("empty message", entry is None)
        return entry

    def prompt(self, data: Json) -> None:
        """Add a prompt with the names of its files, as they are sent."""
        text = _ASIDE.sub("", text_at(data, "transformedContent")) or text_at(data, "content")
        attached = objects_at(data, "attachments")
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

    def file(self, data: Json) -> Any:
        """The part of a file whose bytes are in the session; None if they are not."""
        asset = self.assets.get(text_at(data, "assetId"), data)
        content = name_at(asset, "data")
        return inline(content, asset.get("mimeType")) if content else None

    def answer(self, data: Json) -> None:
        call, requests = name_at(data, "apiCallId"), objects_at(data, "toolRequests")
        counted = {"outputTokens": data["outputTokens"]} if "outputTokens" in data else {}
        used = self.usage.pop(call, counted)  # of older versions only the output is known
        text = text_at(data, "content")
        parts = [*_thoughts(data), {"text": text if text.strip() else ""}]
        for each in requests:
            arguments = each.get("arguments")
            if each.get("type") == "custom" and isinstance(arguments, str):
                arguments = {"input": arguments}
            parts.append(self.session.call(each.get("toolCallId"), each.get("name"), arguments))
        entry = self.add(
            "codeh", parts,
            provider=_ENDPOINTS.get(text_at(used, "apiEndpoint")), model=name_at(data, "model"),
            finish=name_at(used, "finishReason"), response=call, usage=usage.read(used, _USAGE),
        )  # fmt: skip
        ids = [text_at(each, "toolCallId") for each in requests]
        self.calls |= dict.fromkeys(ids, entry) if entry is not None else {}
        for waiting in [self.early.pop(id) for id in ids if id in self.early]:
            self.event(*waiting)

    def result(self, event: Json, data: Json) -> None:
        """Add a result; one that comes before its call waits for it."""
        session, id, failed = self.session, text_at(data, "toolCallId"), data.get("success") is not True
        text = text_at(data, "error.message" if failed else "result.content")
        if id in self.shell:
            ended = "non-zero exit code" if failed else "exit code 0"
            self.add("user", [{"text": _SHELL.format(ended, self.shell.pop(id), text)}])
            return
        if id not in self.calls:
            self.early.setdefault(id, (session.number, event))
            return
        parts: list[Any] = [{"text": text or ("Tool execution failed" if failed else "")}]
        for each in objects_at(data, "result.binaryResultsForLlm"):
            file = self.file(each)
            parts += [file] if file is not None else []
            session.skip("file that was left out of the session", file is None)
        self.add("tool", [session.result(id, None, parts, failed=failed)])

    # -- what replaces them --------------------------------------------------------------------------------

    def compacted(self, data: Json) -> None:
        """Summarise what came before the compaction began; calls that were open then are kept."""
        after = self.session.items[len(self.session.items) if self.begun is None else self.begun :]
        prompts = "\n".join(f"<user_message>\n{prompt}\n</user_message>" for prompt in self.prompts)
        workflow = name_at(data, "activeWorkflowSummary")
        text = _SUMMARY.format(prompts, text_at(data, "summaryContent"))
        keep = [*(item.id for item in after), *self.kept]
        self.summarise(f"{text}\n\n\n{workflow}" if workflow else text, keep)
        used = object_at(data, "compactionTokensUsed")
        if used and self.id:
            fields = omit_empty(model=name_at(used, "model"), usage=usage.read(used, _USAGE))
            self.spent.append(AgentUsage(self.id, self.ts, fields))

    def summarise(self, text: str, keep: Iterable[str] = ()) -> None:
        id = self.id or hash_id(self.session.id, self.session.number, text)
        self.session.summarise(id, self.ts, text, [*keep])
        self.begun = None


def _thoughts(data: Json) -> Iterator[Any]:
    """The thinking of an answer: its blocks are as their provider sent them."""
    blocks = objects_at(data, "reasoningBlocks.blocks")
    is_anthropic = text_at(data, "reasoningBlocks.provider") == "anthropic-messages"
    for block in blocks:
        if block.get("type") == "thinking":
            yield thought(text_at(block, "thinking"), block.get("signature"))
        else:
            yield native("anthropic" if is_anthropic else "openai-responses", block)
    if not blocks and (text := name_at(data, "reasoningText")):
        yield thought(text)


PROGRAM = Program(
    "copilot-cli", "Copilot CLI", recognises, read,
    (Place("COPILOT_HOME", ".copilot", ("session-state/*/events.jsonl", "session-state/*.jsonl")),),
    writer=f"{__name__}.write", format="anthropic", keeps_thinking=True, command="copilot",
    pairs={
        pairs.OPEN_AT_THE_END: ("drops", "{} answers it as interrupted"),
        pairs.OPEN_BETWEEN: ("drops", "{} answers it as interrupted"),
        pairs.ORPHAN: ("drops", "{} drops it"), pairs.DOUBLE: ("drops", "{} drops it"),
    },
)  # fmt: skip
