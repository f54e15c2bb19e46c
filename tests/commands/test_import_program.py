"""`import FILE`: what is not as in the source is said, a line a kind, and branches only where they are wanted."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.commands.import_ import tell
from codeh_history.commands.import_.copy import Brought, with_branches
from codeh_history.programs.model import ABANDONED, Problem, Session, Used
from inside import inside
from program_files import Pi, written

BROUGHT = Brought("p-s", 1, created=True)


class Asked(NamedTuple):
    into: str | None = None
    report: bool = False
    verbose: bool = False
    strict: bool = False
    branches: bool = False


def told(tmp_path, session, brought=BROUGHT, **asked):
    with (tmp_path / "err").open("wb") as err:
        tell(Env({}, stderr=err.fileno()), Asked(**asked), "f", session, brought)
    return (tmp_path / "err").read_text().replace("codeh-history: f: ", "").splitlines()


def test_what_was_mended_or_skipped_is_said_with_its_line_and_nothing_else(tmp_path):
    session = Session("p", "s", problems=[
        Problem(3, "skips", "not JSON"), Problem(0, "forgets", "no parent", "by its place"), Problem(4, "doubles", "twice"),
    ])  # fmt: skip
    assert told(tmp_path, session) == ["line 3: not JSON", "no parent (by its place)"]


def test_strict_refuses_a_file_of_which_a_line_is_lost(tmp_path):
    file = Pi()
    file.user("a", "one")
    path = written(tmp_path / "s.jsonl", [*file.lines, "{damage"])
    done = inside("import", "--strict", str(path), home=tmp_path)
    assert (done.code, done.out) == (65, b"")
    assert b"line 3: not an object" in done.err
    assert done.err.endswith(b"; nothing was imported\n")
    assert inside("import", str(path), home=tmp_path).code == 0


def test_of_many_the_first_are_named_and_all_are_reported(tmp_path):
    session = Session("p", "s", problems=[Problem(n, "skips", "not JSON") for n in range(1, 26)])
    said = told(tmp_path, session)
    assert len(said) == 21
    assert said[-1] == "and 5 more (`codeh-history verify f` lists all)"
    reported = [orjson.loads(line) for line in told(tmp_path, session, report=True) if line.startswith("{")]
    assert [line["line"] for line in reported] == list(range(1, 26))
    assert {line["session"] for line in reported} == {"p-s"}


def test_2026_11_23_what_was_said_comes_before_what_the_interface_keeps(tmp_path):
    session = Session("p", "s", left=Counter({"thought": 2, "zebra": 1}))
    for kind in ("attachment", "attachment", "mode"):
        session.skip(kind)
    said = ["not imported: 2 thought", "not imported: 1 zebra"]
    assert told(tmp_path, session) == [*said, "not imported: 3 interface records (-v names them)"]
    assert told(tmp_path, session, verbose=True) == [
        *said,
        "not imported: 2 attachment",
        "not imported: 1 mode",
    ]
    reported = [line for line in told(tmp_path, session, report=True) if line.startswith("{")]
    assert [orjson.loads(line)["left"] for line in reported] == ["thought", "zebra", "attachment", "mode"]


def test_what_was_left_out_is_counted_a_line_a_kind(tmp_path):
    session = Session("p", "s", left=Counter({"thought": 2, "attachment": 1}))
    assert told(tmp_path, session) == ["not imported: 1 attachment", "not imported: 2 thought"]
    assert orjson.loads(told(tmp_path, session, report=True)[2]) == {
        "session": "p-s",
        "left": "attachment",
        "count": 1,
    }


def test_where_it_went_apart_it_is_said_where_what_is_new_is(tmp_path):
    said = told(
        tmp_path, Session("p", "s"), Brought("p-s-2", 1, created=True, apart="it was continued here")
    )
    assert said == ["it was continued here: new messages went to p-s-2"]


@pytest.mark.parametrize("wanted", [True, False])
def test_branches_and_sub_agents_are_sessions_where_they_are_wanted(*, wanted):
    branch = Session("p", "b")
    session = Session("p", "s", left=Counter({ABANDONED: 3, "other": 1}), branches=lambda: [branch],
                      used=lambda: [Used("u", None, {})])  # fmt: skip
    found = list(with_branches([session], branches=wanted))
    assert found == ([session, branch] if wanted else [session])
    assert session.left == ({"other": 1} if wanted else {ABANDONED: 3, "other": 1})
    assert bool(list(session.used())) == (not wanted)
    assert list(session.branches()) == []  # what holds all of the file is let go
