"""What a copy lacks of its source: what is new is appended, what was done here stays."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.programs import records
from codeh_history.programs.changes import changes
from codeh_history.programs.model import Entry, Piece, Session, Summary
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse

TS = "2026-01-02T03:04:05.000Z"


def source(text, **fields):
    """A session by words: `a=xy`, a message `a` of two lines, `x` and `y`; `S:ab` a summary that covers `a` and `b`."""
    items = []
    for number, word in enumerate(text.split(), 1):
        id, sign, rest = word[0], word[1:2], word[2:]
        if sign == ":":
            items.append(Summary(id, TS, "sum", number, list(rest)))
        else:
            pieces = [Piece(10 * number + n, [{"text": char}]) for n, char in enumerate(rest or id)]
            items.append(Entry(id, "user", TS, pieces))
    return Session("pi", "s", items=items, **fields)


def copy(session):
    head = orjson.dumps(records.header(session, "pi-s", "p")) + b"\n"
    return head + records.lines(records.records(session), "p")


def view(data):
    return fold(parse(lines_of(data)))


def shown(data):
    found = view(data)
    texts = ["".join(part.get("text", "?") for part in message.parts) for message in found.messages]
    return " ".join(
        [
            *(summary.id for summary in found.summaries),
            *(f"{m.id}={t}" for m, t in zip(found.messages, texts, strict=True)),
        ]
    )


def more(found):
    return records.lines(found.records, "p")


CASES = {  # what was imported, what the source says now, the types of what is new
    "nothing": ("a b", "a b", []),
    "a message more": ("a", "a b", ["message"]),
    "more of a message": ("a=x", "a=xy", ["update", "commit"]),
    "a message says something else": ("a=x b", "a=y b", ["update", "commit"]),
    "a message is gone": ("a b c", "a b", ["revert"]),
    "all are gone": ("a b", "c", ["revert", "revert", "message"]),
    "compacted since": ("a b", "a b S:a", ["summary"]),
}  # fmt: skip


@pytest.mark.parametrize(("before", "now", "types"), CASES.values(), ids=CASES)
def test_the_copy_becomes_what_a_new_one_would_be(before, now, types):
    data = copy(source(before))
    found = changes(source(now), view(data))
    assert found.apart is None
    assert [record["type"] for record in found.records] == types
    assert shown(data + more(found)) == shown(copy(source(now)))
    assert changes(source(now), view(data + more(found))).records == []


@given(
    steps=st.lists(
        st.sampled_from(["a", "a b", "a=x b", "a b c", "b", "a b=q c", ""]),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_comes_of_a_source_its_copy_says_the_same(steps):
    """Of a message no lines go: what is shorter was read before it was whole."""
    data = copy(source(steps[0]))
    for now in steps[1:]:
        for _ in range(2):  # what comes back is compared once it is there again
            found = changes(source(now), view(data))
            if found.apart is not None:
                return
            data += more(found)
        assert shown(data) == shown(copy(source(now)))


def test_what_comes_back_in_the_source_comes_back_here():
    data = copy(source("a b"))
    data += more(changes(source("a"), view(data)))
    assert shown(data) == "a=a"
    data += more(changes(source("a b"), view(data)))
    assert shown(data) == "a=a b=b"


def written(*lines):
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


UNDONE = {"type": "revert", "id": "R", "of": "b", "ts": TS}
EDITED = [
    {"type": "update", "id": "U", "of": "b", "ts": TS, "parts": [{"text": "mine"}]},
    {"type": "commit", "of": "U", "ts": TS},
]
HERE = {"type": "message", "id": "h", "ts": TS, "kind": "user", "role": "user", "parts": [{"text": "here"}]}


def test_what_was_undone_here_does_not_come_back():
    data = copy(source("a b")) + written(UNDONE)
    assert changes(source("a b"), view(data)).records == []
    assert shown(data + more(changes(source("a b c"), view(data)))) == "a=a c=c"


def test_what_was_edited_here_stays_so_and_only_what_is_new_is_added():
    data = copy(source("a b=x")) + written(*EDITED)
    assert changes(source("a b=x"), view(data)).records == []
    assert shown(data + more(changes(source("a b=xy"), view(data)))) == "a=a b=miney"


def test_what_was_redacted_here_does_not_come_back():
    data = copy(source("a b=x")).replace(b'{"text":"x"}', b'{"text":"[redacted]"}')
    data += written({"type": "redaction", "id": "D", "ts": TS, "lines": ["b"]})
    assert changes(source("a b=x"), view(data)).records == []


def test_a_copy_that_was_continued_here_goes_its_own_way():
    data = copy(source("a")) + written(HERE)
    assert changes(source("a"), view(data)).apart is None
    assert changes(source("a b"), view(data)).apart == "it was continued here (h)"


def test_messages_in_another_order_are_another_session():
    assert "another order" in str(changes(source("b a"), view(copy(source("a b")))).apart)
    assert "another order" in str(changes(source("c a b"), view(copy(source("a b")))).apart)


def test_of_a_damaged_source_nothing_is_taken_back():
    data = copy(source("a b"))
    assert changes(source("a", partial=True), view(data)).records == []


def test_settings_are_said_again_only_where_they_changed():
    data = copy(source("a", settings={"title": "t", "model.pi": "m"}))
    (record,) = changes(source("a", settings={"title": "u", "model.pi": "m"}), view(data)).records
    assert record["set"] == {"title": "u"}


def test_who_imports_the_same_makes_the_same_records():
    data = copy(source("a b=x"))
    assert changes(source("a=q b=xy c"), view(data)) == changes(source("a=q b=xy c"), view(data))
