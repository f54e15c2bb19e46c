"""Request bodies to messages: what their readers share."""

import pytest

from codeh_history.base.errors import BadData
from codeh_history.providers.body import Messages, messages_in
from histories import call, result


def reading(**body):
    return Messages("openai-chat", body)


@pytest.mark.parametrize("given", [None, {}, "x"])
def test_a_body_without_a_list_of_messages_is_none(given):
    with pytest.raises(BadData, match=r"messages: a list expected; is this an openai-chat body\?"):
        messages_in({"messages": given}, "messages", "openai-chat")
    with pytest.raises(BadData, match="is this a gemini body"):
        messages_in({}, "contents", "gemini")


def told(read):
    return [(message["kind"], len(message["parts"])) for message in read.records]


def test_results_in_a_row_are_one_message():
    read = reading()
    for _ in range(2):
        read.add_results([result()])
    read.add_results([{"native": {}}])
    read.add_results([result()])
    assert told(read) == [("tool", 2), ("tool", 1), ("tool", 1)]


def test_a_users_results_stand_before_the_rest():
    read = reading()
    read.add_user([{"text": "a"}, result(), {"text": "b"}], {"name": "x"})
    read.add_user([result()])
    read.add_user([])
    assert told(read) == [("tool", 1), ("user", 2), ("tool", 1), ("user", 0)]
    assert [message.get("item") for message in read.records] == [None, {"name": "x"}, None, None]


def test_a_model_that_called_goes_on_in_the_same_message():
    read = reading(model="m")
    read.add_model([{"text": "a"}, call()])
    read.add_model([call()])
    read.add_results([result()])
    read.add_model([{"text": "b"}])
    read.add_model([{"text": "c"}])
    read.add_model([{"text": "d"}], joins=True)
    assert told(read) == [("codeh", 3), ("tool", 1), ("codeh", 1), ("codeh", 2)]
    assert {(m.get("provider"), m.get("model")) for m in read.records if m["kind"] == "codeh"} == {
        ("openai-chat", "m")
    }


def test_a_result_finds_the_function_of_its_call():
    read = reading()
    read.call("1", "f")
    read.call(None, "g")
    read.call("2", "h")
    assert read.answered("2", None) == {"id": "2", "name": "h"}
    assert read.answered(None, None) == {"name": "f"}
    assert read.answered(None, "x") == {"name": "x"}
    assert read.answered("9", "") == {"id": "9", "name": "g"}
    assert read.answered(None, None) == {"name": "unknown"}
    assert read.answered("1", "other") == {"id": "1", "name": "f"}


def test_what_is_neither_message_nor_model_nor_tool_is_a_setting():
    found = reading(model="m", tools=[{}], messages=[], temperature=1, n=2).imported("", "messages", n=3)
    assert (found.model, found.tools, found.system, found.settings) == (
        "m",
        [{}],
        None,
        {"temperature": 1, "n": 3},
    )
