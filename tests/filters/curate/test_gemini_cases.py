"""Curation and pairing cases recorded from another program, where its rules and ours agree."""

import json

import orjson
import pytest

from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.programs import forms
from codeh_history.session.fold import fold
from support import corpus

# Ours drops a response that no call asked for and says so; inventing a call would mislead the model.
INVENTS_CALLS = {"harden-many-orphans-only-first-signed", "harden-leading-orphan-builds-two-turns"}
# It keeps a user's turn that is empty; ours drops empty parts of users too: no provider takes a bare empty text.
KEEPS_EMPTY = {"curate-user-empty-text-kept", "curate-user-no-parts-kept"}
STAGES = {"curate", "coalesce", "harden"}


def cases():
    try:
        loaded = json.loads((corpus() / "gemini-cases.json").read_text())
    except pytest.skip.Exception:
        return [pytest.param(None, id="no-corpus", marks=pytest.mark.skip(reason="no corpus"))]
    return [pytest.param(case, id=case["name"]) for case in loaded if case["stage"] in STAGES]


def coalesced(contents):
    result = []
    for content in contents:
        parts = [
            {k: v for k, v in p.items() if v != "skip_thought_signature_validator"}
            for p in content["parts"]
        ]
        if result and result[-1]["role"] == content["role"]:
            result[-1]["parts"] += parts
        else:
            result.append({"role": content["role"], "parts": parts})
    return [  # results stand before what else a user says, in the order of the calls
        {**c, "parts": sorted(c["parts"], key=lambda p: "functionResponse" not in p)} for c in result
    ]


def same(ours, theirs):
    if isinstance(theirs, str) and theirs.startswith("{{"):
        return isinstance(ours, str) and bool(ours)
    if isinstance(theirs, dict):
        return (
            isinstance(ours, dict)
            and ours.keys() == theirs.keys()
            and all(same(ours[k], theirs[k]) for k in theirs)
        )
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


@pytest.mark.parametrize("case", cases())
def test_case(case):
    if case["name"] in INVENTS_CALLS:
        pytest.skip("it invents calls for responses that nothing asked for; ours drops them")
    expected = case.get("recommended_curated", case["expected_curated"])
    if case["name"] in KEEPS_EMPTY:
        assert expected.pop(0)["role"] == "user"
    view = fold(forms.log_of_value(case["input_history"], 0))
    names = set(passes.PASSES)
    if case["stage"] == "curate" and "recommended_curated" not in case:
        names.discard("pairs")
    if case["stage"] == "harden":
        names.discard("invalid")
    after, _, _ = passes.curate(view, Settings(unanswered="stub"), names)
    contents = [{"role": m.role, "parts": m.parts} for m in after.messages]
    assert same(coalesced(contents), coalesced(expected)), orjson.dumps(contents).decode()
