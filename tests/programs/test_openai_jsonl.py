"""Files for fine-tuning and batches, each trap by name."""

import orjson
import pytest

from inside import inside
from program_copies import settings
from program_formats import lined, listed, openai_jsonl
from support import corpus_files, lines, session_path
from training_files import imported, said


def test_examples_bring_tools_weights_and_system_prompts(tmp_path):
    first, second, *_ = imported(tmp_path, lined(openai_jsonl()))
    assert said(first) == ["one", "A", "A", "two"]
    assert settings(first)["system"] == "be good"
    assert settings(first)["tools"][0]["function"]["name"] == "f"
    assert first[-1]["item"] == {"weight": 0}
    assert said(second) == ["one", "again"]


def test_of_a_preference_the_preferred_answer(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(lined(openai_jsonl()[2:3] * 2))
    done = inside("import", str(tmp_path / "x.jsonl"), home=tmp_path)
    assert b"not imported: 1 message of an answer not preferred" in done.err
    one, two = done.text.split()
    assert two == f"{one}-2"
    assert said(lines(session_path(tmp_path, one))) == ["which", "good"]


def test_of_a_batch_the_requests_are_imported_and_the_answers_named(tmp_path):
    batch = openai_jsonl()[3:]
    answer = batch[1]
    for name, values in {"a": [answer, *batch[::2]], "b": [*batch[::2], answer], "c": batch}.items():
        (tmp_path / name).write_bytes(lined(values))
        done = inside("import", str(tmp_path / name), home=tmp_path / f"home-{name}")
        assert b": the answer of a batch, not imported" in done.err
        assert done.text.split() == ["openai-jsonl-q1", "openai-jsonl-q2"]
    records = lines(session_path(tmp_path / "home-c", "openai-jsonl-q1"))
    assert said(records) == ["one"]
    assert settings(records)["model.openai-chat"] == "gpt-5"


def test_answers_alone_are_refused(tmp_path):
    theirs = {"custom_id": "q4", "result": {"type": "succeeded", "message": {"role": "assistant"}}}
    (tmp_path / "x.jsonl").write_bytes(lined([openai_jsonl()[4], theirs]))
    done = inside("import", str(tmp_path / "x.jsonl"), home=tmp_path)
    assert (done.code, b": the answer of a batch, not imported; give its requests" in done.err) == (
        65,
        True,
    )


def test_a_line_that_is_damaged_costs_itself(tmp_path):
    one, two, *_ = (orjson.dumps(value) for value in openai_jsonl())
    data = b"\n".join([one, b'{"messages": [', b'{"messages": [{"role": "wizard", "content": "x"}]}', two])
    (tmp_path / "x.jsonl").write_bytes(data)
    done = inside("import", str(tmp_path / "x.jsonl"), home=tmp_path)
    assert b"line 2: not JSON" in done.err
    assert [len(said(lines(session_path(tmp_path, id)))) for id in done.text.split()] == [4, 0, 2]


def test_names_do_not_hang_on_order_or_growth(tmp_path):
    """A conversation without an id is known by its opening, so that its line may move and grow."""
    values = openai_jsonl()[:2]
    ids = [records[0]["id"] for records in imported(tmp_path, lined(values))]
    values[1]["messages"].append({"role": "user", "content": "more"})
    found = imported(tmp_path, listed(values[::-1]))
    assert [records[0]["id"] for records in found] == ids[::-1]
    assert said(found[0]) == ["one", "again", "more"]


def test_one_request_body_is_still_a_request(tmp_path):
    (tmp_path / "request.json").write_bytes(orjson.dumps({"model": "m", **openai_jsonl()[1]}))
    assert inside("import", str(tmp_path / "request.json"), home=tmp_path).text == "request"


@pytest.mark.parametrize("file", corpus_files("sessions/tau-*.json"), ids=lambda file: file.name)
def test_recorded_conversations(file, tmp_path):
    ids = inside("import", str(file), home=tmp_path).text.split()
    given = orjson.loads(file.read_bytes())
    assert len(set(ids)) == len(given)
    for id, conversation in zip(ids, given, strict=True):
        found = [r for r in lines(session_path(tmp_path, id)) if r["type"] == "message"]
        assert len(found) == sum(m["role"] != "system" for m in conversation["messages"])
    before = session_path(tmp_path, ids[0]).read_bytes()
    inside("import", str(file), home=tmp_path)
    assert session_path(tmp_path, ids[0]).read_bytes() == before
