"""The fold: the table of record rules, and `fixtures/conformance`."""

import hashlib
import re
import subprocess
from base64 import b64encode

import orjson
import pytest

from codeh_history.commands.undo import newest
from codeh_history.session.fold import fold
from codeh_history.session.model import RULES, added_ids, content_id, ids_in, own_id
from codeh_history.session.ops import apply
from codeh_history.session.records import block_of, parse
from conformance import FOLDER, cases, shape, view_of
from folding import SEQUENCES, TS, drop, expected_view, folded, put, short, swap, w
from length import not_short
from node import EXAMPLES, node, script
from support import ROOT, lines


def called():
    return w().a("a").a("call").a("b").k("K", put("call", "r"))


REF = {"type": "ref", "id": "a", "ts": TS, "kind": "user", "role": "user", "flowId": "f"}


def test_there_are_44_sequences():
    assert {name.split("-")[1] for name in SEQUENCES} == {f"{number:02}" for number in range(1, 45)}


@pytest.mark.parametrize("case", SEQUENCES.values(), ids=SEQUENCES)
def test_sequence(case):
    assert short(folded(case)) == expected_view(case)


def test_a_clear_hides_summaries_and_compactions_before_it():
    log = w().a("a").a("b").s("S", "a").k("K", {"op": "drop", "ids": ["b"], "why": "w"}).x().a("c").s("T")
    view = log.view()
    assert short(view) == "T c"
    assert [summary.id for summary in view.hidden_summaries] == ["S"]
    assert view.applied == []


def test_a_commit_ends_an_abort():
    """What was cut and committed all the same is not told as cut any more."""
    cut = w().o("m").d("m", "par").ab("m")
    assert cut.view().messages[0].fields["aborted"] == "cut"
    assert "aborted" not in cut.c("m").view().messages[0].fields


def test_2026_11_23_fields_of_a_commit_keep_their_order():
    """Of a set it came in another order in each process."""
    fields = [f"field{number}" for number in range(20)]
    log = w().o("m").add(type="commit", of="m", ts="2026-01-01T00:00:00.000Z", **dict.fromkeys(fields, 1))
    assert [name for name in log.view().messages[0].fields if name.startswith("field")] == fields


BLOCK = block_of({"text": "v1"})


def test_a_message_that_was_a_ref_has_no_blocks_any_more():
    """Its newest content stands in its line, so that is what a compaction replaces."""
    log = w().add(**REF, blockIds=[BLOCK]).a("a", "v2").k("K", swap("a", 0, "v2", "s"))
    assert short(log.view()) == "a=s"
    assert log.view().all["a"].blocks is None


# -- what happens between a few records, beyond the sequences ----------------------------------------------


def test_what_a_commit_says_besides_is_its_message_s():
    log = w().o("m").d("m", "Hi").add(type="commit", of="m", ts=TS, finish="stop", spelling={"id": "x"})
    fields = log.view().all["m"].fields
    assert fields["finish"] == "stop"
    assert "spelling" not in fields


def test_an_inserted_message_goes_with_the_one_it_stands_after():
    log = called()
    assert short(log.view()) == "a call r b"
    assert {step.id for step in log.view().steps} == {"a", "call", "b", "K"}
    assert short(log.k("L", drop("call")).view()) == "a b"


def test_ops_leave_the_view_that_they_are_applied_to_as_it_was():
    log = w().a("a", "p0", "p1", "p2").k("K", swap("a", 0, "p0", None)).k("L", swap("a", 1, "p1", "s"))
    view = log.k("M", put("a", "r")).view()
    after = apply(view, [swap("a", 2, "p2", "t")])
    assert (short(view), short(after)) == ("a=s+p2 r", "a=s+t r")
    assert short(apply(view, [swap("a", 1, "p1", "u")])) == "a=u+p2 r"
    assert short(apply(view, [drop("a")])) == ""
    assert (short(view), view.all["r"].hidden) == ("a=s+p2 r", None)


def test_ops_applied_after_one_another_make_summaries_of_their_own():
    first = {"op": "summarize", "ids": ["a"], "summary": "A"}
    view = apply(apply(w().a("a").a("b").view(), [first]), [{**first, "ids": ["b"]}])
    assert len({summary.id for summary in view.summaries}) == 2


def test_2026_11_21_a_message_said_again_after_its_insertion_broke_the_fold():
    log = w().a("a").k("K", put("a", "r"))
    assert short(log.view()) == short(w().a("a").k("K", put("a", "r")).a("r").view()) == "a r"
    view = log.u("U", "r", "v2").c("r").view()
    assert (short(view), newest(view).id) == ("a r=v2", "U")


def test_2026_11_21_what_was_inserted_after_an_undone_message_was_neither_shown_nor_hidden():
    view = w().a("a").k("K", put("a", "r")).r("x", "a").view()
    assert (short(view), view.all["r"].hidden) == ("", "a")


def test_2026_11_21_a_covered_summary_was_forgotten_when_the_next_was_placed():
    view = w().a("a").s("S", "a").a("b").s("T", "S").view()
    ops = [{"op": "summarize", "ids": ["b"], "summary": "b"}]
    assert [summary.text for summary in apply(view, ops).summaries] == ["T", "b"]


REPLACED = {
    "2026-11-21 a second insertion stood elsewhere": (w().a("a").k("K", put("a", "r1")), put("a", "r2")),
    "2026-11-22 a part vanished with its neighbours in the block store": (
        w().add(**REF, blockIds=[BLOCK, BLOCK]), swap("a", 0, "v1", "s"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("log", "op"), REPLACED.values(), ids=REPLACED)
def test_an_op_does_in_a_filter_what_it_does_in_the_log(log, op):
    applied, recorded = apply(log.view(), [op]), log.k("L", op).view()
    assert [(m.id, m.parts) for m in applied.messages] == [(m.id, m.parts) for m in recorded.messages]


def test_a_filter_prints_what_was_replaced_as_it_is_now():
    view = w().a("a", "big").k("K", swap("a", 0, "big", "s")).view()
    assert short(fold(parse(b"".join(view.lines())))) == "a=s"


ROWS = re.findall(r"^\| `(\w+)` \| `([^`]+)`", (ROOT / "docs" / "format.md").read_text(), re.MULTILINE)
DOCUMENTED = dict(reversed(ROWS))  # the first table; one that follows says what a record must have


def test_the_documented_types_are_those_of_the_table():
    ops = {"drop", "replace", "insert", "summarize"}
    elsewhere = {"redaction"}  # read by `sync` alone, no part of the view
    assert set(DOCUMENTED) - ops - elsewhere == set(RULES)


@pytest.mark.parametrize("type", RULES)
def test_what_a_type_needs_and_names_is_documented(type):
    rule = RULES[type]
    assert {*rule.needs, *rule.names} <= set(re.findall(r"\w+", DOCUMENTED[type]))


@pytest.mark.parametrize("type", RULES)
def test_what_streams_has_no_id_and_is_of_a_message(type):
    rule = RULES[type]
    assert rule.streams == (rule.needs == ("of",))
    assert not (rule.streams and rule.places)


COMPACTION = {
    "type": "compaction", "id": "K",
    "ops": [
        {"op": "drop", "ids": ["a"]},
        {"op": "insert", "after": "b", "message": {"parts": []}},
        {"op": "insert", "after": "b", "message": {"id": "m", "parts": []}},
        {"op": "summarize", "ids": ["c"], "summary": "s"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("record", "own", "of", "ids"),
    [
        ({"type": "session", "id": "s"}, None, None, []),
        ({"type": "meta", "set": {}}, None, None, []),
        ({"type": "message", "id": "m", "parts": []}, "m", "m", ["m"]),
        ({"type": "delta", "of": "m", "parts": []}, None, "m", []),
        ({"type": "update", "id": "u", "of": "m"}, "u", "u", ["u"]),
        ({"type": "x-unknown", "id": "x"}, "x", "x", ["x"]),
        ({"type": "x-unknown", "id": 7}, None, None, []),
        (COMPACTION, "K", "K", ["K", "K.1", "m", "K.3"]),
    ],
)
def test_the_ids_of_a_record(record, own, of, ids):
    assert (own_id(record), content_id(record), list(added_ids(record))) == (own, of, ids)


def test_the_ids_that_a_record_names():
    assert list(ids_in({"of": "m"}, ["of"])) == ["m"]
    assert list(ids_in({"ids": ["a", "b"], "after": "c"}, ["ids", "id", "after"])) == ["a", "b", "c"]


CASES = cases()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_log_means_what_its_case_says(case, tmp_path):
    assert orjson.loads(orjson.dumps(shape(view_of(case, tmp_path)))) == case.view


def test_every_block_has_the_name_of_its_content():
    for case in CASES.values():
        for id, part in case.blocks.items():
            assert hashlib.sha256(orjson.dumps(part)).hexdigest() == id


def test_the_directory_says_what_is_in_it():
    about = (FOLDER / "README.md").read_text()
    kinds = {name.split("-")[0] for name in CASES}
    assert all(f"`{kind}" in about for kind in kinds), kinds
    assert len({case.log for case in CASES.values()}) == len(CASES)


@not_short
def test_the_typescript_reader_agrees(tmp_path):
    inputs = [{"log64": b64encode(case.log).decode(), "blocks": case.blocks} for case in CASES.values()]
    done = subprocess.run(
        [node(), ROOT / "tests" / "session" / "conformance.mjs", script("reader.ts", tmp_path)],
        input=b"".join(orjson.dumps(each) + b"\n" for each in inputs), capture_output=True, check=False,
    )  # fmt: skip
    assert done.stderr == b""
    views = dict(zip(CASES, lines(done.stdout), strict=True))
    assert views == {name: case.view for name, case in CASES.items()}


def test_the_reader_in_typescript_is_short():
    assert len((EXAMPLES / "reader.ts").read_text().splitlines()) <= 400


@pytest.mark.parametrize("second", [
    {"parts": [{"functionCall": {"name": "f"}}]},
    {"parts": [{"functionCall": {"id": "", "name": "f"}}]},
    {"parts": [{"functionCall": {"name": "f"}, "thoughtSignature": "x"}]},
    {"type": "ref", "blockIds": ["x"], "idless": [0]},
])  # fmt: skip
def test_calls_without_an_id_are_numbered_in_whatever_record_they_are(second):
    head = {"type": "message", "kind": "codeh", "role": "model"}
    last = {"id": "c", "parts": [{"text": "x"}]}
    log = parse(b"\n".join(orjson.dumps(head | more) for more in ({"id": "b"} | second, last)))
    assert fold(log).all["c"].idless == 1
    escaped = orjson.dumps(head | {"id": "b"} | second).replace(b"functionCall", b"\\u0066unctionCall")
    assert fold(parse(escaped + b"\n" + orjson.dumps(head | last))).all["c"].idless == 1
