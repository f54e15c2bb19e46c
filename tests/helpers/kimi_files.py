"""Hand-made files of Kimi Code."""

import orjson

ID = "11111111-2222-4333-8444-555555555555"


class Kimi:
    """The events of an agent of Kimi Code."""

    def __init__(self):
        self.lines = []
        self.steps = 0
        self.line("metadata", protocol_version="1.5", created_at=1767225600000)
        profile = {"thinkingEffort": "high", "systemPrompt": "Be brief.", "disallowedTools": []}
        self.line("profile.bind", modelAlias="__kimi_env_model__", **profile)

    def line(self, type, **fields):
        time = 1767225600000 + 1000 * len(self.lines)
        self.lines.append(
            {"type": type, **({"agentId": "main"} if self.lines else {}), **fields, "time": time}
        )

    def user(self, id, *content, role="user", **origin):
        message = {"role": role, "content": [text(part) for part in content], "id": id, "toolCalls": []}
        self.line("context.append_message", message={**message, "origin": origin or {"kind": "user"}})

    def injected(self, variant, words):
        content = [text(f"<system-reminder>\n{words}\n</system-reminder>")]
        message = {"role": "user", "content": content, "toolCalls": []}
        origin = {"kind": "injection", "variant": variant}
        self.line("context.append_message", message={**message, "origin": origin})

    def event(self, type, **fields):
        self.line("context.append_loop_event", event={"type": type, **fields})

    def step(self, id, *parts, end="end_turn"):
        """A step: its parts, and calls as (id, path)."""
        self.requested()
        self.event("step.begin", uuid=id, turnId="0", step=1)
        for part in parts:
            if isinstance(part, tuple):
                fields = {"toolCallId": part[0], "name": "Read", "args": {"path": part[1]}}
                self.event("tool.call", uuid=f"{id}-{part[0]}", stepUuid=id, **fields)
            else:
                self.event("content.part", uuid=f"{id}-{len(self.lines)}", stepUuid=id, part=text(part))
        if not any(isinstance(part, tuple) for part in parts):
            self.end(id, end)

    def requested(self):
        model = {"provider": "anthropic", "model": "claude-opus-4-8", "modelAlias": "opus"}
        hashes = {"systemPromptHash": "x", "toolsHash": "x", "toolSelect": False}
        self.line("llm.request", kind="loop", **model, **hashes, messageCount=1, turnStep="0.1")

    def end(self, id, finish="tool_use"):
        used = {"inputOther": 10, "output": 2, "inputCacheRead": 30, "inputCacheCreation": 0}
        self.event("step.end", uuid=id, finishReason=finish, usage=used, messageId=f"msg_{id}")

    def result(self, call, output, **fields):
        result = {"output": output, **fields}
        self.event("tool.result", parentUuid=f"of-{call}", toolCallId=call, result=result)

    def compacted(self, summary, **fields):
        self.line("context.apply_compaction", **{"summary": summary, **fields})

    def write(self, folder, name="wire.jsonl"):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in self.lines))
        return path


def text(part):
    return {"type": "text", "text": part} if isinstance(part, str) else part


def think(words, encrypted=None):
    signed = {} if encrypted is None else {"encrypted": encrypted}
    return {"type": "think", "think": words, **signed}


def image(url):
    return {"type": "image_url", "imageUrl": {"url": url}}


def sample():
    """Parallel calls, an undone prompt, a compaction, an injection, and records of the program's own."""
    file = Kimi()
    file.user("a", "one")
    file.injected("date_change", "Today's date is 2026-01-02.")
    file.step("s1", think("hm", "c2ln"), "two", ("A", "a.txt"), ("B", "b.txt"))
    file.result("B", "not there", isError=True)
    file.result("A", "of A", note="<system>1 line read.</system>")
    file.end("s1")
    file.step("s2", "three")
    file.user("b", "taken back")
    file.step("s3", "of it")
    file.line("context.undo", count=1)
    file.user("c", "four")
    file.step("s4", "five")
    file.compacted("in short", compactedCount=7, keptUserMessageCount=2)
    file.user("d", "six")
    file.step("s5", ("C", "c.txt"))
    file.user("e", "seven, typed while it worked")
    file.result("C", "of C")
    file.end("s5")
    file.step("s6", "eight")
    return file


def kimi_cli():
    """Kimi CLI's context: parallel calls, an image, a failure, and records of its own."""
    function = {"name": "ReadFile", "arguments": '{"path":"a.txt"}'}
    calls = [{"type": "function", "id": id, "function": function} for id in ("A", "B")]
    url = {"url": "data:image/png;base64,iVBORw0KGgo=", "id": None}
    return [
        {"role": "_system_prompt", "content": "Be brief."},
        {"role": "_checkpoint", "id": 0},
        {
            "role": "user",
            "content": [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": url}],
        },
        {"role": "user", "content": "<system-reminder>\nPlan mode is on.\n</system-reminder>"},
        {"role": "assistant", "content": [think("hm"), text("two")], "tool_calls": calls},
        {"role": "_usage", "token_count": 90},
        {"role": "tool", "content": [text("<system>2 lines</system>"), text("of A")], "tool_call_id": "A"},
        {"role": "tool", "content": "<system>ERROR: not there</system>", "tool_call_id": "B"},
        {"role": "assistant", "content": "three"},
        {"role": "_checkpoint", "id": 1},
        {"role": "user", "content": "four"},
    ]
