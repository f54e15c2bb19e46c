"""Histories for the OpenAI formats, as any client may have stored them, from every provider, complete and broken."""

import base64

import orjson
from hypothesis import strategies as st

from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.providers.base import Options
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse

TS = "2026-01-02T03:04:05.000Z"
PNG = "iVBORw0KGgo="
MADE_BY = [
    {}, {"provider": "gemini", "model": "gemini-3-pro"}, {"provider": "anthropic", "model": "claude-opus-4-8"},
    {"provider": "openai-chat", "model": "gpt-5.1"}, {"provider": "openai-chat", "model": "deepseek-reasoner"},
    {"provider": "openai-responses", "model": "gpt-5.1"}, {"provider": "openai-responses", "model": "o3"},
    {"provider": "openai-responses"},
]  # fmt: skip


def inline(mime, data, **more):
    return {"inlineData": {"mimeType": mime, "data": data, **more}}


def linked(uri, **more):
    return {"fileData": {"fileUri": uri, **more}}


def native(provider, **value):
    return {"native": {"provider": provider, "value": value}}


def reasoning(id, encrypted="gAAA"):
    kept = {"encrypted_content": encrypted} if encrypted else {}
    return native("openai-responses", type="reasoning", id=id, summary=[], **kept)


TEXTS = ["hello", "", " ", "a\nb", "日本", "\u2028", "System: tick"]
MEDIA = [
    inline("image/png", PNG), inline("image/jpg", PNG), inline("image/heic", PNG), inline("image/png", None),
    inline("image/png", "not base64!"), inline("image/png", "a_8="), inline(None, PNG), inline("image/png", ""),
    inline("audio/x-wav", PNG), inline("audio/mp3", PNG), inline("video/mp4", PNG), {"inlineData": {}},
    inline("application/pdf", PNG, displayName="a.pdf"), inline("text/plain", base64.b64encode(b"hi").decode()),
    inline("text/csv", base64.b64encode(b"\xff").decode()), inline("application/zip", PNG),
    linked("https://e.example/a.png"), linked("https://e.example/a.pdf", mimeType="application/pdf"),
    linked("gs://b/a.png"), linked("https://e.example/x"), linked("data:image/png;base64," + PNG),
    {**linked("https://e.example/y"), "item": {"type": "image_url"}}, {"fileData": {"fileUri": None}},
]  # fmt: skip
ODD = [
    {}, {"later": 1}, {"text": "x", "later": {"deep": []}}, native("gemini", executableCode={"code": "1"}),
    native("anthropic", type="server_tool_use"), {"native": {}}, {"native": {"provider": "openai-chat"}},
    {"text": "x", "item": {"type": "text", "prompt_cache_breakpoint": {"mode": "explicit"}}},
]  # fmt: skip
SAID = [
    {"text": "thinking", "thought": True}, {"text": "", "thoughtSignature": "c2ln"},
    {"text": "hm", "thought": True, "thoughtSignature": "c2ln"}, {"text": "no", "refusal": True},
    {"text": "hm", "thought": True, "item": {"field": "reasoning_content"}},
    {"text": "said", "item": {"id": "msg_1", "status": "completed", "phase": "final_answer"}},
    {"text": "more", "item": {"id": "msg_2", "status": "completed", "annotations": []}},
    {"text": "said", "item": {"phase": "commentary"}}, reasoning("rs_1"), reasoning("rs_2"),
    reasoning("rs_3", None),
    native("openai-responses", type="web_search_call", id="ws_1", status="completed",
           action={"type": "search", "query": "q", "queries": ["q"]}),
    native("openai-responses", type="tool_search_call", call_id="ts_1", execution="client", arguments={}),
    native("openai-responses", type="compaction", id="cmp_1", encrypted_content="gAAA"),
    native("openai-chat", audio={"id": "audio_1", "transcript": "spoken"}),
    native("openai-chat", annotations=[{"type": "url_citation"}]),
]  # fmt: skip
SEARCHING = next(part for part in SAID if part.get("native", {}).get("value", {}).get("call_id"))
ANSWERS = [
    native("openai-responses", type="tool_search_output", call_id="ts_1", execution="client", tools=[]),
    native("openai-responses", type="additional_tools", role="developer", tools=[]),
    native("openai-responses", type="input_image", file_id="file-1", detail="auto"),
    native("openai-chat", type="file", file={"file_id": "file-1"}),
]
IDS = [None, "c1", "c2", "toolu_01", "x" * 80, "a b", "call_1"]
NAMES = ["read", "grep", "google:search", "é", "n" * 80, ""]
ARGS = [
    {},
    {"input": "words"},
    {"b": 1, "a": {"deep": [None, 1.5]}},
    None,
    "text",
    [1],
    "missing",
]
RESPONSES = [
    {"output": "ok"}, {"output": ""}, {}, {"error": "failed"}, {"rows": [1, {"a": None}]}, "text", None, [1], 7,
]  # fmt: skip


def message(number, kind, parts, **fields):
    role = "model" if kind == "codeh" else "user"
    return {
        "type": "message",
        "id": f"m{number}",
        "ts": TS,
        "kind": kind,
        "role": role,
        "parts": parts,
        **fields,
    }


@st.composite
def calls(draw, provider):
    id, args = draw(st.sampled_from(IDS)), draw(st.sampled_from(ARGS))
    call = {"name": draw(st.sampled_from(NAMES))}
    if id is not None:
        call["id"] = id
    if args != "missing":
        call["args"] = args
    items = {"openai-responses": [{"id": "fc_1", "status": "completed"}, {"type": "custom_tool_call"}],
             "openai-chat": [{"type": "custom"}]}.get(provider or "", [{"caller": "x"}])  # fmt: skip
    kept = st.sampled_from([{}, {}, {"arguments": '{"b": 1'}, *({"item": item} for item in items)])
    return {"functionCall": call, **draw(kept)}


@st.composite
def replayed(draw, number):
    """A response as the API returns it, reasoning first; sometimes a part is missing."""
    text_part = {"text": "so", "item": {"id": f"msg_{number}", "status": "completed"}}
    call = {
        "functionCall": {"id": f"call_n{number}", "name": "read", "args": {}},
        "item": {"id": f"fc_{number}"},
    }
    searched = native(
        "openai-responses", type="mcp_list_tools", id=f"mcpl_{number}", server_label="s", tools=[]
    )
    follower = draw(st.sampled_from([text_part, call, searched]))
    parts = [reasoning(f"rs_{number}"), follower, *draw(st.sampled_from([[], [text_part], [call]]))]
    if draw(st.integers(0, 3)) == 0:
        parts.pop(draw(st.integers(0, len(parts) - 1)))
    return parts if len({str(part) for part in parts}) == len(parts) else parts[:2]


@st.composite
def result_of(draw, call):
    id = call["functionCall"].get("id")
    response = {
        "name": call["functionCall"]["name"],
        "response": draw(st.sampled_from(RESPONSES)),
    }
    if id is not None:
        response["id"] = id
    if draw(st.integers(0, 4)) == 0:
        response["parts"] = draw(st.lists(st.sampled_from([*MEDIA, {}, 7, {"text": "x"}]), max_size=2))
    return {"functionResponse": response}


@st.composite
def histories(draw, *, broken=True):
    """Message records that end with the user's role; `broken`: with lost, duplicated and misplaced results."""
    records = []

    def add(kind, parts, **fields):
        records.append(message(len(records), kind, parts, **fields))

    texts = st.builds(lambda text: {"text": text}, st.sampled_from(TEXTS))
    users = st.lists(texts | st.sampled_from(MEDIA + ODD + ANSWERS), max_size=3)
    late = []
    for _ in range(draw(st.integers(1, 4))):
        item = draw(
            st.sampled_from([{}, {}, {}, {"item": {"role": "developer"}}, {"item": {"name": "bob"}}])
        )
        add("user", draw(users), **item)
        for _ in range(draw(st.integers(0, 2))):
            spoken = draw(st.lists(texts | st.sampled_from(SAID + MEDIA[:3] + ODD), max_size=3))
            made_by = draw(st.sampled_from(MADE_BY))
            made = draw(st.lists(calls(made_by.get("provider")), max_size=3))
            parts = draw(st.permutations([*spoken, *made]))
            if made_by.get("provider") == "openai-responses":
                parts = [*draw(replayed(len(records))), *parts]
            add("codeh", parts, **made_by)
            made = [part for part in parts if "functionCall" in part]
            results = [draw(result_of(call)) for call in made]
            if broken and results:
                fate = draw(st.sampled_from(["kept", "kept", "lost", "late", "double", "swapped"]))
                results = {"lost": results[1:], "late": [], "double": [*results, results[0]],
                           "swapped": results[::-1]}.get(fate, results)  # fmt: skip
                late = [draw(result_of(made[0]))] if fate == "late" else late
            if SEARCHING in parts and draw(st.booleans()):
                add("tool", [*results, ANSWERS[0]])
            elif results and draw(st.booleans()):
                add("tool", results)
            else:
                for result in results:
                    add("tool", [result])
        if late and draw(st.booleans()):
            add("tool", late)
            late = []
    if records[-1]["role"] == "model":
        add("user", [{"text": "go on"}])
    return records


def view_of(records):
    return fold(parse(lines_of(b"".join(orjson.dumps(record) + b"\n" for record in records))))


def paired(records, *, unanswered="stub"):
    """The view as `payload --raw` sends it, changed only as provider rules require."""
    view, _, _ = passes.curate(view_of(records), Settings(unanswered=unanswered), passes.FORCED)
    return view


def request(format, records, **options):
    """The request for these records."""
    chosen = {"model": "gpt-5.1", "session": "s", **options}
    messages = (view_of if chosen.get("faithful") else paired)(records).messages
    return format.build(messages, Options(**chosen), [])
