"""What a session may say of its own curation and compaction, that flags are stronger, and what it may never say."""

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.shared_options import (
    FLAGS_ONLY,
    KEYS,
    Curation,
    Explained,
    Reduction,
    beside,
    name_of,
    tools_from,
)


def within(given, **meta):
    said = []
    return given.within(
        {key.replace("_", ".", 1).replace("_", "-"): value for key, value in meta.items()}, "s", said.append
    ), said


def test_what_was_not_given_is_as_the_session_says():
    found, said = within(
        Reduction(budget="9k"), compact_budget="1k", compact_policy="loop", curate_skip=["ide"], title_x="t"
    )
    assert (found.budget, found.policy, found.skip) == ("9k", "loop", ["ide"])
    assert said == []
    assert within(Reduction(), compact_budget=None)[0].budget is None


@pytest.mark.parametrize("key", FLAGS_ONLY)
def test_what_runs_a_command_or_lifts_a_limit_is_never_taken_from_a_session(key):
    said = []
    found = Reduction().within({key: "rm -rf /"}, "s", said.append)
    assert found.specified() == []
    assert said == [f"s: {key} is not taken from a session; pass it as an option"]
    assert key not in KEYS


def test_a_setting_that_there_is_not_is_told_and_one_of_another_job_is_not():
    assert within(Reduction(), curate_nothing="x")[1] == [
        "s: curate.nothing is not taken from a session; no such setting"
    ]
    said = []
    assert Curation().within({"compact.budget": "1k"}, "s", said.append).specified() == []
    assert said == []


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("curate.skip", "ide", ("ide",)), ("curate.skip", ["ide", "post"], ["ide", "post"]), ("compact.budget", "32k", "32k"), ("compact.budget", 32000, "32000"),
        ("compact.calibrated", True, True), ("compact.calibrated", "No", False), ("compact.calibrated", 1, True), ("compact.upload-share", "0.5", 0.5),
        ("compact.policy", " loop ", "loop"),
    ],
)  # fmt: skip
def test_a_setting_is_of_its_options_kind(key, value, found):
    assert Reduction.coerce(name_of(key), value, key) == found


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("curate.skip", [1], "a text or a list of texts"), ("curate.skip", 7, "a text or a list"), ("compact.budget", ["1k"], "one value"),
        ("compact.budget", {}, "one value"), ("compact.calibrated", "maybe", "maybe: true or false"), ("compact.upload-share", "half", "half: a number"),
    ],
)  # fmt: skip
def test_one_that_is_not_is_the_fault_of_the_session(key, value, why):
    with pytest.raises(Usage, match=rf"^{key}:? .*{why}"):
        Reduction.coerce(name_of(key), value, key)
    with pytest.raises(BadData, match=rf"^s: by the session's settings: {key}.*; `set KEY=` unsets one$"):
        Reduction().within({key: value}, "s", lambda _: None)


@pytest.mark.parametrize(
    ("meta", "found"),
    [
        ({}, (None, [])), ({"system": "s", "tools": [{"name": "f"}, 7]}, ("s", [{"name": "f"}])), ({"system": 7, "tools": {"name": "f"}}, (None, [{"name": "f"}])),
        ({"system": "", "tools": "x"}, ("", [])),
    ],
)  # fmt: skip
def test_what_stands_beside_the_messages_is_taken_as_far_as_it_is_any(meta, found):
    assert beside(meta) == found


def test_tools_are_a_list_or_an_object_of_json():
    assert tools_from('[{"name":"f"}]') == [{"name": "f"}]
    assert tools_from('{"functionDeclarations":[]}') == [{"functionDeclarations": []}]
    for wrong in ("7", '"x"', "{"):
        with pytest.raises(BadData, match=r"^--tools"):
            tools_from(wrong)


def test_json_is_of_what_is_explained():
    assert Explained(explain=True, json=True).explain
    with pytest.raises(Usage, match=r"--json requires --explain"):
        Explained(json=True)
