"""Every oddity that a line of a session can hold: is it read, is it kept, may it be appended?

One bad line costs one line: in every command that reads, between good lines of every kind.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest

from codeh_history.session.records import MAX_DEPTH, MAX_READ, depth_exceeds, nests_deeper
from in_process import run_in_process, run_ok, write_session
from length import sampled

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-01T00:00:00.000Z"}'
ALPHA = b'{"type":"message","id":"alpha","kind":"user","role":"user","parts":[{"text":"the first word"}]}'
OMEGA = b'{"type":"message","id":"omega","kind":"user","role":"user","parts":[{"text":"the last word"}]}'
BEFORE = HEADER + b"\n" + ALPHA + b"\n"
AFTER = b"\n" + OMEGA + b"\n"


@dataclass(frozen=True)
class Odd:
    """A line; whether it is a record; where `append --jsonl` refuses it (its byte), None where it does not."""

    line: bytes
    read: bool
    refused: int | None = 0


def text(spelled):
    """A message with this string literal for its text."""
    return b'{"role":"user","parts":[{"text":' + spelled + b"}]}"


def field(spelled):
    """A message with this value in a field that the program does not know."""
    return b'{"role":"user","parts":[{"text":"x"}],"later":' + spelled + b"}"


def nested(depth):
    """A message that nests as deep as this, itself counted."""
    return field(b"[" * (depth - 1) + b"]" * (depth - 1))


def later(spelled):
    """A record of a type that the program does not know."""
    return b'{"type":"later","x":' + spelled + b"}"


AT_TEXT = len(text(b"")) - 3  # where the literal begins
AT_FIELD = len(field(b"")) - 1
VECTORS = {
    # torn and lost bytes
    "half a line": Odd(text(b'"cut he'), read=False, refused=len(text(b'"cut he'))),
    "a record without its last byte": Odd(text(b'"x"')[:-1], read=False, refused=len(text(b'"x"')) - 1),
    "a torn line and its retry in one": Odd(text(b'"x"')[:30] + text(b'"x"'), read=False, refused=33),
    "two records in one line": Odd(text(b'"x"') * 2, read=False, refused=len(text(b'"x"'))),
    "4096 NUL": Odd(b"\0" * 4096, read=False),
    "NUL, then a record": Odd(b"\0" * 11 + text(b'"x"'), read=False),
    "a record, then NUL": Odd(text(b'"x"') + b"\0\0", read=False, refused=len(text(b'"x"'))),
    # characters
    "invalid UTF-8": Odd(text(b'"a\xffb"'), read=False, refused=AT_TEXT + 2),
    "half a character": Odd(text(b'"a\xe2\x82"'), read=False, refused=AT_TEXT + 2),
    "overlong UTF-8": Odd(text(b'"\xc0\xaf"'), read=False, refused=AT_TEXT + 1),
    "a surrogate in UTF-8": Odd(text(b'"\xed\xa0\x80"'), read=False, refused=AT_TEXT + 1),
    "a lone high surrogate": Odd(text(rb'"\ud83d"'), read=False, refused=AT_TEXT + 1),
    "a lone low surrogate": Odd(text(rb'"\ude00"'), read=False, refused=AT_TEXT + 1),
    "surrogates the wrong way round": Odd(text(rb'"\ude00\ud83d"'), read=False, refused=AT_TEXT + 1),
    "a surrogate pair": Odd(text(rb'"\ud83d\ude00"'), read=True, refused=None),
    "U+2028, U+2029, NEL, VT escaped": Odd(text('"a\u2028b\u2029c\u0085d\\u000be"'.encode()), read=True, refused=None),
    "DEL, C1 and bidi raw": Odd(text('"\x7f\x9b31m\u202e"'.encode()), read=True, refused=None),
    "a noncharacter": Odd(text('"\uffff\ufdd0"'.encode()), read=True, refused=None),
    "NUL escaped": Odd(text(rb'"\u0000"'), read=True, refused=None),
    "a raw NUL in a text": Odd(text(b'"a\0b"'), read=False, refused=AT_TEXT + 2),
    "a raw ESC in a text": Odd(text(b'"\x1b[31m"'), read=False, refused=AT_TEXT + 1),
    "a raw tab in a text": Odd(text(b'"a\tb"'), read=False, refused=AT_TEXT + 2),
    "a raw VT in a text": Odd(text(b'"a\x0bb"'), read=False, refused=AT_TEXT + 2),
    "an unknown escape": Odd(text(rb'"\x41"'), read=False, refused=AT_TEXT + 2),
    # line ends
    "CRLF": Odd(text(b'"x"') + b"\r", read=True, refused=None),
    "a lone CR between tokens": Odd(b'{"role":"user",\r"parts":[{"text":"x"}]}', read=True, refused=None),
    "blanks around": Odd(b"  " + text(b'"x"') + b" \t", read=True, refused=None),
    "BOM in the middle of a file": Odd(b"\xef\xbb\xbf" + text(b'"x"'), read=False),
    "U+0085 between tokens": Odd('{"role":"user",\u0085"parts":[]}'.encode(), read=False, refused=15),
    "U+2028 between records": Odd('\u2028{"role":"user","parts":[]}'.encode(), read=False),
    # numbers
    "NaN": Odd(field(b"NaN"), read=False, refused=AT_FIELD),
    "Infinity": Odd(field(b"Infinity"), read=False, refused=AT_FIELD),
    "-Infinity": Odd(field(b"-Infinity"), read=False, refused=AT_FIELD + 1),
    "1e400": Odd(field(b"1e400"), read=False, refused=AT_FIELD),
    "1e-400": Odd(field(b"1e-400"), read=True, refused=None),
    "2^63, 2^64 and 10^30": Odd(
        field(b"[9223372036854775808,18446744073709551616,%d]" % 10**30), read=True, refused=None
    ),
    "minus zero": Odd(field(b"-0"), read=True, refused=None),
    "a number of 10,000 digits": Odd(field(b"9" * 10_000), read=False, refused=AT_FIELD),
    "a leading zero": Odd(field(b"01"), read=False, refused=AT_FIELD + 1),
    "hexadecimal": Odd(field(b"0x1F"), read=False, refused=AT_FIELD + 1),
    # other dialects
    "a comma too many": Odd(field(b"[1,]"), read=False, refused=AT_FIELD + 3),
    "single quotes": Odd(b"{'role':'user','parts':[]}", read=False, refused=1),
    "a comment": Odd(text(b'"x"') + b" // x", read=False, refused=len(text(b'"x"')) + 1),
    "duplicate keys": Odd(field(b'{"a":1,"a":2}'), read=True, refused=None),
    "duplicate parts": Odd(text(b'"one"')[:-1] + b',"parts":[{"text":"two"}]}', read=True, refused=None),
    "an empty key": Odd(field(b'{"":1}'), read=True, refused=None),
    # depth
    "200 deep": Odd(nested(200), read=True, refused=None),
    "201 deep": Odd(nested(201), read=True),
    "240 deep": Odd(nested(240), read=True),
    "241 deep": Odd(nested(241), read=False),
    "254 deep": Odd(nested(254), read=False),
    "255 deep": Odd(nested(255), read=False),
    "1024 deep": Odd(nested(1024), read=False),
    "1025 deep": Odd(nested(1025), read=False, refused=AT_FIELD + 1023),
    "100,000 deep": Odd(nested(100_000), read=False, refused=AT_FIELD + 1023),
    "100,000 brackets in a text": Odd(text(b'"' + b"[" * 100_000 + b'"'), read=True, refused=None),
    "100,000 brackets side by side": Odd(field(b"[" + b"[]," * 100_000 + b"[]]"), read=True, refused=None),
    # other values and types
    "an array": Odd(b"[1]", read=False),
    "a string": Odd(b'"x"', read=False),
    "null": Odd(b"null", read=False),
    "an object that says nothing": Odd(b"{}", read=False),
    "a type that is a number": Odd(b'{"type":7}', read=False),
    "a type that is a list": Odd(b'{"type":[{}]}', read=False),
    "a kind that is a list": Odd(b'{"kind":["user"],"role":"user","parts":[]}', read=False),
    "a type not known": Odd(later(b'{"deep":[1e300,"\\u2028"]}'), read=True),
    "a type not known with big integers": Odd(later(b"123456789012345678901234567890"), read=True),
    "a role not known": Odd(b'{"role":"assistant","parts":[]}', read=False),
    "a part that is no object": Odd(b'{"role":"user","parts":[7]}', read=False),
    "a call without a name": Odd(b'{"role":"model","parts":[{"functionCall":{}}]}', read=False),
}  # fmt: skip
BAD = [odd.line for odd in VECTORS.values() if not odd.read]
KEPT = [odd.line.removesuffix(b"\r").strip() for odd in VECTORS.values() if odd.read]
EVERY = pytest.mark.parametrize("odd", sampled(VECTORS.values()), ids=sampled(VECTORS))


@EVERY
def test_a_line_is_read_or_reported_and_affects_no_other(odd, tmp_path):
    data = BEFORE + odd.line + AFTER
    path = write_session(tmp_path, data)
    done = run_in_process("verify", "s", "--json", home=tmp_path)
    [verdict] = done.lines
    damage = [problem["offset"] for problem in verdict["problems"] if "names" not in problem["reason"]]
    assert damage == ([] if odd.read else [len(BEFORE)])
    assert verdict["records"] == 3 + odd.read
    assert done.code == (0 if odd.read else 1)
    shown = run_in_process("show", "s", home=tmp_path)
    assert (b"the first word" in shown.out, b"the last word" in shown.out) == (True, True)
    assert (b"byte %d" % len(BEFORE) in shown.err) is not odd.read
    assert run_in_process("show", "s", "--strict", home=tmp_path).code == (0 if odd.read else 65)
    run_ok("append", "-s", "s", "-m", "more", home=tmp_path)
    assert path.read_bytes().startswith(data)


@EVERY
def test_what_is_read_keeps_its_bytes_and_what_is_not_is_left_behind(odd, tmp_path):
    write_session(tmp_path, BEFORE + odd.line + AFTER)
    for verb in ("curate", "repair", "hydrate"):
        lines = run_in_process(verb, "s", home=tmp_path).out.split(b"\n")
        assert {HEADER, ALPHA, OMEGA} <= set(lines)
        assert (odd.line.removesuffix(b"\r") in [line.removesuffix(b"\r") for line in lines]) is odd.read


@EVERY
def test_append_takes_it_as_it_is_or_names_the_byte(odd, tmp_path):
    good = b'{"role":"user","parts":[{"text":"good"}]}\n'
    path = write_session(tmp_path, BEFORE)
    done = run_in_process(
        "append", "-s", "s", "-q", "--jsonl", home=tmp_path, stdin=good + odd.line + b"\n"
    )
    if odd.refused is None:
        assert done.code == 0
        assert odd.line.strip()[1:] in path.read_bytes()  # what it does not say is put before its own bytes
    else:
        assert (done.code, done.out) == (65, b"")
        named = re.match(rb"codeh-history: stdin:2: byte (\d+): ", done.err)
        assert named, done.err
        # parsers differ on whether a value goes wrong at its first byte or at the one that shows it
        assert abs(int(named[1]) - len(good) - odd.refused) <= 1
        assert done.err.endswith(b"; nothing was stored\n")
        assert path.read_bytes() == BEFORE


def test_a_byte_order_mark_before_the_first_line_is_not_damage(tmp_path):
    bom = b"\xef\xbb\xbf"
    path = write_session(tmp_path, bom + BEFORE)
    run_ok("verify", "s", home=tmp_path)
    run_ok("append", "-s", "s", "--jsonl", home=tmp_path, stdin=bom + text(b'"x"'))
    assert path.read_bytes().startswith(bom + BEFORE)
    assert len(run_in_process("show", "s", "--jsonl", home=tmp_path).lines) == 2


# -- every command that reads ---------------------------------------------------------------------------

READERS = [
    "show s", "show s --json", "show s --jsonl", "show s --items", "show s --curated", "search first s", "list",
    "list --json", "status s --counter approx", "stats s --counter approx", "stats s --json --counter approx",
    "export s --to contents", "export s --to markdown", "export s --to exchanges", "export s --to persisted",
    "payload s --to gemini", "payload s --to anthropic --model m", "payload s --to openai-chat --model m",
    "payload s --to openai-responses --model m --raw", "curate s", "compact s --budget 32k --counter approx",
    "compact s --max-chars 100000", "redact s", "fixture s", "persist s --all", "repair s", "hydrate s",
    "context s", "calls s",
]  # fmt: skip
NO_TEXT = ("list", "status", "stats", "calls", "persist", "context")


@pytest.mark.parametrize("command", READERS)
def test_all_bad_lines_together_hide_no_good_line(command, tmp_path):
    data = BEFORE + b"\n".join(BAD) + AFTER + b'{"type":"message","id":"to'
    path = write_session(tmp_path, data)
    verb = command.split(maxsplit=1)[0]
    done = run_in_process(*command.split(), home=tmp_path)
    assert done.code == (1 if verb in ("calls", "context") and not done.out else 0), done.err
    if verb not in NO_TEXT:
        assert b"the first word" in done.out
        assert b"the last word" in done.out or verb == "search"
    if verb != "list":
        assert b"%d damaged lines skipped" % (len(BAD) + 1) in done.err
    assert path.read_bytes() == data


REWRITERS = ["redact -s s -i --yes", "persist -s s -i --all", "hydrate -s s -i", "gc --yes"]


def test_what_rewrites_the_file_keeps_every_damaged_and_unknown_line(tmp_path):
    streamed = (
        b'{"type":"open","id":"o","kind":"codeh","role":"model"}\n'
        b'{"type":"delta","of":"o","parts":[{"text":"token AKIAIOSFODNN7EXAMPLE"}]}\n'
        b'{"type":"commit","of":"o","parts":[{"text":"token AKIAIOSFODNN7EXAMPLE"}]}'
    )
    unknown = [line for line in KEPT if line.startswith(b'{"type":"later"')]
    path = write_session(tmp_path, BEFORE + b"\n".join([*BAD, *unknown, streamed]) + AFTER)
    for command in REWRITERS:
        before = path.read_bytes()
        run_ok(*command.split(), home=tmp_path)
        after = path.read_bytes()
        assert after != before, command
        assert [line for line in after.split(b"\n") if line in {*BAD, *unknown}] == [*BAD, *unknown]
        assert b"AKIA" not in after


# -- what is never written ---------------------------------------------------------------------------

NEWER = HEADER.replace(b'"version":1', b'"version":99')
OPEN = b'{"type":"open","id":"o","kind":"codeh","role":"model"}\n{"type":"delta","of":"o","parts":[{"text":"AKIAIOSFODNN7EXAMPLE"}]}'
NEVER_WRITTEN = {
    "version 99": b"\n".join([NEWER, ALPHA, OPEN, OMEGA, b""]),
    "version 99, spelled otherwise": b"\n".join([NEWER.replace(b":", b": "), ALPHA, OPEN, OMEGA, b""]),
    "JSON lines of something else": b'{"a":1}\n{"b":2}\n',
    "one JSON object": b'{"name":"x","version":1}\n',
    "an array of contents": b'[{"role":"user","parts":[{"text":"hello"}]}]',
    "bytes": bytes(range(256)) * 8,
}
WRITERS = [
    "append -m x", "append --key k -m x", "append --pending -m x", "append --call f", "append --jsonl",
    "append --from auto", "append --max-items 1 -m x", "update alpha -m y", "commit o", "clear", "undo",
    "set title=x", "curate -i", "compact -i --budget 20 --counter approx", "summarize --max-conversations 1 --min-batch 1",
    "repair -i", "redact -i --yes", "persist -i --all", "hydrate -i", "calls --via true", "gc --yes",
    "ask -m x --to gemini --via true", "summarize --all --max-conversations 1 --min-batch 1",
]  # fmt: skip
STDIN = {
    "append --jsonl": text(b'"x"'),
    "append --from auto": b'{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}]}',
}


@pytest.mark.parametrize("data", NEVER_WRITTEN.values(), ids=NEVER_WRITTEN)
def test_newer_and_foreign_files_are_never_written(data, tmp_path):
    path = write_session(tmp_path, data)
    for command in WRITERS:
        done = run_in_process(
            *command.split(), home=tmp_path, stdin=STDIN.get(command, b""), env={"CODEH_SESSION": "s"}
        )
        assert path.read_bytes() == data, command
        assert [file.name for file in path.parent.iterdir()] == ["s.jsonl"]
        assert done.code in (0, 1, 3, 6, 65), command
        if command.startswith("append"):
            assert done.code == 65
    if data.startswith(b'{"type"'):
        shown = run_in_process("show", "s", home=tmp_path)
        assert b"the first word" in shown.out
        assert b"version" in shown.err


# -- depth ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 199, 200, 201, 239, 240, 241, 254, 255, 1024, 1025, 100_000])
@pytest.mark.parametrize("limit", [MAX_DEPTH, MAX_READ])
def test_depth_is_counted_as_it_nests(depth, limit):
    for line in (b"[" * depth + b"]" * depth, b'{"a":' * depth + b'"}}]]"' + b"}" * depth):
        assert depth_exceeds(line, limit) is (depth > limit)
        assert depth_exceeds(b"[" + line + b',{},{"\\"":[]},' + line + b"]", limit) is (depth + 1 > limit)
        if depth < 1000:  # deeper is no value
            assert nests_deeper(json.loads(line), limit) is (depth > limit)
            within = b'{"texts":["' + b"{[" * 500 + b'"],"a":' + line + b"}"
            assert nests_deeper(json.loads(within), limit) is (depth + 1 > limit)


PLACES = {
    "args": '{"type":"message","id":"c","kind":"codeh","role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":X}}]}',
    "a response": '{"type":"message","id":"t","kind":"tool","role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":X}}]}',
    "a native part": '{"type":"message","id":"n","kind":"codeh","role":"model","parts":[{"native":{"provider":"anthropic","value":X}}]}',
    "a committed stream": '{"type":"commit","of":"o","parts":[{"text":"t","later":X}]}',
    "an edit": '{"type":"update","id":"u","of":"alpha","parts":[{"text":"t","later":X}]}',
    "an insertion": '{"type":"compaction","id":"k","ops":[{"op":"insert","after":"alpha","message":{"id":"i","kind":"user","role":"user","parts":[{"text":"t","later":X}]}}]}',
    "settings": '{"type":"meta","set":{"tools":[{"name":"f","parameters":X}]}}',
}


@pytest.mark.parametrize("depth", [232, 1000])
@pytest.mark.parametrize("place", sampled(PLACES.values()), ids=sampled(PLACES))
def test_2026_11_22_a_line_nested_deep_was_a_bug_in_what_writes_it_again(depth, place, tmp_path):
    """It could be read (orjson: 1024 levels) but not written (254)."""
    line = place.replace("X", '{"a":' * depth + "1" + "}" * depth).encode()
    opened = b'{"type":"open","id":"o","kind":"codeh","role":"model"}\n'
    write_session(tmp_path, BEFORE + opened + line + AFTER)
    for command in READERS:
        assert run_in_process(*command.split(), home=tmp_path).code in (0, 1, 65), command
