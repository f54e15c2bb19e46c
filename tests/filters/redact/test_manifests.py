"""A Secret of Kubernetes: each of its values, in YAML and in JSON, and nothing else of the document."""

import json

import pytest

from codeh_history.filters.redact import Redactor

MARK = "[redacted:kubernetes-secret]"
YAML = """\
apiVersion: v1
kind: Secret
metadata:
  name: onions
data:
  user: YW5uYQ==
  "quoted": 'b25pb245'
stringData:
  plain: swordfish
  block: |
    first line
    second line
type: Opaque
"""
CLEAN = YAML
for value in ("YW5uYQ==", "b25pb245", "swordfish", "first line", "second line"):
    CLEAN = CLEAN.replace(value, MARK)


def test_each_value_goes_and_all_else_stays():
    redactor = Redactor()
    assert redactor.text(YAML) == CLEAN
    assert redactor.counts["kubernetes-secret"] == 5
    assert redactor.text(CLEAN) == CLEAN


@pytest.mark.parametrize("text", [
    YAML.replace("Secret", "ConfigMap"), YAML.replace("kind: Secret", "kind: SecretStore"),
    "kind: Secret\ndata:\n  note: not base64, is it\n", "kind: Secret\nmetadata:\n  user: YW5uYQ==\n",
    YAML.replace("kind: Secret\n", "") + "---\nkind: Secret\nmetadata:\n  name: other\n",
], ids=["another kind", "a longer name", "no base64", "not among the data", "another document"])  # fmt: skip
def test_what_is_no_secret_stays(text):
    assert MARK not in Redactor().text(text)


def test_only_the_document_that_is_one_is_looked_at():
    other = YAML.replace("kind: Secret", "kind: ConfigMap")
    assert Redactor().text(f"{other}---\n{YAML}---\n{other}") == f"{other}---\n{CLEAN}---\n{other}"


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("manifest", [YAML, json.dumps({"kind": "Secret", "data": {"user": "YW5uYQ=="}, "stringData": {"plain": '{"a": {"b": "swordfish"}}'}}, indent=2)], ids=["yaml", "json"])  # fmt: skip
def test_it_is_found_in_json_in_json(manifest, level):
    text = manifest
    for _ in range(level):
        text = json.dumps({"output": text})
    cleaned = Redactor().text(text)
    assert "YW5uYQ==" not in cleaned
    assert "swordfish" not in cleaned
    for _ in range(level):
        cleaned = json.loads(cleaned)["output"]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_json_is_read_however_often_it_is_quoted(level):
    text = '{"kind": "Secret", "data": {"user": "YW5uYQ==", "odd": "not base64"}, "stringData": {"p": "sword fish"}}'
    clean = text.replace("YW5uYQ==", MARK).replace("sword fish", MARK)
    for _ in range(level):
        text, clean = (each.replace("\\", "\\\\").replace('"', '\\"') for each in (text, clean))
    assert Redactor().text(text) == clean
