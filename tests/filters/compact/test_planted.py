"""Facts planted at old places of conversations, made-up and real ones, are told at a quarter, a tenth and a twentieth."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compact import phrasings, planted, recorded
from length import by_length
from support import corpus


def together(some):
    found = {}
    for one in some:
        for key, all in one.items():
            found.setdefault(key, []).extend(all)
    return found


def check(found, slack=0):
    """Of the sure kinds and of the others as many as must be, but for `slack` facts."""
    for share, least in planted.LEAST.items():
        for kinds, wanted in zip((planted.SURE, planted.OTHERS), least, strict=True):
            all = [told for kind in kinds for told in found[share, kind]]
            assert sum(all) >= wanted * len(all) - slack, (share, kinds, sum(all), len(all))


@settings(max_examples=by_length(1, 2, 2))
@given(seed=st.integers(0, 1 << 30))
def test_facts_of_any_conversation_are_told(seed):
    random = Random(seed)
    check(planted.kept(planted.conversation(random, 60), 4, random), slack=1)


def test_facts_of_a_coding_session_are_told():
    corpus()
    check(planted.kept(recorded.coding(), 5, Random(1)))


def test_facts_in_other_words_are_told():
    random = Random(2)
    check(planted.kept(planted.conversation(random, 60), 10, random, phrasings.OTHER))


@pytest.mark.slow
def test_facts_in_other_words_are_told_of_a_coding_session():
    corpus()
    check(planted.kept(recorded.coding(), 10, Random(1), phrasings.OTHER))


@pytest.mark.slow
@pytest.mark.parametrize("name", planted.REAL)
def test_facts_of_real_sessions_are_told_wherever_they_stand(name):
    corpus()
    records = planted.real(name)
    check(together(planted.kept(records, 5, Random(seed)) for seed in range(8)))
