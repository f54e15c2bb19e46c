"""An answer as a program gets it, in pieces and streamed; the samples of docs/library.md."""

import asyncio
import re

import pytest

from codeh_history import BadData, NotFound, Session
from codeh_history.base.env import Env
from codeh_history.library.env import CallerError
from codeh_history.library.stream import Answer, CallbackEcho, pieces
from fake_provider import FakeProvider
from strategies import view_of
from support import ROOT, lines, until

SAID = [
    {"text": "Hmm", "thought": True}, {"text": "one"}, {"functionCall": {"id": "c1", "name": "ls", "args": {"a": 1}}}, {"text": "two"},
]  # fmt: skip
MESSAGE = {"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": SAID}


def test_it_says_what_the_model_said_and_called():
    view = view_of([MESSAGE])
    answer = Answer(view.messages[0])
    assert answer.id == "m"
    assert answer.calls == [{"id": "c1", "name": "ls", "args": {"a": 1}}]
    assert "Hmm" not in answer.text
    assert str(answer) == answer.text
    assert repr(answer) == f"Answer('m', {answer.text!r})"
    answer.calls[0]["name"] = "changed"
    assert view.messages[0].parts[2]["functionCall"]["name"] == "ls"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"x", [b"x"]), ("ü", ["ü"]), (bytearray(b"x"), [b"x"]), (memoryview(b"x"), [b"x"]), ({"a": 1}, [b'{"a":1}']), ([b"a", "b"], [b"a", "b"]),
        (iter([b"a"]), [b"a"]), ((), []),
    ],
)  # fmt: skip
def test_a_response_is_bytes_a_text_an_object_or_pieces(data, expected):
    assert list(pieces(data)) == expected


class Model:
    """Like a pydantic model: the clients of OpenAI, Anthropic and Google return one."""

    def __iter__(self):
        yield "id", "x"

    def model_dump_json(self, **options):
        assert options == {"by_alias": True, "exclude_none": True, "warnings": False}
        return '{"id":"x"}'


def test_an_object_of_a_client_is_its_json():
    assert list(pieces(Model())) == ['{"id":"x"}']


def test_a_stream_of_a_clients_objects_is_a_type_error(tmp_path):
    session = Session.open("s", create=True, home=tmp_path)
    session.append("Hi")
    for chunk in (Model(), 7):
        with pytest.raises(TypeError, match=f"a chunk is bytes or text, not {type(chunk).__name__}"):
            session.append_response(iter([chunk]))
    assert len(session.messages) == 1


@pytest.mark.parametrize("data", [None, 7, True, object()])
def test_anything_else_is_a_type_error(data):
    with pytest.raises(TypeError, match=r"a response is bytes, text, an object or an iterable, not"):
        pieces(data)


def test_the_result_of_an_async_function_is_a_type_error():
    async def answer():
        return b""

    async def answer_in_pieces():
        yield b""

    coroutine = answer()
    for result in (coroutine, answer_in_pieces()):
        with pytest.raises(TypeError, match=r"not (coroutine|async_generator); pass an `async def` itself"):
            pieces(result)
    coroutine.close()


def test_what_the_source_of_a_response_raises_is_the_callers(tmp_path):
    def made():
        yield b"data: "
        raise OSError("mine")

    session = Session.open("s", create=True, home=tmp_path)
    session.append("Hi")
    with pytest.raises(OSError, match=r"^mine$"):
        session.append_response(made())


def test_a_response_creates_no_session(tmp_path):
    session = Session.open("s", create=True, home=tmp_path)
    with pytest.raises(NotFound, match="no such session; a response never creates one"):
        session.append_response(iter([b"data: "]))
    assert not (tmp_path / "unsent").exists()


def test_only_text_is_echoed_as_it_arrives():
    echo_texts = []
    echoed = CallbackEcho(Env({}), echo_texts.append)
    echoed.parts(
        [{"text": "a"}, {"text": "why", "thought": True}, {"functionCall": {"name": "f", "args": {}}}]
    )
    echoed.text("")
    echoed.text("b")
    echoed.end()
    assert echo_texts == ["a", "b"]


def test_a_listener_that_fails_is_the_callers():
    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(CallerError) as raised:
        CallbackEcho(Env({}), fail).text("a")
    assert isinstance(raised.value.error, ZeroDivisionError)


def records(session):
    with open(session.path, "rb") as file:
        return [record["type"] for record in lines(file.read())]


def test_what_was_written_is_a_message(session):
    with session.stream("model") as stream:
        for chunk in ("Ray", b"lei", "gh \U0001f308".encode()[:5], "gh \U0001f308".encode()[5:]):
            stream.write(chunk)
    assert session.messages[-1]["parts"] == [{"text": "Rayleigh \U0001f308"}]
    assert session.messages[-1]["id"] == stream.id
    with pytest.raises(ValueError, match="ended"):
        stream.write("more")


def test_an_exception_leaves_it_pending(session):
    with pytest.raises(ZeroDivisionError), session.stream("model") as stream:  # noqa: PT012
        stream.write("half an ")
        stream.write("answer")
        raise ZeroDivisionError
    assert session.items[-1]["committed"] is None
    assert session.items[-1]["pending"]["parts"] == [{"text": "half an answer"}]
    assert session.items[-1]["pending"]["aborted"] == "ZeroDivisionError"
    assert session.commit(stream.id) == stream.id


def test_others_see_it_grow_though_nothing_more_is_written(session):
    with session.stream("model") as stream:
        stream.write("one ")
        assert session.items[-1]["pending"]["parts"] == [{"text": "one "}]
        stream.write("two")
        until(lambda: session.items[-1]["pending"]["parts"] == [{"text": "one two"}])


def test_there_is_a_write_for_4_kib_and_none_for_less(session):
    with session.stream("model") as stream:
        stream._streaming.flush_seconds = 60
        for _ in range(3000):
            stream.write("four")
    assert records(session).count("delta") == 1 + (3000 * 4 - 4) // 4096


def test_nothing_but_blanks_is_no_message(session):
    with pytest.raises(BadData), session.stream("model") as stream:
        stream.write(" \n")
    assert session.messages == []


def test_what_is_handed_on_is_written(session):
    with session.stream("model") as stream:
        assert list(stream.through(iter(["a", "b"]))) == ["a", "b"]

    async def chunks():
        for chunk in "cd":
            yield chunk

    async def talk():
        async with session.stream("model") as stream:
            return [chunk async for chunk in stream.athrough(chunks())]

    assert asyncio.run(talk()) == ["c", "d"]
    assert [message["parts"] for message in session.messages] == [[{"text": "ab"}], [{"text": "cd"}]]


PAGE = ROOT / "docs" / "library.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_run(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    with FakeProvider() as server:
        monkeypatch.setenv("MODEL_URL", f"{server.url}/v1beta/models/m:streamGenerateContent?alt=sse")
        for number, example in enumerate(EXAMPLES):
            exec(compile(example, f"{PAGE.name}, example {number}", "exec"), names)
    assert len(EXAMPLES) == 9
    assert (tmp_path / "demo.html").stat().st_size > 1000
    assert names["other"].id == "demo-b"


def test_the_page_names_all_that_is_public():
    from codeh_history import __all__
    from codeh_history.library.session import Session

    page = PAGE.read_text()
    for name in (*__all__, *vars(Session)):
        assert name.startswith("_") or re.search(rf"\b{name}\b", page), name
