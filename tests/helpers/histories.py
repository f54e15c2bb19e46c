"""Histories for the request formats: conversations as clients append them, with parts of every odd shape.

A conversation's calls are answered immediately, later, twice, with a wrong id or never; `sendable` is the view
after the `pairs` pass.
"""

import orjson
from hypothesis import strategies as st

from codeh_history import providers
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.providers.request import Options
from strategies import view_of

TS = "2026-01-02T03:04:05.000Z"
PNG = "iVBORw0KGgo="
MAKERS = (
    {}, {"provider": "gemini"}, {"provider": "gemini", "model": "gemini-2.5-pro"},
    {"provider": "gemini", "model": "gemini-3-pro"}, {"provider": "anthropic", "model": "claude-opus-4-8"},
    {"provider": "anthropic", "model": "claude-3-5-sonnet-20241022"},
    {"provider": "openai-responses", "model": "gpt-5.1"}, {"provider": "openai-chat", "model": "o3"}, {"provider": "openai-responses"},
    {"provider": "openai-responses", "model": "o3"}, {"provider": "openai-chat", "model": "deepseek-reasoner"},
)  # fmt: skip

CITED = [{"type": "char_location", "cited_text": "c", "document_index": 0, "document_title": None,
          "start_char_index": 0, "end_char_index": 1}]  # fmt: skip

words = st.sampled_from(["hello", "", " ", "\n", "a b ", "日本", "e\u0301", "x" * 300, "{}", "\x1b[31m"])
odd = st.sampled_from([None, True, 0, -1.5, "", "text", [], ["a"], {}, {"a": None}, {"text": 1}])
mimes = st.sampled_from(
    ["image/png", "image/jpg", "IMAGE/JPEG", "image/gif", "image/svg+xml", "image", "", "application/pdf",
     "text/plain", "text/csv; charset=utf-8", "application/json", "audio/mp3", "audio/pcm;rate=24000",
     "video/mp4", "application/zip", None, 5]
)  # fmt: skip
datas = st.sampled_from([PNG, "aGVsbG8=", "aGVsbG8", "-_-_", "IA==", "", "not base64!", None, 7, "/w=="])
uris = st.sampled_from(
    ["https://example.com/a.png", "https://example.com/doc", "gs://bucket/f.pdf", "files/abc", "", None, 3,
     "https://generativelanguage.googleapis.com/v1beta/files/x", "data:image/png;base64,iVBORw0KGgo=",
     "https://youtu.be/x"]
)  # fmt: skip


def _dict(**fields):
    """An object with some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


blobs = _dict(mimeType=mimes, data=datas, displayName=st.sampled_from(["a.txt", "", 5]))
files = _dict(mimeType=mimes, fileUri=uris, displayName=st.just("f"))
media = st.one_of(blobs.map(lambda v: {"inlineData": v}), files.map(lambda v: {"fileData": v}))


def inline(mime, data, **more):
    return {"inlineData": {"mimeType": mime, "data": data, **more}}


def linked(uri, **more):
    return {"fileData": {"fileUri": uri, **more}}


def native(provider, **value):
    return {"native": {"provider": provider, "value": value}}


def reasoning(id, encrypted="gAAA"):
    kept = {"encrypted_content": encrypted} if encrypted else {}
    return native("openai-responses", type="reasoning", id=id, summary=[], **kept)


SEARCHING = native(
    "openai-responses", type="tool_search_call", call_id="ts_1", execution="client", arguments={}
)
SEARCHED = native(
    "openai-responses", type="tool_search_output", call_id="ts_1", execution="client", tools=[]
)
natives = st.sampled_from([
    {"native": {"provider": provider, "value": value}}
    for provider, values in {
        "anthropic": [
            {"type": "redacted_thinking", "data": "x"}, {"type": "container_upload", "file_id": "f"},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        ],
        "gemini": [{"text": "native"}, {"executableCode": {"code": "1"}}, {"laterField": 1}],
        "openai-responses": [{"id": "cmp_1", "type": "compaction", "encrypted_content": "gAAA"}],
        "other": [{}, 5, None],
    }.items()
    for value in values
])  # fmt: skip
others = st.sampled_from([
    {}, {"laterField": 1}, {"executableCode": {"code": "print(1)", "language": "PYTHON"}},
    {"codeExecutionResult": {"output": "1", "outcome": "OUTCOME_OK"}}, {"thoughtSignature": "c2ln"},
    {"thought": True}, {"text": "", "thoughtSignature": "c2ln"}, {"videoMetadata": {"fps": 1}},
    {"text": "x", "inlineData": {"mimeType": "image/png", "data": PNG}}, {"toolCall": {"id": "1"}},
    {"text": "cited", "citations": CITED}, {"text": "kept", "laterField": [1]},
])  # fmt: skip
thoughts = st.builds(
    lambda text, signature: {"text": text, "thought": True} | ({"thoughtSignature": signature} if signature else {}),
    words, st.sampled_from([None, "c2ln", "not base64!"]),
)  # fmt: skip
uploads = st.sampled_from([  # what users of OpenAI's formats send besides
    native("openai-responses", type="additional_tools", role="developer", tools=[]),
    native("openai-responses", type="input_image", file_id="file-1", detail="auto"), native("openai-chat", type="file", file={"file_id": "file-1"}),
])  # fmt: skip
OWN = st.sampled_from([  # what models of OpenAI's formats say besides
    reasoning("rs_1"), reasoning("rs_2"), reasoning("rs_3", None), SEARCHING,
    native("openai-responses", type="web_search_call", id="ws_1", status="completed", action={"type": "search", "query": "q", "queries": ["q"]}),
    native("openai-chat", audio={"id": "audio_1", "transcript": "spoken"}), native("openai-chat", annotations=[{"type": "url_citation"}]),
    {"text": "no", "refusal": True}, {"text": "hm", "thought": True, "item": {"field": "reasoning_content"}},
    {"text": "said", "item": {"id": "msg_1", "status": "completed", "phase": "final_answer"}}, {"text": "said", "item": {"phase": "commentary"}},
    {"text": "more", "item": {"id": "msg_2", "status": "completed", "annotations": []}},
    {"text": "x", "item": {"type": "text", "prompt_cache_breakpoint": {"mode": "explicit"}}},
])  # fmt: skip
texts = words.map(lambda text: {"text": text})
user_parts = st.lists(st.one_of(texts, texts, media, natives, others, uploads), max_size=3)
spoken = st.lists(st.one_of(texts, texts, thoughts, media, natives, others, OWN), max_size=3)
ids = st.sampled_from([None, "c1", "c2", "toolu_01", "call_1", "call/ü", "x" * 300, "a b", 7])
names = st.sampled_from(["read", "grep", "mcp.read:x", "", "9lives", "n" * 200, "日本"])
arguments = st.sampled_from([{}, {"path": "a", "deep": {"x": [1, None]}}, None, "text", '{"a":1}', [1], 5])
answers = st.sampled_from([
    {"output": "ok"}, {"output": ""}, {"output": " "}, {"error": "boom"}, {"error": ""}, {"error": None},
    {"a": 1, "b": [None]}, {}, None, "plain", ["x"], {"output": {"deep": 1}}, {"error": {"code": 1}},
])  # fmt: skip


@st.composite
def conversations(draw, *, whole=False, lost=False):
    """Messages in append order. `whole`: each call is answered once, immediately; `lost`: or never."""
    result = []

    def add(kind, parts, **fields):
        role = "model" if kind == "codeh" else "user"
        record = {"type": "message", "id": f"m{len(result)}", "ts": TS, "kind": kind, "role": role}
        result.append({**record, "parts": parts, **fields})

    late = []
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 5)) or not result:
            items = st.sampled_from([{"role": "system"}, {"role": "developer"}, {"name": "bob"}])
            add("user", draw(user_parts), **({"item": draw(items)} if draw(st.integers(0, 3)) == 0 else {}))
        for _ in range(draw(st.integers(0, 2))):
            made = draw(st.sampled_from(MAKERS))
            calls = draw(st.lists(_calls(made.get("provider")), max_size=3))
            parts = [*draw(spoken), *calls]
            if made.get("provider") == "openai-responses":
                parts = [*draw(_replayed(len(result))), *draw(st.permutations(parts))]
                calls = [part for part in parts if "functionCall" in part]
            add("codeh", parts, **made)
            replies = [_answer(draw, call) for call in calls if not lost or draw(st.integers(0, 9))]
            if not whole:
                replies, late = _disordered(draw, replies, late)
            replies += [SEARCHED] if SEARCHING in parts and draw(st.booleans()) else []
            apart = SEARCHED not in replies and draw(st.booleans())
            groups = [[part] for part in replies] if apart else [replies] if replies else []
            for number, group in enumerate(groups):
                beside = (
                    draw(user_parts)
                    if draw(st.integers(0, 4)) == 0 and (number + 1 == len(groups) or not whole)
                    else []
                )
                add("tool", group + beside)
    return result


@st.composite
def _calls(draw, provider):
    call = {"name": draw(names), "args": draw(arguments)}
    if draw(st.integers(0, 4)) == 0:
        del call["args"]
    if (id := draw(ids)) is not None:
        call["id"] = id
    items = {
        "openai-responses": [{"id": "fc_1", "status": "completed"}, {"type": "custom_tool_call"}],
        "openai-chat": [{"type": "custom"}],
    }
    kept = [{"item": item} for item in items.get(provider, [{"caller": {"type": "direct"}}])]
    beside = [{}, {}, {}, {"thoughtSignature": "c2ln"}, {"arguments": '{"b": 1'}, *kept]
    return {"functionCall": call, **draw(st.sampled_from(beside))}


@st.composite
def _replayed(draw, number):
    """A response as the Responses API returns it, reasoning first; sometimes a part is missing."""
    text = {"text": "so", "item": {"id": f"msg_{number}", "status": "completed"}}
    call = {
        "functionCall": {"id": f"call_n{number}", "name": "read", "args": {}},
        "item": {"id": f"fc_{number}"},
    }
    listed = native(
        "openai-responses", type="mcp_list_tools", id=f"mcpl_{number}", server_label="s", tools=[]
    )
    follower, last = draw(st.permutations([text, call, listed]))[:2]
    parts = [reasoning(f"rs_{number}"), follower, *draw(st.sampled_from([[], [last]]))]
    if draw(st.integers(0, 3)) == 0:
        parts.pop(draw(st.integers(0, len(parts) - 1)))
    return parts


def _answer(draw, call):
    named = {key: value for key, value in call["functionCall"].items() if key in ("id", "name")}
    response = {**named, "response": draw(answers)}
    if draw(st.integers(0, 3)) == 0:
        response["parts"] = draw(st.lists(st.one_of(media, odd), max_size=2))
    return {"functionResponse": response}


def _disordered(draw, replies, late):
    """Results, some lost, duplicated or delayed, and some delayed ones of earlier turns."""
    now, then = list(late), []
    for part in replies:
        fate = draw(st.sampled_from(["now", "now", "now", "lost", "twice", "later", "orphan"]))
        if fate == "later":
            then.append(part)
        elif fate == "orphan":
            now.append(
                {"functionResponse": {**part["functionResponse"], "id": "nobody", "name": "nothing"}}
            )
        elif fate != "lost":
            now += [part] * (2 if fate == "twice" else 1)
    return now, then


def message(kind, *parts, **fields):
    """A message without an id; a string stands for a text part."""
    return {
        "kind": kind,
        "parts": [{"text": part} if isinstance(part, str) else part for part in parts],
        **fields,
    }


def record(number, kind, parts, **fields):
    """A message with an id and a role."""
    role = "model" if kind == "codeh" else "user"
    return {"id": f"m{number}", "kind": kind, "role": role, "parts": parts, **fields}


def user(*parts, **fields):
    return message("user", *parts, **fields)


def model(*parts, by="", **fields):
    """A model message; `by`: `PROVIDER` or `PROVIDER/MODEL`."""
    provider, _, name = by.partition("/")
    made = ({"provider": provider} if provider else {}) | ({"model": name} if name else {})
    return message("codeh", *parts, **made, **fields)


def tool(*parts):
    return message("tool", *parts)


def call(name="f", id=None, args=None, **beside):
    named = {"id": id, "name": name} if id else {"name": name}
    return {"functionCall": {**named, "args": {} if args is None else args}, **beside}


def result(name="f", id=None, response=None, **beside):
    named = {"id": id, "name": name} if id else {"name": name}
    return {
        "functionResponse": {
            **named,
            "response": {"output": "ok"} if response is None else response,
            **beside,
        }
    }


def session(messages):
    """The view of a session of these messages."""
    head = {"type": "session", "version": 1, "id": "s", "created": TS}
    ids = [{"type": "message", "id": f"m{n}", "ts": TS, **message} for n, message in enumerate(messages)]
    view = view_of([head, *ids])
    assert not view.log.damage, view.log.damage[0].reason
    return view


def sendable(messages, *, unanswered="stub"):
    """The view after the passes that every provider requires."""
    return passes.curate(session(messages), Settings(unanswered=unanswered), passes.FORCED)[0]


def requested(format, messages, *summaries, **options):
    """The request for these messages; `faithful`: without curation."""
    view = session(messages) if options.get("faithful") else sendable(messages)
    return providers.Format(format).request(view.messages, Options(**options), summaries)


def given_back(format, read):
    """The request for an imported body, with its settings."""
    options = Options(model=read.model, system=read.system, tools=read.tools, settings=read.settings)
    return providers.Format(format).request(sendable(read.messages).messages, options, [])


def without_cache(value):
    """A value without `cache_control`."""
    if isinstance(value, dict):
        return {key: without_cache(item) for key, item in value.items() if key != "cache_control"}
    return [without_cache(item) for item in value] if isinstance(value, list) else value


def prefix(array):
    """The bytes with which the next request's array must begin."""
    return orjson.dumps(array)[:-1]
