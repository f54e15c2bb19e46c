"""Formats for other tools: valid by their models, read back as the same conversation, for any session."""

from typing import Literal

import orjson
import pytest
from atif import Trajectory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from codeh_history.formats import EXPORTERS, Exported, export
from histories import record
from in_process import run_in_process, run_ok
from length import examples
from strategies import records, view_of
from support import session_path

# -- a talk ------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=12).filter(
    str.strip
)
ARGS = st.dictionaries(
    st.sampled_from("abc"), st.one_of(TEXTS, st.integers(-9, 9), st.booleans()), max_size=2
)
USAGE = st.fixed_dictionaries({
    "input": st.integers(1, 999), "output": st.integers(1, 99), "cached": st.integers(0, 9), "reasoning": st.integers(0, 9)
})  # fmt: skip
RESULTS = st.one_of(
    TEXTS.map(lambda text: {"output": text}), TEXTS.map(lambda text: {"error": text}), st.just({"rows": [1, 2]})
)  # fmt: skip


@st.composite
def talks(draw):
    """Messages as `append --jsonl` takes them: prompts, thoughts, calls in parallel with results in any order."""
    messages = []
    for turn in range(draw(st.integers(1, 3))):
        messages.append({"role": "user", "parts": [{"text": draw(TEXTS)}]})
        parts = [{"text": draw(TEXTS), "thought": True}] if draw(st.booleans()) else []
        parts.append({"text": draw(TEXTS)})
        names = draw(st.lists(st.sampled_from(["read", "write"]), max_size=3))
        calls = [{"id": f"c{turn}-{n}", "name": name, "args": draw(ARGS)} for n, name in enumerate(names)]
        parts += [{"functionCall": call} for call in calls]
        messages.append(
            {"role": "model", "parts": parts, "provider": "gemini", "model": "m", "usage": draw(USAGE)}
        )
        if calls:
            results = [
                {"functionResponse": {"id": c["id"], "name": c["name"], "response": draw(RESULTS)}}
                for c in calls
            ]
            messages.append({"role": "user", "parts": draw(st.permutations(results))})
            messages.append(
                {"role": "model", "parts": [{"text": draw(TEXTS)}], "model": "m", "usage": draw(USAGE)}
            )
    return messages


def kept(home, messages, session="s"):
    data = b"".join(orjson.dumps(message) + b"\n" for message in messages)
    session_path(home, session).unlink(missing_ok=True)
    run_ok("append", "-s", session, "--jsonl", home=home, stdin=data)


def exported(home, form, session="s"):
    done = run_ok("export", session, "--to", form, home=home)
    return done.out


def content_of(contents, *, thoughts, failures):
    """What was said in order, and of each call its result; within a turn texts, calls, results."""
    flat = []
    results = {}
    for content in contents:
        for part in content["parts"]:
            if "functionResponse" in part:
                response = part["functionResponse"]
                value = response["response"]
                only = (
                    next(iter(value.values()))
                    if value.keys() <= {"output", "error"}
                    else orjson.dumps(value).decode()
                )
                results[response["id"]] = (only, "error" in value) if failures else only
            elif "functionCall" in part:
                call = part["functionCall"]
                flat.append(("call", call["name"], call["args"], call["id"]))
            elif not part.get("thought") or thoughts:
                flat.append((content["role"], part["text"], bool(part.get("thought"))))
    return [(*item[:3], results.get(item[3])) if item[0] == "call" else item for item in flat]


def back(home, form, data):
    """The session that it is read as."""
    file = home / f"talk.{'jsonl' if form == 'openai-jsonl' else 'json'}"
    file.write_bytes(data)
    into = session_path(home, "back")
    into.unlink(missing_ok=True)
    run_ok("import", str(file), "--from", form, "--into", "back", home=home)
    return "back"


def usage(home, session):
    """Of each response the counts that are not nothing."""
    records = [orjson.loads(line) for line in session_path(home, session).read_bytes().splitlines()]
    counts = [record["usage"] for record in records if "usage" in record]
    return [
        {name: count[name] for name in ("input", "output", "cached", "reasoning") if count.get(name)}
        for count in counts
    ]


@pytest.mark.parametrize("form, whole", [("atif", True), ("openai-jsonl", False), ("sharegpt", False)])
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(talk=talks())
def test_exported_conversation_round_trips(tmp_path, form, whole, talk):
    kept(tmp_path, talk)
    session = back(tmp_path, form, exported(tmp_path, form))
    before, after = (orjson.loads(exported(tmp_path, "contents", id)) for id in ("s", session))
    keeps = {"thoughts": whole, "failures": whole}
    assert content_of(after, **keeps) == content_of(before, **keeps)
    assert not whole or usage(tmp_path, session) == usage(tmp_path, "s")


# -- their models ------------------------------------------------------------------------------------------


class Part(BaseModel):
    """As the published schemas have it: `type` says what else there must be."""

    model_config = ConfigDict(extra="allow")
    type: str

    def model_post_init(self, _context):
        demanded = {
            "text": {"content": str}, "reasoning": {"content": str}, "tool_call": {"name": str},
            "tool_call_response": {"response": object}, "blob": {"modality": str, "content": str},
            "uri": {"modality": str, "uri": str},
        }.get(self.type, {})  # fmt: skip
        for name, kind in demanded.items():
            assert isinstance((self.model_extra or {})[name], kind)


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: Literal["system", "user", "assistant", "tool"]
    parts: list[Part]


class OutputMessage(ChatMessage):
    finish_reason: Literal["stop", "length", "content_filter", "tool_call", "error"]


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(talk=talks())
def test_trajectory_and_span_are_valid(tmp_path, talk):
    kept(tmp_path, talk)
    Trajectory.model_validate_json(exported(tmp_path, "atif"))
    span = orjson.loads(exported(tmp_path, "otel"))
    sent = [ChatMessage.model_validate(message) for message in span["gen_ai.input.messages"]]
    answered = [OutputMessage.model_validate(message) for message in span["gen_ai.output.messages"]]
    assert len(sent) + len(answered) == len(talk)
    assert span["gen_ai.usage.input_tokens"] == talk[-1]["usage"]["input"]


PICTURE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
ODD = [
    {"role": "user", "parts": [{"text": "Look"}, PICTURE, {"fileData": {"mimeType": "application/pdf", "fileUri": "https://x/y.pdf"}}]},
    {"role": "model", "parts": [{"native": {"provider": "gemini", "value": {"x": 1}}}, {"functionCall": {"name": "f", "args": {}}}]},
]  # fmt: skip


def test_images_are_data_urls(home):
    kept(home, ODD)
    data = exported(home, "atif")
    Trajectory.model_validate_json(data)
    contents = orjson.loads(exported(home, "contents", back(home, "atif", data)))
    assert contents[0]["parts"] == [{"text": "Look"}, PICTURE]


def test_each_form_holds_the_system_prompt_tools_and_a_summary(home):
    tool = {
        "type": "function",
        "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
    }
    (home.parent / "tools.json").write_bytes(orjson.dumps([tool]))
    kept(
        home, [{"role": "user", "parts": [{"text": "Hello"}]}, {"role": "model", "parts": [{"text": "Hi"}]}]
    )
    run_in_process("set", "-s", "s", "system=Be brief.", f"tools=@{home.parent / 'tools.json'}", home=home)
    summary = {
        "type": "summary",
        "id": "z",
        "createdAt": "2026-01-01T00:00:00.000Z",
        "summary": "Before.",
        "covers": [],
        "by": "x",
    }
    with session_path(home, "s").open("ab") as file:
        file.write(orjson.dumps(summary) + b"\n")
    for form in ("atif", "openai-jsonl", "sharegpt"):
        session = back(home, form, exported(home, form))
        records = [orjson.loads(line) for line in session_path(home, session).read_bytes().splitlines()]
        meta = next(record["set"] for record in records if record["type"] == "meta")
        assert meta["system"] == "Be brief."
        assert meta["tools"]
        contents = orjson.loads(exported(home, "contents", session))
        assert [content["role"] for content in contents] == ["user", "user", "model"]
        assert contents[0]["parts"][0]["text"].endswith("Before.")
    span = orjson.loads(exported(home, "otel"))
    assert span["gen_ai.system_instructions"] == [{"type": "text", "content": "Be brief."}]
    assert span["gen_ai.tool.definitions"] == [tool]


def test_markdown_names_attached_files(home, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    run_ok("append", "-s", "s", "--attach", str(tmp_path / "notes.txt"), "-m", "See.")
    assert b"*[text/plain, 5 bytes, notes.txt]*" in run_ok("export", "s", "--to", "markdown").out


@pytest.mark.parametrize("odd", [[None], [7, True], ["text", {"inlineData": {}}], 7, "x"])
@pytest.mark.parametrize("form", EXPORTERS)
@pytest.mark.parametrize("id", ["c", ["c"]])
def test_2026_11_23_malformed_data_counts_and_parts_are_omitted(form, odd, id):
    """A log written by others may hold anything there: `markdown` and `atif` ended with a bug."""
    media = [
        {"inlineData": {"mimeType": "image/png", "data": 7}},
        {"inlineData": {"mimeType": "image/png"}},
    ]
    parts = [{"text": "hi"}, *media, {"inlineData": {}}, {"fileData": {}}]
    usage = {"input": "many", "output": [1], "cached": 3}
    called = {"functionCall": {"id": id, "name": "f", "args": {}}}
    answered = {"functionResponse": {"id": id, "name": "f", "response": {"output": "seen"}, "parts": odd}}
    log = [
        record(0, "user", parts),
        record(1, "codeh", parts, usage=usage),
        record(2, "codeh", [called]),
        record(3, "tool", [answered]),
    ]
    result = export(view_of([{"type": "message", **each} for each in log]), form)
    assert b"hi" in result.data or form == "refs"


@pytest.mark.parametrize("form", EXPORTERS)
@given(log=records())
def test_any_session_can_be_written(form, log):
    result = export(view_of(log), form)
    assert isinstance(result, Exported)
    assert type(result.data) is bytes
    assert result.data.endswith(b"\n") or not result.data
    assert all(count >= 0 for count in result.left_out.values())
