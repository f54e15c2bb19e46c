"""Models and tools as functions of the program: plain ones, and async ones in its event loop."""

import asyncio
from pathlib import Path

import orjson
import pytest

from answering import ANSWER, EVENTS, Model
from codeh_history import Session, TryAgain, Usage
from inside import inside
from support import lines, session_path


@pytest.mark.parametrize("answer", [ANSWER, orjson.dumps(ANSWER), orjson.dumps(ANSWER).decode(), EVENTS, iter(EVENTS)],
                         ids=["object", "bytes", "text", "list", "iterator"])  # fmt: skip
def test_a_function_answers(session, answer):
    heard = []
    model = Model(answer)
    said = session.ask("Why?", to="gemini", via=model, echo=heard.append)
    assert (said.text, str(said), "".join(heard)) == ("Rayleigh.", "Rayleigh.", "Rayleigh.")
    assert model.asked[0]["contents"][-1]["parts"] == [{"text": "Why?"}]
    assert session.messages[-1]["id"] == said.id


def test_what_a_function_answers_is_stored_as_what_a_command_does(home, tmp_path):
    (tmp_path / "answer").write_bytes(b"".join(EVENTS))
    fixed = {"CODEH_ID_SEED": "s", "CODEH_NOW": "2026-01-02T03:04:05Z"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in fixed.items():
            patch.setenv(name, value)
        session = Session.open("demo", create=True, home=home)
    session.ask("Why?", to="gemini", via=lambda _: EVENTS, system="Be brief.")
    ask = [
        "ask",
        "-s",
        "demo",
        "-m",
        "Why?",
        "--to",
        "gemini",
        "--via",
        f"cat {tmp_path}/answer",
        "--system",
        "Be brief.",
    ]
    assert inside(*ask, home=tmp_path / "other", env=fixed).text == "Rayleigh."
    ours, theirs = (session_path(h, "demo").read_bytes() for h in (home, tmp_path / "other"))
    assert [r for r in lines(ours) if r["type"] != "delta"] == [
        r for r in lines(theirs) if r["type"] != "delta"
    ]


def test_a_command_answers_too(session, tmp_path):
    (tmp_path / "answer").write_bytes(orjson.dumps(ANSWER))
    heard = []
    said = session.ask("Why?", to="gemini", via=f"cat {tmp_path}/answer", echo=heard.append)
    assert (said.text, heard) == ("Rayleigh.", ["Rayleigh."])


def test_an_async_function_is_awaited_in_its_own_loop(session):
    async def talk():
        loop = asyncio.get_running_loop()

        async def model(body):
            assert asyncio.get_running_loop() is loop
            return ANSWER

        said = [await session.ask("one", to="gemini", via=model)]
        said += await asyncio.gather(
            Session.open("other", create=True, home=Path(session.path).parent.parent).ask(
                "x", to="gemini", via=model
            ),
            session.ask("two", to="gemini", via=Model(EVENTS).pieces),
        )
        said.append(
            await session.ask("three", to="gemini", via=Model(ANSWER))
        )  # a plain one is there at once
        return [one.text for one in said]

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
    assert session.items[-1]["pending"]["aborted"] in (
        "ZeroDivisionError",
        "the answer ended before its end (no finishReason)",
    )


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
