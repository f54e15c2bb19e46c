"""What a line is called: the same in every copy, whatever was redacted in it, and nothing of its content."""

import pytest

from codeh_history.session.line_names import named

HEAD = b'{"type":"session","version":1,"id":"s","created":"T"}\n'
BARE = b'{"role":"user","parts":[]}\n'

LINES = {
    "by its id": (b'{"type":"message","id":"a","kind":"user","parts":[]}\n', ["a"]),
    "a header by when it was made": (HEAD, ["session T"]),
    "by what it is of": (b'{"type":"commit","of":"a"}\n', ["commit a"]),
    "by its time": (b'{"type":"meta","ts":"T","set":{}}\n', ["meta T"]),
    "the same name again": (b'{"type":"delta","of":"a","parts":[]}\n' * 3, ["delta a", "delta a #2", "delta a #3"]),
    "by the line before": (HEAD + BARE + BARE, ["session T", "session T +1", "session T +2"]),
    "counted anew after a line with a name": (HEAD + BARE + b'{"type":"clear","id":"x"}\n' + BARE, ["session T", "session T +1", "x", "x +1"]),
    "damage": (HEAD + b"not JSON\n", ["session T", "session T +1"]),
    "nothing before": (BARE, [" +1"]),
    "blank lines are none": (b"\n" + HEAD + b" \n\t\n", ["session T"]),
    "a torn last line is none": (HEAD + b'{"type":"mess', ["session T"]),
    "a whole last line is one": (HEAD + b'{"type":"clear","id":"x"}', ["session T", "x"]),
    "neither id, of nor time": (HEAD + b'{"type":"later"}\n', ["session T", "session T +1"]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "names"), LINES.values(), ids=LINES)
def test_a_line_is_called_by_what_no_redaction_changes(data, names):
    found = named(data)
    assert [line.name for line in found] == names
    assert [line.raw for line in found if line.raw in data.split(b"\n")] == [line.raw for line in found]


def test_only_what_is_damaged_has_no_record():
    assert [line.record is None for line in named(HEAD + b"{}\n" + BARE)] == [False, True, False]
