"""What holds for every session: what is reported is what the log then says, and nothing is lost."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.filters.compact.outline import outline
from codeh_history.session.fold import fold
from codeh_history.session.records import dumps, parse
from codeh_history.summaries import store as summarizing
from codeh_history.summaries.store import Settings
from codeh_history.tokens.counter import open_counter
from strategies import files_of
from talks import call, result, talk

ENV = Env({"CODEH_NOW": "2026-05-01T00:00:00Z"})
COUNTER = open_counter("approx")
OUTLINE = partial(outline, COUNTER)


@st.composite
def logs(draw):
    """Exchanges with pins, calls whose results come at once, late or never, and summaries of earlier ones."""
    records = []
    late = []
    count = draw(st.integers(0, 30))
    for n, (user, model) in enumerate(zip(talk(count)[::2], talk(count)[1::2], strict=True)):
        records.append({**user, **({"pinned": True} if draw(st.integers(0, 9)) == 0 else {})})
        how = draw(st.sampled_from(["none", "none", "at once", "late", "never"]))
        if how != "none":
            records.append(call(f"c{n}", f"k{n}"))
        if how == "at once":
            records.append(result(f"r{n}", f"k{n}"))
        elif how == "late":
            late.append(result(f"r{n}", f"k{n}"))
        records.append(model)
        if late and draw(st.booleans()):
            records.append(late.pop())
    for n in range(draw(st.integers(0, min(7, count // 4)))):
        covers = [record["id"] for record in records if record["id"] in (f"u{n}", f"a{n}")]
        records.append({"type": "summary", "id": f"S{n}", "summary": f"text {n}", "covers": covers})
    return records


def settings(most, least):
    return Settings(OUTLINE, COUNTER, most=most, least=least)


@given(logs(), st.integers(1, 12), st.integers(1, 6))
def test_the_report_agrees_with_the_log(records, most, least):
    data = b"".join(dumps(record) + b"\n" for record in records)
    view = fold(parse(data))
    work = summarizing.prepare(view, settings(most, least))
    if work is None:
        return
    new = summarizing.records(ENV, "demo", len(data), work.drafts)
    expected = summarizing.after(view, new)
    stored = fold(parse(data + b"".join(dumps(record) + b"\n" for record in new)))
    assert [m.id for m in stored.messages] == [m.id for m in expected.messages]
    assert [s.id for s in stored.summaries] == [s.id for s in expected.summaries]
    assert summarizing.tokens(stored, COUNTER) == summarizing.tokens(expected, COUNTER)
    kept = {message.id for message in stored.messages}
    covered = {id for summary in stored.summaries for id in summary.covers}
    assert kept.isdisjoint(covered)
    assert kept | covered >= {record["id"] for record in records if record["type"] == "message"}
    assert all(message.id in kept for message in view.messages if message.pinned)
    assert len(stored.summaries) <= 5
    assert summarizing.is_unchanged(view, work)


def filtered(view, most, least):
    work = summarizing.prepare(view, settings(most, least))
    return view if work is None else summarizing.filtered(ENV, view, work)


@given(logs(), st.integers(1, 12), st.integers(1, 6))
def test_the_filter_prints_the_same_view(records, most, least):
    view = fold(parse(b"".join(dumps(record) + b"\n" for record in records)))
    shown = filtered(view, most, least)
    printed = fold(parse(b"".join(shown.lines())))
    assert [m.id for m in printed.messages] == [m.id for m in shown.messages]
    assert [s.text for s in printed.summaries] == [s.text for s in shown.summaries]
    assert [s.id for s in printed.summaries] == [s.id for s in shown.summaries]


@given(files_of())
def test_any_log_can_be_summarized(data):
    view = fold(parse(data))
    shown = filtered(view, 1, 1)
    assert len(shown.messages) <= len(view.messages)
