"""Token counts: exact, offline, cached; the formula, and its bound by bytes alone."""

import gzip
import hashlib
import inspect
import os
import random
import sqlite3
import subprocess
import sys

import pytest
import tiktoken
import tiktoken_ext.openai_public as published
from hypothesis import given
from hypothesis import strategies as st

import histories
from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.session.model import SUMMARY_HEAD
from codeh_history.store.cache import Cache
from codeh_history.tokens import counter as counters
from codeh_history.tokens.counter import Characters, cache_keys, open_counter
from codeh_history.tokens.formula import (
    ByteBound,
    history_tokens,
    message_tokens,
    system_tokens,
    text_tokens,
    tools_tokens,
)
from histories import call, model, result, session, tool, user
from length import by_length
from support import ROOT

O200K = open_counter("o200k_base")
CL100K = open_counter("cl100k_base")
APPROX = open_counter("approx")


def test_memory_cache_of_counts_is_bounded():
    counter = open_counter("approx")
    counter.max_cached = 10_000
    texts = [f"text number {n} of many" for n in range(2000)]
    counted = [count for n in range(0, len(texts), 10) for count in counter.counts(texts[n : n + 10])]
    assert counted == open_counter("approx").counts(texts)
    assert 0 < len(counter._counts) < 100
    assert counter.counts(texts[:2] * 2) == counted[:2] * 2


# -- the vocabularies are tiktoken's own --------------------------------------------------------------


@pytest.mark.parametrize("name", counters.VOCABULARIES)
def test_vocabularies_match_hashes_in_tiktoken(name, monkeypatch):
    source = inspect.getsource(published)
    sha256, pattern = counters._ENCODINGS[name]
    assert sha256 in source
    monkeypatch.setattr(published, "load_tiktoken_bpe", lambda *_, **__: {})  # it would download
    theirs = getattr(published, name)()
    assert counters.encoding(name)._pat_str == pattern == theirs["pat_str"]


@pytest.fixture(scope="module", params=counters.VOCABULARIES)
def theirs(request, tmp_path_factory):
    """tiktoken's own encoding, which takes the file from its cache where it would download it."""
    name = request.param
    folder = tmp_path_factory.mktemp("tiktoken")
    url = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    (folder / hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()).write_bytes(
        counters._read(name)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        return tiktoken.get_encoding(name)


def texts_to_count():
    """The texts of the fixtures, of the documentation and of the source, and made ones of many scripts."""
    files = [
        *(ROOT / "fixtures").glob("*.jsonl"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "cli").rglob("c*.py"),
    ]
    signs = "aB1 \n\r\t'/.-_é日本語русский العربية हिन्दी 한국어\u0301\u0085\u2028\x1c\U0001f642👩‍👩‍👧<|endoftext|>"
    chance = random.Random(1)
    made = ["".join(chance.choices(signs, k=chance.randrange(200))) for _ in range(300)]
    return [path.read_text("utf-8", "replace") for path in files] + made + [" " * 9_999, "ab" * 5_000]


def test_counts_equal_tiktoken(theirs):
    texts = texts_to_count()
    expected = [len(theirs.encode(text, disallowed_special=())) for text in texts]
    assert open_counter(theirs.name).counts(texts) == expected
    assert sum(expected) > 100_000


@pytest.mark.parametrize(("counter", "text", "tokens"), [
    (O200K, "", 0), (O200K, "hello world", 2), (CL100K, "hello world", 2),
    (O200K, "<|endoftext|>", 7), (CL100K, "<|endoftext|>", 7), (O200K, "日本語", 2),
    (O200K, "def f(x):\n    return x\n", 8), (O200K, "0123456789", 4), (O200K, "\ud800", 1),
    (O200K, " " * 1_000_000, 7813), (O200K, "\t" * 999_999, 62_500), (O200K, "a" + " \t" * 600_000 + "b", 600_000),
])  # fmt: skip
def test_counts(counter, text, tokens):
    assert text_tokens(counter, text) == tokens


def test_a_missing_or_altered_vocabulary_is_named(tmp_path, monkeypatch):
    counters.encoding.cache_clear()
    monkeypatch.setitem(sys.modules, counters.PACKAGE, None)
    with pytest.raises(InputOutput, match="--counter approx"):
        open_counter(None).counts(["x"])
    monkeypatch.undo()
    data = tmp_path / counters.PACKAGE / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").touch()
    (data / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"IQ== 0\n"))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputOutput, match="altered"):
        open_counter(None).counts(["x"])


@pytest.mark.parametrize(("name", "model", "expected"), [
    (None, None, "o200k_base"), ("cl100k_base", "gpt-4o", "cl100k_base"), ("approx", None, "approx"),
    (None, "gpt-4", "cl100k_base"), (None, "gpt-4-0613", "cl100k_base"), (None, "gpt-3.5-turbo", "cl100k_base"),
    (None, "gpt-4o-mini", "o200k_base"), (None, "gpt-4.1", "o200k_base"), (None, "gpt-5.1", "o200k_base"),
    (None, "openai/o3", "o200k_base"), (None, "claude-opus-4-8", "o200k_base"), (None, "whatever", "o200k_base"),
    ("gpt-4", None, "cl100k_base"), ("gpt-5", "gpt-4", "o200k_base"), ("claude-opus-4-8", None, "o200k_base"),
])  # fmt: skip
def test_counter_by_name_or_model(name, model, expected):
    assert open_counter(name, model=model).name == expected


@pytest.mark.parametrize(("model", "rule"), [
    ("gpt-5.1", "openai-5"), ("gpt-4o", "openai"), ("gpt-4.1-nano-2025-04-14", "gpt-4.1-nano"), ("gpt-4o-mini", "gpt-4o-mini"), ("openai/gpt-6", "openai-patches"), ("gemini-2.5-pro", "gemini"), ("gemini-3-flash-preview", "gemini-3"),
    ("claude-sonnet-4-5", "anthropic"), ("claude-opus-4-8", "anthropic-4.7"), ("claude-sonnet-5", "anthropic-4.7"), (None, "anthropic"),
])  # fmt: skip
def test_media_cost_what_the_generation_of_the_model_takes(model, rule):
    assert open_counter(None, model=model).media == rule


@pytest.mark.parametrize("name", ["o200k", "", "tiktoken", "p50k_base"])
def test_an_unknown_counter_is_a_usage_error(name):
    with pytest.raises(Usage, match="o200k_base, cl100k_base, approx"):
        open_counter(name)


def test_a_calibrated_counter_scales_totals_and_says_so():
    counter = O200K.calibrated(1.1167)
    assert counter.name == "o200k_base*1.12"
    messages = session([user("a"), model("a b")]).messages
    assert history_tokens(counter, messages) == 16  # 14 * 1.12, rounded up
    assert [counter.within(n) for n in (17, 16, 112, 1)] == [15, 14, 100, 0]
    assert O200K.calibrated(1.1).name == "o200k_base*1.10"


@given(text=st.text())
def test_approximate_count_is_at_most_one_per_character(text):
    assert 0 <= counters.approximately(text) <= len(text)


def test_approximate_count_is_close():
    text = (ROOT / "tests" / "tokens/test_counter.py").read_text()
    assert 0.8 < text_tokens(APPROX, text) / text_tokens(O200K, text) < 1.25


# -- the memory ---------------------------------------------------------------------------------------


def test_counts_are_remembered(tmp_path, monkeypatch):
    cache = Cache(str(tmp_path))
    assert open_counter(None, cache=cache).counts(["hello world", "x"]) == [2, 1]
    monkeypatch.setitem(sys.modules, counters.PACKAGE, None)
    counters.encoding.cache_clear()  # nothing can be counted now
    assert open_counter(None, cache=cache).counts(["x", "hello world"]) == [1, 2]
    with pytest.raises(InputOutput):
        open_counter("cl100k_base", cache=cache).counts(["hello world"])
    with pytest.raises(InputOutput):
        open_counter(None, cache=cache).counts(["another"])
    assert os.stat(cache.path).st_mode & 0o777 == 0o600


def test_cache_of_another_format_is_a_miss(tmp_path):
    cache = Cache(str(tmp_path))
    os.mkdir(cache.folder)
    with sqlite3.connect(cache.path) as db:
        db.execute("create table tokens(a, b, c)")
    for text in ("hello world", "hello there"):
        assert open_counter(None, cache=cache).counts([text]) == [2]


def test_processes_share_the_cache(tmp_path):
    many = by_length(3, 8, 8)
    code = (
        "import sys; from codeh_history.store.cache import Cache; from codeh_history.tokens.counter import open_counter; "
        "c = open_counter(None, cache=Cache(sys.argv[1])); "
        "print(sum(c.counts([f'{sys.argv[2]} {n}' for n in range(50)] + [f'word {n}' for n in range(300)])))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "cli")}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), f"p{n}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        for n in range(many)
    ]
    ends = [process.communicate() for process in running]
    assert {err for _, err in ends} == {b""}
    assert len({out for out, _ in ends}) == 1
    with sqlite3.connect(Cache(str(tmp_path)).path) as db:
        assert db.execute("select count(*) from tokens").fetchone() == (many * 50 + 300,)


A, B, JSON = 1, 2, 5  # tokens of "a", "a b" and {"a":1}


@pytest.mark.parametrize(("messages", "tokens"), [
    ([], 3),
    ([user("a")], 3 + 4 + A),
    ([user("a"), model("a b")], 3 + 4 + A + 4 + B),
    ([user("a", "a b")], 3 + 4 + A + B),
    ([model(call("f", args={"a": 1}))], 3 + 4 + 1 + JSON),
    ([model(call("f", id="c1", args={"a": 1}))], 3 + 4 + 1 + JSON),
    ([tool(result("f", response={"a": 1}))], 3 + 4 + 1 + JSON),
    ([model({"text": "a", "thought": True, "thoughtSignature": "x" * 999})], 3 + 4 + A),
    ([{"kind": "error", "parts": [{"text": "a"}]}, {"kind": "info", "parts": [{"text": "a"}]}], 3),
    ([user({"inlineData": {"mimeType": "text/plain", "data": "YSBi"}})], 3 + 4 + B),
])  # fmt: skip
def test_formula(messages, tokens):
    assert history_tokens(O200K, session(messages).messages) == tokens


def test_system_tools_and_references_are_counted():
    assert system_tokens(O200K, "a b") == 4 + B
    assert system_tokens(O200K, None) == system_tokens(O200K, "") == tools_tokens(O200K, []) == 0
    assert tools_tokens(O200K, [{"a": 1}]) == text_tokens(O200K, '[{"a":1}]')
    record = 4 + text_tokens(O200K, f"{SUMMARY_HEAD}\n\na b\n\na")
    assert history_tokens(O200K, [], summaries=["a b", "a"]) == 3 + record
    everything = history_tokens(
        O200K, session([user("a")]).messages, system="a b", tools=[{"a": 1}], summaries=["a b", "a"]
    )
    assert everything == 3 + 4 + A + 4 + B + text_tokens(O200K, '[{"a":1}]') + record


def test_character_count_covers_texts_arguments_and_results():
    messages = session([user("abc"), model(call("name", args={"a": 1})), tool(result("name"))]).messages
    assert history_tokens(Characters(), messages) == 3 + len('{"a":1}') + len('{"output":"ok"}')


def test_deeply_nested_parts_are_refused():
    """A line that does is damage; what a command makes may still do."""
    deep = "x"
    for _ in range(300):
        deep = [deep]
    (message,) = session([user("x")]).messages
    with pytest.raises(BadData, match="254 levels"):
        message_tokens(O200K, [message.derive([call("f", args={"a": deep})])])


@given(messages=histories.conversations())
def test_the_byte_count_bounds_every_count(messages):
    view = session(messages)
    beside = {"system": "日本 be brief", "tools": [{"a": 1}], "summaries": ["a"]}
    for counter in (O200K, CL100K, APPROX, O200K.calibrated(1.3), O200K.calibrated(0.7)):
        bound = history_tokens(ByteBound(counter), view.messages, **beside)
        assert history_tokens(counter, view.messages, **beside) <= bound


def test_a_key_is_of_a_text_and_a_vocabulary():
    keys = cache_keys("o200k_base", [b"a", b"b", memoryview(b"a")])
    assert [len(key) for key in keys] == [16] * 3
    assert keys[0] == keys[2] != keys[1]
    assert cache_keys("cl100k_base", [b"a"]) != keys[:1]
