"""A program's session: how it is recognised, its messages and their parts, fields of a source, context windows."""

from types import SimpleNamespace

import pytest

from codeh_history.programs import fields, parts, registry
from codeh_history.programs.context_windows import windows
from codeh_history.programs.model import Entry, Session
from codeh_history.store.program_files import folders, head_of
from histories import result


@pytest.mark.parametrize("data", [b"", b"a diary\n", b'{"x":1}\n', b'[{"role":"user","content":"x"}]'])
def test_what_is_nobodys(data):
    assert registry.detect_program(head_of(data)) is None
    assert not registry.is_own_session("codex", head_of(data))


PI = """{ // ours
  "providers": {
    "a": {"baseUrl": "http://x//y", "models": [{"id": "m", "contextWindow": 32000,}, {"id": "n"}]},
    "b": {"models": [{"id": "m", "contextWindow": 64000}], "modelOverrides": {"o": {"contextWindow": 16000}}},
  },
}"""


ODD_PI = '{"providers": {"a": 5, "b": {"models": [5, {"id": "m", "contextWindow": -1}]}}}'
OPENCODE = '{"provider": {"a": {"models": {"m": {"limit": {"context": 9000, "output": 1}}}}}}'
WINDOWS = [  # the program, its settings, a model, and its windows
    ("pi", PI, "m", [32_000, 64_000]),
    ("pi", PI, "n", [128_000]),
    ("pi", PI, "o", [16_000]),
    ("pi", PI, "p", []),
    ("pi", ODD_PI, "m", [-1]),
    ("pi", "{", "m", []),
    ("codex", "model_context_window = 8000", "m", [8000]),
    ("codex", "model_context_window = [", "m", []),
    ("codex", 'model = "n"\nmodel_context_window = 8000', "m", []),
    ("opencode", OPENCODE, "m", [9000]),
    ("opencode", "[]", "m", []),
]


@pytest.mark.parametrize(("program", "settings", "model", "sizes"), WINDOWS)
def test_the_windows_that_are_given(program, settings, model, sizes):
    assert [size for size in windows(program, settings.encode(), model) if size is not None] == sizes


@pytest.mark.parametrize(("settings", "window"), [(PI, 32_000), (ODD_PI, None)])
def test_the_smallest_window_counts(settings, window, tmp_path):
    (tmp_path / "models.json").write_text(settings)
    env = SimpleNamespace(environ={"PI_CODING_AGENT_DIR": str(tmp_path)})
    assert folders.window(env, "pi", "m") == window


# -- messages ----------------------------------------------------------------------------------------------


def talk():
    return Session("aider", "s")


def entries(session):
    return [item for item in session.items if isinstance(item, Entry)]


def test_a_title_is_a_text_and_what_is_left_out_is_counted_by_kind():
    session = Session("pi", "s")
    for title in (None, "", 7, ["x"]):
        session.about({"name": title}, title="name")
    assert session.settings == {}
    session.about({"name": "one"}, title="name")
    session.about({"name": "two"}, title="name")
    assert session.settings == {"title": "two"}
    for kind, many in (("command", 2), ("note", 0), ("command", 1)):
        session.skip(kind, many)
    assert session.skipped == {"command": 3}
    assert "note" not in session.skipped


def test_it_was_written_last_when_its_last_entry_says():
    entries = [Entry(id, "user", ts, []) for id, ts in (("a", "1"), ("b", "2"), ("c", None))]
    assert Session("pi", "s", created="0", items=[*entries]).last == "2"
    assert Session("pi", "s", created="0").last == "0"
    assert Session("pi", "s").last is None


def test_the_kind_of_a_role_or_none_and_counted():
    session = talk()
    kinds = {"user": "user", "assistant": "codeh"}
    assert [session.kind_of(role, kinds) for role in ("user", "assistant", "narrator", "", None, [])] == [
        "user", "codeh", None, None, None, None,
    ]  # fmt: skip
    assert session.skipped == {"message of narrator": 1, "message of no role": 3}


def test_repeated_words_are_another_message():
    first, second = talk(), talk()
    for conversation in (first, second):
        for text in ("a", "a", "b"):
            conversation.add("user", [{"text": text}])
    ids = [entry.id for entry in entries(first)]
    assert len(set(ids)) == 3
    assert ids[1] == f"{ids[0]}.2"
    assert ids == [entry.id for entry in entries(second)]  # wherever it is read


def test_system_prompts_add_up():
    session = talk()
    session.system("a")
    session.system("b")
    assert session.settings["system"] == "a\n\nb"


def test_a_message_has_no_empty_texts_and_thoughts_unless_they_are_signed():
    session, empty = Session("x", "s"), [{"text": ""}, parts.thought("")]
    assert session.add("codeh", empty) is None
    signed, file = parts.thought("", "c2ln"), {"inlineData": {"mimeType": "image/png", "data": "AA=="}}
    assert session.add("codeh", [*empty, signed, file, {"text": "a"}]).parts == [
        signed,
        file,
        {"text": "a"},
    ]


def test_undoing_a_summary_restores_the_covered_messages():
    session = talk()
    for id in "abc":
        session.add("user", [{"text": id}], id=id)
    session.summarise("S", None, "short", ["c"])
    session.add("user", [{"text": "d"}], id="d")
    assert session.live == ["c", "S", "d"]
    del session.items[4:]
    assert session.live == ["c", "S"]
    del session.items[3:]
    assert session.live == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("value", "time"),
    [(1767323045, "2026-01-02T03:04:05.000Z"), (1767323045.5, "2026-01-02T03:04:05.500Z"), ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"), (None, None), (True, None), ("x", None)],
)  # fmt: skip
def test_a_time_in_seconds_or_as_text(value, time):
    assert fields.seconds(value) == time


def test_conversations_without_an_id_have_one_by_how_they_open():
    names, again = parts.ConversationIds(), parts.ConversationIds()
    ids = [
        names.assign(own_id, *opens)
        for own_id, *opens in (("x", 1), (None, "hi"), (" ", "hi"), ("x", 2), (None, "ho"))
    ]
    assert ids[0] == "x"
    assert ids[3] == "x-2"
    assert ids[2] == f"{ids[1]}-2"
    assert ids[4] not in ids[:4]
    assert again.assign(None, "hi") == ids[1]


def test_results_in_a_turn_are_messages_and_the_last_text_has_the_usage():
    session, usage = talk(), {"input": 1}
    session.number = 7
    content = [{"text": "a"}, result(), result(), {"text": "b"}, result()]
    session.turn("codeh", content, id="t", usage=usage, model="m")
    assert [(entry.kind, len(entry.parts), entry.lines, entry.fields) for entry in entries(session)] == [
        ("codeh", 1, [7], {"model": "m"}),
        ("tool", 2, [7], {}),
        ("codeh", 1, [7], {"model": "m", "usage": usage}),
        ("tool", 1, [7], {}),
    ]


def answered(session, id, name):
    response = session.result(id, name, [{"text": "ok"}])["functionResponse"]
    return response.get("id"), response["name"]


def test_a_result_answers_its_call_else_the_oldest_open_one_of_its_name_or_of_any():
    session = talk()
    calls = [session.call(id, name, {}) for id, name in (("1", "f"), (None, "g"), ("3", "g"), ("4", "h"))]
    assert [call["functionCall"]["id"] for call in calls] == ["1", "call_2", "3", "4"]
    assert answered(session, "3", "whatever") == ("3", "g")
    assert answered(session, None, "g") == ("call_2", "g")
    assert answered(session, None, "nobody") == ("1", "f")
    assert session.open_calls
    assert answered(session, None, None) == ("4", "h")
    assert not session.open_calls
    assert answered(session, None, "f") == (None, "f")
    assert answered(session, "9", None) == ("9", "tool")
    assert answered(session, "1", "again") == ("1", "f")


# -- parts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "mime", "kind", "part"),
    [
        ("data:image/png;base64,eA==", None, None, {"inlineData": {"mimeType": "image/png", "data": "eA=="}}),
        ("https://a.example/b.pdf?x", None, None, {"fileData": {"mimeType": "application/pdf", "fileUri": "https://a.example/b.pdf?x"}}),
        ("gs://a/b", "image/png", None, {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b"}}),
        ("file-1", None, "image", {"text": "[image: file-1]"}),
        ("data:none", None, None, {"text": "[file: data:none]"}),
        (None, None, None, {"text": "[file: without a name]"}),
    ],
)  # fmt: skip
def test_a_file_that_is_only_named(source, mime, kind, part):
    assert parts.media(source, mime, kind) == part


# -- fields ------------------------------------------------------------------------------------------------
