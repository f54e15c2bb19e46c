"""Hand-made files of Cline."""

import orjson

ID = "1767225600000_barns"


class Cline:
    """A session of Cline; `task`: in the list form of older versions."""

    def __init__(self, *, task=False):
        self.task = task
        self.messages = []

    def message(self, role, *content, **fields):
        number = len(self.messages) + 1
        blocks = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
        own = {} if self.task else {"id": f"m{number}"}
        self.messages.append({
            **own, "role": role, "content": blocks, "ts": 1767225600000 + 1000 * number, **fields,
        })  # fmt: skip

    def user(self, *content, **fields):
        if not self.task:
            content = [_typed(part) if isinstance(part, str) else part for part in content]
        self.message("user", *content, **fields)

    def model(self, *content, **fields):
        used = {"inputTokens": 10, "outputTokens": 2, "cacheReadTokens": 4, "cacheWriteTokens": 0}
        info = {"id": "loopback-model", "provider": "openai-compatible"}
        self.message("assistant", *content, **{"modelInfo": info, "metrics": used, **fields})

    def result(self, id, content, **fields):
        name = {} if self.task else {"name": "read_files"}
        self.message(
            "user", {"type": "tool_result", "tool_use_id": id, **name, "content": content, **fields}
        )

    def write(self, folder, id=ID, agent="lead"):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / ("api_conversation_history.json" if self.task else f"{id}.messages.json")
        whole = {"version": 1, "agent": agent, "sessionId": id, "messages": self.messages}
        path.write_bytes(orjson.dumps(self.messages if self.task else whole, option=orjson.OPT_INDENT_2))
        return path


def _typed(text):
    return f'<user_input mode="act">{text}</user_input>'


def call(id, path="a.txt"):
    return {"type": "tool_use", "id": id, "name": "read_files", "input": {"files": [{"path": path}]}}


def read(path, text, **fields):
    """What a tool of Cline's says of a file."""
    return {"query": path, "result": text, "success": not fields, **fields}


def image(data):
    return {"type": "image", "data": data, "mediaType": "image/png"}


def cline():
    """Parallel calls, a failure, an image, a file, thinking, and an error that is only shown."""
    file = Cline()
    file.user("one", image("iVBORw0KGgo="), {"type": "file", "path": "/work/a.txt", "content": "abc"})
    file.model({"type": "thinking", "thinking": "hm"}, "two", call("A"), call("B"))
    file.result("A", [read("a.txt", "of A")])
    file.result("B", [{"type": "text", "text": "of B"}, image("iVBORw0KGgo=")], is_error=True)
    file.message("assistant", "no key", metadata={"displayOnly": True, "displayRole": "error"})
    file.model({"type": "hologram"}, "three")
    whole = {"version": 1, "agent": "lead", "sessionId": ID, "messages": file.messages}
    return [whole]


def task():
    """The same in the older form: a list of messages, whose images are Anthropic's."""
    file = Cline(task=True)
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    file.user("<task>\none\n</task>", {"type": "image", "source": source})
    file.model("two", call("A"))
    file.result("A", "of A")
    file.model("three")
    return file.messages


def roo_code():
    """Messages that a summary and a marker replaced, and a call that the summary repeats."""
    file = Cline(task=True)
    file.user("one")
    file.model("two", condenseParent="c1")
    file.user("three", truncationParent="t1")
    file.model("four", call("A"), condenseParent="c1")
    file.model("in short", call("A"), isSummary=True, condenseId="c1")
    file.result("A", "of A")
    file.user("[earlier messages are hidden]", isTruncationMarker=True, truncationId="t1")
    file.model("five")
    return file.messages
