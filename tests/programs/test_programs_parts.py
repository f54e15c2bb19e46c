"""Messages of flat formats: each has an id of its own, and results find the calls that they answer."""

import pytest

from codeh_history.programs import parts as programs_parts
from codeh_history.programs.fields import seconds
from codeh_history.programs.model import Entry, Session
from codeh_history.programs.parts import ConversationIds, opening
from histories import result


def talk():
    return Session("aider", "s")


def entries(one):
    return [item for item in one.items if isinstance(item, Entry)]


def test_the_same_words_again_are_another_message():
    one, other = talk(), talk()
    for conversation in (one, other):
        for text in ("a", "a", "b"):
            conversation.add("user", [{"text": text}])
    ids = [entry.id for entry in entries(one)]
    assert len(set(ids)) == 3
    assert ids[1] == f"{ids[0]}.2"
    assert ids == [entry.id for entry in entries(other)]  # wherever it is read


def test_an_id_that_is_given_recognises_own_and_counted_where_it_comes_again():
    one = talk()
    for id in ("x", "x", "x.2", "x"):
        one.add("user", [{"text": "a"}], id=id)
    assert [entry.id for entry in entries(one)] == ["x", "x.2", "x.2.2", "x.3"]


def test_what_says_nothing_is_no_message():
    one = talk()
    assert one.add("user", [{"text": ""}]) is None
    made = one.add("user", [{"text": ""}, {"text": "a"}], model="", usage=None, finish="stop")
    assert made is not None
    assert (made.parts, made.fields) == ([{"text": "a"}], {"finish": "stop"})


def test_results_in_a_turn_are_messages_of_their_own_and_the_last_words_have_the_usage():
    one = talk()
    one.number = 7
    one.turn(
        "codeh",
        [{"text": "a"}, result(), result(), {"text": "b"}, result()],
        id="t",
        usage={"input": 1},
        model="m",
    )
    assert [(entry.kind, len(entry.parts), entry.lines) for entry in entries(one)] == [
        ("codeh", 1, [7]), ("tool", 2, [7]), ("codeh", 1, [7]), ("tool", 1, [7]),
    ]  # fmt: skip
    assert [entry.fields for entry in entries(one)] == [
        {"model": "m"},
        {},
        {"model": "m", "usage": {"input": 1}},
        {},
    ]


def answered(one, id, name):
    response = one.result(id, name, [{"text": "ok"}])["functionResponse"]
    return response.get("id"), response["name"]


def test_a_result_answers_its_call_else_the_oldest_open_one_of_its_name_or_of_any():
    one = talk()
    calls = [one.call(id, name, {}) for id, name in (("1", "f"), (None, "g"), ("3", "g"), ("4", "h"))]
    assert [call["functionCall"]["id"] for call in calls] == ["1", "call_2", "3", "4"]
    assert answered(one, "3", "whatever") == ("3", "g")
    assert answered(one, None, "g") == ("call_2", "g")
    assert answered(one, None, "nobody") == ("1", "f")
    assert one.open_calls
    assert answered(one, None, None) == ("4", "h")
    assert not one.open_calls
    assert answered(one, None, "f") == (None, "f")
    assert answered(one, "9", None) == ("9", "tool")
    assert answered(one, "1", "again") == ("1", "f")


def test_system_prompts_add_up():
    one = talk()
    one.system("a")
    one.system("b")
    assert one.settings["system"] == "a\n\nb"


def test_conversations_without_an_id_have_one_by_how_they_open():
    names, again = ConversationIds(), ConversationIds()
    ids = [
        names.assign(given, *opens)
        for given, *opens in (("x", 1), (None, "hi"), (" ", "hi"), ("x", 2), (None, "ho"))
    ]
    assert ids[0] == "x"
    assert ids[3] == "x-2"
    assert ids[2] == f"{ids[1]}-2"
    assert ids[4] not in ids[:4]
    assert again.assign(None, "hi") == ids[1]


@pytest.mark.parametrize(("who", "count"), [("sua", 2), ("u", 1), ("sa", 2), ("", 0), ("aau", 3)])
def test_a_conversation_opens_up_to_its_first_user(who, count):
    messages = [{"from": letter} for letter in who]
    assert opening(messages, "from", ("u",)) == messages[:count]


@pytest.mark.parametrize(
    ("value", "time"),
    [(1767323045, "2026-01-02T03:04:05.000Z"), (1767323045.5, "2026-01-02T03:04:05.500Z"), ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"), (None, None), (True, None), ("x", None)],
)  # fmt: skip
def test_a_time_in_seconds_or_as_text(value, time):
    assert seconds(value) == time


# -- parts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("id", "name", "failed", "response"),
    [
        ("c1", "ls", False, {"id": "c1", "name": "ls", "response": {"output": "x"}}),
        (None, "ls", True, {"name": "ls", "response": {"error": "x"}}),
        ("", None, False, {"name": "tool", "response": {"output": "x"}}),
        (7, 8, False, {"name": "tool", "response": {"output": "x"}}),
    ],
)
def test_a_result_says_of_which_call_it_is_where_it_is_known(id, name, failed, response):
    assert programs_parts.result(id, name, "x", failed=failed) == {"functionResponse": response}
    held = [programs_parts.inline(b"x", None)]
    made = programs_parts.result(id, name, "x", failed=failed, files=held)
    assert made == {"functionResponse": {**response, "parts": held}}


def test_a_thought_is_signed_where_it_was():
    assert programs_parts.thought("hm", "c2ln") == {
        "text": "hm",
        "thought": True,
        "thoughtSignature": "c2ln",
    }
    assert (
        programs_parts.thought("hm", "")
        == programs_parts.thought("hm", 7)
        == {"text": "hm", "thought": True}
    )


def test_texts_are_told_from_the_rest():
    file = programs_parts.inline(b"x", "image/png")
    parts = [{"text": "a"}, file, programs_parts.thought("hm")]
    assert programs_parts.texts(parts) == ["a", "hm"]
    assert programs_parts.without_texts(parts) == [file]


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
    assert programs_parts.media(source, mime, kind) == part
