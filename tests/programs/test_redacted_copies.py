"""What `redact -i` removed from a copy of another program's session comes back by no import, whatever becomes of the source."""

import pytest

from inside import inside
from program_files import SESSION, Claude, Codex

KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 7 + "AA"
COPY = f"claude-code-{SESSION}"


def source():
    """A key in the title, a prompt, an answer that goes on, a result, and what a summary covers."""
    file = Claude()
    file.lines.append({"type": "custom-title", "customTitle": f"About {KEY}", "sessionId": SESSION})
    file.user("a", f"my key is {KEY}")
    file.said("b", f"the key {KEY}", id="m")
    file.called("c", "A", id="m2")
    file.result("d", "A", f"key={KEY}")
    file.compacted("s", f"a talk of {KEY}")
    file.user("e", "go on")
    return file


def grown(file):
    file.said("f", "done")
    file.user("g", "thanks")


def said_otherwise(file):
    for line in file.lines:
        if line.get("uuid") == "a":
            line["message"]["content"] += " really"
        if line.get("uuid") == "d":
            line["message"]["content"][0]["content"] += " really"


def in_another_order(file):
    at = {line.get("uuid"): line for line in file.lines}
    at["a"]["parentUuid"], at["b"]["parentUuid"], at["c"]["parentUuid"] = "b", None, "a"
    file.said("f", "done")


def with_more_of_an_answer(file):
    at = next(n for n, line in enumerate(file.lines) if line.get("uuid") == "b")
    more = {**file.lines[at], "uuid": "b2", "parentUuid": "b"}
    more["message"] = {**more["message"], "content": [{"type": "text", "text": "and more"}]}
    file.lines.insert(at + 1, more)
    file.lines[at + 2]["parentUuid"] = "b2"


def without_its_end(file):
    del file.lines[5:]


def retitled(file):
    file.lines.append({"type": "custom-title", "customTitle": f"Of {KEY}", "sessionId": SESSION})


@pytest.mark.parametrize(
    "here", [None, ["append", "-m", "mine"], ["undo", "--id", ":1"], ["persist", "-i", "--all"]]
)
@pytest.mark.parametrize(
    "then",
    [grown, said_otherwise, in_another_order, with_more_of_an_answer, without_its_end, retitled],
)
def test_2026_11_23_what_was_redacted_in_a_copy_comes_back_by_no_import(then, here, tmp_path):
    """It came back into the copy that follows one that was continued, and with what else an answer said."""
    file, home = source(), tmp_path / "home"
    inside("import", str(file.write(tmp_path)), home=home)
    assert inside("redact", COPY, "-i", "--yes", home=home).code == 0
    if here:
        assert inside(*here[:1], "-s", COPY, *here[1:], home=home).code == 0
    for change in (then, grown):
        change(file)
        for _ in range(2):
            done = inside("import", str(file.write(tmp_path)), home=home)
            assert done.code == 0, done.err
    found = [path for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert found == []


def test_2026_11_23_nor_with_a_branch_that_begins_as_it_did(tmp_path):
    file, home = Claude(), tmp_path / "home"
    file.user("a", f"my key is {KEY}")
    file.said("b", "noted")
    file.user("x", "abandoned")
    file.user("c", "kept", "b")
    path = str(file.write(tmp_path))
    inside("import", path, home=home)
    assert inside("redact", COPY, "-i", "--yes", home=home).code == 0
    for _ in range(2):
        assert inside("import", path, "--branches", home=home).text.split()[-1] == f"{COPY}-x"
    branch = (home / "sessions" / f"{COPY}-x.jsonl").read_text()
    assert KEY not in branch
    assert "[redacted:anthropic-key]" in branch
    assert "abandoned" in branch


@pytest.mark.parametrize("parent", ["../../x", "a/b.jsonl", "", "ü", "x" * 300])
def test_a_parent_that_is_no_id_is_looked_for_nowhere(parent, tmp_path):
    file = Codex()
    file.lines[0]["payload"]["forked_from_id"] = parent
    file.user("hi")
    done = inside("import", str(file.write(tmp_path)), home=tmp_path / "home")
    assert done.code == 0, done.err
