"""The stages that lose little: superseded and repeated content, thoughts, references."""

import pytest

from codeh_history.session.ops import apply
from compact.long import output
from compact.short import asked, plan, said, tokens
from histories import model, session, user

IDE = "# IDE Context\n" + "open: src/a.py\n" * 200


def test_only_the_newest_ide_context_survives_the_first_stage():
    view = session([user(IDE), user("a"), model("b"), user(IDE + "x"), user("c"), model("d")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["superseded"]
    assert found.ops == [{"op": "drop", "ids": ["m0"], "why": "superseded by newer IDE context"}]


@pytest.mark.parametrize(("later", "stale"), [
    (("read_file", {"path": "a.py"}), True), (("read_file", {"path": "b.py"}), False),
    (("read_file", {"path": "a.py", "offset": 5}), False), (("write_file", {"path": "a.py", "content": "x"}), True),
    (("edit", {"path": "a.py", "new": "x"}), False), (("grep", {"path": "a.py"}), False),
])  # fmt: skip
def test_a_read_that_a_later_call_covers_is_stale(later, stale):
    first = asked("c1", "read_file", {"path": "a.py"}, {"output": output(1, 1500)})
    newer = asked("c2", *later, {"output": output(2, 1500)})  # the newest 40,000 tool tokens are left alone
    view = session(
        [user("go"), *first, *newer, *asked("c3", "bash", {}, {"output": output(3, 1500)}), user("on")]
    )
    found = plan(view, tokens(view) - 10)
    assert (found.stages == ["superseded"]) == stale
    if stale:
        assert "a.py was read or written again later" in said(apply(view, found.ops))


def test_of_equal_outputs_the_newest_stays():
    parts = [
        asked(f"c{n}", "bash", {"n": n}, {"output": output(1 if n < 2 else n, 1500)}) for n in range(4)
    ]
    view = session([user("go"), *[message for pair in parts for message in pair], user("on")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["repeated"]
    assert [op["id"] for op in found.ops] == ["m2"]
    assert "the same again in m4" in said(apply(view, found.ops))


def test_outputs_that_differ_in_their_midst_alone_are_not_equal():
    """Of A, B, B, A, C, which are equally long and begin and end alike, A and B are there twice."""
    texts = [output(1, 1500).replace("handle", word) for word in "look find find look tell".split()]
    texts = ["x" * 40 + text + "x" * 40 for text in texts]
    parts = [asked(f"c{n}", "bash", {"n": n}, {"output": text}) for n, text in enumerate(texts)]
    last = asked("d", "bash", {}, {"output": output(9, 30_000)})
    view = session([user("go"), *[message for pair in parts for message in pair], *last, user("on")])
    found = plan(view, tokens(view) - 22_000)
    assert [(op["id"], op["why"]) for op in found.ops] == [
        ("m2", "the same again in m8"), ("m4", "the same again in m6"),
    ]  # fmt: skip
