"""What a fork copies."""

import orjson
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.commands.fork import up_to
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from support import lines, run

HIDING = (b'"clear"', b'"summary"', b'"compaction"')


def shows(view):
    return [(m.id, m.parts if m.committed else None, m.pending) for m in view.messages]


@given(data=some.files_of(refs=True), choice=st.data())
def test_a_fork_shows_the_messages_up_to_its_last_as_they_are_now(data, choice):
    """Edited, committed or undone since, they are so in the fork too."""
    kept = [line for line in lines_of(data) if not any(word in line for word in HIDING)]
    view = fold(parse(kept))
    if not view.messages:
        return
    at = choice.draw(st.integers(0, len(view.messages) - 1))
    records = up_to(view, view.messages[at])
    forked = fold(parse([record.raw + b"\n" for record in records]))
    assert shows(forked) == shows(view)[: at + 1]


def test_edit_and_resend(home):
    """An edited prompt that is not last: payload says how, and the fork asks what it says now."""
    for role, text in (("user", "one"), ("model", "two"), ("user", "three"), ("model", "four")):
        run("append", "-s", "demo", "--role", role, "-m", text)
    id = run("update", "-s", "demo", ":3", "-m", "3rd").text
    refused = run("payload", "demo", "--to", "gemini")
    assert refused.code == 65
    assert f"`fork --at {id}`".encode() in refused.err
    assert run("fork", "demo", "--at", id, "--into", "again").code == 0
    (request,) = lines(run("payload", "again", "--to", "gemini").out)
    assert [content["parts"][0]["text"] for content in request["contents"]] == ["one", "two", "3rd"]
    run("undo", "-s", "demo")
    assert b"append a user's" in run("payload", "demo", "--to", "gemini").err


def test_what_was_undone_is_not_in_a_fork_made_after_it(home):
    ids = [run("append", "-s", "demo", "-m", text).text for text in "abc"]
    run("undo", "-s", "demo", "--id", ids[1])
    run("fork", "demo", "--at", ids[2], "--into", "new")
    texts = [
        orjson.loads(line)["parts"][0]["text"] for line in run("show", "new", "--jsonl").out.splitlines()
    ]
    assert texts == ["a", "c"]
