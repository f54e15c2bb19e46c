"""Hand-made session files of other programs, built line by line."""

import orjson
from hypothesis import strategies as st

import kimi_files
import qwen_files

SESSION = "11111111-2222-4333-8444-555555555555"


def written(path, lines):
    """A file of these lines: objects, or raw bytes without a newline."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return path


def played(file, script):
    """The file after steps such as `user a one; model b two n=1`: a method, its arguments and fields.

    `_` is a blank, `None` no argument; a field is JSON.
    """
    for step in script.split("; "):
        method, *words = step.split()
        arguments = [
            None if word == "None" else word.replace("_", " ") for word in words if "=" not in word
        ]
        fields = dict(word.split("=", 1) for word in words if "=" in word)
        getattr(file, method)(*arguments, **{key: orjson.loads(value) for key, value in fields.items()})
    return file


class Claude:
    """A file of Claude Code; by default each line's parent is the previous one."""

    def __init__(self):
        self.lines = []
        self.last = None

    def line(self, type, uuid, parent="", **fields):
        above = self.last if parent == "" else parent
        ts = f"2026-01-01T00:00:{len(self.lines) % 60:02d}.000Z"
        self.lines.append({
            "parentUuid": above, "isSidechain": False, "type": type, "uuid": uuid, "timestamp": ts,
            "cwd": "/work", "sessionId": SESSION, "version": "2.1.197", **fields,
        })  # fmt: skip
        self.last = uuid
        return uuid

    def user(self, uuid, content, parent="", **fields):
        return self.line("user", uuid, parent, message={"role": "user", "content": content}, **fields)

    def model(self, uuid, block, parent="", *, id="", out=1, **fields):
        content = [{"type": "text", "text": block} if isinstance(block, str) else block]
        message = {
            "id": id or f"msg-{uuid}", "role": "assistant", "model": "claude-opus-4-8", "content": content,
            "usage": {"input_tokens": 10, "output_tokens": out}, "stop_reason": "end_turn",
        }  # fmt: skip
        return self.line("assistant", uuid, parent, message=message, **fields)

    def called(self, uuid, call, parent="", *, id="", out=1):
        return self.model(
            uuid, {"type": "tool_use", "id": call, "name": "Bash", "input": {}}, parent, id=id, out=out
        )

    def part(self, uuid, call):
        """A line with a call of the response `m`."""
        return self.called(uuid, call, id="m")

    def result(self, uuid, call, text, parent=""):
        return self.user(uuid, [{"type": "tool_result", "tool_use_id": call, "content": text}], parent)

    def compacted(self, uuid, text, **fields):
        """A boundary and its summary."""
        before = self.last
        about = {
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "logicalParentUuid": before,
        }
        self.line("system", f"{uuid}-boundary", None, **about, **fields)
        return self.user(uuid, text, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def leaf(self, uuid):
        """A last prompt, which names its leaf."""
        self.lines.append({"type": "last-prompt", "leafUuid": uuid, "sessionId": SESSION})

    def write(self, folder, name=SESSION):
        return written(folder / f"{name}.jsonl", self.lines)


class Codex:
    """A rollout of Codex; `continues`: a rollout whose history it continues, as forks and reverted threads do."""

    def __init__(
        self, *, header = True, id = SESSION, rollout = "", continues = None,
        **fields
    ):  # fmt: skip
        self.lines = []
        self.thread, self.rollout = id, rollout or id
        if continues is not None:
            size = sum(len(orjson.dumps(line)) + 1 for line in continues.lines)
            base = {
                "thread_id": continues.rollout,
                "end_ordinal_exclusive": len(continues.lines),
                "end_byte_offset": size,
            }
            fields = {"history_mode": "legacy", "history_base": base, **fields}
        if header:
            self.line("session_meta", {
                "id": id, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work", "originator": "codex_exec",
                "cli_version": "0.169.0", **fields,
            })  # fmt: skip

    def line(self, type, payload):
        ts = f"2026-01-01T00:01:{len(self.lines) % 60:02d}.{len(self.lines) // 60:03d}Z"
        self.lines.append({"timestamp": ts, "type": type, "payload": payload})

    def item(self, type, **fields):
        self.line("response_item", {"type": type, **fields})

    def user(self, text):
        content = [{"type": "input_text", "text": text}] if isinstance(text, str) else text
        self.item("message", role="user", content=content)

    def model(self, text):
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def called(self, call):
        self.item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id=call)

    def result(self, call, output):
        self.item("function_call_output", call_id=call, output=output)

    def event(self, type, **fields):
        self.line("event_msg", {"type": type, **fields})

    def back(self, turns):
        self.event("thread_rolled_back", num_turns=int(turns))

    def compacted(self, message, history=None, **fields):
        replaced = {} if history is None else {"replacement_history": history}
        self.line("compacted", {"message": message, **replaced, **fields})

    def write(self, folder, name=""):
        of = self.thread if self.rollout == self.thread else f"{self.thread}_{self.rollout}"
        return written(folder / (name or f"rollout-2026-01-01T00-00-00-{of}.jsonl"), self.lines)


def input_text(text):
    """A user's message as Codex stores it."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


class Pi:
    """A file of pi; by default each entry's parent is the previous one."""

    def __init__(self, version=3):
        header = {"type": "session", "id": SESSION, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work"}
        self.lines = [header if version is None else {**header, "version": version}]
        self.linear = version is None  # entries without ids
        self.last = None

    def line(self, type, id, parent="", **fields):
        above = self.last if parent == "" else parent
        ids = {} if self.linear else {"id": id, "parentId": above}
        ts = f"2026-01-01T00:00:{len(self.lines) % 60:02d}.000Z"
        self.lines.append({"type": type, **ids, "timestamp": ts, **fields})
        self.last = id
        return id

    def message(self, id, role, content, parent="", **fields):
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return self.line("message", id, parent, message={"role": role, "content": blocks, **fields})

    def user(self, id, text, parent=""):
        return self.message(id, "user", text, parent)

    def model(self, id, content, parent="", **fields):
        used = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "totalTokens": 10}
        defaults = {
            "api": "anthropic-messages",
            "model": "m",
            "usage": used,
            "stopReason": "stop",
            **fields,
        }
        return self.message(id, "assistant", content, parent, **defaults)

    def called(self, id, *calls):
        return self.model(
            id, [{"type": "toolCall", "id": call, "name": "bash", "arguments": {}} for call in calls]
        )

    def result(self, id, call, text):
        return self.message(id, "toolResult", text, toolCallId=call, toolName="bash", isError=False)

    def compacted(self, id, summary, kept):
        return self.line("compaction", id, summary=summary, firstKeptEntryId=kept, tokensBefore=9)

    def write(self, folder, name=f"2026-01-01_{SESSION}.jsonl"):
        return written(folder / name, self.lines)


class Gemini:
    """A file of Gemini CLI."""

    def __init__(self):
        self.lines = [{
            "sessionId": SESSION, "projectHash": "x", "startTime": "2026-01-01T00:00:00.000Z", "kind": "main",
            "directories": ["/work"],
        }]  # fmt: skip

    def message(self, id, type, content, **fields):
        ts = f"2026-01-01T00:00:{len(self.lines) % 60:02d}.000Z"
        self.lines.append({"id": id, "timestamp": ts, "type": type, "content": content, **fields})
        return {**self.lines[-1]}

    def user(self, id, content):
        return self.message(id, "user", [{"text": content}] if isinstance(content, str) else content)

    def model(self, id, text, **fields):
        return self.message(id, "gemini", text, model="gemini-3-pro", **fields)

    def set(self, **values):
        self.lines.append({"$set": values})

    def snapshot(self, id, text):
        """A compression."""
        content = [{"text": f"<state_snapshot>{text}</state_snapshot>"}]
        self.set(messages=[{"id": id, "type": "user", "content": content}])

    def rewind(self, id):
        self.lines.append({"$rewindTo": id})

    def write(self, folder, name="session-2026-01-01T00-00-11111111.jsonl"):
        return written(folder / name, self.lines)


def gemini_call(call, result=None):
    """A call in a message; its id begins with the function's name."""
    made = {"id": f"ls__{call}", "name": "ls", "args": {"p": "."}, "status": "success"}
    return made if result is None else {**made, "result": [gemini_result(call, result)]}


def gemini_result(call, text):
    """A part that answers a call."""
    return {"functionResponse": {"id": f"ls__{call}", "name": "ls", "response": {"output": text}}}


def claude_code():
    """Branches, parallel calls, a compaction, a sub-agent and titles."""
    file = Claude()
    file.lines.append({"type": "summary", "summary": "A title", "leafUuid": "f"})
    played(file, "user a one; model b two; user x abandoned; user c three b; compacted s in_short")
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    file.user("d", [{"type": "text", "text": "look"}, {"type": "image", "source": source}])
    played(file, 'called e A id="m" out=3; called f B id="m" out=9; result g A of_A e')
    file.result("h", "B", [{"type": "text", "text": "of B"}], "f")
    return played(file, "user y sub None isSidechain=true; model i done h; leaf i").lines


def codex():
    """Calls, usage, two compactions, a rollback, and unsent items."""
    file = Codex()
    file.line("turn_context", {"turn_id": "t", "model": "gpt-5-codex", "cwd": "/work"})
    file.user("<environment_context>here</environment_context>")
    file.user("one")
    file.item("reasoning", id="rs_1", summary=[], content=None, encrypted_content="x")
    played(file, "called A; called B")
    file.line("token_usage_record", {"response_id": "r1", "usage": {"input_tokens": 9, "output_tokens": 2}})
    file.result("A", "of A")
    file.result("B", {"content": "of B", "success": True})
    played(file, "model two; compacted in_short; user three; model four; back 1; user five; model six")
    file.compacted("shorter", [input_text("one"), input_text("shorter")])
    file.user("seven")
    file.item("message", role="user", content="a text, which is dropped")
    return played(file, "item hologram x=1; model eight").lines


def pi():
    """A branch, calls, a compaction, a shell command, and unsent items."""
    file = Pi()
    file.line("model_change", "m", provider="p", modelId="m")
    played(file, "user a one; called b A B; result c A of_A; result d B of_B")
    thought = {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"}
    file.model("e", [thought, {"type": "text", "text": "two"}])
    file.user("f", "abandoned")
    file.line("branch_summary", "g", "e", fromId="f", summary="it was abandoned")
    file.compacted("h", "in short", "e")
    shell = {"role": "bashExecution", "command": "ls", "output": "x", "exitCode": 1}
    file.line("message", "i", message=shell)
    file.line("custom_message", "j", customType="x", content="said by an extension", display=True)
    file.line("session_info", "k", name="A title")
    return played(file, "model l three").lines


def gemini_cli():
    """Calls, a rewritten message, a rewind, a compression, and unsent items."""
    file = Gemini()
    context = [{"text": "<session_context>x</session_context>"}]
    file.set(messages=[{"id": "c", "type": "user", "content": context}])
    file.user("a", "one")
    file.model("b", "")
    file.model("b", "", toolCalls=[gemini_call("A", "of A"), gemini_call("B", "of B")], tokens={"input": 9})
    file.user("c1", [gemini_result("A", "of A"), gemini_result("B", "of B")])
    file.model("d", "two", thoughts=[{"subject": "Plan", "description": "say two"}])
    played(file, "message e error quota; user f taken_back; rewind f")
    file.set(summary="A title")
    kept = file.user("g", "three")
    file.set(messages=[
        {"id": "s", "type": "user", "content": [{"text": "<state_snapshot>in short</state_snapshot>"}]},
        {"id": "t", "type": "gemini", "content": "Got it."}, kept,
    ])  # fmt: skip
    return played(file, "model h four; user i /five").lines


class Copilot:
    """A file of Copilot CLI: events, each with the previous one as its parent."""

    def __init__(self, *, header=True):
        self.lines = []
        if header:
            self.event(
                "session.start", sessionId=SESSION, version=1, producer="copilot-agent", copilotVersion="1.0.102",
                startTime="2026-01-01T00:00:00.000Z", context={"cwd": "/work"},
            )  # fmt: skip

    def event(self, kind, /, *, agent=None, **data):
        number = len(self.lines)
        line = {
            "type": kind, "data": data, "id": f"00000000-0000-4000-8000-{number:012d}",
            "timestamp": f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}.000Z",
            "parentId": self.lines[-1]["id"] if self.lines else None,
        }  # fmt: skip
        self.lines.append({**line, "agentId": agent} if agent else line)
        return line

    def user(self, text, **data):
        dated = f"<current_datetime>2026-01-01T00:00:00.000+00:00</current_datetime>\n\n{text}"
        return self.event(
            "user.message", content=text, transformedContent=dated, messageId=f"u{len(self.lines)}", **data
        )

    def model(self, text, *calls, **data):
        requests = [
            {"toolCallId": id, "name": "bash", "arguments": {"command": "ls"}, "type": "function"}
            for id in calls
        ]
        id = f"m{len(self.lines)}"
        used = {"apiCallId": id, "apiEndpoint": "/v1/messages", "inputTokens": 9, "outputTokens": 2}
        self.event("session.usage_record", usage=used, agent=data.get("agent"))
        return self.event(
            "assistant.message", model="claude-opus-4-8", content=text, toolRequests=requests,
            **{"messageId": id, "apiCallId": id, **data},
        )  # fmt: skip

    def result(self, call, text, *, agent=None, **data):
        return self.event(
            "tool.execution_complete",
            toolCallId=call,
            success=True,
            result={"content": text, **data},
            agent=agent,
        )

    def compacted(self, text, between=lambda: None):
        """A compaction, and what happened while it went on."""
        self.event("session.compaction_start")
        between()
        return self.event("session.compaction_complete", success=True, summaryContent=text)

    def write(self, folder, name="events"):
        return written(folder / f"{name}.jsonl", self.lines)


def copilot_cli():
    """Parallel calls, a sub-agent, an image, compactions, a steering prompt, and unsent events."""
    file = Copilot()
    image = {"assetId": "sha256:1", "mimeType": "image/png"}
    file.event("session.binary_asset", type="image", data="iVBORw0KGgo=", **image)
    file.user("one", attachments=[{"type": "file", "path": "/work/a.png", **image}])
    file.event("system.message", role="system", content="You are the GitHub Copilot CLI.")
    file.model("", "A", "B", reasoningText="hm")
    file.result("B", "of B")
    file.result("A", "of A", binaryResultsForLlm=[{"type": "image", **image}])
    played(
        file, 'model two T; event subagent.started toolCallId="T" agentDescription="Count" agent="agent-1"'
    )
    played(file, 'user count agent="agent-1"; model three agent="agent-1"; result T three')
    file.compacted("in short", lambda: file.user("meanwhile", delivery="steering"))
    played(file, "model four C")
    file.event("tool.execution_complete", toolCallId="C", success=False, error={"message": "no such file"})
    file.event("system.notification", content="<system_notification>\ndone\n</system_notification>")
    return played(
        file, "model five; compacted shorter; user six; event hologram.shown x=1; model seven"
    ).lines


def cursor():
    """A transcript of Cursor's: calls without ids and results."""
    texts = [
        ("user", "<user_query>\none\n</user_query>"),
        ("assistant", "see"),
        ("user", "three"),
        ("assistant", "four"),
    ]
    made = [
        {"role": role, "message": {"content": [{"type": "text", "text": text}]}} for role, text in texts
    ]
    call = {"type": "tool_use", "id": None, "name": "Read", "input": {"path": "a"}}
    made[1]["message"]["content"].append(call)
    return made


SAMPLES = {  # of each program a file
    "qwen-code": lambda: qwen_files.sample().lines,
    "claude-code": claude_code,
    "codex": codex,
    "pi": pi,
    "gemini-cli": gemini_cli,
    "copilot-cli": copilot_cli,
    "cursor": cursor,
    "kimi-code": lambda: kimi_files.sample().lines,
    "kimi-cli": kimi_files.kimi_cli,
}


@st.composite
def odd(draw, line):
    """A line with one field, at any depth, replaced."""
    return orjson.dumps(changed(draw, orjson.loads(line))) + b"\n"


def changed(draw, value):
    """The value with one field, at any depth, replaced."""
    at = value
    while not isinstance(at, str):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if isinstance(at[key], dict | list) and at[key] and draw(st.booleans()):
            at = at[key]
            continue
        at[key] = draw(st.sampled_from((None, 7, "x", [], {}, [[]], [{}], {"a": 1}, True, -1.5, "\ud7ff")))
        break
    return value
