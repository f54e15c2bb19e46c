"""The laws of a log: they hold for every log, also a damaged one."""

import orjson
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.ops import NEXT, apply, shown
from codeh_history.session.records import parse
from plain_logs import contents, read, streamed

# -- an append only appends ---------------------------------------------------------------------------


@given(data=some.files_of(torn=False, refs=True), message=some.messages(id="new"))
def test_a_new_message_changes_nothing_before_it(data, message):
    before = contents(read(data))
    after = contents(read(data + orjson.dumps(message) + b"\n"))
    assert [look_id["id"] for look_id in after["messages"]][-1] == "new"
    assert {**after, "messages": after["messages"][:-1]} == before


@given(data=some.files_of(refs=True), more=some.files_of(refs=True))
def test_records_already_read_stay_as_they_were(data, more):
    """Of a file that ends in a newline: what is appended never changes an earlier line's meaning."""
    assume(data.endswith(b"\n"))
    before, after = parse(data), parse(data + more)
    assert [r.raw for r in after.records][: len(before.records)] == [r.raw for r in before.records]
    assert [r.data["id"] for r in before.records if "id" in r.data] == [
        r.data["id"] for r in after.records[: len(before.records)] if "id" in r.data
    ]


# -- undo ---------------------------------------------------------------------------------------------


@given(log=some.records(refs=True), data=st.data())
def test_undo_is_exact_in_any_order(log, data):
    """Reverting any records, in any order, is as if they had never been written."""
    ids = some.ids_of(log)
    assume(ids)
    undone = data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=4, unique=True))
    reverts = [{"type": "revert", "id": f"undo{n}", "of": id, "ts": some.TS} for n, id in enumerate(undone)]
    never = [record for record in log if record.get("id") not in undone or record["type"] == "session"]
    assert contents(some.view_of(log + reverts)) == contents(some.view_of(never))


@given(log=some.records(refs=True), data=st.data())
def test_reverting_the_reverts_brings_everything_back(log, data):
    ids = some.ids_of(log)
    assume(ids)
    undone = data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True))
    reverts = [{"type": "revert", "id": f"undo{n}", "of": id, "ts": some.TS} for n, id in enumerate(undone)]
    redo = [
        {"type": "revert", "id": f"redo{n}", "of": f"undo{n}", "ts": some.TS} for n in range(len(undone))
    ]
    order = data.draw(st.permutations(redo))
    assert contents(some.view_of(log + reverts + order)) == contents(some.view_of(log))


# -- copies -------------------------------------------------------------------------------------------


def all_but_lines(view):
    """What a view shows; lines without an id, as settings have none, may have been passed on twice."""
    return {**contents(view), "carried": list(dict.fromkeys(record.raw for record in view.carried))}


def takes_back(log, before):
    """Whether a log takes back what stands before it: a copy of that, after the log, counts anew."""
    ids = some.ids_of(before)
    return any(record["type"] == "revert" and record["of"] in ids for record in log)


def whole_copies(log):
    """Whether no copy in it, cut once more, could lose the undo that it holds."""
    reverts = [record["id"] for record in log if record["type"] == "revert"]
    return len(set(reverts)) == len(reverts)


@given(log=some.records(refs=True), data=st.data())
def test_a_log_and_a_copy_of_its_beginning_are_the_log(log, data):
    """Whichever comes first, and however often."""
    cut = data.draw(st.integers(0, len(log)))
    once = all_but_lines(some.view_of(log))
    assert all_but_lines(some.view_of(log + log)) == once
    assert all_but_lines(some.view_of(log + log + log)) == once
    if whole_copies(log) and not takes_back(log[cut:], log[:cut]):
        assert all_but_lines(some.view_of(log[:cut] + log)) == once
        assert all_but_lines(some.view_of(log + log[:cut])) | {"meta": {}} == once | {"meta": {}}


@given(log=some.records(refs=True), data=st.data())
def test_copies_that_went_on_apart_are_their_union(log, data):
    first, second = sorted([data.draw(st.integers(0, len(log))), data.draw(st.integers(0, len(log)))])
    common, more, rest = log[:first], log[first:second], log[second:]
    assume(whole_copies(log) and not takes_back(more, common))
    joined = some.view_of([*common, *more, *common, *rest])
    assert all_but_lines(joined) | {"meta": {}} == all_but_lines(some.view_of(log)) | {"meta": {}}


# -- conservation -------------------------------------------------------------------------------------


@given(log=some.records(refs=True))
def test_every_live_message_is_shown_hidden_or_emptied_and_only_one_of_them(log):
    view = some.view_of(log)
    visible = [message.id for message in view.messages]
    assert len(visible) == len(set(visible))
    for id, message in view.all.items():
        assert message.id == id
        states = [id in visible, message.hidden is not None, message.hidden is None and not shown(message)]
        assert states.count(True) == 1, (id, message.hidden)


# -- ops: applied to a view, or read from the log -------------------------------------------------------


@given(log=some.records(most=8, refs=True), data=st.data())
def test_ops_applied_to_a_view_are_what_the_log_says_once_recorded(log, data):
    """And what a filter streams of it: `curate s | …` and `curate -i s; … s` see the same."""
    view = some.view_of(log)
    ops = data.draw(some.ops(view, "K", most=5))
    assume(ops)
    record = {"type": "compaction", "id": "K", "ts": some.TS, "policy": "p", "ops": ops}
    recorded = contents(some.view_of([*log, record]), own="K.")
    applied = apply(view, ops)
    assert contents(applied, own=f"{NEXT}.") == recorded
    assert contents(read(streamed(applied)), own=f"{NEXT}.") == recorded
