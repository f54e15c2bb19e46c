"""`append --jsonl`: all messages or none; what a line says keeps its bytes, and what was stored is not stored again."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import BadData
from codeh_history.session.records import MAX_DEPTH, block_of, lines_of, parse
from codeh_history.talk.append import jsonl
from in_process import run_in_process, write_session
from strategies import KINDS, json_objects, parts_of, texts

MESSAGE = b'{"role":"user","parts":[{"text":"x"}]}'


def wrong(*lines):
    with pytest.raises(BadData) as error:
        jsonl.parse_lines(lines_of(b"\n".join(lines)), "f")
    assert str(error.value).endswith("; nothing was stored")
    return str(error.value).removesuffix("; nothing was stored")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "byte 40: not JSON: "), (b"[1]", "byte 39: not an object"), (b"7", "byte 39: not an object"),
        (b'{"type":"meta","parts":[]}', "byte 39: type 'meta': only messages are appended"),
        (b'{"role":"user"}', "byte 39: no `parts`"), (b'{"parts":{}}', "byte 39: no `parts`"),
        (b'{"parts":[],"id":""}', "byte 39: `id` is not text"), (b'{"role":"user","parts":[],"id":7}', "byte 39: `id` is not text"),
        (b'{"parts":[],"kind":"x"}', "byte 39: kind 'x': one of user, codeh, tool, error, info"),
        (b'{"parts":[7]}', "byte 39: "), (b'{"role":"assistant","parts":[]}', "byte 39: "),
        (b'{"parts":[{"text":"' + b"\xff" + b'"}]}', "byte 58: not JSON: "),
        (b'{"parts":[{"a":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}]}", "byte 39: nests deeper than 200 levels"),
        (b"  {", "byte 42: not JSON: "),
    ],
)  # fmt: skip
def test_first_invalid_line_is_named_with_its_offset(line, why):
    assert wrong(MESSAGE, line, b"{", MESSAGE).startswith(f"f:2: {why}")


def test_blank_lines_and_bom_are_skipped():
    parsed = jsonl.parse_lines(lines_of(b"\xef\xbb\xbf" + MESSAGE + b"\r\n\n  \n" + MESSAGE), "f")
    assert len(parsed) == 2
    assert wrong(b"\xef\xbb\xbf" + MESSAGE, b"", b"[]").startswith(
        f"f:3: byte {len(MESSAGE) + 5}: not an object"
    )
    assert wrong(MESSAGE, b"\xef\xbb\xbf" + MESSAGE).startswith("f:2: ")


TAKEN = {"role", "kind", "type", "parts", "id", "ts", "key"}


def line_of(kind, how, parts, more):
    """A message that says its kind in one of three ways, with other fields."""
    role = {"role": KINDS[kind]} if KINDS[kind] else {}
    kinds = (role or {"kind": kind}, {"kind": kind}, {"type": "message", "kind": kind, **role})[how]
    others = {key: value for key, value in more.items() if key not in TAKEN}
    return orjson.dumps({**kinds, "parts": parts, **others})


messages = st.builds(
    line_of,
    st.sampled_from(list(KINDS)),
    st.integers(0, 2),
    parts_of["user"] | st.builds(lambda text: [{"text": text}], texts),
    st.just({}) | json_objects,
)


@given(st.lists(messages, min_size=1, max_size=5))
def test_lines_keep_their_bytes_and_get_missing_fields(lines):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        done = run_in_process("append", "-s", "s", "--jsonl", "-q", home=home, stdin=b"\n".join(lines))
        data = (home / "sessions" / "s.jsonl").read_bytes()
    assert done.code == 0, done.err
    stored = data.splitlines()[1:]
    log = parse(data)
    assert not log.damage
    assert [record.data["id"] for record in log.records[1:]] == done.text.split("\n")
    for line, raw in zip(lines, stored, strict=True):
        assert raw.endswith(line[1:])
        record, sent = orjson.loads(raw), orjson.loads(line)
        assert record["type"] == "message"
        assert {key: record[key] for key in sent} == sent
        role = sent.get("role") or KINDS[sent["kind"]]
        assert record.get("role") == role
        assert KINDS[record["kind"]] == role
        assert set(record) - set(sent) <= {"type", "id", "ts", "kind", "role"}


LOG = (
    b'{"type":"session","version":1,"id":"s"}\n'
    b'{"type":"message","id":"a","key":"k","kind":"user","role":"user","parts":[{"text":"x"}]}\n'
    b'{"type":"message","id":"dead","kind":"user","role":"user","parts":[{"text":"x"}]}\n'
    b'{"type":"revert","id":"r","of":"dead"}\n'
    b'{"type":"ref","id":"b","kind":"codeh","role":"model","flowId":"s","blockIds":["%b"]}\n'
    % block_of({"text": "x"}).encode()
)


@pytest.mark.parametrize(
    ("line", "id", "new"),
    [
        ({"id": "a"}, "a", 0), ({"key": "k"}, "a", 0), ({"id": "b", "role": "model"}, "b", 0),
        ({"id": "dead"}, "dead", 1), ({"id": "new"}, "new", 1), ({"id": "a", "parts": [{"text": "y"}]}, None, 0),
        ({"key": "k", "parts": [{"text": "y"}]}, None, 0), ({"id": "a", "role": "model"}, None, 0),
        ({"id": "b"}, None, 0), ({"id": "b", "role": "model", "parts": [{"text": "y"}]}, None, 0),
        ({"id": "a", "key": "another"}, "a", 0),
    ],
)  # fmt: skip
def test_known_id_or_key_is_the_stored_message_or_refused(home, line, id, new):
    path = write_session(home, LOG)
    stdin = orjson.dumps({"role": "user", "parts": [{"text": "x"}], **line})
    done = run_in_process("append", "-s", "s", "--jsonl", home=home, stdin=stdin)
    if id is None:
        assert done.code == 65
        assert b", with other content; nothing was stored" in done.err
        assert path.read_bytes() == LOG
        return
    assert (done.code, done.text) == (0, id)
    assert path.read_bytes().count(b"\n") == LOG.count(b"\n") + new


def test_known_id_or_key_within_one_batch(home):
    same = b'{"role":"user","parts":[{"text":"x"}],"key":"k"}\n'
    done = run_in_process(
        "append", "-s", "s", "--jsonl", home=home, stdin=same * 2 + same.replace(b'"k"', b'"l"')
    )
    first, second, third = done.text.split("\n")
    assert first == second != third
    refused = run_in_process(
        "append", "-s", "t", "--jsonl", home=home, stdin=same + same.replace(b'"x"', b'"y"')
    )
    assert refused.code == 65
    assert not (home / "sessions" / "t.jsonl").exists()


@pytest.mark.parametrize(
    ("before", "says"),
    [({"parts": [{"text": "x"}]}, True), ({"parts": []}, False), ({"blockIds": [block_of({"text": "x"})]}, True),
     ({"blockIds": []}, False), ({}, False)],
)  # fmt: skip
def test_record_means_the_same_in_blocks(before, *, says):
    assert jsonl.has_content(before, [{"text": "x"}]) == says
