"""What a program renders and removes itself: functions in the place of commands, texts in that of files."""

import asyncio

import orjson
import pytest

from answering import ANSWER, Model
from codeh_history import BadData, Usage


def cut(text):
    return text.replace("<more>", "")


async def cut_later(text):
    await asyncio.sleep(0)
    return cut(text)


@pytest.fixture
def talk(session):
    session.append("Why {{x}}?")
    session.append("Because.<more>", role="model")
    session.append("And <more>?")
    return session


def texts(body):
    contents = orjson.loads(body)["contents"]
    return [part["text"] for content in contents for part in content["parts"]]


REMOVED = ["Why {{x}}?", "Because.", "And <more>?"]


@pytest.mark.parametrize("remover", [cut, [cut], ["sed s/b/b/", cut]])
def test_a_function_removes_from_what_the_model_said(talk, remover):
    assert texts(talk.payload("gemini", remove_cmd=remover)) == REMOVED
    assert talk.messages[1]["parts"] == [{"text": "Because.<more>"}]
    assert b"Because.<" not in talk.curate(remove_cmd=remover).output
    model = Model(ANSWER)
    talk.ask("Now?", to="gemini", via=model, remove_cmd=remover)
    assert texts(orjson.dumps(model.asked[0]))[1] == "Because."


@pytest.mark.parametrize("remover", [cut_later, [cut, cut_later]])
def test_an_async_function_is_awaited(talk, remover):
    async def asked():
        assert texts(await talk.payload("gemini", remove_cmd=remover)) == REMOVED
        assert b"Because.<" not in (await talk.curate(remove_cmd=remover)).output
        model = Model(ANSWER)
        await talk.ask("Now?", to="gemini", via=model, remove_cmd=remover)
        assert texts(orjson.dumps(model.asked[0]))[1] == "Because."

    asyncio.run(asked())


def test_what_a_function_raises_comes_out_and_another_result_is_refused(talk):
    def fails(text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        talk.payload("gemini", remove_cmd=fails)
    with pytest.raises(TypeError, match="a text expected"):
        talk.payload("gemini", remove_cmd=lambda text: None)


def test_templates_are_texts_or_paths(talk, tmp_path):
    sent = talk.payload(
        "gemini", user_template="Hi {{message}}", system_template="S {{vars.a}}", var={"a": 1}
    )
    assert texts(sent)[-1] == "Hi And <more>?"
    assert orjson.loads(sent)["systemInstruction"] == {"parts": [{"text": "S 1"}]}
    (tmp_path / "t.j2").write_text("From a file: {{message}}")
    assert texts(talk.payload("gemini", user_template=tmp_path / "t.j2"))[-1] == "From a file: And <more>?"
    with pytest.raises(BadData, match=r"^template:1: "):
        talk.payload("gemini", user_template="{% for")


def test_what_was_rendered_already_is_taken_as_it_is(talk):
    given = {"rendered_user": "@Q: {{message}}", "system": "{% as it is %}"}
    sent = talk.payload("gemini", **given)
    assert texts(sent)[-1] == given["rendered_user"]
    assert orjson.loads(sent)["systemInstruction"] == {"parts": [{"text": given["system"]}]}
    assert talk.messages[-1]["parts"] == [{"text": "And <more>?"}]
    with pytest.raises(Usage):
        talk.payload("gemini", rendered_user="a", user_template="b")
