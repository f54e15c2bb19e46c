"""What holds for every payload: valid for its provider, deterministic, and a prefix of the next."""

from itertools import pairwise
from tempfile import TemporaryFile

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as some
import support
from codeh_history import main, providers
from codeh_history.base.env import Env
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.providers.request import Options
from codeh_history.session import records as log_records
from codeh_history.session.pairing import open_at_end
from histories import conversations, record
from length import by_length, examples
from sdk_models import mistakes
from strategies import records, view_of

MODEL = {**support.MODELS, "gemini": None}
EXAMPLES = examples(200)  # each for all formats: making them costs the most


def body_of(view, format, *, raw=False, unanswered="stub"):
    names = passes.FORCED if raw else tuple(passes.PASSES)
    after, _, _ = passes.curate(view, Settings(unanswered=unanswered), names)
    options = Options(model=MODEL[format], system="Be brief.", session="s")
    return providers.Format(format).request(after.messages, options, [s.text for s in after.summaries]).body


def _last(kind, *parts):
    return {"type": "message", **record(f"last-{kind}", kind, list(parts))}


PROMPT = _last("user", {"text": "and now?"})
CALLING = _last(
    "codeh", {"functionCall": {"name": "late", "args": {}}}, {"functionCall": {"name": "late", "args": {}}}
)
ONE_OF_TWO = _last("tool", {"functionResponse": {"name": "late", "response": {"output": "x"}}})
ENDINGS = st.sampled_from([[PROMPT], [PROMPT, CALLING, ONE_OF_TWO]])


def is_blank(message):
    """Whether a user's message is, or holds, a bare empty text."""
    if message.get("role") != "user":
        return False
    content = message.get("content", message.get("parts"))
    empty = content == "" and not message.get("images")
    return empty or (isinstance(content, list) and any(part.get("text") == "" for part in content))


@given(
    log=records(most=14), ending=ENDINGS, raw=st.booleans(), unanswered=st.sampled_from(["stub", "drop"])
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_any_history_gives_a_valid_request(log, ending, raw, unanswered):
    log = [*log, *ending]
    for format in providers.FORMATS:
        body = body_of(view_of(log), format, raw=raw, unanswered=unanswered)
        assert mistakes(format, body) == [], format
        assert providers.Format(format).problems(body) == [], format
        assert not any(map(is_blank, body[providers.Format(format).package.FIELD])), format
        again = body_of(view_of(log), format, raw=raw, unanswered=unanswered)
        assert orjson.dumps(body) == orjson.dumps(again), format


HI = [{"role": "user", "content": "hi"}]
WRONG = {  # what each client takes, and what in its place it does not
    "gemini": ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, {"contents": [{"parts": [{"txt": "hi"}]}]}),
    "openai-chat": ({"model": "m", "messages": HI}, {"messages": [{"role": "person", "content": "hi"}]}),
    "openai-responses": ({"model": "m", "input": HI}, {"input": [{"type": "function_call", "name": 1}]}),
    "anthropic": ({"model": "m", "max_tokens": 1, "messages": HI}, {"messages": [{"role": "user", "content": [{}]}]}),
    "ollama": ({"model": "m", "messages": HI}, {"messages": [{"role": "user", "text": "hi"}]}),
}  # fmt: skip


@pytest.mark.parametrize("format", providers.FORMATS)
def test_clients_refuse_invalid_requests(format):
    body, change = WRONG[format]
    assert mistakes(format, body) == []
    assert mistakes(format, {**body, **change})
    assert mistakes(format, {**body, "surprise": 1})


@given(
    log=records(most=14),
    unanswered=st.sampled_from(["error", "stub", "drop"]),
    thoughts=st.sampled_from(["keep", "old", "all"]),
)
@settings(max_examples=EXAMPLES // 3, deadline=None)
def test_a_second_pass_changes_nothing(log, unanswered, thoughts):
    choice = Settings(
        unanswered=unanswered,
        thoughts=thoughts,
        removers=[lambda texts, ids: [text.replace("h", "") for text in texts]],
    )
    for name in passes.PASSES:
        once, _, _ = passes.curate(view_of(log), choice, (name,))
        twice, ops, _ = passes.curate(once, choice, (name,))
        assert ops == [], name
        assert twice is once, name


def prefixes(log, format, *, raw):
    """The message arrays (less the closing bracket) of every request the conversation would have sent."""
    arrays = []
    for end in range(1, len(log) + 1):
        view = view_of(log[:end])
        names = passes.FORCED if raw else ("kinds", "system", "ide", "invalid")
        sent = passes.curate(view, Settings(), names)[0].messages
        if sent and sent[-1].role == "user" and not open_at_end(sent):
            body = body_of(view, format, raw=raw, unanswered="error")
            arrays.append(orjson.dumps(body[providers.Format(format).package.FIELD])[:-1])
    return arrays


@given(log=conversations(whole=True, lost=True), raw=st.booleans())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_request_is_a_prefix_of_the_next(log, raw):
    """Of a conversation as clients append it; and each is valid."""
    for format in providers.FORMATS:
        arrays = prefixes(log, format, raw=raw)
        for before, after in pairwise(arrays):
            assert after.startswith(before), (format, before, after)
        assert providers.Format(format).problems(body_of(view_of([*log, PROMPT]), format)) == [], format


# -- conversations with one or two oddities, and what `payload` prints for them --------------------------

HEADER = {"type": "session", "version": 1, "id": "s", "created": some.TS}
TEXTS = [
    "hi", "yes", "", " ", "\n", "System: be brief", "not a System: text", "# IDE Context\nopen: a.py", "# a heading",
    "#", "\u2028", "a" * 300, "# Open Files", "# Directory Structure\n.",
]  # fmt: skip
MORE = [
    {"parts": [{"text": "a"}, {"functionCall": {"id": "1", "name": "f"}}]}, {"parts": [{"functionCall": {"name": "f"}}]},
    {"kind": "tool", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}]},
    {"kind": "tool", "parts": [{"functionResponse": {"name": "f"}}], "references": [{"number": 1, "id": "r", "text": "x"}]},
    {}, {"pinned": True}, {"provider": "anthropic", "model": "claude-opus-4-8"}, {"provider": "gemini"},
    {"item": {"type": "message", "role": "developer"}}, {"attached": [{"name": "a.txt", "mimeType": "text/plain", "bytes": 3, "part": 0}]}, {"key": "k"},
    {"references": [{"number": 1, "id": "r", "title": "t", "text": "x"}]}, {"kind": "error"}, {"kind": "tool"},
    {"kind": None}, {"ts": 1767323045000}, {"unknown": {"a": 1}}, {"role": "model"}, {"parts": []}, {"parts": "x"},
    {"parts": [{"text": "a"}, {"text": "b"}]}, {"parts": [{"text": "a", "thought": True}]}, {"parts": [{"text": 7}]},
    {"parts": {"text": "a"}}, {"parts": {"text": {"text": "a"}}}, {"id": 7}, {"id": "0"}, {"type": "open"},
    {"type": "update", "of": "0"}, {"type": "clear"}, {"type": "revert", "of": "0"}, {"type": "unknown"},
    {"type": "summary", "summary": "s", "covers": ["0"]}, {"type": "meta", "set": {"system": "Be brief."}},
    {"type": "meta", "set": {"model.openai-chat": "gpt-5.1"}}, {"type": "meta", "set": 1}, {"type": "meta", "set": {"curate.remove": "text 1"}},
    {"type": "meta", "set": {"compact.keep-last": "1"}}, {"type": "meta", "set": {"curate.ide-marker": ["text 2"]}},
    {"type": "meta", "set": [["system", "x"]]}, {"kind": "codeh"}, {"kind": "user"}, {"type": "session"},
]  # fmt: skip

HEADERS = [{"version": 2}, {"version": "1"}, {"id": 7}, {"type": "message"}, {"cwd": "/"}]
FLAGS = [
    (), ("--raw",), ("--prefill",), ("--strict",), ("--cache",), ("--thoughts", "old"), ("--budget", "1k"), ("--remove", "text"),
    ("--ide-marker", "text"), ("--skip", "ide"), ("--keep-last", "1"), ("--context",), ("--pretty",),
    ("--budget", "1k", "--explain"), ("--thoughts", "all"), ("--keep-system", "brief"), ("--set", "a=1"),
]  # fmt: skip


PLACES = ([0], [1], [4], [0, 2], [1, 2])


DAMAGED = (b"{", b"7", b"[]", b"\xff", b"null", b"\r\n", b'{"type":"message"')


def conversation():
    return [message(str(n), ("user", "codeh")[n % 2], f"text {n}") for n in range(5)]


def every_oddity():
    """Each oddity at some places of a conversation, also at two at once, in its header, or at its end."""
    for odd in [*MORE, *({"parts": [{"text": text}]} for text in TEXTS)]:
        for places in by_length(PLACES[1::2], PLACES, PLACES):
            records = conversation()
            for place in places:
                records[place] |= odd
            yield plain(*records)
    yield from (some.encode([HEADER | odd, *conversation()]) for odd in HEADERS)
    yield from (plain(*conversation()) + line for line in DAMAGED)


def output_of(argv):
    """The output of a command line, run in this process."""
    with TemporaryFile() as out, TemporaryFile() as err:
        env = Env({"CODEH_HOME": "/nonexistent"}, stdout=out.fileno(), stderr=err.fileno())
        code = main.run(argv, env)
        out.seek(0), err.seek(0)
        return code, out.read(), err.read()


def plain(*records):
    return some.encode([HEADER, *records])


def message(id, kind, text, **more):
    return {"type": "message", "id": id, "ts": some.TS, "kind": kind, "parts": [{"text": text}], **more}


def check(path, data, *argv):
    """`payload` says the same of a session where nothing is known of it before it is looked at."""
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        short = output_of(["payload", str(path), *argv])
        refers = property(lambda log: True, lambda log, value: None)
        patch.setattr(log_records.Log, "refers", refers, raising=False)
        patch.setattr(log_records, "_is_usual", lambda data: False)
        assert short == output_of(["payload", str(path), *argv])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Of a session."""
    return tmp_path_factory.mktemp("lacking") / "s.jsonl"


@pytest.mark.parametrize("to", providers.FORMATS)
def test_skipped_passes_would_change_nothing(path, to):
    for number, data in enumerate(every_oddity(), len(to)):
        check(path, data, "--to", to, "--model", "claude-opus-4-8", *FLAGS[number % len(FLAGS)])


@pytest.mark.parametrize("more", [
    {"type": "ref", "blockIds": ["x"]}, {"type": "update", "of": "0", "blockIds": ["x"]},
    {"type": "compaction", "ops": [{"op": "replace", "id": "0", "part": 0, "block": "b", "blockId": "x"}]},
])  # fmt: skip
def test_log_detects_block_references(more):
    named = message("a", "user", "") | more
    del named["parts"]
    log = log_records.parse(orjson.dumps(named))
    assert log.records
    assert log.refers
    assert not log_records.parse(orjson.dumps(message("a", "user", "hi"))).refers
