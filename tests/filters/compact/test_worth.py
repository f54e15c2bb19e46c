"""What a line is worth beside others: by the words in it, and how often they were said."""

from __future__ import annotations

from test_summary import section, summary, working

from compact.short import asked, tokens
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
