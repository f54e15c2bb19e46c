"""The built-in outline: what it keeps of real conversations, how small it is, and how it folds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.summaries import cues, outline, transcript
from codeh_history.tokens import history_tokens, open_counter
from outlines import Records, call, say
from summaries.recorded import coding, support, view_of
from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence


RULES = [
    "Never touch the billing module, it is audited.",
    "The public API must stay compatible with version 4.",
    "Always run the linter before you commit.",
    "Don't add new dependencies.",
    "We decided to keep SQLite as the only database.",
    "At most 3 retries, then give up.",
    "I prefer short answers without emojis.",
    "From now on answer in French.",
]
PATHS = [
    f"services/{name}/handlers/{name}_v2.py"
    for name in "alpha beta gamma delta epsilon zeta eta theta".split()
]
FAILURES = [
    "KeyError: 'invoice_total'", "connection to db-7 refused", "AssertionError: 41 != 42", "disk quota exceeded",
    "Error: certificate expired", "error TS2304: Cannot find name 'Foo'", "flight AZ512 is sold out",
    "fatal: not a git repository",
]  # fmt: skip


def planted(records: Records, count: int) -> tuple[Records, list[str], list[str], list[str]]:
    """The conversation with rules, changed files and failures spread over it; and what was planted."""
    items: list[Records] = []
    for number in range(count):
        items.append(say(f"By the way. {RULES[number]} Please go on."))
        items.append(
            call(number, "write_file", {"path": PATHS[number], "content": "x = 1\n"}, {"output": "ok"})
        )
        items.append(call(number, "deploy", {"target": f"stage-{number}"}, {"error": FAILURES[number]}))
    starts = [n for n, record in enumerate(records) if record["kind"] == "user"] or [0]
    result = list(records)
    for number in reversed(range(len(items))):
        at = starts[number * len(starts) // len(items)]
        result[at:at] = items[number]
    return result, RULES[:count], PATHS[:count], FAILURES[:count]


def found(wanted: Sequence[str], text: str) -> int:
    return sum(1 for item in wanted if item in text)


COUNTER = open_counter(None)


def told(records: Records) -> tuple[str, float]:
    """The outline of a conversation, and its share of the conversation's tokens."""
    view = view_of(records)
    text = outline.outline(view.messages, outline.room(outline.size(view.messages)))
    return text, COUNTER.counts([text])[0] / history_tokens(COUNTER, view.messages)


def test_what_is_planted_in_a_coding_session_is_found() -> None:
    records, rules, paths, failures = planted(coding(), len(RULES))
    text, share = told(records)
    recall = [found(rules, text), found(paths, text), found(failures, text)]
    print(f"coding: rules {recall[0]}/8, paths {recall[1]}/8, failures {recall[2]}/8, size {share:.1%}")
    assert recall[0] == 8
    assert recall[1] == 8
    assert recall[2] >= 7
    assert share <= 0.1


def test_what_is_planted_in_support_conversations_is_found() -> None:
    kept = [0, 0, 0]
    conversations = support()
    for records in conversations:
        mixed, rules, paths, failures = planted(records, 1)
        text, _ = told(mixed)
        for number, wanted in enumerate((rules, paths, failures)):
            kept[number] += found(wanted, text)
    count = len(conversations)
    print(f"support: rules {kept[0]}/{count}, paths {kept[1]}/{count}, failures {kept[2]}/{count}")
    assert kept[0] == count
    assert kept[1] >= 0.9 * count
    assert kept[2] >= 0.9 * count


def test_an_outline_is_at_most_a_tenth_of_a_real_conversation() -> None:
    shares = {name: told(records)[1] for name, records in [("coding", coding()), *enumerate_support()]}
    large = {name: share for name, share in shares.items() if share > 0.1}
    print(f"largest shares: {sorted(shares.values())[-3:]}")
    assert len(large) <= 1  # one conversation has 694 tokens, too few for a useful tenth


def enumerate_support() -> list[tuple[str, Records]]:
    return [
        (f"support {n}", records) for n, records in enumerate(support()) if sum(map(size, records)) > 3000
    ]


def size(record: dict[str, Any]) -> int:
    return sum(len(part.get("text", "")) + 2 * len(str(part)) // 3 for part in record["parts"])


@pytest.mark.parametrize("name", ["coding", "support", "notes"])
def test_fixtures(name: str, request: pytest.FixtureRequest) -> None:
    view = fold(parse(lines_of((ROOT / "fixtures" / f"{name}.jsonl").read_bytes())))
    text = outline.outline(view.messages, outline.room(outline.size(view.messages))) + "\n"
    path = ROOT / "fixtures" / f"{name}.outline.txt"
    if request.config.getoption("--golden"):
        path.write_text(text)
    assert text == path.read_text()


def test_nothing_in_an_outline_is_invented() -> None:
    from codeh_history.summaries import gate, transcript

    for records in [coding(), *support()]:
        view = view_of(records)
        text = outline.outline(view.messages, 4000).replace("…", " ")
        wrong = gate.unfaithful(text, transcript.source(view.messages))
        assert not wrong


@pytest.mark.parametrize("most", [20, 60, 100, 200, 400, 1000, 5000])
def test_it_keeps_to_its_room_and_says_the_same_twice(most: int) -> None:
    view = view_of(
        say("Never delete /srv/data/a.csv. " * 3)
        + say("Now list what is open. We decided to use Redis.") * 9
    )
    text = outline.outline(view.messages, most)
    assert text
    assert len(text) <= most
    assert text == outline.outline(view.messages, most)


@pytest.mark.parametrize(
    "records",
    [
        [],
        [{"kind": "user", "role": "user", "parts": []}],
        [{"kind": "codeh", "role": "model", "parts": [{"text": ""}]}],
        [
            {
                "kind": "user",
                "role": "user",
                "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}],
            }
        ],
        call(1, "x", {}, {}),
        call(1, "bash", {"command": 7}, {"output": None}),
        call(1, "bash", {"command": ["bash", "-lc", "ls"]}, {"exit_code": 2, "output": ""}),
        call(1, "edit", {"path": {"a": 1}, "paths": ["a/b", 3]}, {"error": {"message": ["no"]}}),
    ],
)
def test_odd_messages_have_an_outline(records: Records) -> None:
    text = outline.outline(view_of(records).messages, 600)
    assert 0 < len(text) <= 600


def test_2026_11_23_an_output_of_json_that_nests_too_deep_is_a_text() -> None:
    """What a summariser is given could not be made of a session in which a tool once printed so."""
    records = call(1, "bash", {"command": "fuzz"}, {"output": f"{'[' * 900}{']' * 900}"})
    (entry,) = transcript.entries(view_of(records).messages)
    assert "Tool result: [[[" in entry


# -- folding ----------------------------------------------------------------------------------------


def test_rules_survive_five_folds() -> None:
    texts = []
    for rule in RULES:
        records, *_ = planted(support()[0], 1) if rule == RULES[0] else (say(rule) + support()[1],)
        texts.append(told(records)[0])
    text = outline.fold(texts[:4], outline.folded_room(texts[:4]))
    for later in texts[4:]:
        text = outline.fold([text, later], outline.folded_room([text, later]))
    wanted = [rule for rule in RULES if any(rule in given for given in texts)]
    print(f"rules after five folds: {found(wanted, text)}/{len(wanted)}")
    assert len(wanted) == len(RULES)
    assert found(wanted, text) == len(wanted)


def test_short_summaries_fold_without_loss_and_once_each() -> None:
    texts = ["The user likes tea.", "The user likes tea.", "The server is db-7.", "Launch on March 9."]
    assert outline.fold(texts, outline.folded_room(texts)).splitlines() == [texts[0], texts[2], texts[3]]


def test_sections_are_merged() -> None:
    one = "Requests:\n- a\nFiles modified: x.py, y.py\nOpen:\n- b?"
    two = "Requests:\n- c\nFiles modified: y.py, z.py\nUser likes tea"
    folded = outline.fold([one, two], 400)
    assert (
        folded
        == "Requests:\n- a\n- c\nFiles modified: x.py, y.py, z.py\nOpen:\n- b?\nNotes:\n- User likes tea"
    )


# -- sentences and calls ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence, sure",
    [
        ("Never restart the server.", True),
        ("don't modify the theme", True),
        ("The file must not change.", True),
        ("No console logs!", True),
        ("Only use the standard library.", True),
        ("I prefer tabs.", True),
        ("my user ID is mia_li_3668", True),
        ("Please keep the names stable.", True),
        ("I don't know what this means", False),
        ("What does it do?", False),
        ("The build takes two minutes.", False),
        ("no idea!", False),
    ],
)
def test_rules(sentence: str, sure: bool) -> None:
    assert (cues.rule(sentence) > 0) == sure
