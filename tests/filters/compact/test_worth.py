"""What a line is worth beside others: by the words in it, and how often they were said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.worth import Words, Worth, rarity, stem
from compact.short import asked, tokens
from compact.summarized import section, summary, working
from histories import model, session, user


def test_rare_words_come_before_common_ones() -> None:
    said = "The carburettor of the zeppelin leaked kerosene."
    plain = [f"And then we were there and it was like that again, {n} or so." for n in range(1, 60)]
    turns = [m for text in (*plain[:30], said, *plain[30:]) for m in (user("go on"), model(text))]
    view = session([*turns, user("and?")])
    assert said in summary(view, tokens(view) // 6)


def test_a_symbol_is_named_without_what_it_hangs_on() -> None:
    code = "\n".join(f"value{n} = editor{n}.setBorderColor(theme.fg({n}), {n * 7})" for n in range(200))
    view = session(
        [user("read it"), *asked("c1", "read", {"path": "src/ui.ts"}, {"output": code}), *working(40)]
    )
    named = section(summary(view, tokens(view) // 6), "Names in files")
    assert any("src/ui.ts" in line and "setBorderColor" in line for line in named), named


def test_a_number_that_is_told_once_outlives_those_of_every_day() -> None:
    price = "The flight HAT{0} at {1}:00 costs ${2} in economy, it has {3} seats left."
    talk = [
        message
        for n in range(80)
        for message in (user(f"What about flight {n}?"), model(price.format(n, n % 24, 90 + n, n % 9)))
    ]
    talk[10] = user("The glacier validator handled 48213 rows per second.")
    view = session([*talk, user("and now?")])
    assert "48213 rows" in summary(view, tokens(view) // 4)


def test_a_name_in_plain_words_is_worth_more_than_what_is_shouted() -> None:
    plain = "So we went there and then it was like that for them again, number {0} of it."
    told = "They took the boat to Trieste for it."
    turns = [
        m for n in range(60) for m in (user(f"Ann: {plain.format(n)}"), model("Bob: WHAT! Really? Yikes!"))
    ]
    turns[20:20] = [user(f"Ann: {told}"), model("Bob: Wonderful!")]
    text = summary(session([*turns, user("Ann: and?")]), tokens(session(turns)) // 8)
    assert told in text
    assert "Wonderful!" not in text
    assert text.count("WHAT!") <= 1


# -- lines by themselves --------------------------------------------------------------------------------


def said(*texts: str, kind: str = "said") -> list[Line]:
    return [Line(text, kind, number) for number, text in enumerate(texts)]


def worth(lines: list[Line], *more: Line) -> Worth:
    return Worth(Words(), [*lines, *more])


@pytest.mark.parametrize(
    ("piece", "found"),
    [
        ("parsers", {"parser"}), ("Parsers,", {"parser", "Parsers"}), ("(`was`)", {"was"}), ("WHAT!", {"what"}), ("bus", {"bus"}),
        ("Lisbon", {"lisbon", "Lisbon"}), ("The", {"the"}), ("src/a.py", {"src", "a", "py", "src/a.py"}), ("48213", {"48213"}),
        ("EPIPE", {"epipe", "EPIPE"}), ("日本語", {"日本", "本語"}), ("", set()), ("...", set()),
    ],
)  # fmt: skip
def test_words_count_without_their_endings_and_names_as_they_are(piece: str, found: set[str]) -> None:
    assert Words().within([piece]) == found


@pytest.mark.parametrize("name", ["src/a.py", "48213", "set_text", "setText", "EPIPE", "db-7.local"])
def test_what_is_a_name_is_known_as_one(name: str) -> None:
    words = Words()
    words.within([name, "plain", "Lisbon"])
    assert name in words.names
    assert not words.names & {"plain", "lisbon", "Lisbon"}


@pytest.mark.parametrize(
    ("less", "more"),
    [("the", "house"), ("house", "carburettor"), ("7", "48213"), ("uh", "house"), ("a", "to"), ("的", "葡"), ("what", "kerosene")],
)  # fmt: skip
def test_what_is_rarer_tells_more(less: str, more: str) -> None:
    assert 0 <= rarity(less) <= rarity(more) <= 1
    assert rarity(less) < rarity(more) or (less, more) == ("a", "to")


def test_a_plural_is_as_common_as_its_word() -> None:
    assert stem("parsers") == "parser"
    assert (stem("bus"), stem("was")) == ("bus", "was")
    assert rarity(stem("questions")) < 1


def test_what_is_chosen_is_worth_less_the_second_time() -> None:
    first, second, other = said("the carburettor leaked", "a carburettor leaked", "the zeppelin exploded")
    found = worth([first, second, other])
    before, apart = found.of(second), found.of(other)
    found.take(first)
    assert found.of(second) < before
    assert found.of(other) == apart


def test_a_name_said_again_is_worth_next_to_nothing() -> None:
    named, plain = said("read src/parser_of_logs.py", "the carburettor leaked")
    found = worth([named, plain])
    before = found.of(named), found.of(plain)
    found.know(Words().within("src/parser_of_logs.py carburettor leaked".split()))
    assert found.of(named) < 0.3 * before[0]
    assert found.of(plain) < before[1]
    assert found.of(named) / before[0] < found.of(plain) / before[1]


LINES = st.lists(st.sampled_from(["the zeppelin exploded", "kerosene leaked", "it was so", "set_text of src/a.py", "we met in Lisbon",
                                  "42917 rows", "kerosene leaked again"]), min_size=1, max_size=9)  # fmt: skip


@given(texts=LINES, room=st.floats(0, 80))
def test_what_is_chosen_fits_and_nothing_comes_twice(texts: list[str], room: float) -> None:
    lines = said(*texts)
    chosen = worth(lines).choose(lines, room)
    assert sum(line.cost for line in chosen) <= room + 1e-9
    assert len({id(line) for line in chosen}) == len(chosen)
    assert {id(line) for line in chosen} <= {id(line) for line in lines}


@given(texts=LINES)
def test_what_is_chosen_is_the_best_at_each_step(texts: list[str]) -> None:
    lines = said(*texts)
    chosen = worth(lines).choose(lines, 1e9)
    anew = said(*texts)
    again, left = worth(anew), list(anew)
    for line in (anew[one.number] for one in chosen):
        assert again.of(line) == max(map(again.of, left))
        left.remove(line)
        again.take(line)
    assert not any(map(again.of, left))


def test_of_equals_the_later_one_is_chosen() -> None:
    lines = said("kerosene leaked", "kerosene leaked")
    assert worth(lines).choose(lines, lines[0].cost) == [lines[1]]


def test_what_the_newer_lines_hold_is_not_told_anew() -> None:
    lines = said("kerosene leaked", "the zeppelin exploded", "so kerosene leaked there", "it was so")
    found = worth(lines).anew(lines)
    assert [line.text for line in found] == [
        "the zeppelin exploded",
        "so kerosene leaked there",
        "it was so",
    ]


def test_only_what_one_line_alone_says_would_be_lost_with_it() -> None:
    lines = said("kerosene leaked", "kerosene burned zeppelin", "kerosene leaked")
    found = worth(lines)
    assert found.alone(lines[0]) == 0
    assert found.alone(lines[1]) > 0


def test_at_work_an_old_name_is_worth_less_than_a_new_one() -> None:
    old, new = Line("set_old_thing", "called", 0), Line("set_new_thing", "called", 9)
    found = worth([old, *said(*["it was so"] * 9), new])
    assert found.of(old) < found.of(new)


def test_what_tells_something_is_a_name_or_no_common_word() -> None:
    (line,) = said("the zeppelin in Lisbon read src/a.py")
    assert worth([line]).telling(line) >= {"zeppelin", "lisbon", "src/a.py"}
    assert not worth([line]).telling(line) & {"the", "in", "Lisbon"}
