"""Hand-made files of products and interchange formats, with many conversations per file."""

import io
import zipfile

import orjson

import cline_files
import opencode_files
from program_databases import GOOSE, LLM, LLM_OLDER, database, goose, llm, llm_older


class ChatGpt:
    """A conversation of ChatGPT's export; by default each node's parent is the previous one."""

    def __init__(self, id="c1", title="A title"):
        self.tree = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
        self.last = "root"
        self.about = {"title": title, "create_time": 1767225600.5, "conversation_id": id}

    def node(self, id, role, content, parent="", recipient="all", **metadata):
        above = parent or self.last
        body = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
        name = metadata.pop("name", None)
        message = {
            "id": id, "author": {"role": role, "name": name, "metadata": {}}, "content": body, "weight": 1.0,
            "create_time": 1767225600.0 + len(self.tree), "metadata": metadata, "recipient": recipient,
        }  # fmt: skip
        self.tree[id] = {"id": id, "parent": above, "children": [], "message": message}
        self.tree[above]["children"].append(id)
        self.last = id
        return id

    def user(self, id, content, parent=""):
        return self.node(id, "user", content, parent)

    def model(self, id, content, parent="", **fields):
        return self.node(id, "assistant", content, parent, model_slug="gpt-5", **fields)

    def called(self, id, tool, text):
        return self.model(id, {"content_type": "code", "language": "unknown", "text": text}, recipient=tool)

    def result(self, id, tool, text):
        return self.node(id, "tool", {"content_type": "execution_output", "text": text}, name=tool)

    @property
    def value(self):
        return {**self.about, "mapping": self.tree, "current_node": self.last}


def chatgpt():
    """Two conversations: a branch, a call, thoughts, an image, hidden and unknown nodes."""
    first = ChatGpt()
    first.node("s", "system", "", is_visually_hidden_from_conversation=True)
    first.node("e", "user", {"content_type": "user_editable_context", "user_profile": "x"})
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1", "width": 9}
    first.user("a", {"content_type": "multimodal_text", "parts": [image, "one"]})
    first.model("x", "abandoned")
    thoughts = [{"summary": "Thinking", "content": "hm"}]
    first.model("t", {"content_type": "thoughts", "thoughts": thoughts}, "a")
    first.called("b", "python", "print(1)")
    first.result("c", "python", "1")
    first.model("r", {"content_type": "reasoning_recap", "content": "Thought for 1s"})
    first.model("d", "two")
    first.node("h", "assistant", {"content_type": "hologram", "x": 1})
    second = ChatGpt("c2", "Another")
    second.user("k", "three")
    second.model("l", "four")
    return [first.value, second.value]


class ClaudeAi:
    """A conversation of Claude.ai's export."""

    def __init__(self, id="c1", title="A title"):
        self.messages = []
        self.about = {"uuid": id, "name": title, "created_at": "2026-01-01T00:00:00.000000Z"}

    def message(self, id, sender, *blocks, **fields):
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        text = "\n\n".join(block["text"] for block in content if "text" in block)
        at = f"2026-01-01T00:00:{len(self.messages):02d}.000000Z"
        common = {"uuid": id, "text": text, "content": content, "sender": sender, "created_at": at}
        self.messages.append({**common, "attachments": [], "files": [], **fields})
        return id

    @property
    def value(self):
        return {**self.about, "account": {"uuid": "me"}, "chat_messages": self.messages}


def claude_ai():
    """Two conversations: tools and thinking in one response, attached files, unknown blocks."""
    first = ClaudeAi()
    attached = [{"file_name": "a.txt", "file_size": 3, "extracted_content": "abc"}]
    first.message("a", "human", "one", attachments=attached, files=[{"file_name": "p.png"}])
    first.message(
        "b", "assistant", {"type": "thinking", "thinking": "hm"}, "let me see",
        {"type": "tool_use", "name": "search", "input": {"q": 1}},
        {"type": "tool_result", "name": "search", "content": [{"type": "text", "text": "found"}]},
        {"type": "token_budget"}, "two",
    )  # fmt: skip
    second = ClaudeAi("c2")
    second.message("c", "human", "three")
    second.message("d", "assistant", "four")
    return [first.value, second.value]


def openai_jsonl():
    """Training examples (a call with result, tools and weights; a preference), and a batch's request and response."""
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    called = {"id": "A", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    prompt = {"role": "user", "content": "one"}
    answer = {
        "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "two"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }  # fmt: skip
    return [
        {"messages": [
            {"role": "system", "content": "be good"}, prompt,
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": "A", "content": "of A"},
            {"role": "assistant", "content": "two", "weight": 0},
        ], "tools": [tool], "parallel_tool_calls": False},
        {"messages": [prompt, {"role": "assistant", "content": "again"}]},
        {"input": {"messages": [{"role": "user", "content": "which"}]},
         "preferred_output": [{"role": "assistant", "content": "good"}],
         "non_preferred_output": [{"role": "assistant", "content": "bad"}]},
        {"custom_id": "q1", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "gpt-5", "messages": [prompt]}},
        {"id": "b", "custom_id": "q1", "response": {"status_code": 200, "body": answer}, "error": None},
        {"custom_id": "q2", "params": {"model": "claude", "max_tokens": 9, "messages": [prompt]}},
    ]  # fmt: skip


def sharegpt():
    """A conversation with a system prompt and a call, and one with an id."""
    call = '{"name": "f", "arguments": {"x": 1}}'
    turns = [
        ("system", "be good"),
        ("human", "one"),
        ("function_call", call),
        ("observation", "1"),
        ("gpt", "two"),
    ]
    tools = '[{"name": "f", "parameters": {"type": "object"}}]'
    return [
        {"conversations": [{"from": who, "value": text} for who, text in turns], "tools": tools},
        {"id": "x1", "conversations": [{"from": "human", "value": "three"}, {"from": "alien", "value": "four"}]},
    ]  # fmt: skip


AIDER = """
# aider chat started at 2026-01-01 10:00:00

> Aider v0.86.1~
> Main model: gpt-5 with diff edit format~
> Git repo: .git with 3 files~

#### /add a.py~

> Added a.py to the chat~

#### one~
#### more of it~

Here is a script:

```python
# a comment, not a header
```

> a quotation in the answer
#### A heading in the answer

> Tokens: 2.1k sent, 300 cache hit, 1,234 received. Cost: $0.01 message, $0.02 session.~
> Applied edit to a.py~

#### /ask why?~

because

# aider chat started at 2026-01-01 11:00:00

> Aider v0.86.1~

# aider chat started at 2026-01-02 12:00:00

#### two~

three
""".replace("~\n", "  \n")  # two blanks, which editors take away


def aider():
    """Three runs, one of them empty: commands, notes, usage, and aider's marks in a response."""
    return AIDER.splitlines()


def texts(values):
    """A file of these lines."""
    return b"".join(f"{value}\n".encode("utf-8", "replace") for value in values)


def langchain(form="dict"):
    """Messages in one of the forms: a call, its result, usage, an image."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
    call = {"name": "f", "args": {"x": 1}, "id": "A", "type": "tool_call"}
    about = {"model_name": "gpt-5", "model_provider": "openai", "finish_reason": "stop"}
    used = {
        "input_tokens": 3, "output_tokens": 4, "total_tokens": 7, "input_token_details": {"cache_read": 1},
    }  # fmt: skip
    turns = [
        ("system", "System", {"content": "be good"}),
        ("human", "Human", {"content": [{"type": "text", "text": "one"}, image]}),
        ("ai", "AI", {"content": "", "tool_calls": [call], "id": "run-1", "response_metadata": about, "usage_metadata": used}),
        ("tool", "Tool", {"content": "failed", "tool_call_id": "A", "status": "error", "name": "f"}),
        ("ai", "AI", {"content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, "two"]}),
    ]  # fmt: skip
    if form == "dict":
        return [{"type": type, "data": {**data, "type": type}} for type, _, data in turns]
    return [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", f"{name}Message"],
         "kwargs": {**data, "type": type}}
        for type, name, data in turns
    ]  # fmt: skip


def atif():
    """A trajectory with reasoning, calls, observations, metrics and a sub-agent."""
    return [{
        "schema_version": "ATIF-v1.7", "session_id": "s1",
        "agent": {"name": "a", "version": "1", "model_name": "gpt-5"},
        "steps": [
            {"step_id": 1, "source": "system", "message": "be good"},
            {"step_id": 2, "source": "user", "timestamp": "2026-01-01T00:00:00Z", "message": [
                {"type": "text", "text": "one"},
                {"type": "image", "source": {"media_type": "image/png", "path": "images/1.png"}},
            ]},
            {"step_id": 3, "source": "agent", "message": "see", "reasoning_content": "hm", "tool_calls": [
                {"tool_call_id": "A", "function_name": "f", "arguments": {"x": 1}},
                {"tool_call_id": "B", "function_name": "g", "arguments": {}},
            ], "observation": {"results": [
                {"source_call_id": "A", "content": "of A"},
                {"source_call_id": "B", "subagent_trajectory_ref": [{"trajectory_id": "t2"}]},
            ]}, "metrics": {"prompt_tokens": 9, "completion_tokens": 4, "cached_tokens": 3}},
            {"step_id": 4, "source": "agent", "message": "two"},
        ],
        "subagent_trajectories": [{
            "schema_version": "ATIF-v1.7", "trajectory_id": "t2", "agent": {"name": "b", "version": "1"},
            "steps": [{"step_id": 1, "source": "user", "message": "sub"}],
        }],
    }]  # fmt: skip


def single(values):
    """A file with one object over several lines."""
    return orjson.dumps(values[0], option=orjson.OPT_INDENT_2)


def lined(values):
    """A file with one value per line."""
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def listed(values):
    """A file with one list."""
    return b"[" + b",\n".join(orjson.dumps(value) for value in values) + b"]"


def zipped(members):
    """A zip of these files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def saved(folder, values, name="conversations.json"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(listed(values))
    return path


def kilo():
    """opencode's form, of a version of Kilo's."""
    return [{**value, "info": {**value["info"], "version": "7.7.7"}} for value in opencode_files.opencode()]


def cursor():
    """The values of a database of Cursor's CLI: messages, a context message, and one without a public form."""
    query = "<timestamp>Friday</timestamp>\n<user_query>\none\n</user_query>"
    call = {"type": "tool-call", "toolCallId": "A", "toolName": "Shell", "args": {"command": "ls"}}
    result = {"type": "tool-result", "toolCallId": "A", "toolName": "Shell", "result": "of A"}
    model = {"providerOptions": {"cursor": {"modelName": "composer-2.5"}}, "createdAt": 1767225600000}
    values = [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "<user_info>OS: linux</user_info>"},
        {"role": "user", "content": [{"type": "text", "text": query}, {"type": "image", "image": "iVBORw0KGgo="}]},
        {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, call], **model},
        {"role": "tool", "content": [result]},
        {"role": "assistant", "content": [{"type": "redacted-reasoning"}, {"type": "text", "text": "two"}], **model},
        ["a value of the turn graph"],
    ]  # fmt: skip
    about = {
        "agentId": "11111111-2222-4333-8444-555555555555",
        "name": "A title",
        "createdAt": 1767225600000,
    }
    return [{
        "blobs": [{"id": f"{place:064}", "data": value} for place, value in enumerate(values)],
        "meta": [{"key": "0", "value": orjson.dumps(about).hex()}],
    }]  # fmt: skip


def vscode():
    """A chat with rounds, one without them, a prompt that was taken back, and unknown parts."""
    rounds = [
        {"id": "r1", "response": "see", "thinking": {"id": "t", "text": "hm"}, "toolCalls": [
            {"id": "A", "name": "read_file", "arguments": '{"filePath": "/work/a"}'},
            {"id": "B", "name": "list_dir", "arguments": "{}"},
        ]},
        {"id": "r2", "response": "two", "toolCalls": []},
    ]  # fmt: skip
    tree = {"node": {"type": 1, "children": [{"type": 2, "text": "of "}, {"type": 2, "text": "B"}]}}
    results = {
        "A": {"content": [{"$mid": 21, "value": "of A"}]},
        "B": {"content": [{"$mid": 22, "value": tree}]},
    }
    about = {"toolCallRounds": rounds, "toolCallResults": results, "promptTokens": 9, "outputTokens": 4}
    return [{
        "version": 3, "sessionId": "11111111-2222-4333-8444-555555555555", "creationDate": 1767225600000,
        "customTitle": "A title", "requesterUsername": "dev", "responderUsername": "GitHub Copilot", "requests": [
            {"requestId": "q1", "timestamp": 1767225601000, "message": {"text": "one", "parts": []},
             "variableData": {"variables": [{"kind": "file", "name": "a"}]}, "modelId": "copilot/gpt-5",
             "response": [{"value": "see"}], "result": {"metadata": about}},
            {"requestId": "q2", "message": {"text": "taken back"}, "shouldBeRemovedOnSend": {"requestId": "q2"}},
            {"requestId": "q3", "message": {"text": "three"}, "response": [
                {"kind": "thinking", "value": "hm"}, {"value": "look at "},
                {"kind": "inlineReference", "inlineReference": {"$mid": 1, "path": "/work/a"}},
                {"kind": "toolInvocationSerialized", "toolId": "copilot_readFile", "toolCallId": "C"},
                {"kind": "undoStop", "id": "u"}, {"value": " and b"},
            ]},
        ],
    }]  # fmt: skip


def changes_of(values):
    """A log of changes that makes the first value, one prompt after the other."""
    chat = values[0] if isinstance(values[0], dict) else {}
    requests = chat.get("requests")
    begun = {"kind": 0, "v": {**chat, "requests": []}}
    pushed = (
        [{"kind": 2, "k": ["requests"], "v": [each]} for each in requests]
        if isinstance(requests, list)
        else []
    )
    titled = {"kind": 1, "k": ["customTitle"], "v": chat.get("customTitle")}
    return lined([begun, {"kind": 2, "k": ["requests"], "v": ["wrong"]}, {"kind": 2, "k": ["requests"], "i": 0},
                  *pushed, titled, {"kind": 3, "k": ["requesterUsername"]}])  # fmt: skip


# Of each format a file: its conversations, and what makes a file of them.
FORMATS = {
    "chatgpt": (chatgpt, listed),
    "claude-ai": (claude_ai, listed),
    "opencode": (opencode_files.opencode, opencode_files.exported),
    "opencode (database)": (opencode_files.tables, database(opencode_files.SCHEMA)),
    "kilo": (kilo, opencode_files.exported),
    "kilo (database)": (opencode_files.tables, database({**opencode_files.SCHEMA, "kilo_board": "id"})),
    "cursor (database)": (cursor, database({"blobs": "id data", "meta": "key value"})),
    "vscode": (vscode, single),
    "vscode (log)": (vscode, changes_of),
    "llm": (llm, database(LLM)),
    "openai-jsonl": (openai_jsonl, lined),
    "openai-jsonl (list)": (lambda: openai_jsonl()[:2], listed),
    "sharegpt": (sharegpt, listed),
    "sharegpt (lines)": (sharegpt, lined),
    "aider": (aider, texts),
    "langchain": (langchain, listed),
    "langchain (constructors)": (lambda: langchain("lc"), listed),
    "langchain (state)": (lambda: [{"thread_id": "t", "values": {"messages": langchain("lc")}}], single),
    "atif": (atif, single),
    "atif (lines)": (lambda: atif() * 2, lined),
    "goose": (goose, database(GOOSE)),
    "cline": (cline_files.cline, single),
    "cline (list)": (cline_files.task, listed),
    "roo-code": (cline_files.roo_code, listed),
    "llm (older)": (llm_older, database(LLM_OLDER)),
}
