"""The stages that lose little: repeated content, thoughts, references, and stubs in place of large content."""

import orjson
import pytest

from codeh_history.filters.compact import Settings, stages, stubs
from codeh_history.filters.compact.draft import Draft, History
from codeh_history.session.ops import apply
from codeh_history.tokens.counter import open_counter
from codeh_history.tokens.formula import text_tokens
from compact.long import IMAGE, output, prose
from compact.short import COUNTER, plan, sources, texts_of, tokens, tool_call
from histories import call, model, result, session, tool, user

IDE = "# IDE Context\n" + "open: src/a.py\n" * 200


def test_only_the_newest_ide_context_survives_the_first_stage():
    view = session([user(IDE), user("a"), model("b"), user(IDE + "x"), user("c"), model("d")])
    done = plan(view, tokens(view) - 10)
    assert done.stages == ["superseded"]
    assert done.ops == [{"op": "drop", "ids": ["m0"], "why": "superseded by newer IDE context"}]


@pytest.mark.parametrize(("later", "stale"), [
    (("read_file", {"path": "a.py"}), True), (("read_file", {"path": "b.py"}), False),
    (("read_file", {"path": "a.py", "offset": 5}), False), (("write_file", {"path": "a.py", "content": "x"}), True),
    (("edit", {"path": "a.py", "new": "x"}), False), (("grep", {"path": "a.py"}), False),
])  # fmt: skip
def test_a_read_that_a_later_call_covers_is_stale(later, stale):
    first = tool_call("c1", "read_file", {"path": "a.py"}, {"output": output(1, 1500)})
    newer = tool_call(
        "c2", *later, {"output": output(2, 1500)}
    )  # the newest 40,000 tool tokens are left alone
    view = session(
        [user("go"), *first, *newer, *tool_call("c3", "bash", {}, {"output": output(3, 1500)}), user("on")]
    )
    done = plan(view, tokens(view) - 10)
    assert (done.stages == ["superseded"]) == stale
    if stale:
        assert "a.py was read or written again later" in texts_of(apply(view, done.ops))


def test_of_equal_outputs_the_newest_stays():
    parts = [
        tool_call(f"c{n}", "bash", {"n": n}, {"output": output(1 if n < 2 else n, 1500)}) for n in range(4)
    ]
    view = session([user("go"), *[message for pair in parts for message in pair], user("on")])
    done = plan(view, tokens(view) - 10)
    assert done.stages == ["repeated"]
    assert [op["id"] for op in done.ops] == ["m2"]
    assert "the same again in m4" in texts_of(apply(view, done.ops))


def test_outputs_that_differ_in_their_midst_alone_are_not_equal():
    """Of A, B, B, A, C, which are equally long and begin and end alike, A and B are there twice."""
    texts = [output(1, 1500).replace("handle", word) for word in "look find find look tell".split()]
    texts = ["x" * 40 + text + "x" * 40 for text in texts]
    parts = [tool_call(f"c{n}", "bash", {"n": n}, {"output": text}) for n, text in enumerate(texts)]
    last = tool_call("d", "bash", {}, {"output": output(9, 30_000)})
    view = session([user("go"), *[message for pair in parts for message in pair], *last, user("on")])
    done = plan(view, tokens(view) - 22_000)
    assert [(op["id"], op["why"]) for op in done.ops] == [
        ("m2", "the same again in m8"), ("m4", "the same again in m6"),
    ]  # fmt: skip


def test_old_thoughts_go_whole_and_the_live_loop_keeps_its_own():
    thought = {"text": prose(3, 300), "thought": True}
    view = session([
        user("a"), model(thought, "b"), model(thought, call("f", "c1")), tool(result("f", "c1")),
        user("c"), model(thought, call("f", "c2")), tool(result("f", "c2")),
    ])  # fmt: skip
    done = plan(view, tokens(view) - 3 * text_tokens(COUNTER, thought["text"]) // 2)
    assert done.stages == ["thoughts"]
    assert [(op["id"], op["part"], op["with"]) for op in done.ops] == [("m1", 0, None), ("m2", 0, None)]


@pytest.mark.parametrize(
    ("count", "overshoot", "left"),
    [(10, 1.2, 8), (10, 1.33, 7), (10, 1.34, 8), (10, 2, 5), (10, 100, 1), (1, 1.34, 1), (2, 1e9, 1)],
)
def test_how_many_references_an_overshoot_leaves(count, overshoot, left):
    assert stages.references_to_keep(count, overshoot) == left


def test_uncited_references_go_first_and_numbers_stay():
    view = session([
        user("find"), *tool_call("c", "search", {}, sources(0, 1, 2, 3, 4)),
        model("As [Source0] and [source3] say."), user("more"), model("ok"),
    ])  # fmt: skip
    done = plan(view, tokens(view) - 200)
    assert done.stages == ["references"]
    left = apply(view, done.ops).messages[2].parts[0]["functionResponse"]["response"]["sources"]
    assert [item["source_number"] for item in left] == [0, 3]


ITEM = {"source_number": 3, "content": "x"}


@pytest.mark.parametrize(
    ("response", "key"),
    [
        ({"sources": [ITEM]}, "sources"), ({"results": [{"number": 1}]}, "results"), ({"chunks": [ITEM], "n": 1}, "chunks"), ({"sources": []}, None), ({"sources": "none"}, None),
        ({"sources": [ITEM, {}]}, None), ({"sources": [{"number": "3"}]}, None), ({"sources": [{"number": True}]}, None), ({"sources": [5]}, None), ({"rows": [ITEM]}, None), ("x", None), (None, None),
        ({"sources": [{}], "references": [ITEM]}, "references"),
    ],
)  # fmt: skip
def test_numbered_references_are_known_as_such(response, key):
    key_of = stages.sources_of({"functionResponse": {"name": "f", "response": response}})
    assert (key_of and key_of[0]) == key
    assert stages.sources_of({"text": "a"}) is None


def test_the_rest_of_a_response_stays_beside_its_references():
    part = {
        "functionResponse": {"id": "1", "name": "f", "response": {"sources": [ITEM, ITEM], "n": 2}},
        "more": 1,
    }
    assert stages.with_sources(part, "sources", [ITEM]) == {
        "functionResponse": {"id": "1", "name": "f", "response": {"sources": [ITEM], "n": 2}}, "more": 1,
    }  # fmt: skip
    assert "did not produce" in str(stages.with_sources(part, "sources", []))


def test_the_newest_tool_tokens_stay_whole_when_they_can():
    loop = [m for n in range(60) for m in tool_call(f"c{n}", "bash", {"n": n}, {"output": output(n, 120)})]
    view = session([user("do it"), *loop, model("done")])
    done = plan(view, tokens(view) - 40_000)
    changed = {id for op in done.ops for id in op.get("ids", [op.get("id")])}
    left = 40_000
    for message in reversed(view.messages[1:-1]):
        left -= tokens(session([{"kind": message.kind, "role": message.role, "parts": message.parts}])) - 7
        if left > 0:
            assert message.id not in changed


# -- what may shrink ------------------------------------------------------------------------------------

APPROX = open_counter("approx")


def draft(view, target=0):
    return Draft(History(view, APPROX, Settings(budget=target)), target)


def loop(count, lines=60):
    return [
        m for n in range(count) for m in tool_call(f"c{n}", "bash", {"n": n}, {"output": output(n, lines)})
    ]


def test_the_newest_calls_and_results_stay_that_fit_together():
    made = draft(session([user("a"), *loop(4), user("b")]))
    places = [(number, 0) for number in range(1, 9)]
    sizes = [made.size(place) for place in places]
    assert stages.older(made, sum(sizes)) == []
    assert stages.older(made, sizes[-1]) == places[:7]
    assert stages.older(made, sizes[-1] + sizes[-2]) == places[:6]
    assert stages.older(made, sizes[-1] - 1) == places
    made.drop("s", [7, 8], "w")
    assert stages.older(made, sizes[5]) == places[:5]


def test_stubs_are_made_of_the_oldest_and_only_as_many_as_are_needed():
    view = session([user("a"), *loop(40, 400), user("b")])
    made = draft(view)
    made.target = made.total - made.size((2, 0)) // 2
    stages.outputs(made)
    assert made.fits
    assert {number for number, _ in made.new} == {2}


def test_parts_are_cut_to_the_one_level_that_fits_and_keep_their_ends():
    for count in (2, 4, 6):
        made = draft(session([user("a"), *loop(3, 300), user("b")]))
        made.target = made.total - made.size((2, 0)) * count // 3
        stages.shrink(made, "s", [(2, 0), (4, 0), (6, 0)], 50)
        assert 0.98 * made.target < made.total <= made.target
        sizes = [made.size(place) for place in made.new]
        assert max(sizes) - min(sizes) < 0.2 * max(sizes)
        assert all("expand m" in str(new) for new in made.new.values())


def test_files_of_the_newest_exchanges_stay():
    view = session([user("a", IMAGE), user("b", IMAGE), user("c", IMAGE), model("d")])
    made = draft(view)
    stages.outputs(made)
    assert set(made.new) == {(0, 1)}


def test_results_of_the_last_unit_are_cut_alike_and_to_marks_where_nothing_else_fits():
    calls = [call("f", str(n)) for n in range(3)]
    results = [result("f", str(n), {"output": output(n, 100 if n else 2)}) for n in range(3)]
    view = session([user("a"), model(*calls), tool(*results)])
    made = draft(view)
    made.target = made.total - made.size((2, 1)) // 2
    stages.last_unit(made)
    assert made.fits
    assert set(made.new) == {(2, 1), (2, 2)}
    bare = draft(view, 1)
    stages.last_unit(bare)
    assert all(stubs.is_bare(new) for new in bare.new.values() if new is not None)
    assert bare.total < made.total


def shrunk(response, share=0.5, name="bash"):
    """What is left of a response that is far too large, once enough newer ones stand behind it."""
    newer = [m for n in range(3) for m in tool_call(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *tool_call("c", name, {"path": "x"}, response), *newer, user("on")])
    large = tokens(session([tool(result(name, "c", response))]))
    done = plan(view, int(tokens(view) - large * share))
    assert done.stages == ["outputs"]
    assert [op["id"] for op in done.ops] == ["m2"]
    return apply(view, done.ops).messages[2].parts[0]["functionResponse"]


def test_a_stub_keeps_head_tail_every_error_size_and_the_id_to_expand():
    lines = [f"line {n} of the build" for n in range(3000)]
    lines[1200] = "src/app/main.py:12: error: name 'frobnicate' is not defined"
    lines[2000] = "ERROR: step 7 failed"
    left = shrunk({"output": "\n".join(lines)})
    assert {"id", "name", "response"} == set(left)
    kept = left["response"]["output"].split("\n")
    assert kept[0] == lines[0]
    assert kept[-1] == lines[-1]
    assert lines[1200] in kept
    assert lines[2000] in kept
    assert any("3,000 lines" in line and "codeh-history expand m2]" in line for line in kept)


def test_a_stub_of_one_line_of_json_keeps_its_ends():
    text = orjson.dumps([{"id": n, "name": f"row {n}"} for n in range(4000)]).decode()
    kept = shrunk({"output": text})["response"]["output"]
    assert kept.startswith(text[:50])
    assert kept.endswith(text[-20:])
    assert len(kept) < len(text) / 1.5


def test_a_response_stays_an_object_with_its_other_fields():
    left = shrunk({"stdout": output(9, 2000), "exit_code": 2, "cwd": "/srv"})["response"]
    assert list(left) == ["stdout", "exit_code", "cwd"]
    assert left["exit_code"] == 2
    rows = shrunk({"rows": [{"id": n, "name": f"row_{n}"} for n in range(4000)]})["response"]
    assert list(rows) == ["output"]
    assert list(shrunk({"error": output(9, 2000)})["response"]) == ["error"]


def test_media_become_type_dimensions_and_size():
    view = session([user("look", IMAGE), model("seen"), user("a"), model("b"), user("c"), model("d")])
    done = plan(view, tokens(view) - 10)
    assert done.stages == ["outputs"]
    text = apply(view, done.ops).messages[0].parts[1]["text"]
    assert text == "[… image/png 640x480, 24 bytes left out; codeh-history expand m0]"


def test_arguments_stay_json_with_the_same_keys():
    args = {
        "path": "src/a.py",
        "edits": [{"old": output(1, 600), "new": output(2, 600)}],
        "dry": False,
        "n": 3,
    }
    old = tool_call("c", "edit", args, {"output": "done"})
    newer = [m for n in range(3) for m in tool_call(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *old, *newer, user("on")])
    done = plan(view, tokens(view) - 14_000)
    assert done.stages == ["arguments"]
    left = apply(view, done.ops).messages[1].parts[0]["functionCall"]
    assert left["args"]["path"] == "src/a.py"
    assert (left["args"]["dry"], left["args"]["n"]) == (False, 3)
    assert list(left["args"]["edits"][0]) == ["old", "new"]
    assert all("codeh-history expand m1]" in text for text in left["args"]["edits"][0].values())


@pytest.mark.parametrize("part", [
    {"text": "A line of text.\n" * 400},
    {"functionCall": {"id": "c", "name": "write", "args": {"path": "a.py", "text": "value = 1\n" * 400}}},
    {"functionResponse": {"id": "c", "name": "read", "response": {"output": "value = 1\n" * 400}}},
])  # fmt: skip
def test_a_stub_is_never_shortened_again(part):
    stub = stubs.shorten(part, "m1", 0.2)
    assert 0 < len(str(stub)) < len(str(part)) / 2
    assert stubs.shorten(stub, "m1", 0.2) is None


@pytest.mark.parametrize("share", [0, 0.1])
def test_in_a_prompt_with_a_paste_its_authors_lines_stay_word_for_word(share):
    question = "This is what the job on the machine in the basement printed last night, and I do not\nsee why it stops."
    text = f"{question}\n```\n{output(3, 200)}\n```\nPlease look at the handlers."
    left = stubs.shorten_prompt({"text": text}, "m1", share)["text"]
    assert left.startswith(question)
    assert left.endswith("Please look at the handlers.")
    assert (len(left) < 300) == (share == 0)
    assert left.count("left out; codeh-history expand m1]") == 1


def test_a_response_of_numbers_alone_becomes_a_stub_too():
    part = {"functionResponse": {"name": "f", "response": {"rows": [*range(3000)]}}}
    assert len(str(stubs.shorten(part, "m1", 0.1))) < len(str(part)) / 5
