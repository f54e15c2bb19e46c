"""Honest summaries of real conversations are taken; what is looked up and not found is named."""

import orjson
import pytest

from codeh_history.session.exchanges import exchanges
from codeh_history.summaries import gate, transcript
from codeh_history.summaries.gate.faithful import problems
from summaries.recorded import coding, support, view_of
from support import ROOT, corpus

HONEST = orjson.loads((ROOT / "tests/summaries/honest.json").read_bytes())


def batches():
    """Each honest summary with the messages that it is of."""
    talks, sessions = support(), exchanges(view_of(coding()).messages)
    made = []
    for entry in HONEST:
        kind, _, name = entry["of"].partition(" ")
        if kind == "meeting":
            turns = orjson.loads(corpus("meetings", f"{name}.json").read_bytes())["turns"]
            said = [f"{who}: {text}" for who, text in turns[entry["first"] : entry["last"]]]
            messages = view_of(
                {"kind": "user", "role": "user", "parts": [{"text": text}]} for text in said
            ).messages
        elif kind == "support":
            messages = view_of(talks[int(name)]).messages
        else:
            messages = [message for group in sessions[entry["first"] : entry["last"]] for message in group]
        made.append((entry["summary"], messages))
    return made


def test_honest_summaries_are_taken():
    """20 real batches, five of the summaries in German; calls are held to what they returned."""
    refused = []
    for summary, messages in batches():
        source = transcript.source(messages, [str(len(messages))])
        refused += gate.problems(summary, source, "x " * 9000, tokens=(10, 1000), messages=messages)
    assert len(HONEST) == 20
    assert len(refused) <= 1, refused


SOURCE = 'System: today is 2026-11-23. The user said "never push to main" and ran `make all`; he wants tea and cakes.'


@pytest.mark.parametrize(("text", "kind"), [
    ("The user said “never push to main”.", None), ("He ran `make all` on 2026-11-23.", None), ("He wants “tea”.", None),
    ("The user said “always push to main”.", "quote"), ("He ran `make clean all`.", "quote"), ("The user met Maria in Berlin.", None),
    ("Qwertz uiop asdf ghjkl yxcvb.", "none of"), ("User wants tea.", None),
])  # fmt: skip
def test_quotes_and_words_are_the_sources(text, kind):
    found = problems(text, SOURCE)
    assert (kind in found[0]) if kind else not found
