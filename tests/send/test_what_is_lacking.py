"""What a log lacks is not looked for: the request is the same as where everything is looked for."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as some
from codeh_history import main, providers
from codeh_history.base.env import Env
from codeh_history.session import records

HEADER = {"type": "session", "version": 1, "id": "s", "created": some.TS}
TEXTS = [
    "hi", "yes", "", " ", "\n", "System: be brief", "not a System: text", "# IDE Context\nopen: a.py", "# a heading",
    "#", "\u2028", "a" * 300, "# Open Files", "# Directory Structure\n.",
]  # fmt: skip
MORE: list[dict[str, Any]] = [
    {"parts": [{"text": "a"}, {"functionCall": {"id": "1", "name": "f"}}]}, {"parts": [{"functionCall": {"name": "f"}}]},
    {"kind": "tool", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}]},
    {"kind": "tool", "parts": [{"functionResponse": {"name": "f"}}], "references": [{"number": 1, "id": "r", "text": "x"}]},
    {}, {}, {}, {}, {"pinned": True}, {"provider": "anthropic", "model": "claude-opus-4-8"}, {"provider": "gemini"},
    {"item": {"type": "message", "role": "developer"}}, {"attached": [{"name": "a.txt", "mimeType": "text/plain", "bytes": 3, "part": 0}]}, {"key": "k"},
    {"references": [{"number": 1, "id": "r", "title": "t", "text": "x"}]}, {"kind": "error"}, {"kind": "tool"},
    {"kind": None}, {"ts": 1767323045000}, {"unknown": {"a": 1}}, {"role": "model"}, {"parts": []}, {"parts": "x"},
    {"parts": [{"text": "a"}, {"text": "b"}]}, {"parts": [{"text": "a", "thought": True}]}, {"parts": [{"text": 7}]},
    {"parts": {"text": "a"}}, {"parts": {"text": {"text": "a"}}}, {"id": 7}, {"id": "0"}, {"type": "open"},
    {"type": "update", "of": "0"}, {"type": "clear"}, {"type": "revert", "of": "0"}, {"type": "unknown"},
    {"type": "summary", "summary": "s", "covers": ["0"]}, {"type": "meta", "set": {"system": "Be brief."}},
    {"type": "meta", "set": {"model.openai-chat": "gpt-5.1"}}, {"type": "meta", "set": 1}, {"type": "meta", "set": {"curate.remove": "text 1"}},
    {"type": "meta", "set": {"compact.keep-last": "1"}}, {"type": "meta", "set": {"curate.ide-marker": ["text 2"]}},
    {"type": "meta", "set": [["system", "x"]]}, {"kind": "codeh"}, {"kind": "user"}, {"type": "session"},
]  # fmt: skip

HEADERS: list[dict[str, Any]] = [
    {"version": 2},
    {"version": "1"},
    {"id": 7},
    {"type": "message"},
    {"cwd": "/"},
]


@st.composite
def sessions(draw: st.DrawFn) -> bytes:
    """A plain conversation with an oddity or two."""
    records: list[dict[str, Any]] = [HEADER]
    for number in range(draw(st.integers(0, 4)) * 2 + 1):
        kind, role = (("user", "user"), ("codeh", "model"))[number % 2]
        parts = [{"text": f"text {number}"}]
        records.append(
            {
                "type": "message",
                "id": str(number),
                "ts": some.TS,
                "kind": kind,
                "role": role,
                "parts": parts,
            }
        )
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(records) - 1))
        text = draw(st.sampled_from(TEXTS))
        odd = draw(st.sampled_from([*MORE, *({"parts": [{"text": text}]} for _ in range(20))]))
        records[at] = records[at] | (odd if at else draw(st.sampled_from(HEADERS)))
    lines = [orjson.dumps(record) for record in records]
    if draw(st.integers(0, 5)) == 0:
        del lines[draw(st.integers(0, len(lines) - 1))]
    if draw(st.integers(0, 9)) == 0:
        lines.insert(
            draw(st.integers(0, len(lines))),
            draw(st.sampled_from([b"", b"{", b"7", b"[]", b"\xff", b"null"])),
        )
    return b"\n".join(lines) + draw(st.sampled_from([b"\n"] * 5 + [b"", b"\r\n"]))


def told(argv: list[str]) -> tuple[int, bytes, bytes]:
    """What a command line says, run in this process."""
    with TemporaryFile() as out, TemporaryFile() as err:
        env = Env({"CODEH_HOME": "/nonexistent"}, stdout=out.fileno(), stderr=err.fileno())
        code = main.run(argv, env)
        out.seek(0), err.seek(0)
        return code, out.read(), err.read()


FLAGS = [
    (),
    (),
    (),
    ("--raw",),
    ("--prefill",),
    ("--strict",),
    ("--cache",),
    ("--thoughts", "old"),
    ("--budget", "1k"),
    ("--remove", "text"),
    ("--ide-marker", "text"),
    ("--skip", "ide"),
    ("--keep-last", "1"),
]


def check(data: bytes, *argv: str) -> None:
    """`payload` says the same of a session where nothing is known of it before it is looked at."""
    with TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        path = Path(directory) / "s.jsonl"
        path.write_bytes(data)
        short = told(["payload", str(path), *argv])
        patch.setattr(records.Log, "lacks", lambda log, *keys: False)
        patch.setattr(records.Log, "refers", True)
        patch.setattr(records, "_said", lambda data, keys: -1)
        assert short == told(["payload", str(path), *argv])


@settings(max_examples=200)
@given(
    data=sessions(),
    to=st.sampled_from(list(providers.FORMATS)),
    flags=st.sampled_from(FLAGS),
    model=st.booleans(),
)
def test_what_is_skipped_would_change_nothing(
    data: bytes, to: str, flags: tuple[str, ...], *, model: bool
) -> None:
    check(data, "--to", to, *flags, *(("--model", "m") if model else ()))


@pytest.mark.parametrize("to", providers.FORMATS)
def test_no_oddity_is_skipped(to: str) -> None:
    for odd in [*MORE, *({"parts": [{"text": text}]} for text in TEXTS)]:
        for places in ([0], [1], [4], [0, 2], [1, 2]):
            records = [said(str(n), ("user", "codeh")[n % 2], f"text {n}") for n in range(5)]
            for place in places:
                records[place] |= odd
            check(plain(*records), "--to", to, "--model", "claude-opus-4-8")


def plain(*records: dict[str, Any]) -> bytes:
    return some.encode([HEADER, *records])


def said(id: str, kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "id": id, "ts": some.TS, "kind": kind, "parts": [{"text": text}], **more}


KEYS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"parts": [{"text": "a"}, {"text": "b", "thought": True}]}, ["thought"]),
    ({"parts": [{"functionCall": {"id": "1", "name": "f"}}]}, ["functionCall"]),
    ({"parts": [{"functionCall": {"name": "f"}}]}, ["functionCall", "idless"]),
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
def test_a_log_knows_its_keys(more: dict[str, Any], expected: list[str]) -> None:
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
def test_of_a_log_that_names_blocks_nothing_is_known(more: dict[str, Any]) -> None:
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
