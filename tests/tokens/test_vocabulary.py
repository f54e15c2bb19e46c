"""Vocabularies: two thirds of the tokens count the same, and those that are kept unpacked are the packed ones."""

import sqlite3
import sys
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import InputOutput
from codeh_history.store.cache import Cache
from codeh_history.tokens import open_counter, vocabulary
from length import examples

NAME = "o200k_base"


def count(folder, text="hello world, as it is counted"):
    vocabulary._encodings_built.clear()
    return open_counter(None, cache=Cache(str(folder))).counts([text])


SIGNS = "aZ09 \n\t'ßéłñ—“”…→✅│①\u2028\ufe0f\ufffd\U0001f642\U0001f9d1\u200d\uf8ff\uff0c"  # of usual texts


@pytest.fixture(autouse=True)
def _nothing_built(monkeypatch):
    monkeypatch.setattr(vocabulary, "_encodings_built", {})


@cache
def latin_encoding():
    return vocabulary.build_encoding(NAME, vocabulary.parse_ranks(vocabulary._read(NAME), latin_only=True))


@cache
def whole():
    return vocabulary.build_encoding(NAME, vocabulary.parse_ranks(vocabulary._read(NAME), latin_only=False))


# -- two thirds of the tokens ------------------------------------------------------------------------------


@given(text=st.text(SIGNS, max_size=60) | st.text(max_size=20))
def test_latin_tokens_encode_a_latin_text_as_all_tokens_do(text):
    if vocabulary.is_latin(text):
        every = whole().encode(text, disallowed_special=())
        assert latin_encoding().encode(text, disallowed_special=()) == every


def test_each_token_of_a_latin_text_is_latin():
    every = whole()
    assert len(latin_encoding().token_byte_values()) < 0.75 * len(every.token_byte_values())
    texts = [token.decode("utf-8", "replace") for token in every.token_byte_values()]
    said = [f"{text}{text.upper()} {text}\n" for text in texts if vocabulary.is_latin(text)]
    some = [text for text in said if vocabulary.is_latin(text)]  # in capitals `µ` is Greek
    together = "é".join(some[:: max(1, 400 // examples(400))])
    assert latin_encoding().encode(together, disallowed_special=()) == every.encode(
        together, disallowed_special=()
    )


def test_for_other_texts_all_tokens_are_loaded(monkeypatch):
    sizes = []

    def built(_, ranks):
        sizes.append(len(ranks))
        return object()

    monkeypatch.setattr(vocabulary, "build_encoding", built)
    for sign in [*"дλאगعא日", "a\u0301", "\ud800", "\ud83d\ude42"]:
        sizes.clear()
        vocabulary._encodings_built.clear()
        some = vocabulary.encoding(NAME, ["a", SIGNS])
        assert vocabulary.encoding(NAME, ["é"]) is some
        every = vocabulary.encoding(NAME, ["a", f"and {sign}", "b"])
        assert every is vocabulary.encoding(NAME, ["a"])  # as they are loaded
        assert len(sizes) == 2
        assert sizes[0] < sizes[1] == 199_998


# -- kept unpacked -----------------------------------------------------------------------------------------


def test_a_vocabulary_that_was_unpacked_is_the_packed_one(home):
    expected = count(home)
    for name, texts, some in ((NAME, ["a"], True), (NAME, ["я"], False), ("cl100k_base", ["a"], False)):
        ranks = vocabulary.parse_ranks(vocabulary._read(name), latin_only=some)
        assert vocabulary._ranks(name, some, Cache(str(home))) == ranks
        assert vocabulary._ranks(name, some, Cache(str(home))) == ranks
        assert vocabulary.encoding(name, texts, Cache(str(home)))
    assert count(home) == expected


def test_with_it_the_package_is_not_opened(home, monkeypatch):
    expected = count(home)
    monkeypatch.setitem(sys.modules, vocabulary.PACKAGE, None)
    with sqlite3.connect(Cache(str(home)).path) as db:
        db.execute("delete from tokens")
    assert count(home) == expected
    with pytest.raises(InputOutput):
        count(home, "Слово")
    Cache(str(home)).remove()
    with pytest.raises(InputOutput):
        count(home)


@pytest.mark.parametrize("spoil", ["substr(data, 1, 1000)", "x''", "x'00' || substr(data, 2)"])
def test_a_spoilt_one_is_unpacked_again(home, spoil):
    expected = count(home)
    with sqlite3.connect(Cache(str(home)).path) as db:
        db.execute(f"update large set data = {spoil}")
        db.execute("delete from tokens")
    assert count(home) == expected
    with sqlite3.connect(Cache(str(home)).path) as db:
        assert db.execute("select length(data) > 1000000 from large").fetchall() == [(1,)]
