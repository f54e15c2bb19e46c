"""A program's session as records, and what its copy lacks; what was redacted never comes back."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import BadData
from codeh_history.programs.fields import hash_id, time_of
from codeh_history.programs.model import AgentUsage, Entry, Piece, Session, Summary
from codeh_history.programs.records import changes, header, lines, record, records, session_id
from codeh_history.session.fold import fold
from codeh_history.session.model import SUMMARY_HEAD
from codeh_history.session.records import dumps, parse
from codeh_history.store.program_files import translated
from in_process import run_in_process, run_ok
from program_files import SESSION, Claude, Codex, played

TS, LATER = "2026-01-02T03:04:05.000Z", "2026-01-03T03:04:05.000Z"


def entry(id="a", kind="user", ts=TS, **fields):
    return Entry(id, kind, ts, [Piece(3, [{"text": "x"}]), Piece(5, [{"text": "y"}])], fields)


PI = Session("pi", "s")


def test_a_message_names_the_lines_that_it_came_from():
    assert record(PI, entry(model="m")) == {
        "type": "message", "id": "a", "ts": TS, "kind": "user", "role": "user", "parts": [{"text": "x"}, {"text": "y"}], "model": "m", "imported": [3, 5],
    }  # fmt: skip
    assert {"ts", "role"}.isdisjoint(record(PI, entry(kind="error", ts=None)))


def test_a_summary_has_the_period_and_the_exchanges_of_what_it_covers():
    covered = (entry("a"), entry("b", "codeh", None), entry("c", ts=LATER), entry("d"))
    session, ids = Session("pi", "s", items=[*covered]), ["a", "b", "c", "lost"]
    made = record(session, Summary("S", LATER, f"{SUMMARY_HEAD}\n\nText.", 9, ids))
    keys = ("periodStart", "periodEnd", "conversationCount", "summary", "by", "covers")
    assert [made[key] for key in keys] == [TS, LATER, 2, "Text.", "pi", ids]
    assert {"periodStart", "createdAt"}.isdisjoint(
        record(session, Summary("S", None, "Text.", 9, ["lost"]))
    )


@pytest.mark.parametrize(
    ("id", "name"),
    [("abc", "pi-abc"), ("a/b c", "pi-a-b-c"), ("\u00e9", "pi--"), ("x" * 120, "pi-" + "x" * 120)],
)
def test_a_copy_is_called_by_program_and_id(id, name):
    assert session_id(Session("pi", id)) == name


def test_an_overlong_id_is_cut_and_stays_unique():
    first, second = (session_id(Session("pi", "x" * 200 + end)) for end in "ab")
    assert first != second
    assert len(first) <= 128
    assert first[:100] == second[:100]


def test_the_header_says_of_what_it_is_a_copy():
    session = Session("pi", "s", version="3", cwd="/w", items=[entry(ts=None), entry("b", ts=LATER)])
    assert header(session, "pi-s", "p") == {
        "type": "session", "version": 1, "id": "pi-s", "created": LATER, "cwd": "/w", "imported": {"from": "pi", "id": "s", "path": "p", "version": "3"},
    }  # fmt: skip
    bare = header(Session("pi", "s", agent=True), "x", "p", {"session": "y", "at": None})
    assert bare["created"] == "1970-01-01T00:00:00.000Z"
    assert bare["parent"] == {"session": "y", "at": None}
    assert bare["imported"]["agent"] is True


def test_records_are_settings_messages_and_what_sub_agents_used():
    session = Session("pi", "s", created=TS, settings={"title": "t"}, items=[entry()])
    session.agent_usage = lambda: [AgentUsage("u", None, {"usage": {"input": 1}})]
    made = list(records(session))
    assert [record["type"] for record in made] == ["meta", "message", "usage"]
    assert made[2]["of"] == "u"
    assert all("imported" in record for record in made)


def test_what_could_not_be_read_back_is_refused():
    deep = 1
    for _ in range(210):
        deep = [deep]
    with pytest.raises(BadData, match="file: a: nested deeper"):
        lines([record(PI, entry(item=deep))], "file")
    with pytest.raises(BadData, match="file: a: a part"):
        lines([{**record(PI, entry()), "parts": [{"text": 5}]}], "file")
    assert lines([record(PI, entry())], "file").endswith(b"\n")


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (TS, TS), ("2026-01-02T03:04:05Z", TS), ("2026-01-02T04:04:05+01:00", TS), (1767323045000, TS), (1767323045000.9, TS), ("x", None), (None, None), (True, None),
        (-1, None), (1e15, None), ([], None), ("2026-13-02T03:04:05.000Z", None),
    ],
)  # fmt: skip
def test_a_time_of_a_source_as_it_is_stored(value, time):
    assert time_of(value) == time


def test_an_id_is_a_function_of_what_it_is_made_of():
    assert hash_id("a", "b") == hash_id("a", b"b") == hash_id("a\0b")
    assert hash_id("a", "b") != hash_id("ab")
    assert hash_id("a", 1) == hash_id("a", "1")
    assert hash_id("\ud800") != hash_id("")


TIME = "2026-01-02T03:04:05.000Z"


def source(text, **fields):
    """A session by words: `a=xy`, a message `a` of two lines, `x` and `y`; `S:ab` a summary that covers `a` and `b`."""
    items = []
    for number, word in enumerate(text.split(), 1):
        id, sign, rest = word[0], word[1:2], word[2:]
        if sign == ":":
            items.append(Summary(id, TIME, "sum", number, list(rest)))
        else:
            pieces = [Piece(10 * number + n, [{"text": char}]) for n, char in enumerate(rest or id)]
            items.append(Entry(id, "user", TIME, pieces))
    return Session("pi", "s", items=items, **fields)


def copy(session):
    return translated.lines(session, "p")


def view(data):
    return fold(parse(data))


def shown(data):
    copied = view(data)
    texts = ("".join(part.get("text", "?") for part in message.parts) for message in copied.messages)
    messages = (f"{m.id}={text}" for m, text in zip(copied.messages, texts, strict=True))
    return " ".join([*(summary.id for summary in copied.summaries), *messages])


def more(changed):
    return lines(changed.records, "p")


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
    changed = changes(source(now), view(data))
    assert changed.conflict is None
    assert [record["type"] for record in changed.records] == types
    assert shown(data + more(changed)) == shown(copy(source(now)))
    assert changes(source(now), view(data + more(changed))).records == []


STEPS = st.sampled_from(["a", "a b", "a=x b", "a b c", "b", "a b=q c", ""])


@given(steps=st.lists(STEPS, min_size=1, max_size=5))
def test_a_copy_follows_any_change_of_its_source(steps):
    """Of a message no lines go: what is shorter was read before it was whole."""
    data = copy(source(steps[0]))
    for now in steps[1:]:
        for _ in range(2):  # what comes back is compared once it is there again
            changed = changes(source(now), view(data))
            if changed.conflict is not None:
                return
            data += more(changed)
        assert shown(data) == shown(copy(source(now)))


def test_what_comes_back_in_the_source_comes_back_here():
    data = copy(source("a b"))
    data += more(changes(source("a"), view(data)))
    assert shown(data) == "a=a"
    data += more(changes(source("a b"), view(data)))
    assert shown(data) == "a=a b=b"


def written(*lines):
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def line_of_copy(id, **fields):
    return written({"id": id, "ts": TIME, **fields})


UNDONE = line_of_copy("R", type="revert", of="b")
EDITED = line_of_copy("U", type="update", of="b", parts=[{"text": "mine"}]) + written(
    {"type": "commit", "of": "U", "ts": TIME}
)
REDACTED = line_of_copy("D", type="redaction", lines=["b"])
CONTINUED = line_of_copy("h", type="message", kind="user", role="user", parts=[{"text": "here"}])
MOVED = "its messages are now in a different order, from a on"
MEANWHILE = {  # what was imported and done to the copy, what the source says now, what is shown or a conflict
    "what was undone does not come back": ("a b", UNDONE, "a b", "a=a"),
    "nor with what is new": ("a b", UNDONE, "a b c", "a=a c=c"),
    "what was edited stays so": ("a b=x", EDITED, "a b=x", "a=a b=mine"),
    "and what is new is added": ("a b=x", EDITED, "a b=xy", "a=a b=miney"),
    "what was redacted does not come back": ("a b=x", REDACTED, "a b=x", "a=a b=[redacted]"),
    "a copy that was continued stays": ("a", CONTINUED, "a", "a=a h=here"),
    "and goes its own way": ("a", CONTINUED, "a b", "it was continued here (h)"),
    "messages in another order are another session": ("a b", b"", "b a", MOVED),
    "so they are with one more": ("a b", b"", "c a b", MOVED),
}  # fmt: skip


@pytest.mark.parametrize(("before", "done", "now", "expected"), MEANWHILE.values(), ids=MEANWHILE)
def test_what_was_done_here_stays(before, done, now, expected):
    data = copy(source(before)) + done
    if done is REDACTED:
        data = data.replace(b'{"text":"x"}', b'{"text":"[redacted]"}')
    changed = changes(source(now), view(data))
    assert (changed.conflict or shown(data + more(changed))) == expected
    assert changed.conflict or before != now or changed.records == []


def test_of_a_damaged_source_nothing_is_taken_back():
    assert changes(source("a", partial=True), view(copy(source("a b")))).records == []


def test_settings_are_said_again_only_where_they_changed():
    data = copy(source("a", settings={"title": "t", "model.pi": "m"}))
    (record,) = changes(source("a", settings={"title": "u", "model.pi": "m"}), view(data)).records
    assert record["set"] == {"title": "u"}


def test_who_imports_the_same_makes_the_same_records():
    data = copy(source("a b=x"))
    assert changes(source("a=q b=xy c"), view(data)) == changes(source("a=q b=xy c"), view(data))


KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 7 + "AA"
COPY = f"claude-code-{SESSION}"


def write_source():
    """A key in the title, a prompt, an answer that goes on, a result, and what a summary covers."""
    file = Claude()
    file.lines.append({"type": "custom-title", "customTitle": f"SessionInfo {KEY}", "sessionId": SESSION})
    file.user("a", f"my key is {KEY}")
    file.model("b", f"the key {KEY}", id="m")
    file.called("c", "A", id="m2")
    file.result("d", "A", f"key={KEY}")
    file.compacted("s", f"a talk of {KEY}")
    file.user("e", "go on")
    return file


def grown(file):
    file.model("f", "done")
    file.user("g", "thanks")


def said_otherwise(file):
    for line in file.lines:
        if line.get("uuid") == "a":
            line["message"]["content"] += " really"
        if line.get("uuid") == "d":
            line["message"]["content"][0]["content"] += " really"


def in_another_order(file):
    at = {line.get("uuid"): line for line in file.lines}
    at["a"]["parentUuid"], at["b"]["parentUuid"], at["c"]["parentUuid"] = "b", None, "a"
    file.model("f", "done")


def with_more_of_an_answer(file):
    at = next(n for n, line in enumerate(file.lines) if line.get("uuid") == "b")
    more = {**file.lines[at], "uuid": "b2", "parentUuid": "b"}
    more["message"] = {**more["message"], "content": [{"type": "text", "text": "and more"}]}
    file.lines.insert(at + 1, more)
    file.lines[at + 2]["parentUuid"] = "b2"


def without_its_end(file):
    del file.lines[5:]


def retitled(file):
    file.lines.append({"type": "custom-title", "customTitle": f"Of {KEY}", "sessionId": SESSION})


HERE_TOO = [None, ["append", "-m", "mine"], ["undo", "--id", ":1"], ["persist", "-i", "--all"]]
THEN = [grown, said_otherwise, in_another_order, with_more_of_an_answer, without_its_end, retitled]


@pytest.mark.parametrize("edit", HERE_TOO)
@pytest.mark.parametrize("then", THEN)
def test_2026_11_23_no_import_restores_content_redacted_in_a_copy(then, edit, tmp_path):
    """It came back into the copy that follows one that was continued, and with what else an answer said."""
    file, home = write_source(), tmp_path / "home"
    run_in_process("import", str(file.write(tmp_path)), home=home)
    run_ok("redact", COPY, "-i", "--yes", home=home)
    if edit:
        run_ok(*edit[:1], "-s", COPY, *edit[1:], home=home)
    for change in (then, grown):
        change(file)
        for _ in range(2):
            run_ok("import", str(file.write(tmp_path)), home=home)
    leaks = [path for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert leaks == []


def test_2026_11_23_nor_with_a_branch_that_begins_as_it_did(tmp_path):
    file, home = Claude(), tmp_path / "home"
    file.user("a", f"my key is {KEY}")
    played(file, "model b noted; user x abandoned; user c kept b")
    path = str(file.write(tmp_path))
    run_in_process("import", path, home=home)
    run_ok("redact", COPY, "-i", "--yes", home=home)
    for _ in range(2):
        assert run_in_process("import", path, "--branches", home=home).text.split()[-1] == f"{COPY}-x"
    branch = (home / "sessions" / f"{COPY}-x.jsonl").read_text()
    assert KEY not in branch
    assert "[redacted:anthropic-key]" in branch
    assert "abandoned" in branch


@pytest.mark.parametrize("parent", ["../../x", "a/b.jsonl", "", "ü", "x" * 300])
def test_a_parent_that_is_no_id_is_looked_for_nowhere(parent, tmp_path):
    file = Codex()
    file.lines[0]["payload"]["forked_from_id"] = parent
    file.user("hi")
    run_ok("import", str(file.write(tmp_path)), home=tmp_path / "home")


def test_an_older_copy_keeps_the_id_that_a_changed_message_got():
    """It was reverted and written again at the end, or the session copied anew, without its redactions."""
    old = source("a b c")
    old.items[1].id = hash_id("b", dumps(old.items[1].parts))
    assert changes(source("a b c"), view(copy(old))).records == []
    (added,) = changes(source("a b c S:abc"), view(copy(old))).records
    assert added["covers"] == [item.id for item in old.items]
