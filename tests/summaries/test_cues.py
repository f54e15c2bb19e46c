"""What rules, decisions and open ends are known by; a cue's words only spare the look for its pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.summaries import cues, prose
from matched import matched
from summaries import recorded
from support import corpus

ALL = {name: cue for name, cue in vars(cues).items() if isinstance(cue, cues.Cue)}
PIECES = sorted(
    {piece for cue in ALL.values() for piece in re.findall(r"[a-z]+(?:'[a-z]+)?", cue.pattern.pattern)}
)
SIGNS = sorted({piece for cue in ALL.values() for piece in re.findall(r"[^\x00-\x7f]+", cue.signs)})
FILLING = ("it", "the", "is", "of", "a", "nicht", "2", "monday", "foo", "-", ",", "'s", "n't", "!", "_")


def same(sentence: str) -> None:
    said = cues.looked(sentence)
    for name, cue in ALL.items():
        patterns = (cue.pattern, cue.signs) if cue.signs else (cue.pattern,)
        assert cue.found(said) == any(re.search(each, said.text) for each in patterns), (name, sentence)


@given(
    st.lists(st.sampled_from([*PIECES, *FILLING]) | st.sampled_from(SIGNS), max_size=8),
    st.sampled_from([" ", "-", ", ", "'"]),
)
def test_a_cue_overlooks_nothing(words: list[str], between: str) -> None:
    same(between.join(words))


@pytest.mark.parametrize("name", ALL)
def test_2026_11_23_a_cue_overlooks_nothing_of_its_own_pattern(name: str) -> None:
    """`Someone ought to look at it` was no open end, unless a sign in it was not ASCII."""
    texts = [*matched(ALL[name].pattern.pattern)]
    assert len(texts) > (
        10 if name != "_ASKED" else 7
    )  # which has four words, each with `please` or without
    texts += [*matched(ALL[name].signs)]
    for text in texts:
        same(text)
        same(f"{text}s")


def test_a_cue_overlooks_nothing_that_was_recorded() -> None:
    corpus()
    texts = [part["text"] for message in recorded.coding() for part in message["parts"] if "text" in part]
    sentences = [
        sentence for text in texts[:400] for line in text.split("\n") for sentence in prose.split(line)
    ]
    assert len(sentences) > 500
    for sentence in sentences:
        same(sentence)


@pytest.mark.parametrize(("sentence", "kind"), [
    ("Never touch the ledger.", "rule"), ("Nie ohne Test.", "rule"), ("不要改表结构。", "rule"),
    ("pls dont touch the ledger", "rule"), ("I never found out who did it.", ""), ("gotta decide that, still unclear tbh", "open"),
    ("I don't have the number with me.", ""), ("We haven't agreed on a name.", "open"), ("If so, we go with it.", ""),
    ("Das müssen wir noch mit dem Betriebsrat klären.", "open"), ("I've never seen it.", ""), ("Is it always so?", ""), ("Could you always sort them?", "rule"),
    ("If you want, I can share it.", ""), ("If you rename it, update the docs.", "rule"), ("It must be really nice there.", ""),
    ("We'd have to find out whether it scales.", "open"), ("Don’t write to disk.", "rule"),
    ("We decided to keep it.", "decision"), ("Wir nehmen Postgres.", "decision"), ("Was it decided?", ""),
    ("TODO: ask them.", "open"), ("Das ist noch nicht geklärt.", "open"), ("Sounds good to me.", ""),
    ("Keep at least 3 copies.", "rule"), ("Or at least sample it.", ""), ("He still has an account.", ""),
    ("It still has to be written.", "open"), ("Someone ought to look at it.", "open"), ("We still have no answer from them.", "open"),
    ("Let me check which ones are still missing.", ""), ("Now let me see what still needs work:", ""),
])  # fmt: skip
def test_what_a_sentence_is(sentence: str, kind: str) -> None:
    found = {
        "rule": cues.rule(sentence) >= 2, "decision": cues.decision(sentence) == 2, "open": cues.open_end(sentence),
    }  # fmt: skip
    assert [name for name, given in found.items() if given] == ([kind] if kind else [])
