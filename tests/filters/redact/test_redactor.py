"""Secrets are found in the forms that vendors give them, and nothing else is taken for one."""

import orjson
import pytest

from codeh_history.filters.redact import Redactor
from secret_examples import SECRETS


def test_a_second_pass_changes_nothing():
    text = Redactor().text("\n".join(SECRETS.values()))
    again = Redactor()
    assert again.text(text) == text


def test_signatures_media_and_ids_stay():
    key = SECRETS["aws-key-id"]
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" + key
    part = {
        "inlineData": {"mimeType": "image/png", "data": picture},
        "thoughtSignature": "Eo" + key,
        "id": key,
    }
    assert Redactor().value(part) is part


def test_what_a_tool_was_told_and_said_is_looked_at_whatever_its_keys():
    """`data`, `id` and `signature` are left alone only where they are what they are called."""
    key = SECRETS["aws-key-id"]
    for part in (
        {"functionCall": {"id": key, "name": "f", "args": {"data": key, "id": key, "signature": [key]}}},
        {"functionResponse": {"id": key, "name": "f", "response": {"data": key, "deep": {"id": key}}}},
    ):
        [(_, new)] = Redactor().value(part).items()
        assert new["id"] == key
        assert orjson.dumps(new).decode().count(key) == 1
    picture = {
        "functionResponse": {
            "name": "f",
            "response": {"image": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEA" + key}},
        }
    }
    assert Redactor().value(picture) is picture


@pytest.mark.parametrize("field", ["args", "response"])
def test_an_object_is_read_by_its_keys_and_by_what_stands_there(field):
    """A Kubernetes Secret, an id, a key that a machine drew; the same object where there is nothing."""
    manifest = {
        "kind": "Secret",
        "metadata": {"name": "x"},
        "data": {"pg": "c3dvcmRmaXNo", "odd": "not base64"},
    }
    listed = {"items": [manifest, {**manifest, "kind": "ConfigMap"}]}
    cleaned = Redactor().value({field: listed})[field]["items"]
    assert cleaned[0]["data"] == {"pg": "[redacted:kubernetes-secret]", "odd": "not base64"}
    assert cleaned[1] == listed["items"][1]
    ids = {"client_id": "0123456789abcdef0123456789abcdef", "acme_key": "a1b2c3d4e5f6a7b8c9d0"}
    assert Redactor().value({field: ids})[field] == dict.fromkeys(ids, "[redacted:assignment]")
    harmless = {
        field: {"client_id": "my-app", "sort_key": "a1b2c3d4e5f6a7b8c9d0", "kind": "Secret", "data": {}}
    }
    assert Redactor().value(harmless) is harmless


def test_a_secret_over_two_pieces_is_marked_once():
    pieces = ["it is password=hunt", "er2xyz9", "0 and no more"]
    assert Redactor().texts(pieces) == ["it is password=[redacted:assignment]", "", " and no more"]


@pytest.mark.parametrize("texts", [("password=hunter2x", "yz9abcQQ"), ("API_KEY: WYIgReb9", "lzDHRKobeHz")])
def test_a_secret_that_goes_on_in_the_next_text_goes_whole(texts):
    new = Redactor().value({"type": "message", "parts": [{"text": text} for text in texts]})
    assert [part["text"].partition("[")[2] for part in new["parts"]] == ["redacted:assignment]", ""]
    assert not new["parts"][1]["text"]


def test_what_a_tool_calls_lines_stays():
    response = {"summary": "my key: none", "lines": ["a", ["b", "c", "d"]]}
    part = {"functionResponse": {"name": "f", "response": response}}
    assert Redactor().value(part) is part


def test_a_line_of_which_only_the_joined_texts_tell_is_looked_at():
    parts = ",".join(f'{{"text":"{text}"}}' for text in ("it is pa", "ssword: swo", "rdfish9"))
    line = f'{{"type":"message","id":"m","kind":"user","role":"user","parts":[{parts}]}}\n'.encode()
    assert [found for found, _ in Redactor().worth_a_look([line])] == [line]
