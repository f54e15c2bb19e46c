"""What stands for large content."""

import orjson

from codeh_history.session.ops import apply
from compact.long import IMAGE, output
from compact.short import asked, plan, said, tokens
from histories import model, result, session, tool, user


def shrunk(response, share=0.5, name="bash"):
    """What is left of a response that is far too large, once enough newer ones stand behind it."""
    newer = [m for n in range(3) for m in asked(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *asked("c", name, {"path": "x"}, response), *newer, user("on")])
    large = tokens(session([tool(result(name, "c", response))]))
    found = plan(view, int(tokens(view) - large * share))
    assert found.stages == ["outputs"]
    assert [op["id"] for op in found.ops] == ["m2"]
    return apply(view, found.ops).messages[2].parts[0]["functionResponse"]


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
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["outputs"]
    text = apply(view, found.ops).messages[0].parts[1]["text"]
    assert text == "[… image/png 640x480, 24 bytes left out; codeh-history expand m0]"


def test_arguments_stay_json_with_the_same_keys():
    args = {
        "path": "src/a.py",
        "edits": [{"old": output(1, 600), "new": output(2, 600)}],
        "dry": False,
        "n": 3,
    }
    old = asked("c", "edit", args, {"output": "done"})
    newer = [m for n in range(3) for m in asked(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *old, *newer, user("on")])
    found = plan(view, tokens(view) - 14_000)
    assert found.stages == ["arguments"]
    left = apply(view, found.ops).messages[1].parts[0]["functionCall"]
    assert left["args"]["path"] == "src/a.py"
    assert (left["args"]["dry"], left["args"]["n"]) == (False, 3)
    assert list(left["args"]["edits"][0]) == ["old", "new"]
    assert all("codeh-history expand m1]" in text for text in left["args"]["edits"][0].values())


def test_a_stub_is_never_stubbed_again():
    view = session(
        [user("go"), *asked("c", "bash", {}, {"output": output(1, 4000)}), user("on"), model("ok")]
    )
    once = apply(view, plan(view, tokens(view) // 2).ops)
    twice = apply(once, plan(once, tokens(once) // 2).ops)
    assert said(twice).count("left out; codeh-history expand") <= 1
