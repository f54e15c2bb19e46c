"""Secrets in a text, in encoded texts and in manifests: where they stand, and that each is marked once."""

import json
from base64 import b64encode
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.redact.redactor import Redactor
from codeh_history.filters.redact.spans import (
    Span,
    ascii_lower,
    base64_starts,
    decoded_text,
    encoded_spans,
    merged,
    split_spans,
    without,
)
from secret_examples import SECRETS


def test_signatures_media_and_ids_are_kept():
    key = SECRETS["aws-key-id"]
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" + key
    part = {
        "inlineData": {"mimeType": "image/png", "data": picture},
        "thoughtSignature": "Eo" + key,
        "id": key,
    }
    assert Redactor().value(part) is part


def test_calls_and_results_are_redacted_under_any_key():
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
def test_objects_are_redacted_by_key_and_value(field):
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


def test_secret_across_two_pieces_is_marked_once():
    pieces = ["it is password=hunt", "er2xyz9", "0 and no more"]
    assert Redactor().texts(pieces) == ["it is password=[redacted:assignment]", "", " and no more"]


@pytest.mark.parametrize("texts", [("password=hunter2x", "yz9abcQQ"), ("API_KEY: WYIgReb9", "lzDHRKobeHz")])
def test_secret_continued_in_the_next_text_is_removed_whole(texts):
    new = Redactor().value({"type": "message", "parts": [{"text": text} for text in texts]})
    assert [part["text"].partition("[")[2] for part in new["parts"]] == ["redacted:assignment]", ""]
    assert not new["parts"][1]["text"]


def test_tool_output_lines_are_kept():
    response = {"summary": "my key: none", "lines": ["a", ["b", "c", "d"]]}
    part = {"functionResponse": {"name": "f", "response": response}}
    assert Redactor().value(part) is part


def test_lines_that_hold_a_secret_together_are_dropped_even_if_the_summary_lacks_it():
    key = (
        "-----BEGIN RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7bqMIIEpAIBAAKCAQEA7bq",
        "-----END RSA PRIVATE KEY-----",
    )
    summary = {"type": "summary", "id": "s", "summary": "Cut.", "lines": [["x", text, "m"] for text in key]}
    assert Redactor().value(summary) == {"type": "summary", "id": "s", "summary": "Cut."}


def test_line_whose_joined_texts_hold_a_secret_is_redacted():
    parts = ",".join(f'{{"text":"{text}"}}' for text in ("it is pa", "ssword: swo", "rdfish9"))
    line = f'{{"type":"message","id":"m","kind":"user","role":"user","parts":[{parts}]}}\n'.encode()
    assert Redactor().may_have_secret(line)


@pytest.mark.parametrize("text", ["me:swordfish9@tcp(db:3306)/app", "*:*:*:me:swordfish9\n"])
def test_mark_is_not_redacted_again(text):
    assert Redactor().text(text).count("redacted") == 1


JWT, WORD = "jwt", "assignment"


@pytest.mark.parametrize(
    ("overlapping", "expected"),
    [
        ([], []),
        ([(5, 9, JWT), (0, 3, JWT)], [(0, 3, JWT), (5, 9, JWT)]),
        ([(0, 3, JWT), (3, 5, WORD)], [(0, 3, JWT), (3, 5, WORD)]),
        ([(0, 4, WORD), (3, 9, JWT)], [(0, 9, JWT)]),
        ([(0, 4, JWT), (3, 9, WORD)], [(0, 9, JWT)]),
        ([(0, 9, WORD), (3, 5, JWT)], [(0, 9, JWT)]),
        ([(0, 9, ""), (3, 5, WORD)], [(0, 9, WORD)]),
        ([(0, 9, JWT), (3, 5, "github-token")], [(0, 9, JWT)]),
        ([(0, 4, JWT), (3, 6, WORD), (5, 9, WORD)], [(0, 9, JWT)]),
    ],
)
def test_overlapping_matches_merge_into_the_most_specific_kind(overlapping, expected):
    assert merged(Span(*span) for span in overlapping) == expected


def test_mark_replaces_a_secret_but_not_its_continuation():
    assert without("abcdef", [Span(1, 3, JWT), Span(5, 6, "")]) == "a[redacted:jwt]de"
    assert without("abc", []) == "abc"


@given(sizes=st.lists(st.integers(0, 4), max_size=6), cuts=st.lists(st.integers(0, 24), max_size=6))
def test_spans_split_over_pieces_give_the_same_text(sizes, cuts):
    text = "abcdefghijklmnopqrstuvwx"[: sum(sizes)]
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    ends = sorted({cut for cut in cuts if cut <= len(text)})
    spans = [Span(start, end, JWT) for start, end in zip(ends[::2], ends[1::2], strict=False)]
    split = split_spans(pieces, spans)
    whole = "".join(without(piece, own) for piece, own in zip(pieces, split, strict=True))
    assert whole == without(text, spans)


def test_lowercasing_keeps_positions():
    assert ascii_lower("ABÄ") == "abä"
    assert ascii_lower("A\u0130B") == "a\u0130b"


SECRET = "hunter2-of-the-zeppelin"


def find(text):
    """All places of the secret."""
    at = text.find(SECRET)
    return [Span(at, at + len(SECRET), "kind")] if at >= 0 else []


def hidden(text):
    """What of a text holds the secret in another spelling."""
    return [
        text[span.start : span.end]
        for span in encoded_spans(text, find, base64=bool(list(base64_starts(text))))
    ]


PERCENT = "".join(f"%{ord(char):02X}" for char in SECRET)
UNICODE = "".join(f"\\u{ord(char):04x}" for char in SECRET)
BASE64 = b64encode(f"the password is {SECRET}, keep it".encode()).decode()


@pytest.mark.parametrize("around", ["{}", "a {} b", '{{"x":"{}"}}', "a={}\n"])
@pytest.mark.parametrize(
    "spelled",
    [PERCENT, UNICODE, quote(SECRET).replace("-", "%2D"), BASE64],
    ids=["percent", "numbers", "a little", "base64"],
)
def test_encoded_secret_is_located(spelled, around):
    texts = hidden(around.format(spelled))
    assert [text.strip("=") for text in texts] == [spelled.strip("=")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n"])
@pytest.mark.parametrize("after", ["", " ", "{end}", "{end}Done", "{end}Done{end}so far{end}", "{end}y z"])
@pytest.mark.parametrize("width", [24, 40, 48, 60])
def test_multiline_base64_is_removed_whole(width, after, end):
    lines = end.join(BASE64[at : at + width] for at in range(0, len(BASE64), width))
    (text,) = hidden(f"x: {lines}{after.replace('{end}', end)}")
    assert text.rstrip("=") == lines.rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "100%25",
        "%41%42%43 is no secret",
        "\\u0041",
        b64encode(b"nothing of that kind is here").decode(),
        SECRET,
    ],
)
def test_text_without_encoding_has_no_hidden_secret(text):
    assert hidden(text) == []


@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=18, max_size=60)
)
def test_base64_text_is_decoded(text):
    spelled = b64encode(text.encode()).decode().rstrip("=")
    assert decoded_text(spelled) == text
    assert len(spelled) < 24 or list(base64_starts(spelled)) == [0]


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 9, b"\x89PNG\r\n\x1a\n" * 5, b"\xff\xfe\xfd" * 12])
def test_binary_base64_is_not_text(data):
    spelled = b64encode(data).decode()
    assert decoded_text(spelled) is None
    assert not list(base64_starts(spelled))


@pytest.mark.parametrize("data", ["", "abc", "A" * 25])
def test_invalid_base64_is_not_text(data):
    assert decoded_text(data) is None


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


def test_only_secret_values_are_removed():
    redactor = Redactor()
    assert redactor.text(YAML) == CLEAN
    assert redactor.counts["kubernetes-secret"] == 5
    assert redactor.text(CLEAN) == CLEAN


@pytest.mark.parametrize("text", [
    YAML.replace("Secret", "ConfigMap"), YAML.replace("kind: Secret", "kind: SecretStore"),
    "kind: Secret\ndata:\n  note: not base64, is it\n", "kind: Secret\nmetadata:\n  user: YW5uYQ==\n",
    YAML.replace("kind: Secret\n", "") + "---\nkind: Secret\nmetadata:\n  name: other\n",
], ids=["another kind", "a longer name", "no base64", "not among the data", "another document"])  # fmt: skip
def test_other_documents_are_kept(text):
    assert MARK not in Redactor().text(text)


def test_only_secret_documents_are_redacted():
    other = YAML.replace("kind: Secret", "kind: ConfigMap")
    assert Redactor().text(f"{other}---\n{YAML}---\n{other}") == f"{other}---\n{CLEAN}---\n{other}"


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("manifest", [YAML, json.dumps({"kind": "Secret", "data": {"user": "YW5uYQ=="}, "stringData": {"plain": '{"a": {"b": "swordfish"}}'}}, indent=2)], ids=["yaml", "json"])  # fmt: skip
def test_secret_is_found_in_nested_json(manifest, level):
    text = manifest
    for _ in range(level):
        text = json.dumps({"output": text})
    cleaned = Redactor().text(text)
    assert "YW5uYQ==" not in cleaned
    assert "swordfish" not in cleaned
    for _ in range(level):
        cleaned = json.loads(cleaned)["output"]


@pytest.mark.parametrize("level", [0, 1, 2])
def test_repeatedly_quoted_json_is_parsed(level):
    text = '{"kind": "Secret", "data": {"user": "YW5uYQ==", "odd": "not base64"}, "stringData": {"p": "sword fish"}}'
    clean = text.replace("YW5uYQ==", MARK).replace("sword fish", MARK)
    for _ in range(level):
        text, clean = (each.replace("\\", "\\\\").replace('"', '\\"') for each in (text, clean))
    assert Redactor().text(text) == clean
