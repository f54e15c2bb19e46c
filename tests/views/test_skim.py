"""Reading a plain log in bounded memory gives what the fold gives, or says that it cannot."""

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.session.pairing import open_calls
from codeh_history.session.records import parse
from codeh_history.session.view import text_of
from codeh_history.store import read
from codeh_history.store.resolve import Target
from codeh_history.views import skim as skimming
from codeh_history.views.skim import NeedsFold, OpenCalls, Skim
from histories import conversations, session
from plain_logs import plain_files, talks


def look(message):
    calls = any(not p["functionCall"].get("id") for p in message.parts if "functionCall" in p)
    return (
        message.id, message.kind, message.role, message.ts, message.committed, message.parts, message.pending,
        message.raw, message.idless if calls and message.committed else None, message.fields,
    )  # fmt: skip


def skimmed(pieces):
    skim = Skim(pieces)
    try:
        numbered = dict(skim.messages())
    except NeedsFold:
        return None
    assert sorted(numbered) == list(range(1, skim.placed + 1))
    return skim, [numbered[number] for number in sorted(numbered)]


@given(data=plain_files() | some.files_of())
def test_skim_equals_the_fold(data):
    log = parse(data)
    view = fold(log)
    result = skimmed([log])
    event(f"plain: {result is not None}")
    if result is None:
        return
    skim, messages = result
    assert [look(m) for m in messages] == [look(m) for m in view.messages]
    assert (skim.view.header, skim.view.meta) == (view.header, view.meta)
    assert skim.view.log.damage == view.log.damage


@given(data=plain_files(), step=st.sampled_from([3, 50, 1000]))
def test_pieces_add_up_to_the_file(data, step, tmp_path_factory):
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
def test_records_that_need_the_fold(line):
    assert skimmed([parse((LINE % "a" + LINE % "b").encode())]) is not None
    assert skimmed([parse((LINE % "a" + LINE % "b" + line + "\n").encode())]) is None


def test_older_form_is_read_in_one_piece(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('[\n{"role":"user","parts":[{"text":"hi"}]}\n]\n')
    (log,) = skimming.logs(str(path), big=0)
    assert [r.data["parts"] for r in log.records] == [[{"text": "hi"}]]


@given(messages=conversations(lost=True), most=st.sampled_from([skimming.MOST_HELD, 3]))
def test_open_calls_equal_those_of_all_messages(messages, most):
    """Answered calls are released, so that a long log needs little memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skimming, "MOST_HELD", most)
        calling, messages = OpenCalls(), session(messages).messages
        for message in messages:
            calling.add(message)
    expected = [(c.message.id, c.id) for c in open_calls(messages)]
    assert most == 3 or [(c.message.id, c.id) for c in calling.calls()] == expected


def test_messages_without_calls_are_not_held():
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


# -- reading from the end: what the fold finds, or that it cannot be known -------------------------------


M = '{"type":"message","id":"%s","ts":"t","kind":"user","parts":[{"text":"%s"}]}'
A = '{"type":"message","id":"%s","ts":"t","kind":"codeh","parts":[{"text":"%s"}]}'
X = '{"type":"clear","id":"x"}'
OPEN = '{"type":"open","id":"%s","kind":"codeh"}'


def by_fold(data, role):
    view = fold(read.read_log(data))
    roles = (role,) if role else ("user", "model")
    sent = (m for m in reversed(view.messages) if m.committed and m.role in roles)
    return next((m for m in sent if text_of(m)), None)


def same(message, expected):
    if message is None or expected is None:
        return message is expected
    names = ("id", "ts", "kind", "role", "parts", "fields")
    return all(getattr(message, name) == getattr(expected, name) for name in names)


@given(
    data=some.files_of() | plain_files() | talks(),
    role=st.sampled_from([None, "user", "model"]),
    end=st.sampled_from([1, 100, 400, skimming.END]),
)
def test_from_end_equals_the_fold(data, role, end, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skimming, "END", end)
        try:
            message = skimming.from_end(str(path), role)
        except NeedsFold:
            event("needs the fold")
            return
    assert same(message, by_fold(data, role))


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([M % ("a", "one"), A % ("b", "two")], "two"),
        ([M % ("a", "one"), OPEN % "b", '{"type":"delta","of":"b","parts":[{"text":"half"}]}'], "one"),
        ([OPEN % "b", '{"type":"delta","of":"b","parts":[{"text":"x"}]}', '{"type":"commit","of":"b"}'], "x"),
        ([OPEN % "b", '{"type":"commit","of":"b","parts":[{"text":"x"}],"finish":"stop"}'], "x"),
        ([OPEN % "b", M % ("a", "one"), '{"type":"commit","of":"b","parts":[{"text":"x"}]}'], "one"),
        ([OPEN % "b", '{"type":"commit","of":"b","parts":[{"text":"x"}]}',
          '{"type":"delta","of":"b","parts":[{"text":"late"}]}'], "x"),
        ([M % ("a", "one"), '{"type":"clear","id":"x"}'], None),
        ([OPEN % "b", '{"type":"clear","id":"x"}', '{"type":"commit","of":"b","parts":[{"text":"x"}]}'], None),
        ([M % ("a", "one"), A % ("b", "two"), '{"type":"summary","id":"s","summary":"s","covers":["a"]}'], "two"),
        ([M % ("a", "one"), A % ("b", ""), '{"type":"message","id":"e","kind":"error","parts":[{"text":"no"}]}'], "one"),
        ([], None),
    ],
)  # fmt: skip
def test_last_message_from_the_end(lines, text, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    message = skimming.from_end(str(path), None)
    assert (message.parts[0]["text"] if message else None) == text
    assert same(message, by_fold(path.read_bytes(), None))


ALWAYS = [
    [M % ("a", "one"), M % ("b", "two"), '{"type":"revert","id":"r","of":"b"}'],
    [M % ("a", "one"), '{"type":"ref","id":"f","role":"user","blockIds":["x"]}'],
    [M % ("a", "one"), '{"type":"message"'],
    ['{"role":"user","parts":[{"text":"bare"}]}'],
]


@pytest.mark.parametrize(
    "lines",
    [
        *ALWAYS,
        [M % ("a", "one"), M % ("b", "two"), M % ("a", "three")],  # a stands first
        [M % ("a", "one"), '{"type":"summary","id":"s","summary":"s","covers":["a"]}'],
        [M % ("a", "one"), '{"type":"compaction","id":"k","ops":[{"op":"drop","ids":["a"]}]}'],
        [M % ("a", "one"), '{"type":"compaction","id":"k","ops":[{"op":"replace","id":"a","part":0}]}'],
        [M % ("a", "one"), '{"type":"compaction","id":"k","ops":[{"op":"insert","after":"a"}]}'],
        [M % ("a", "one"), '{"type":"update","id":"u","of":"a","parts":[]}', '{"type":"commit","of":"u"}'],
        [M % ("a", "one"), OPEN % "b", '{"type":"update","id":"u","of":"b","parts":[{"text":"two"}]}',
         '{"type":"commit","of":"u"}'],
        [M % ("a", "one"), A % ("b", ""), '{"type":"update","id":"u","of":"b","parts":[{"text":"two"}]}',
         '{"type":"commit","of":"u"}'],
        [M % ("a", "one"), X, '{"type":"revert","id":"r","of":"x"}'],
        [X, M % ("a", "one"), X], [A % ("a", "one"), X, A % ("b", "two"), A % ("a", "one"), X, A % ("c", "")],
    ],
)  # fmt: skip
def test_from_end_is_right_or_needs_the_fold(lines, tmp_path, monkeypatch):
    """Or is right: lines that only concern others at the end need no more than these."""
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    for end in range(1, path.stat().st_size + 1):
        monkeypatch.setattr(skimming, "END", end)
        try:
            message = skimming.from_end(str(path), None)
        except NeedsFold:
            continue
        assert same(message, by_fold(path.read_bytes(), None)), end


@pytest.mark.parametrize("lines", ALWAYS)
def test_from_end_always_needs_the_fold(lines, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(NeedsFold):
        skimming.from_end(str(path), None)


def test_only_the_end_is_parsed(tmp_path, monkeypatch):
    path = tmp_path / "s.jsonl"
    path.write_text("".join(f"{M % (f'm{n}', 'x' * 50)}\n" for n in range(5000)) + A % ("z", "end") + "\n")
    parsed = []
    parse = skimming.parse
    monkeypatch.setattr(skimming, "parse", lambda data: parse(parsed.append(data) or data))
    message = skimming.from_end(str(path), "model")
    assert message.id == "z"
    assert sum(map(len, parsed)) <= skimming.END
    monkeypatch.undo()
    assert skimming.from_end(str(path), "user") is not None


def test_occurs_searches_everything_before_the_offset(tmp_path, monkeypatch):
    monkeypatch.setattr(skimming, "_STEP", 7)
    path = tmp_path / "s.jsonl"
    for at in range(20):
        path.write_text("x" * at + '"m1"' + "y" * 20)
        with path.open("rb") as file:
            assert skimming.occurs(file.fileno(), "m1", 24)
            assert not skimming.occurs(file.fileno(), "m1", at + 3)
            assert not skimming.occurs(file.fileno(), "m2", 24)
            assert skimming.occurs(file.fileno(), "m\n", 24)


def test_strict_reads_everything(tmp_path):
    from codeh_history.base.env import Env
    from codeh_history.base.errors import BadData

    path = tmp_path / "s.jsonl"
    path.write_text("not json\n" + M % ("a", "one") + "\n")
    target = Target(str(path), "")
    assert skimming.last_message(Env(stderr=99), target, None) is not None
    with pytest.raises(BadData, match="line 1"):
        skimming.last_message(Env(), target, None, strict=True)
