"""What holds for every payload: valid for its provider, deterministic, and a prefix of the next."""

from itertools import pairwise

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import support
from codeh_history import providers
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.providers.base import Options
from codeh_history.session import records as log_records
from codeh_history.session.pairing import open_at_end
from histories import conversations
from length import examples
from oddities import every_oddity, said, sessions, told, words
from sdk_models import mistakes
from strategies import records, view_of

MODEL = {**support.MODELS, "gemini": None}
EXAMPLES = examples(150)  # each for all formats: making them costs the most


def body_of(view, format, *, raw=False, unanswered="stub"):
    names = passes.FORCED if raw else tuple(passes.PASSES)
    after, _, _ = passes.curate(view, Settings(unanswered=unanswered), names)
    options = Options(model=MODEL[format], system="Be brief.", session="s")
    return providers.load(format).request(after.messages, options, [s.text for s in after.summaries]).body


def _last(kind, *parts):
    role = "model" if kind == "codeh" else "user"
    return {
        "type": "message",
        "id": f"last-{kind}",
        "ts": None,
        "kind": kind,
        "role": role,
        "parts": list(parts),
    }


PROMPT = _last("user", {"text": "and now?"})
ASKED = _last(
    "codeh", {"functionCall": {"name": "late", "args": {}}}, {"functionCall": {"name": "late", "args": {}}}
)
ONE_OF_TWO = _last("tool", {"functionResponse": {"name": "late", "response": {"output": "x"}}})
ENDINGS = st.sampled_from([[PROMPT], [PROMPT, ASKED, ONE_OF_TWO]])


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
def test_any_history_becomes_a_valid_request(log, ending, raw, unanswered):
    log = [*log, *ending]
    for format in providers.FORMATS:
        body = body_of(view_of(log), format, raw=raw, unanswered=unanswered)
        assert mistakes(format, body) == [], format
        assert providers.load(format).problems(body) == [], format
        assert not any(map(is_blank, body[providers.load(format).package.FIELD])), format
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
def test_the_clients_refuse_what_is_wrong(format):
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
    found = []
    for end in range(1, len(log) + 1):
        view = view_of(log[:end])
        names = passes.FORCED if raw else ("kinds", "system", "ide", "invalid")
        sent = passes.curate(view, Settings(), names)[0].messages
        if sent and sent[-1].role == "user" and not open_at_end(sent):
            body = body_of(view, format, raw=raw, unanswered="error")
            found.append(orjson.dumps(body[providers.load(format).package.FIELD])[:-1])
    return found


@given(log=conversations(whole=True, lost=True), raw=st.booleans())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_request_is_a_prefix_of_the_next(log, raw):
    """Of a conversation as clients append it; and each is valid."""
    for format in providers.FORMATS:
        arrays = prefixes(log, format, raw=raw)
        for before, after in pairwise(arrays):
            assert after.startswith(before), (format, before, after)
        assert providers.load(format).problems(body_of(view_of([*log, PROMPT]), format)) == [], format


def check(path, data, *argv):
    """`payload` says the same of a session where nothing is known of it before it is looked at."""
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        short = told(["payload", str(path), *argv])
        patch.setattr(log_records.Log, "refers", property(lambda log: True, lambda log, value: None))
        patch.setattr(log_records, "_is_usual", lambda data: False)
        assert short == told(["payload", str(path), *argv])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Of a session."""
    return tmp_path_factory.mktemp("lacking") / "s.jsonl"


@settings(max_examples=examples(200))
@given(data=sessions(), argv=words())
def test_what_is_skipped_would_change_nothing(path, data, argv):
    check(path, data, *argv)


@pytest.mark.parametrize("to", providers.FORMATS)
def test_no_oddity_is_skipped(path, to):
    for data in every_oddity():
        check(path, data, "--to", to, "--model", "claude-opus-4-8")


@pytest.mark.parametrize("more", [
    {"type": "ref", "blockIds": ["x"]}, {"type": "update", "of": "0", "blockIds": ["x"]},
    {"type": "compaction", "ops": [{"op": "replace", "id": "0", "part": 0, "block": "b", "blockId": "x"}]},
])  # fmt: skip
def test_a_log_knows_that_it_names_blocks(more):
    log = log_records.parse(
        [
            orjson.dumps(
                {key: value for key, value in (said("a", "user", "") | more).items() if key != "parts"}
            )
        ]
    )
    assert log.records
    assert log.refers
    assert not log_records.parse([orjson.dumps(said("a", "user", "hi"))]).refers
