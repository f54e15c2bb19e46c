"""Files that do not begin with our header: which may be written, and that each is read as what it is."""

import orjson
import pytest
from hypothesis import given

from codeh_history.base.errors import BadData
from codeh_history.session.fold import fold
from codeh_history.store import foreign
from program_files import Claude, played
from strategies import encode, records

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'
BARE = b'{"role":"user","parts":[{"text":"hi"}]}\n'
CHAT = b'[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]'
CONTENTS = b'[{"role":"user","parts":[{"text":"hi"}]}]'


def claude():
    made = played(Claude(), "user u1 hi; model a1 ho")
    return b"".join(orjson.dumps(line) + b"\n" for line in made.lines)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b'{"type":"sess', HEADER[:-2], HEADER[:40], b"\0" * 4096],
    ids=["empty", "a brace", "a torn type", "a torn header", "less of it", "never written"],
)
def test_a_file_of_only_a_torn_header_counts_as_empty(data):
    assert foreign.check_writable(data, "f")


@pytest.mark.parametrize(
    "data",
    [HEADER, HEADER[:-1], b"not json\n" + HEADER, b'{"id":"s","type":"session","version":1}\n', HEADER + b"{torn",
     b'{"type":"message","id":"a","kind":"user","role":"user","parts":[]}\n', BARE,
     HEADER.replace(b":", b": "), b"\xef\xbb\xbf" + HEADER],
    ids=["a header", "without its newline", "after damage", "in another order", "a torn tail", "no header", "bare", "with blanks", "with a mark"],
)  # fmt: skip
def test_a_session_is_written_to(data):
    assert foreign.check_writable(data, "f") is False


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a diary\n", "not a session; left unchanged"), (b'{"a":1}\n{"b":2}\n', "not a session"),
        (b"<!doctype html>\n<p>404\n", "not a session"), (bytes(range(256)) * 4, "not a session"),
        (b'[\n  {"role": "user", "parts": []}\n]\n', "older form"),
        (b"\0text", "not a session"), (b"{", None), (b'{"type":"session"}', "version None"),
        (CONTENTS, "older form"), (b"[]", "older form"), (b" [", "older form"),
        (b'{"recentConversations":[],"summaries":[]}', "older form"), (b'{"contents":[]}\n', "older form"),
        (HEADER.replace(b":1", b":2", 1), "version 2, but this program only writes version 1"),
        (HEADER.replace(b":1", b":10", 1), "version 10, but"), (HEADER.replace(b":1", b":1.5", 1), "version 1.5, but"),
        (HEADER.replace(b":1", b':"1"', 1), "version '?1'?, but"), (b'{"version": 99, "type": "session", "id": "s"}\n', "version 99, but"),
    ],
)  # fmt: skip
def test_what_is_something_else_is_never_written(data, why):
    if why is None:
        assert foreign.check_writable(data, "f")
        return
    with pytest.raises(BadData, match=rf"^f: .*{why}"):
        foreign.check_writable(data, "f")


def test_another_programs_file_is_named_and_never_written():
    with pytest.raises(
        BadData, match=r"^f: a session of claude-code, read but never written; `import` it$"
    ):
        foreign.check_writable(claude(), "f")


@pytest.mark.parametrize(
    "data",
    [CONTENTS, b"\xef\xbb\xbf" + CONTENTS, b"\n " + CONTENTS, CHAT, b'{"contents":' + CONTENTS + b"}", b'{"messages":' + CHAT + b"}",
     BARE, HEADER + BARE, orjson.dumps(orjson.loads(CONTENTS), option=orjson.OPT_INDENT_2),
     b'{\n"messages":' + CHAT + b"\n}", b'{"role":"user","content":"hi"}\n{"role":"assistant","content":"ho"}\n',
     claude()],
    ids=["contents", "with a mark", "after blanks", "chat", "wrapped", "a body", "a line", "ours", "indented",
         "a body of lines", "lines of chat", "claude"],
)  # fmt: skip
def test_whatever_its_form_the_conversation_is_read(data):
    view = fold(foreign.read_log(data))
    assert view.messages[0].parts == [{"text": "hi"}]
    assert view.messages[0].role == "user"
    assert [m.parts for m in view.messages[1:]] in ([], [[{"text": "ho"}]])
    assert not view.log.damage


@pytest.mark.parametrize(
    "data", [b"[1", b'{"other":1}', b'{"contents":1', b"7", b"", b'"x"', HEADER + b"{}\n"]
)
def test_what_is_no_value_of_an_older_form_is_none(data):
    assert foreign.older_form(data) is None


@given(records())
def test_our_own_lines_are_read_as_they_stand(log):
    data = encode(log)
    assert [record.data for record in foreign.read_log(data).records] == log


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        (HEADER, True),
        (b'{"type":"meta","set":{}}', True),
        (BARE, False),
        (b"{torn", False),
        (b'{"type":"x"}', False),
    ],
)
def test_a_line_tells_whether_a_session_begins_with_it(line, *, begins):
    assert foreign.begins_a_session(line) == begins
