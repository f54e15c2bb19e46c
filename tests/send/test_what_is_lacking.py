"""What a log lacks is not looked for: the request is the same as where everything is looked for."""

import orjson
import pytest
from hypothesis import given, settings

from codeh_history import providers
from codeh_history.session import records
from length import examples
from oddities import every_oddity, said, sessions, told, words


def check(path, data, *argv):
    """`payload` says the same of a session where nothing is known of it before it is looked at."""
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        short = told(["payload", str(path), *argv])
        patch.setattr(records.Log, "lacks", lambda log, *keys: False)
        patch.setattr(records.Log, "refers", True)
        patch.setattr(records, "_is_usual", lambda data, keys: False)
        assert short == told(["payload", str(path), *argv])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Of a session."""
    return tmp_path_factory.mktemp("lacking") / "s.jsonl"


@settings(max_examples=examples(200))
@given(data=sessions(), argv=words())
def test_what_is_skipped_would_change_nothing(path, data, argv):
    check(path, data, *argv)


@pytest.mark.parametrize("to", providers.FORMATS)
def test_no_oddity_is_skipped(path, to):
    for data in every_oddity():
        check(path, data, "--to", to, "--model", "claude-opus-4-8")


KEYS = [
    ({}, []),
    ({"parts": [{"text": "a"}, {"text": "b", "thought": True}]}, ["thought"]),
    ({"parts": [{"functionCall": {"id": "1", "name": "f"}}]}, ["functionCall"]),
    ({"parts": [{"functionCall": {"name": "f"}}]}, ["functionCall", "idless"]),
    ({"parts": [{"functionCall": {"id": "1", "name": "f", "args": {"a": "b"}}}]}, ["functionCall"]),
    ({"parts": [{"functionCall": {"name": "f", "args": {"a": "b"}}}]}, ["functionCall", "idless"]),
    ({"parts": [{"functionResponse": {"name": "f", "response": {"output": "x"}}}]}, ["functionResponse"]),
    ({"parts": [{"functionCall": {"name": "f"}, "thoughtSignature": "c2ln"}]}, ["functionCall", "thoughtSignature", "idless"]),
    ({"parts": [{"functionResponse": {"name": "f"}}]}, ["functionResponse"]),
    ({"references": []}, ["references"]),
    ({"type": "update", "of": "0", "parts": [{"functionCall": {"name": "f"}}]}, ["of", "functionCall", "idless"]),
    ({"type": "commit", "of": "0", "attached": []}, ["of", "attached"]),
    ({"type": "compaction", "ops": [{"op": "insert", "after": "0", "message": {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]}}]},
     ["ops", "op", "after", "message", "role", "functionResponse"]),
    ({"type": "compaction", "ops": [{"op": "replace", "id": "0", "part": 0, "block": "b", "with": {"functionCall": {"name": "f"}}}]},
     ["ops", "op", "part", "block", "with", "functionCall"]),
]  # fmt: skip


@pytest.mark.parametrize(("more", "expected"), KEYS, ids=str)
def test_a_log_knows_its_keys(more, expected):
    record = said("a", "user", "hi") | more
    log = records.parse([orjson.dumps(record) + b"\n"])
    assert [*log.damage] == []
    assert log.keys == {*record, *(["text"] if record["parts"][0].get("text") else []), *expected}
    assert not log.refers
    assert not expected or not log.lacks("nothing", expected[-1])
    assert log.lacks("nothing")


@pytest.mark.parametrize("more", [
    {"type": "ref", "blockIds": ["x"]}, {"type": "update", "of": "0", "blockIds": ["x"]},
    {"type": "compaction", "ops": [{"op": "replace", "id": "0", "part": 0, "block": "b", "blockId": "x"}]},
])  # fmt: skip
def test_of_a_log_that_names_blocks_nothing_is_known(more):
    log = records.parse(
        [
            orjson.dumps(
                {key: value for key, value in (said("a", "user", "") | more).items() if key != "parts"}
            )
        ]
    )
    assert log.records
    assert log.refers
    assert not log.lacks("nothing")
