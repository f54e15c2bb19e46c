"""What a budget went to, as a table or as a line of JSON, on stderr."""

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.render.explanation import labelled, tables, tell

FOUND = {
    "session": "s", "counter": "approx", "budget": 1000, "before": 3000, "after": 900,
    "spent": {"prompts": 600, "answers": 300, "tools": 0},
    "let_go": {"results": {"parts": 1200, "tokens": 2000}, "images": {"parts": 1, "tokens": 100}},
    "largest": [{"n": 3, "part": 0, "what": "result", "name": "ls", "text": "a.py", "tokens": 500}],
}  # fmt: skip


def told(tmp_path, found, *, json):
    with (tmp_path / "err").open("wb") as err:
        env = Env({}, stderr=err.fileno())
        env.quiet = True  # it was asked for
        tell(env, found, json=json)
    return (tmp_path / "err").read_text()


def test_as_json_it_is_the_whole_of_it_on_one_line(tmp_path):
    said = told(tmp_path, FOUND, json=True)
    assert said.count("\n") == 1
    assert orjson.loads(said) == FOUND


def test_in_a_pipe_each_amount_is_a_line(tmp_path):
    rows = [line.split("\t") for line in told(tmp_path, FOUND, json=False).splitlines()]
    assert rows[:4] == [["counter", "approx"], ["budget", "1000"], ["before", "3000"], ["after", "900"]]
    assert [row[:4] for row in rows[4:]] == [
        ["spent", "prompts", "600", "60%"], ["spent", "answers", "300", "30%"], ["spent", "free", "100", "10%"],
        ["let go", "results (1,200)", "2000", "95%"], ["let go", "images (1)", "100", "5%"],
        ["largest", ":3.0 result ls: a.py", "500", "56%"],
    ]  # fmt: skip


def test_without_a_budget_all_is_shared_and_nothing_is_free(tmp_path):
    found = {**FOUND, "budget": None, "let_go": {}, "largest": []}
    groups, wholes = tables(found)
    assert groups["spent"] == {"prompts": 600, "answers": 300}
    assert wholes["spent"] == 900
    assert "budget" not in told(tmp_path, found, json=False)
    over, _ = tables({**FOUND, "after": 1100})
    assert "free" not in over["spent"]


@pytest.mark.parametrize(
    ("part", "label"),
    [
        ({"n": 12, "part": 0, "what": "result", "name": "ls", "text": "a"}, ":12.0 result ls: a"),
        ({"n": 1, "part": 2, "what": "text", "id": "m1", "text": "hi"}, ":1.2 text: hi"),
        ({"what": "summary", "id": "s1", "text": "x"}, "summary s1: x"), ({"what": "system", "text": ""}, "system"),
        ({"what": "tool", "name": "ls"}, "tool ls"), ({"n": 1, "part": 0, "what": "image", "name": None}, ":1.0 image"),
    ],
)  # fmt: skip
def test_what_is_large_is_named_by_its_place(part, label):
    assert labelled(part) == label
