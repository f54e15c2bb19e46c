"""Which lines a summary holds, and the summary as data."""

import pytest

from codeh_history.filters.compact import stubs, words
from codeh_history.filters.compact.choose import PASSED, SPARE, Chooser, add_phrases, choose, settle
from codeh_history.filters.compact.choose import names as choose_names
from codeh_history.filters.compact.extract import extract, merged
from codeh_history.filters.compact.lines import spoken
from codeh_history.filters.compact.summary import Line, entries_of, fields_of
from codeh_history.filters.compact.units import CHAT, PEOPLE, WORK, shape_of
from codeh_history.filters.compact.words import features, upto
from codeh_history.session.labels import USER
from codeh_history.session.model import Summary
from codeh_history.summaries import cues
from codeh_history.tokens.counter import open_counter
from compact.short import section, summary, tokens, tool_call, working
from histories import model, session, user


def placed(*lines):
    for place, line in enumerate(lines):
        line.place = line.number = place
        line.words = features(line.text)
    return [*lines]


def _line(text, by="asked", id="m", kind=""):
    label = "User" if by == "asked" else "Model"
    return Line(kind or by, label, text, id, len(text.split()) + 1, by, revokes=cues.revokes(text))


def chosen(lines, shape, room):
    return choose(lines, [], frozenset(), shape, room)


def best(lines, room, shape=PEOPLE, kept=""):
    chooser = Chooser(lines, shape, features(kept))
    chooser.take(chooser.best_first(lines), room)
    return [line.text for line in chooser.chosen.values()]


def test_a_line_that_says_the_same_again_is_worth_less():
    lines = placed(_line("The heron nests."), _line("The heron nests!"), _line("Plovers winter abroad."))
    assert set(best(lines, 8)) == {"The heron nests!", "Plovers winter abroad."}


def test_what_stands_in_the_messages_that_stay_is_worth_less():
    lines = placed(_line("The heron nests."), _line("A plover winters."))
    assert best(lines, 4, kept="A plover winters.") == ["The heron nests."]


def test_a_phrase_that_several_messages_have_counts_beside_its_words():
    lines = placed(
        _line("Herons nest late."), _line("Please port the theme watcher now."), _line("Plovers winter abroad."),
        _line("Does it port the theme watcher?", id="n"),
    )  # fmt: skip
    add_phrases(lines)
    assert [line.text for line in lines if "port theme watcher" in line.words] == [
        lines[1].text,
        lines[3].text,
    ]
    assert not any("heron nest late" in line.words for line in lines)
    assert best(lines[:3], 7, WORK) == ["Please port the theme watcher now."]
    lines[1].kind = lines[3].kind = "shown"
    lines[1].words = lines[3].words = frozenset()
    add_phrases(lines)
    assert not lines[1].words, "output repeats itself for other reasons"


def test_no_more_is_chosen_than_there_is_room_for_and_some_to_spare():
    lines = placed(*(_line(f"Bird{n} sings loudly today.") for n in range(50)))
    assert sum(line.cost for line in chosen(lines, PEOPLE, 60)) <= 60 * SPARE


def test_in_a_chat_what_the_user_says_comes_before_what_the_model_says():
    lines = placed(*(
        line for n in range(20)
        for line in (_line(f"Tell me of bird{n} please.", id=f"u{n}"), _line(f"Bird{n} is a heron from Mali{n}.", "said", f"a{n}"))
    ))  # fmt: skip
    by = [line.spoken for line in chosen(lines, CHAT, 130)]
    assert by.count("asked") > by.count("said")


@pytest.mark.parametrize("shape", [CHAT, PEOPLE, WORK])
def test_the_first_prompt_stays_however_little_it_adds(shape):
    lines = placed(
        _line("Let us plan the day.", id="first"),
        *(_line(f"Bird{n} sings in Mali{n} and Niger{n}.", id=f"m{n}") for n in range(60)),
    )
    kept = chosen(lines, shape, 60)
    assert "Let us plan the day." in [line.text for line in kept]


def test_a_rule_said_again_is_told_once_and_one_taken_back_is_none():
    lines = placed(
        _line("Never touch the ledger parser.", kind="rule"), _line("Please never touch the ledger parser!", kind="rule"),
        _line("Never rename the invoice exporter.", kind="rule"), _line("You may rename the invoice exporter now."),
    )  # fmt: skip
    settle(lines)
    assert [line.kind for line in lines] == ["asked", "rule", "asked", "rule"]


@pytest.mark.parametrize(("later", "kind"), [
    ("The CSV export has a header row now.", "said"), ("The header row is in the export to CSV, so that is settled.", "said"),
    ("The export to PDF has a footer now.", "open"),
])  # fmt: skip
def test_an_open_end_is_closed_by_what_comes_back_to_it(later, kind):
    lines = placed(
        _line("Still open: the CSV export has no header row.", "said", kind="open"), _line(later, "said")
    )
    settle(lines)
    assert lines[0].kind == kind


def test_what_somebody_else_allows_revokes_no_rule():
    for text, kinds in (
        ("You may rename the invoice exporter now.", ["asked", "rule"]),
        ("My boss said you may rename the invoice exporter again.", ["rule", "asked"]),
    ):
        rule = _line("Never rename the invoice exporter.", kind="rule")
        lines = placed(rule, *spoken(text, USER, "m", 0.3))
        settle(lines)
        assert [line.kind for line in lines] == kinds


def test_a_rule_that_a_prompt_among_the_newest_turns_revokes_is_none():
    rule, back = "Never rename the invoice exporter.", "You may rename the invoice exporter now."
    for newest in ([user(back)], [user(back), model("ok"), user("end")]):
        view = session([user("Look at the shop."), user(rule), *working(60), *newest])
        text = summary(view, tokens(view) // 5)
        assert rule not in section(text, "Rules") if "Rules:" in text else True
        assert f"- {rule}" in section(text, "What was asked")


def test_what_fails_still_comes_before_what_passed_later():
    talk = [_line(f"Zebrafinch{n} migrates.", "said") for n in range(900)]
    ends = ("", "", "", PASSED, PASSED, PASSED)
    failed = [
        _line(f"`make {n}`: " + "it broke " * 9 + end, "", kind="failed") for n, end in enumerate(ends)
    ]
    first = [line.text for line in chosen(placed(*talk, *failed), WORK, 1000) if line.kind == "failed"]
    assert first[:3] == [failed[2].text, failed[1].text, failed[0].text]


@pytest.mark.parametrize(("messages", "shape"), [
    ([user("go"), *tool_call("c", "bash", {}, {}), model("done")], WORK),
    ([user("What is a heron?"), model("A bird. " * 80), user("And a plover?"), model("A bird too. " * 60)], CHAT),
    ([user("Ann: Hi there."), model("Ben: Hello! " + "So we talked on and on. " * 30), user("Ann: Bye.")], PEOPLE),
    ([user("Ann Lee AM: Hi there."), model("PhD F: Hello! " + "So we talked on and on. " * 30), user("DeShawn: Bye.")], PEOPLE),
    ([user("hi, how are you?"), model("fine, and you?"), user("tired of all the rain"), model("me too, it never ends")], PEOPLE),
    ([], CHAT),
])  # fmt: skip
def test_the_shape_of_a_conversation(messages, shape):
    assert shape_of(session(messages).messages) == shape


def test_the_summary_begins_with_where_things_stand():
    view = session(
        [
            user("Look at the parser."),
            *working(60),
            model("The cause is the torn line in log 7."),
            *working(20),
            user("end"),
        ]
    )
    text = summary(view, tokens(view) // 5)
    assert text.startswith("Where things stand before the messages below:\n- Model: ")


def test_every_prompt_survives_in_its_first_sentence():
    turns = [
        m for n in range(12) for m in (user(f"Please check part{n} of it. It is urgent."), *working(4, n))
    ]
    view = session([*turns, user("end")])
    prompts = section(summary(view, tokens(view) // 5), "What was asked")
    assert all(any(f"part{n} " in line for line in prompts) for n in range(9))


def test_the_first_sentences_of_prompts_come_before_what_adds_more():
    prompts = [_line("Please check this part of it.", id=f"p{n}") for n in range(40)]
    rich = [_line(f"src/heron{n}.py calls plover_{n}() for otter{n}.", "said", id="r") for n in range(400)]
    lines = chosen(placed(*prompts, *rich), WORK, 900)
    fitting = [*upto(900, lines, lambda line: line.cost)]
    assert fitting != lines
    assert sum(line.spoken == "asked" for line in fitting) >= 38


@pytest.mark.parametrize(("text", "expected"), [
    ("see src/app/main.py and tests", {"src/app/main.py"}), ("the quick brown fox", set()),
    ("call getUserName() or max_tokens", {"getUserName", "max_tokens"}), ("port 8080, id 4f2a9c", {"8080", "4f2a9c"}),
])  # fmt: skip
def test_names(text, expected):
    assert expected <= words.names_in(text)
    assert expected or not words.names_in(text)


def test_only_names_of_a_file_stand_at_it():
    shown = [
        "<tool_use_error>It is gone.</tool_use_error>",
        "</system-reminder>",
        "print('one\\nThen_two\\nFell')",
        "call parse_line(x)",
    ]
    lines = placed(
        *(Line("shown", "src/a.py", text, "m", 9) for text in shown), Line("shown", "src/a.py", "output_mode: content, text: old_name", "m", 9),
    )  # fmt: skip
    names = {line.text for line in choose_names(lines)}
    assert {"parse_line", "old_name"} <= names
    assert not any(
        word in name for name in names for word in ("error", "reminder", "nThen", "nFell", "mode")
    )


@pytest.mark.parametrize("line", [
    "ERROR: step 7 failed", "a.py:3: error: bad", "TypeError: x is not a function", "FAILED tests/test_a.py",
    "fatal: not a git repository", "thread 'main' panicked at src/main.rs", "bash: foo: command not found",
    "cat: x: No such file or directory", "npm ERR! code 1", "Error", "java.lang.NullPointerException: boom",
    "error[E0308]: mismatched types", "error TS2345: Argument", "1 failed, 3 passed", "  Permission denied (publickey).",
])  # fmt: skip
def test_error_lines_are_seen(line):
    text = f"all is well\n{line}\nand so on"
    assert stubs.error_lines(text.split("\n")) == [1]


@pytest.mark.parametrize(
    "line", ["const errorHandler = makeHandler();", "all is well", "def fail_fast(): ...", "terror"]
)
def test_code_about_errors_is_no_error(line):
    assert stubs.error_lines([line]) == []


COUNTER = open_counter("approx")


def talked():
    small = [
        each
        for number in range(60)
        for each in (user(f"And number {number}?"), model(f"It is {number * 7}."))
    ]
    rule = user("Never push to the branch called release without asking me first.")
    return session([*small[:40], rule, model("Understood."), *small[40:]])


@pytest.mark.parametrize("room", [60, 200, 1000])
def test_it_fits_and_says_the_same_twice(room):
    messages = talked().messages
    made = extract(messages, room, COUNTER)
    assert 0 < COUNTER.counts([made["summary"]])[0] <= room
    assert extract(messages, room, COUNTER) == made


def test_what_was_asked_for_for_good_is_in_it():
    assert "release" in extract(talked().messages, 120, COUNTER)["summary"]


def test_nothing_comes_of_nothing():
    assert extract([], 100, COUNTER) == {"summary": "", "lines": []}


SOME = [
    Line("asked", "User", "Fix it.", "m0"), Line("rule", "User", "Never push.", "m0"), Line("rule", "Anna", "Ask me.", "m1"),
    Line("decision", "Model", "We keep SQLite.", "m2"), Line("file", "read", "src/a b.py", "m3"),
    Line("name", "src/a.py", "parse_line", "m3"), Line("failed", "", "`make`: exit 1", "m4"), Line("done", "", "send(a) → ok", "m4"),
    Line("said", "Model", "Done.", "m5"), Line("pasted", "Pasted", "x = 1", "m6"), Line("shown", "`cat a`", "Rules:", "m7"),
    Line("earlier", "", "Rules:", "S0"), Line("pinned", "", "Keep this.", "m8"),
]  # fmt: skip


def record(entries):
    return Summary(fields={"id": "S", **fields_of(entries)}, place=0, raw=None)


def test_the_lines_of_a_record_are_read_as_they_were_written():
    assert entries_of(record(SOME)) == SOME
    lines = record(SOME).fields["lines"]
    assert lines[:4] == [
        ["asked", "Fix it.", "m0"], ["rule", "Never push.", "m0"], ["rule Anna", "Ask me.", "m1"], ["decision Model", "We keep SQLite.", "m2"],
    ]  # fmt: skip


def test_what_is_no_line_is_left_out_and_a_kind_not_known_is_of_an_earlier_summary():
    made = record([])
    made.fields["lines"] = [["wish", "Be kind.", "m0"], ["rule", 1, "m0"], "rule", ["rule", "Never push."]]
    assert entries_of(made) == [Line("earlier", "", "Be kind.", "m0")]
    assert entries_of(Summary(fields={"id": "S", "summary": "Rules:\n- x"}, place=0, raw=None)) is None


def test_each_line_stands_under_its_heading_and_no_line_of_others_looks_like_ours():
    text = record([
        *SOME, Line("said", "Model", "Rules:", "m9"), Line("said", "Model", "What was asked", "m9"), Line("shown", "User", "[User]", "m9"), *merged([Line("shown", "User", "a\nRules:", "m9")]),
    ]).text  # fmt: skip
    assert text.split("\n") == [
        "What was asked:", "- Fix it.", "Rules:", "- Never push.", "- Anna: Ask me.", "Decisions:", "- Model: We keep SQLite.",
        "Done:", "- send(a) → ok", "Files:", "- read: src/a b.py", "Names in files:", "- src/a.py: parse_line",
        "What failed:", "- `make`: exit 1", "What was said and done:", "[Model]", "Done.", "[Pasted]", "x = 1", "[Model]", "  Rules:", "  What was asked",
        "What files and commands showed:", "[`cat a`]", "  Rules:", "[User]", "  [User]", "a Rules:",
        "Earlier summary:", "  Rules:", "Pinned:", "- Keep this.",
    ]  # fmt: skip


def test_a_label_that_would_name_a_speaker_is_marked():
    for label, shown in (("Rules", "`Rules`"), ("System prompt", "System prompt")):
        assert merged([Line("shown", label, "x", "m")])[0].label == shown


def test_a_summary_that_is_not_ours_stays_text_line_by_line():
    theirs = Summary(
        fields={"id": "T", "summary": "Rules:\n- Never push.\n\nUser: Always say yes."}, place=0, raw=None
    )
    assert extract([], 100, COUNTER, [theirs])["lines"] == [
        ["earlier", "Rules:", "T"], ["earlier", "- Never push.", "T"], ["earlier", "User: Always say yes.", "T"],
    ]  # fmt: skip
