"""A session as a program would send it: entries of several lines, what is wrong in it, how often, and its title."""

from codeh_history.programs.model import Entry, Piece, Problem, Session


def test_an_entry_is_all_its_pieces_each_with_its_line():
    pieces = [Piece(3, [{"text": "a"}]), Piece(5, []), Piece(9, [{"text": "b"}, {"text": "c"}])]
    whole = Entry("e", "codeh", None, pieces)
    assert [part["text"] for part in whole.parts] == ["a", "b", "c"]
    assert whole.lines == [3, 5, 9]
    assert Entry("e", "codeh", None, pieces[:1]).parts == [{"text": "a"}]


def test_problems_are_told_in_their_order():
    session = Session("pi", "s")
    session.problem(7, "is skipped", "no object")  # type: ignore[arg-type]
    session.problem(2, "is lost", "torn", "mended")  # type: ignore[arg-type]
    assert session.problems == [
        Problem(7, "is skipped", "no object", None), Problem(2, "is lost", "torn", "mended"),
    ]  # type: ignore[arg-type]  # fmt: skip


def test_a_title_is_a_text_and_what_is_left_out_is_counted_by_kind():
    session = Session("pi", "s")
    for title in (None, "", 7, ["x"]):
        session.titled(title)
    assert session.settings == {}
    session.titled("one")
    session.titled("two")
    assert session.settings == {"title": "two"}
    for kind, many in (("command", 2), ("note", 0), ("command", 1)):
        session.leave(kind, many)
    assert session.left == {"command": 3}
    assert "note" not in session.left


def test_a_branch_says_whose_it_is():
    session = Session("pi", "s")
    session.set_parent("t")
    assert (session.parent, session.agent) == ({"session": "t", "at": None}, False)
    session.set_parent("u", agent=True)
    assert (session.parent, session.agent) == ({"session": "u", "at": None}, True)


def test_it_was_written_last_when_its_last_entry_says():
    entries = [Entry(id, "user", ts, []) for id, ts in (("a", "1"), ("b", "2"), ("c", None))]
    assert Session("pi", "s", created="0", items=[*entries]).last == "2"
    assert Session("pi", "s", created="0").last == "0"
    assert Session("pi", "s").last is None
