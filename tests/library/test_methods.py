"""`Session`: the verbs as methods."""

import orjson
import pytest

from codeh_history import BadData, NotFound, Session, Usage
from inside import inside
from support import session_path


def test_what_is_appended_is_there_for_the_commands_and_the_other_way(home, session):
    assert session.messages == []
    first = session.append("Why is the sky blue?")
    said = inside("append", "-s", "demo", "--role", "model", "-m", "Rayleigh.", home=home).text
    assert [message["id"] for message in session.messages] == [first, said]
    assert session.messages == inside("show", "demo", "--jsonl", home=home).lines
    assert session.items == inside("show", "demo", "--items", home=home).lines


def test_calls_and_results_take_pythons_values(session):
    session.append(call="ls", args={"path": "."}, call_id="c1")
    session.append(result="ls", message="a.txt")
    call, result = session.messages
    assert call["parts"][0]["functionCall"] == {"id": "c1", "name": "ls", "args": {"path": "."}}
    assert result["parts"][0]["functionResponse"]["response"] == {"output": "a.txt"}


def test_a_payload_is_what_the_command_prints(home, session):
    session.append("hi")
    tools = [{"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}]
    flags = ["--model", "m", "--system", "Be brief.", "--budget", "32k", "--set", "temperature=0.5"]
    flags += ["--tools", orjson.dumps(tools).decode()]
    by_command = inside("payload", "demo", "--to", "anthropic", *flags, home=home).out
    options = {"model": "m", "system": "Be brief.", "tools": tools, "set": {"temperature": 0.5}}
    assert session.payload("anthropic", budget=32_000, **options) == by_command


def test_a_text_is_no_file_whatever_it_begins_with(session, tmp_path):
    (tmp_path / "system.md").write_text("From a file.")
    session.append("hi")
    body = orjson.loads(session.payload("openai-chat", model="m", system="@" + str(tmp_path / "system.md")))
    assert body["messages"][0]["content"].startswith("@")
    body = orjson.loads(session.payload("openai-chat", model="m", system=tmp_path / "system.md"))
    assert body["messages"][0]["content"] == "From a file."


def test_extend_stores_all_or_nothing(session):
    good = {"role": "user", "parts": [{"text": "one"}]}
    assert len(session.extend([good, good])) == 2
    with pytest.raises(BadData):
        session.extend([good, {"role": "nobody", "parts": []}])
    assert len(session.messages) == 2


def test_what_a_caller_does_to_what_it_was_given_changes_nothing(session):
    session.append("hi")
    session.messages[0]["parts"][0]["text"] = "changed"
    assert session.messages[0]["parts"] == [{"text": "hi"}]


@pytest.mark.parametrize(
    "wrong, error, code",
    [
        (lambda s: s.append(), BadData, 65),
        (lambda s: s.append("x", role="nobody"), Usage, 2),
        (lambda s: s.append("x", max_items=0), Usage, 2),
        (lambda s: s.payload("gemini"), BadData, 65),
        (lambda s: s.payload("nobody"), Usage, 2),
        (lambda s: Session.open("other", home=f"{s.path}.none"), NotFound, 3),
        (lambda s: Session.open("-"), Usage, 2),
        (lambda s: Session.open("a/b"), Usage, 2),
    ],
)
def test_what_fails_has_the_code_of_the_command(session, wrong, error, code):
    session.append(role="model", message="ends so")
    with pytest.raises(error) as raised:
        wrong(session)  # type: ignore[operator]
    assert raised.value.code == code
    assert len(session.messages) == 1


@pytest.mark.parametrize("options", [{"rolle": "user"}, {"pin": 1}, {"from_": "auto"}, {"message": b"x"}])
def test_arguments_that_the_verb_has_not_are_type_errors(session, options):
    with pytest.raises(TypeError):
        session.append(**options)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_has_not_are_refused(session, number):
    session.append(call="plot", args={"at": None, "to": [1.5]})
    given = {"a": [{"b": (number,)}], "c": None}
    said = {"role": "model", "parts": [{"functionCall": {"name": "plot", "args": given}}]}
    for refused in (lambda: session.append(call="plot", args=given), lambda: session.extend([said])):
        with pytest.raises(BadData, match="NaN and infinity"):
            refused()
    assert len(session.messages) == 1


def test_a_session_that_was_removed_is_not_begun_anew(home, session):
    session.append("hi")
    same = Session.open("demo", home=home)
    session_path(home, "demo").unlink()
    with pytest.raises(NotFound):
        same.append("again")
