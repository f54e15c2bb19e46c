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


NEW, OURS = True, False  # a session begins with what is written; it is written to
WRITABLE = {
    "empty": (b"", NEW), "a brace": (b"{", NEW), "a torn type": (b'{"type":"sess', NEW), "a torn header": (HEADER[:-2], NEW),
    "less of it": (HEADER[:40], NEW), "never written": (b"\0" * 4096, NEW),
    "a header": (HEADER, OURS), "without its newline": (HEADER[:-1], OURS), "after damage": (b"not json\n" + HEADER, OURS),
    "in another order": (b'{"id":"s","type":"session","version":1}\n', OURS), "a torn tail": (HEADER + b"{torn", OURS),
    "no header": (b'{"type":"message","id":"a","kind":"user","role":"user","parts":[]}\n', OURS), "bare": (BARE, OURS),
    "with blanks": (HEADER.replace(b":", b": "), OURS), "with a mark": (b"\xef\xbb\xbf" + HEADER, OURS),
    "a diary": (b"a diary\n", "not a session; left unchanged"), "lines of objects": (b'{"a":1}\n{"b":2}\n', "not a session"),
    "a page": (b"<!doctype html>\n<p>404\n", "not a session"), "bytes": (bytes(range(256)) * 4, "not a session"),
    "a NUL": (b"\0text", "not a session"), "no version": (b'{"type":"session"}', "version None"),
    "a list in lines": (b'[\n  {"role": "user", "parts": []}\n]\n', "older form"), "contents": (CONTENTS, "older form"),
    "an empty list": (b"[]", "older form"), "a bracket": (b" [", "older form"),
    "persisted": (b'{"recentConversations":[],"summaries":[]}', "older form"), "a body": (b'{"contents":[]}\n', "older form"),
    "version 2": (HEADER.replace(b":1", b":2", 1), "version 2, but this program only writes version 1"),
    "version 10": (HEADER.replace(b":1", b":10", 1), "version 10, but"), "version 1.5": (HEADER.replace(b":1", b":1.5", 1), "version 1.5, but"),
    "a text": (HEADER.replace(b":1", b':"1"', 1), "version '?1'?, but"),
    "version 99": (b'{"version": 99, "type": "session", "id": "s"}\n', "version 99, but"),
    "claude": (claude(), "a session of claude-code, read but never written; `import` it$"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), WRITABLE.values(), ids=WRITABLE)
def test_only_a_session_is_written_to(data, expected):
    if not isinstance(expected, str):
        assert foreign.check_writable(data, "f") is expected
        return
    with pytest.raises(BadData, match=f"^f: .*{expected}"):
        foreign.check_writable(data, "f")


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


FIRST = {
    HEADER: True,
    b'{"type":"meta","set":{}}': True,
    BARE: False,
    b"{torn": False,
    b'{"type":"x"}': False,
}


@pytest.mark.parametrize(("line", "begins"), FIRST.items())
def test_a_line_tells_whether_a_session_begins_with_it(line, *, begins):
    assert foreign.begins_a_session(line) == begins
