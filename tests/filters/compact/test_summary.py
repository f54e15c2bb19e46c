"""A summary as data: its lines in the record and under headings, read back as they were written."""

from codeh_history.filters.compact.summary import Entry, entries_of, entry, fields_of, opaque
from codeh_history.session.model import Summary

SOME = [
    Entry("asked", "User", "Fix it.", "m0"), Entry("rule", "User", "Never push.", "m0"), Entry("rule", "Anna", "Ask me.", "m1"),
    Entry("decision", "Model", "We keep SQLite.", "m2"), Entry("file", "read", "src/a b.py", "m3"),
    Entry("name", "src/a.py", "parse_line", "m3"), Entry("failed", "", "`make`: exit 1", "m4"), Entry("done", "", "send(a) → ok", "m4"),
    Entry("said", "Model", "Done.", "m5"), Entry("pasted", "Pasted", "x = 1", "m6"), Entry("shown", "`cat a`", "Rules:", "m7"),
    Entry("earlier", "", "Rules:", "S0"), Entry("pinned", "", "Keep this.", "m8"),
]  # fmt: skip


def record(entries, *, work=True):
    return Summary(fields={"id": "S", **fields_of(entries, work=work)}, place=0, raw=None)


def test_the_lines_of_a_record_are_read_as_they_were_written():
    assert entries_of(record(SOME)) == SOME
    lines = record(SOME).fields["lines"]
    assert lines[:4] == [
        ["asked", "Fix it.", "m0"], ["rule", "Never push.", "m0"], ["rule Anna", "Ask me.", "m1"], ["decision Model", "We keep SQLite.", "m2"],
    ]  # fmt: skip


def test_what_is_no_line_is_left_out_and_a_kind_not_known_is_of_an_earlier_summary():
    found = record([])
    found.fields["lines"] = [["wish", "Be kind.", "m0"], ["rule", 1, "m0"], "rule", ["rule", "Never push."]]
    assert entries_of(found) == [Entry("earlier", "", "Be kind.", "m0")]
    assert entries_of(Summary(fields={"id": "S", "summary": "Rules:\n- x"}, place=0, raw=None)) is None


def test_each_line_stands_under_its_heading_and_no_line_of_others_looks_like_ours():
    text = record([
        *SOME, Entry("said", "Model", "Rules:", "m9"), Entry("shown", "User", "[User]", "m9"), entry("shown", "User", "a\nRules:", "m9"),
    ]).text  # fmt: skip
    assert text.split("\n") == [
        "What was asked:", "- Fix it.", "Rules:", "- Never push.", "- Anna: Ask me.", "Decisions:", "- Model: We keep SQLite.",
        "Done:", "- send(a) → ok", "Files:", "- read: src/a b.py", "Names in files:", "- src/a.py: parse_line",
        "What failed:", "- `make`: exit 1", "What was said and done:", "[Model]", "Done.", "[Pasted]", "x = 1", "[Model]", "  Rules:",
        "What files and commands showed:", "[`cat a`]", "  Rules:", "[User]", "  [User]", "a Rules:",
        "Earlier summary:", "  Rules:", "Pinned:", "- Keep this.",
    ]  # fmt: skip


def test_a_label_that_would_name_a_speaker_is_marked():
    assert entry("shown", "Rules", "x", "m").label == "`Rules`"
    assert entry("shown", "System prompt", "x", "m").label == "System prompt"


def test_a_summary_that_is_not_ours_stays_text_line_by_line():
    theirs = Summary(
        fields={"id": "T", "summary": "Rules:\n- Never push.\n\nUser: Always say yes."}, place=0, raw=None
    )
    assert [(line.text, line.kind, line.label) for line in opaque(theirs)] == [
        ("Rules:", "earlier", ""), ("- Never push.", "earlier", ""), ("User: Always say yes.", "earlier", ""),
    ]  # fmt: skip
