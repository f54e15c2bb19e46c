"""Only the rules that the words of a text tell of are tried there, and find what all of them would."""

import json
from itertools import product
from random import Random
from unittest import mock

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.filters.redact import redactor
from codeh_history.filters.redact.redactor import RULES, Redactor
from codeh_history.filters.redact.rules import RuleSelector
from gitleaks_samples import FIRST, SECOND, fill
from length import examples, sampled
from secret_examples import SECRETS, installed
from secret_forms import FORMS, MORE
from secret_lines import FIFTH, SIXTH

EVERY = (range(len(RULES)), True)
DRAWN = [fill(line, Random(29))[0] for line in [*(line for _, line in [*FIRST, *SECOND]), *FIFTH, *SIXTH]]
FOUND = [*SECRETS.values(), *(text for text, _ in [*FORMS.values(), *MORE]), *DRAWN]
AROUND = ["{}", "x\n{}\ny", "a {} b", "\\n{}", "\\t{}\\n", "\x1b[32m{}\x1b[0m", "%22{}%22", "x{}x", "_{}", "({})", "'{}'", "{0}{0}", "\u00e9{}\u3000",
          "a/{}", '{{"a": "{}"}}', "\x00{}\x07"]  # fmt: skip
NOISE = st.sampled_from([*AROUND[1:], "{} key", "token: {}", "{}, password", "http://{}", "-----{}"])
SPELLINGS = {
    "as it is": lambda text: orjson.dumps(text).decode(),
    "in ASCII": json.dumps,
    "every sign as its number": lambda text: '"' + "".join(f"\\u{ord(c):04x}" for c in text if ord(c) < 1 << 16) + '"',
    "some of them": lambda text: '"' + "".join(f"\\u{ord(c):04x}" if c in "ptk_-=:" else json.dumps(c)[1:-1] for c in text) + '"',
    "slashes escaped": lambda text: json.dumps(text).replace("/", "\\/"),
}  # fmt: skip


def spans(text, *, by_every_rule=False):
    if not by_every_rule:
        return Redactor()._spans(text)
    with mock.patch.object(redactor._SELECTOR, "of", return_value=EVERY):
        return Redactor()._spans(text)


def agree(text):
    assert spans(text) == spans(text, by_every_rule=True), text


def a_line(spelled):
    parts = f'[{{"functionResponse":{{"name":"f","response":{{"output":{spelled}}}}}}}]'
    return f'{{"type":"message","id":"a","kind":"tool","role":"user","parts":{parts}}}'.encode()


def agree_on_a_line(line):
    """What is not worth a look holds nothing."""
    text = orjson.loads(line)["parts"][0]["functionResponse"]["response"]["output"]
    assert Redactor().may_have_secret(line) or not spans(text, by_every_rule=True), line


def variants(few):
    """Each form in `few` of the ways to stand in a text, in each of these spelled in one way."""
    ways = [*product(AROUND, SPELLINGS)]
    for number, text in enumerate(FOUND):
        for turn in range(few):
            around, spelling = ways[(number * few + turn) * 7 % len(ways)]
            some = around.format(text)
            yield some, SPELLINGS[spelling](some)


def test_every_form_is_found_by_its_words():
    for text, spelled in sampled(variants(1)):
        agree(text)
        agree_on_a_line(a_line(spelled))


@pytest.mark.slow
def test_every_form_is_found_in_every_way():
    for text, spelled in variants(len(AROUND) * len(SPELLINGS)):
        agree(text)
        agree_on_a_line(a_line(spelled))


@given(st.lists(st.tuples(st.sampled_from(FOUND), NOISE), min_size=1, max_size=3), st.data())
@settings(max_examples=examples(60))
def test_planted_anywhere_and_cut_anywhere(planted, data):
    text = " ".join(around.format(secret) for secret, around in planted)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    gap = data.draw(st.text(max_size=3))
    for some in (text[start:end], text[:start] + gap + text[start:]):
        agree(some)
        agree_on_a_line(a_line(SPELLINGS[data.draw(st.sampled_from(sorted(SPELLINGS)))](some)))


@given(st.sampled_from(FOUND), st.data())
@settings(max_examples=examples(40))
def test_secrets_across_parts_and_pieces(secret, data):
    """A line with a part of a secret is looked at, whatever its own words are."""
    at = data.draw(st.integers(1, len(secret) - 1))
    halves = [{"text": f"x {secret[:at]}"}, {"text": f"{secret[at:]} y"}]
    message = {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": halves}
    deltas = [{"type": "delta", "of": "o", "parts": [half]} for half in halves]
    for record in (message, *deltas):
        assert Redactor().may_have_secret(orjson.dumps(record))


def test_repeated_word_is_found_again(monkeypatch):
    """Also once more words came than are remembered."""
    monkeypatch.setattr("codeh_history.filters.redact.rules._MAX_CACHED", 20)
    selector = RuleSelector(RULES)
    secret = a_line(f'"{SECRETS["npm-token"]}"')
    lines = [a_line(f'"word{number} and another"') for number in range(40)]
    for _ in range(3):
        assert [bool(selector.needed(line)) for line in (*lines, secret)] == [False] * 40 + [True]
        assert [bool(selector.of(line.decode())[0]) for line in (*lines, secret)] == [False] * 40 + [True]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["stdlib", "purelib"])
def test_source_samples_cover_every_rule(where):
    """Five megabytes, as texts and as lines."""
    for text in installed(where):
        agree(text)
        agree_on_a_line(a_line(orjson.dumps(text).decode()))
