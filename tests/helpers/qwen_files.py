"""Hand-made files of Qwen Code."""

import orjson

SESSION = "11111111-2222-4333-8444-555555555555"


class Qwen:
    """A file of Qwen Code; by default each line's parent is the previous one."""

    def __init__(self, session=SESSION):
        self.session = session
        self.lines = []
        self.last = None

    def line(self, type, uuid, parent="", **fields):
        above = self.last if parent == "" else parent
        ts = f"2026-01-01T00:00:{len(self.lines) % 60:02d}.000Z"
        self.lines.append({
            "uuid": uuid, "parentUuid": above, "sessionId": self.session, "timestamp": ts, "type": type,
            "cwd": "/home/dev/project", "version": "0.24.4", **fields,
        })  # fmt: skip
        self.last = uuid
        return uuid

    def user(self, uuid, *parts, parent="", **fields):
        return self.line("user", uuid, parent, message=content("user", *parts), **fields)

    def model(self, uuid, *parts, parent="", **fields):
        used = {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}
        more = {"model": "qwen3-coder-plus", "usageMetadata": used, **fields}
        return self.line("assistant", uuid, parent, message=content("model", *parts), **more)

    def result(self, uuid, call, text, parent="", *, failed=False, **fields):
        response = {"error" if failed else "output": text}
        part = {"functionResponse": {"id": call, "name": "read_file", "response": response, **fields}}
        return self.line("tool_result", uuid, parent, message=content("user", part))

    def system(self, uuid, subtype, parent="", **payload):
        return self.line("system", uuid, parent, subtype=subtype, systemPayload=payload)

    def compressed(self, uuid, *contents):
        return self.system(uuid, "chat_compression", info={}, compressedHistory=list(contents))

    def write(self, folder, name=""):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (name or f"{self.session}.jsonl")
        path.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in self.lines))
        return path


def content(role, *parts):
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call(id, path="a.txt"):
    return {"functionCall": {"id": id, "name": "read_file", "args": {"file_path": path}}}


def sample():
    """Parallel calls, a rewind, a compression, a title, and records of the program's own."""
    file = Qwen()
    file.user("a", "one")
    file.system("t", "ui_telemetry", uiEvent={"event.name": "qwen-code.api_response"})
    file.model("b", {"text": "hm", "thought": True}, "two", call("A"), call("B", "b.txt"))
    file.result("c", "A", "of A")
    file.result("d", "B", "not there", failed=True)
    file.model("e", "three")
    file.user("f", "taken back")
    file.model("g", "of it")
    file.system("r", "rewind", "e", truncatedCount=2)
    file.user("h", "four")
    file.model("i", "five")
    file.system("n", "custom_title", customTitle="A title", titleSource="manual")
    file.compressed(
        "s", content("user", "<state_snapshot>in short</state_snapshot>"), content("model", "Got it.")
    )
    file.user("j", "six")
    file.model("k", call("C"))
    file.result("l", "C", "of C")
    file.user("m", "seven", subtype="mid_turn_user_message")
    file.model("o", "eight")
    return file
