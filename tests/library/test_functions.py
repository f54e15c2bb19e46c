"""Models, tools, renderers and removers that are functions of the program."""

import asyncio
from pathlib import Path

import orjson
import pytest

from codeh_history import BadData, ProviderRefused, Session, SummarizerFailed, TryAgain, Usage
from in_process import run_in_process
from support import lines, session_path

SAYING = {"content": {"role": "model", "parts": [{"text": "Rayleigh."}]}, "finishReason": "STOP"}
ANSWER = {"candidates": [SAYING]}
EVENTS = [
    b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Ray"}]}}]}\r\n\r\n',
    b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"leigh."}]},"finishReason":"STOP"}]}\r\n\r\n',
]


class Model:
    """Answers, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, body):
        self.requests.append(orjson.loads(body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def wait(self, body):
        await asyncio.sleep(0)
        return self(body)

    async def pieces(self, body):
        for piece in self(body):
            await asyncio.sleep(0)
            yield piece


@pytest.mark.parametrize("answer", [ANSWER, orjson.dumps(ANSWER), orjson.dumps(ANSWER).decode(), EVENTS, iter(EVENTS)],
                         ids=["object", "bytes", "text", "list", "iterator"])  # fmt: skip
def test_a_function_answers(session, answer):
    heard = []
    model = Model(answer)
    reply = session.ask("Why?", to="gemini", via=model, echo=heard.append)
    assert (reply.text, str(reply), "".join(heard)) == ("Rayleigh.", "Rayleigh.", "Rayleigh.")
    assert model.requests[0]["contents"][-1]["parts"] == [{"text": "Why?"}]
    assert session.messages[-1]["id"] == reply.id


def test_what_a_function_answers_is_stored_as_what_a_command_does(home, tmp_path):
    (tmp_path / "answer").write_bytes(b"".join(EVENTS))
    fixed = {"CODEH_ID_SEED": "s", "CODEH_NOW": "2026-01-02T03:04:05Z"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in fixed.items():
            patch.setenv(name, value)
        session = Session.open("demo", create=True, home=home)
    session.ask("Why?", to="gemini", via=lambda _: EVENTS, system="Brief.")
    ask = [*"ask -s demo -m Why? --to gemini --system Brief. --via".split(), f"cat {tmp_path}/answer"]
    assert run_in_process(*ask, home=tmp_path / "other", env=fixed).text == "Rayleigh."
    ours, theirs = (lines(session_path(path, "demo")) for path in (home, tmp_path / "other"))
    assert [r for r in ours if r["type"] != "delta"] == [r for r in theirs if r["type"] != "delta"]


def test_what_is_asked_is_what_is_sent_once_it_is_stored(session):
    session.extend([{"role": role, "parts": [{"text": "word " * 90}]} for role in ("user", "model") * 4])
    for budget in (250, 600, 9000):
        model = Model(ANSWER)
        session.ask("And now?", to="gemini", budget=budget, via=model)
        session.undo()
        assert orjson.loads(session.payload("gemini", budget=budget)) == model.requests[0]


def test_a_command_answers_too(session, tmp_path):
    (tmp_path / "answer").write_bytes(orjson.dumps(ANSWER))
    heard = []
    reply = session.ask("Why?", to="gemini", via=f"cat {tmp_path}/answer", echo=heard.append)
    assert (reply.text, heard) == ("Rayleigh.", ["Rayleigh."])


def test_an_async_function_is_awaited_in_its_own_loop(session):
    async def talk():
        loop = asyncio.get_running_loop()

        async def model(body):
            assert asyncio.get_running_loop() is loop
            return ANSWER

        other = Session.open("other", create=True, home=Path(session.path).parent.parent)
        replies = [await session.ask("one", to="gemini", via=model)]
        replies += await asyncio.gather(
            other.ask("x", to="gemini", via=model),
            session.ask("two", to="gemini", via=Model(EVENTS).pieces),
        )
        replies.append(await session.ask("three", to="gemini", via=Model(ANSWER)))  # which is there at once
        return [reply.text for reply in replies]

    assert asyncio.run(talk()) == ["Rayleigh."] * 4
    assert [m["parts"][0]["text"] for m in session.messages][::2] == ["one", "two", "three"]


def test_what_a_function_raises_comes_out_and_the_prompt_is_sent_again(session):
    with pytest.raises(ConnectionError) as raised:
        session.ask("Why?", to="gemini", via=Model(ConnectionError("no route")))
    assert raised.value.__notes__ == ["the prompt is stored: `ask` without a text sends it"]
    assert session.ask(to="gemini", via=Model(ANSWER)).text == "Rayleigh."
    assert len(session.messages) == 2


@pytest.mark.parametrize("ends", ["raises", "cut"])
def test_what_came_before_the_end_failed_stays_pending(session, ends):
    def half():
        yield EVENTS[0]
        if ends == "raises":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError if ends == "raises" else TryAgain):
        session.ask("Why?", to="gemini", via=lambda _: half())
    assert session.items[-1]["pending"]["parts"] == [{"text": "Ray"}]
    why = "ZeroDivisionError" if ends == "raises" else "the answer was cut off (no finishReason)"
    assert session.items[-1]["pending"]["aborted"] == why


def test_a_cancelled_ask_leaves_pending_what_came(session):
    async def model(body):
        yield EVENTS[0]
        await asyncio.sleep(60)
        yield EVENTS[1]

    async def talk():
        task = asyncio.ensure_future(session.ask("Why?", to="gemini", via=model))
        while not any(item["pending"] for item in session.items):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(talk())
    assert session.items[-1]["pending"]["aborted"] == "CancelledError"


@pytest.mark.parametrize(
    "wrong", [{"to": "gemini"}, {"via": lambda _: ANSWER}, {"to": "x", "via": lambda _: ANSWER}]
)
def test_what_is_not_said_is_asked_for_before_anything_is_stored(session, wrong):
    with pytest.raises(Usage):
        session.ask("Why?", **wrong)
    assert session.messages == []


CALL = {"functionCall": {"name": "ls", "args": {"path": "."}}}


CALLING = {"candidates": [{"content": {"role": "model", "parts": [CALL]}, "finishReason": "STOP"}]}


def test_a_providers_error_is_one_of_ours(session):
    refused = {"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}
    with pytest.raises(ProviderRefused) as raised:
        session.ask("Why?", to="gemini", via=Model(refused))
    assert raised.value.code == 4


def test_a_response_that_is_read_with_await(session):
    async def chunks():
        for event in EVENTS:
            yield event

    session.append("Why?")
    id = asyncio.run(_awaited(session.append_response(chunks(), "gemini")))
    assert session.messages[-1]["id"] == id


async def _awaited(value):
    return await value


def test_a_response_longer_than_allowed_is_refused(session):
    session.append("Why?")
    with pytest.raises(BadData):
        session.append_response(EVENTS, max_bytes=100)
    assert session.items[-1]["pending"]["parts"] == [{"text": "Rayleigh."}]


def _tool(call):
    return {"files": [call["args"]["path"]]}


async def _slow_tool(call):
    await asyncio.sleep(0)
    return _tool(call)


@pytest.mark.parametrize("tool", [_tool, _slow_tool])
def test_calls_are_listed_and_answered(session, tool):
    assert session.ask("Look.", to="gemini", via=Model(CALLING)).calls == [CALL["functionCall"]]
    (call,) = session.calls()
    assert (call["name"], call["args"]) == ("ls", {"path": "."})
    answered = session.calls(tool)
    (done,) = asyncio.run(_awaited(answered)) if tool is _slow_tool else answered
    assert session.messages[-1]["id"] == done["result"]
    assert session.messages[-1]["parts"][0]["functionResponse"]["response"] == {"files": ["."]}
    assert session.calls() == []
    assert session.ask(to="gemini", via=Model(ANSWER)).text == "Rayleigh."


def test_a_tool_that_raises_is_a_failed_result(session):
    session.ask("Look.", to="gemini", via=Model(CALLING))
    session.calls(lambda call: 1 / 0)
    response = session.messages[-1]["parts"][0]["functionResponse"]["response"]
    assert response == {"error": "Tool call ls failed with error: division by zero"}


def _brief(prompt):
    assert "word 0" in prompt
    return "The user asked about words."


async def _slowly(prompt):
    return _brief(prompt)


@pytest.mark.parametrize("via", [None, _brief, _slowly])
def test_a_summary_is_written_where_it_is_due(session, via):
    for number in range(14):
        session.extend([{"role": "user", "parts": [{"text": f"word {number} " * 30}]},
                        {"role": "model", "parts": [{"text": "yes"}]}])  # fmt: skip
    done = session.summarize(via, max_conversations=4)
    done = asyncio.run(_awaited(done)) if via is _slowly else done
    assert (done["action"], done["covered"]) == ("summarized", 10)
    assert len(session.messages) == 8
    assert session.summarize(max_conversations=4) is None
    assert session.undo()[0][0] == "summary"
    assert len(session.messages) == 28


def test_a_summary_that_is_none_changes_nothing(session):
    session.extend([{"role": "user", "parts": [{"text": f"{n}"}]} for n in range(20)])
    before = Path(session.path).read_bytes()
    with pytest.raises(SummarizerFailed):
        session.summarize(lambda prompt: "", max_conversations=4)
    with pytest.raises(ZeroDivisionError):
        session.summarize(lambda prompt: 1 // 0, max_conversations=4)  # type: ignore[return-value]
    assert Path(session.path).read_bytes() == before


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
    assert texts(orjson.dumps(model.requests[0]))[1] == "Because."


@pytest.mark.parametrize("remover", [cut_later, [cut, cut_later]])
def test_an_async_function_is_awaited(talk, remover):
    async def main():
        assert texts(await talk.payload("gemini", remove_cmd=remover)) == REMOVED
        assert b"Because.<" not in (await talk.curate(remove_cmd=remover)).output
        model = Model(ANSWER)
        await talk.ask("Now?", to="gemini", via=model, remove_cmd=remover)
        assert texts(orjson.dumps(model.requests[0]))[1] == "Because."

    asyncio.run(main())


def test_what_a_function_raises_comes_out_and_another_result_is_refused(talk):
    def fails(text):
        raise KeyError(text)

    with pytest.raises(KeyError):
        talk.payload("gemini", remove_cmd=fails)
    with pytest.raises(TypeError, match="expected a string"):
        talk.payload("gemini", remove_cmd=lambda text: None)


def test_templates_are_texts_or_paths(talk, tmp_path):
    templates = {"user_template": "Hi {{message}}", "system_template": "S {{vars.a}}"}
    sent = talk.payload("gemini", **templates, var={"a": 1})
    assert texts(sent)[-1] == "Hi And <more>?"
    assert orjson.loads(sent)["systemInstruction"] == {"parts": [{"text": "S 1"}]}
    (tmp_path / "t.j2").write_text("From a file: {{message}}")
    assert texts(talk.payload("gemini", user_template=tmp_path / "t.j2"))[-1] == "From a file: And <more>?"
    with pytest.raises(BadData, match=r"^template:1: "):
        talk.payload("gemini", user_template="{% for")


def test_rendered_text_is_not_rendered_again(talk):
    options = {"rendered_user": "@Q: {{message}}", "system": "{% as it is %}"}
    sent = talk.payload("gemini", **options)
    assert texts(sent)[-1] == options["rendered_user"]
    assert orjson.loads(sent)["systemInstruction"] == {"parts": [{"text": options["system"]}]}
    assert talk.messages[-1]["parts"] == [{"text": "And <more>?"}]
    with pytest.raises(Usage):
        talk.payload("gemini", rendered_user="a", user_template="b")
