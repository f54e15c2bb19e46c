"""What `undo` takes back and what stays; undone and joined lines do not count."""

import pytest

from codeh_history.commands.undo import last_turn, newest, reverts
from codeh_history.session.fold import fold, repeated_lines
from codeh_history.session.records import Log, block_of, parse
from folding import SEQUENCES, TS, drop, eleven, folded, short, twice, w
from in_process import run_ok
from strategies import encode
from support import session_path


@pytest.mark.parametrize(
    ("log", "name"),
    [
        (w().a("a").s("S", "a").x().a("b").undo().undo(), "sequence-33"),
        (w().o("m").d("m", "Hi").x().a("b").c("m").undo(), "sequence-34-undo"),
        (w().a("a").a("b").undo().a("c").undo(), "sequence-40"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_undo_takes_back_what_the_sequence_says(log, name):
    assert log.bytes() == SEQUENCES[name].log


def test_a_repeated_undo_is_one_undo():
    assert reverts(twice(w().a("a").r("r", "a"), w(), w()).view()) == ["r"]


def test_an_edit_is_undone_as_the_newest_where_it_was_committed():
    log = w().a("a", "v1").u("U", "a", "v2").a("b").c("U")
    step = newest(log.view())
    assert step is not None
    assert (step.type, step.id) == ("update", "U")


def test_an_edit_that_is_committed_by_its_message_is_undone_as_an_edit():
    """2026-11-21: it took the whole message where the commit names that, not the update."""
    view = eleven().u("V", "a", "v3").a("c").c("a").view()
    target = newest(view)
    assert short(view) == "a=v3 b c"
    assert target is not None
    assert target.id == "V"


def test_undo_leaves_errors_and_notes_aside():
    log = w().a("a").add(type="message", id="e", ts=TS, kind="error", parts=[{"text": "no"}])
    assert short(log.undo().view()) == "e=no"


RESULT = [{"functionResponse": {"name": "f", "response": {}}}]
TURNS = {
    "edited after a clear": (w().a("a").a("b").u("U", "a", "v2").x().a("c").u("V", "c", "v2"), "V c"),
    "of a clear alone": (w().x(), ""),
    "of results and an editor's context": (
        w().a("a").a("b", parts=RESULT, kind="tool").a("c", "# IDE Context"), "c b a",
    ),
    "of a prompt that is hidden": (w().a("a").a("b").k("K", drop("b")), "K b a"),
}  # fmt: skip


@pytest.mark.parametrize(("log", "steps"), TURNS.values(), ids=TURNS)
def test_a_turn_is_the_last_prompt_and_what_followed(log, steps):
    assert " ".join(step.id for step in last_turn(log.view())) == steps


def test_an_undo_that_was_undone_is_none_any_more():
    log = w().a("a").a("b").r("r1", "b").r("r2", "a").r("r3", "r1")
    assert reverts(log.view()) == ["r2", "r3"]


def test_2026_11_22_an_undone_message_could_not_be_appended_again(home):
    line = b'{"id":"a","role":"user","parts":[{"text":"hi"}]}\n'
    for argv in (["append", "--jsonl"], ["undo"], ["append", "--jsonl"]):
        run_ok(*argv, "-s", "demo", home=home, stdin=line)
    assert short(fold(parse(session_path(home, "demo").read_bytes()))) == "a=hi"


def test_where_nothing_is_left_nothing_is_newest():
    assert newest(w().view()) is None
    assert newest(w().a("a").undo().view()) is None


def test_a_revert_that_names_nothing_earlier_is_noted():
    assert len(folded(SEQUENCES["sequence-39"]).notes) == 2


def test_a_repeated_line_may_be_spelled_otherwise():
    log = w().a("a").x().a("b").bytes()
    copy = b'{"ts": "%s", "id": "X", "type": "clear"}\n' % TS.encode()
    assert short(fold(parse(log + copy + w().a("c").bytes()))) == "b c"


def test_an_unknown_line_is_passed_on_once():
    view = twice(w().a("a").add(type="later", id="l", n=1), w().add(type="later", n=2), w()).view()
    assert [record.data.get("n") for record in view.carried] == [1, 2]


def test_repeats_are_not_printed_expanded_or_copied():
    from codeh_history.commands.expand import expand
    from codeh_history.commands.fork import up_to

    once = w().a("a").a("b")
    view = twice(once, w().a("c"), w()).view()
    assert b"".join(view.lines()) == w().a("a").a("b").a("c").bytes()
    assert expand(view, "a", session="s") == [once.bytes().split(b"\n")[0]]
    forked = fold(Log(up_to(view, view.all["b"]), [], 0))
    assert [message.id for message in forked.messages] == ["a", "b"]


def again(first, second):
    """Whether the second line says what the first does."""
    log = parse(encode([first, second]))
    assert len(log.records) == 2
    return repeated_lines(log.records, set()) == {1}


PART = {"text": "v1"}
MESSAGE = w().a("a", "v1").lines[0]
STORED_PARTS = {"blockIds": [block_of(PART)], "flowId": "f"}
REF = {key: value for key, value in MESSAGE.items() if key != "parts"} | {"type": "ref", **STORED_PARTS}
K = {"type": "compaction", "id": "K", "ts": TS, "policy": "p"}
INSERTED = {"id": "i", "kind": "user", "role": "user"}
INSERT = {"op": "insert", "after": "z", "message": {**INSERTED, "parts": [PART]}}
STORED = {**INSERT, "message": {**INSERTED, **STORED_PARTS}}
REPLACE = {"op": "replace", "id": "z", "part": 0, "block": "b", "with": PART}
DROP = {"op": "drop", "ids": ["z"], "why": "w"}

COPIES = {
    "its parts in the block store": (MESSAGE, REF, True),
    "its parts fetched from there": (REF, MESSAGE, True),
    "in blocks of another flow": (REF, {**REF, "flowId": "g", "spelling": {}}, True),
    "a kind that its role tells": (MESSAGE, {key: MESSAGE[key] for key in MESSAGE if key != "kind"}, True),
    "other parts": (MESSAGE, {**MESSAGE, "parts": [PART, PART]}, False),
    "other blocks": (REF, {**REF, "blockIds": []}, False),
    "another time": (MESSAGE, {**MESSAGE, "ts": None}, False),
    "the same ops": ({**K, "ops": [INSERT, REPLACE, DROP]}, {**K, "ops": [INSERT, REPLACE, DROP]}, True),
    "an insert whose parts lie in blocks": ({**K, "ops": [INSERT]}, {**K, "ops": [STORED]}, True),
    "an insert of another": ({**K, "ops": [INSERT]}, {**K, "ops": [{**INSERT, "after": "y"}]}, False),
    "ops of lines that were spelled in two ways": ({**K, "ops": [STORED], "spelling": {"id": "a"}}, {**K, "ops": [STORED]}, True),
    "what is put in place lies in a block": (
        {**K, "ops": [REPLACE]},
        {**K, "ops": [{key: value for key, value in REPLACE.items() if key != "with"} | {"blockId": block_of(PART)}]}, True,
    ),
    "another is put in place": ({**K, "ops": [REPLACE]}, {**K, "ops": [{**REPLACE, "with": {"text": "v2"}}]}, False),
    "nothing is put in place": ({**K, "ops": [REPLACE]}, {**K, "ops": [{**REPLACE, "with": None}]}, False),
    "others are dropped": ({**K, "ops": [DROP]}, {**K, "ops": [{**DROP, "ids": ["y"]}]}, False),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second", "expected"), COPIES.values(), ids=COPIES)
def test_a_copy_is_known_wherever_its_parts_lie(first, second, *, expected):
    assert again(first, second) is expected
