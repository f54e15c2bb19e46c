"""Reading a plain log in bounded memory gives what the fold gives, or says that it cannot."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.session.pairing import open_calls
from codeh_history.session.records import lines_of, parse
from codeh_history.store import read
from codeh_history.views import skim as skimming
from codeh_history.views.skim import NeedsFold, OpenCalls, Skim
from histories import conversations, session
from plain_logs import plain_files


def look(message):
    calls = any(not p["functionCall"].get("id") for p in message.parts if "functionCall" in p)
    return (
        message.id, message.kind, message.role, message.ts, message.committed, message.parts, message.pending,
        message.raw, message.idless if calls and message.committed else None, message.fields,
    )  # fmt: skip


def skimmed(pieces):
    skim = Skim(pieces)
    try:
        found = dict(skim.messages())
    except NeedsFold:
        return None
    assert sorted(found) == list(range(1, skim.placed + 1))
    return skim, [found[number] for number in sorted(found)]


@given(data=plain_files() | some.files_of())
def test_it_equals_the_fold(data):
    log = parse(lines_of(data))
    view = fold(log)
    found = skimmed([log])
    event(f"plain: {found is not None}")
    if found is None:
        return
    skim, messages = found
    assert [look(m) for m in messages] == [look(m) for m in view.messages]
    assert (skim.view.header, skim.view.meta) == (view.header, view.meta)
    assert skim.view.log.damage == view.log.damage


@given(data=plain_files(), step=st.sampled_from([3, 50, 1000]))
def test_pieces_of_a_file_are_the_file(data, step, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    whole = read.read_log(data)
    with pytest.MonkeyPatch.context() as patch:
        blocks = skimming.blocks
        patch.setattr(skimming, "blocks", lambda fd, size, _, **how: blocks(fd, size, step, **how))
        pieces = list(skimming.logs(str(path), big=0))
    assert [(r.offset, r.raw, r.data) for log in pieces for r in log.records] == [
        (r.offset, r.raw, r.data) for r in whole.records
    ]
    assert [(d.offset, d.line, d.reason) for log in pieces for d in log.damage] == [
        (d.offset, d.line, d.reason) for d in whole.damage
    ]


LINE = '{"type":"message","id":"%s","kind":"user","role":"user","parts":[]}\n'
CALL = '{"type":"message","id":"%s","kind":"codeh","parts":[{"functionCall":{"name":"f"}}]}'


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"clear","id":"x"}', '{"type":"revert","id":"x","of":"a"}',
        '{"type":"update","id":"x","of":"a","parts":[]}', '{"type":"summary","id":"x","summary":"s"}',
        '{"type":"compaction","id":"x","ops":[]}', '{"type":"ref","id":"x","role":"user","blockIds":[]}',
        LINE % "a", f'{{"type":"open","id":"m","kind":"codeh"}}\n{CALL % "n"}\n{{"type":"commit","of":"m","parts":[]}}',
    ],
)  # fmt: skip
def test_what_needs_the_fold(line):
    assert skimmed([parse(lines_of((LINE % "a" + LINE % "b").encode()))]) is not None
    assert skimmed([parse(lines_of((LINE % "a" + LINE % "b" + line + "\n").encode()))]) is None


def test_a_repeated_id_among_many():
    lines = [LINE % f"id{n}" for n in range(3_000)]
    assert skimmed([parse(lines_of("".join(lines).encode()))]) is not None
    assert skimmed([parse(lines_of("".join([*lines, LINE % "id1234"]).encode()))]) is None


def test_an_older_form_comes_in_one_piece(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('[\n{"role":"user","parts":[{"text":"hi"}]}\n]\n')
    (log,) = skimming.logs(str(path), big=0)
    assert [r.data["parts"] for r in log.records] == [[{"text": "hi"}]]


@given(messages=conversations(lost=True), most=st.sampled_from([skimming.MOST_HELD, 3]))
def test_open_calls_are_those_of_all_messages(messages, most):
    """Answered calls are released, so that a long log needs little memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skimming, "MOST_HELD", most)
        calling, messages = OpenCalls(), session(messages).messages
        for message in messages:
            calling.add(message)
    expected = [(c.message.id, c.id) for c in open_calls(messages)]
    assert most == 3 or [(c.message.id, c.id) for c in calling.calls()] == expected


def test_long_talk_between_tools_takes_no_memory():
    calling = OpenCalls()
    text = {"text": "x"}
    call = {"functionCall": {"name": "f"}}
    calling.add(Message("c", "codeh", "model", None, {}, own=[call], parts=[call]))
    for number in range(1000):
        kind, role = ("user", "user") if number % 2 else ("codeh", "model")
        calling.add(Message("t", kind, role, None, {}, own=[text], parts=[text]))
    assert len(calling.held) < 10


def test_answered_calls_are_released(monkeypatch):
    monkeypatch.setattr(skimming, "MOST_HELD", 3)
    calling = OpenCalls()
    for number in range(10):
        call = {"functionCall": {"name": "f", "id": f"c{number}"}}
        result = {"functionResponse": {"name": "f", "id": f"c{number}"}}
        for message in (
            Message("c", "codeh", "model", None, {}, own=[call], parts=[call]),
            Message("r", "tool", "user", None, {}, own=[result], parts=[result]),
        ):
            calling.add(message)
    assert len(calling.held) < 5
    assert calling.calls() == []
