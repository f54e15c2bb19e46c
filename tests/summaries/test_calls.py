"""What calls touched, and how they went: files, failures, what went well later."""

import pytest

from codeh_history.session.pairing import pair
from codeh_history.summaries.ledger import Ledger
from compact.short import tool_call
from recorded import view_of


def ledger(turns):
    return Ledger(pair(view_of(turns).messages).calls)


def call(number, name, args, response):
    return tool_call(f"planted{name}{number}", name, args, response)


@pytest.mark.parametrize(
    "name, args, read, modified",
    [
        ("read_file", {"path": "a/b.py"}, ["a/b.py"], []),
        ("Edit", {"file_path": "/x/y.ts"}, [], ["/x/y.ts"]),
        ("bash", {"command": "cat src/a.c | head; echo hi > out/log.txt"}, ["src/a.c"], ["out/log.txt"]),
        ("shell", {"command": ["bash", "-lc", "sed -i s/a/b/ conf/x.ini"]}, [], ["conf/x.ini"]),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/k.rs\n+x"}, [], ["src/k.rs"]),
        (
            "shell",
            {"command": ["apply_patch", "*** Begin Patch\n*** Add File: src/l.rs\n+x"]},
            [],
            ["src/l.rs"],
        ),
        (
            "bash",
            {"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: m.rs\nEOF"},
            [],
            ["m.rs"],
        ),
        ("str_replace_based_edit_tool", {"command": "view", "path": "q.md"}, ["q.md"], []),
        ("move_note", {"source": "In/a b.md", "target": "Out/a b.md"}, [], ["In/a b.md", "Out/a b.md"]),
        ("get_user", {"name": "Dana", "target": "Leeds"}, [], []),
        ("bash", {"command": "sed -i '' 's/new A/new B/' src/n.ts"}, [], ["src/n.ts"]),
    ],
)
def test_files_of_calls(name, args, read, modified):
    done = ledger(call(1, name, args, {"output": "ok"}))
    states = {path: state != "read" for path, (state, _) in done.files.items()}
    assert [path for path, changed in states.items() if not changed] == read
    assert [path for path, changed in states.items() if changed] == modified


def test_of_an_update_the_newest_state_counts_and_other_fields_stay():
    args = [
        {"id": 1, "status": "begun"},
        {"id": 2, "status": "begun"},
        {"id": 1, "owner": "Jo"},
        {"id": 1, "status": "done"},
    ]
    turns = [turn for n, some in enumerate(args) for turn in call(n, "update_task", some, {"output": "ok"})]
    done = [what for what, _ in ledger(turns).actions.values()]
    assert done == [
        "update_task(id=2, status=begun)",
        "update_task(id=1, owner=Jo)",
        "update_task(id=1, status=done)",
    ]


def test_the_arguments_that_matter_come_before_long_ones_and_empty_calls_are_no_acts():
    root = "/home/me/a/very/long/path/to/the/root/of/the/project"
    args = [{"projectRoot": root, "id": n, "title": "x", "status": "done"} for n in (1, 2)]
    turns = [
        turn
        for n, some in enumerate([*args, {}])
        for turn in call(n, "update_task", some, {"output": "ok"})
    ]
    done = [what for what, _ in ledger(turns).actions.values()]
    assert done == [f"update_task(id={n}, status=done, title=x, projectRoot={root})" for n in (1, 2)]


@pytest.mark.parametrize(
    "name, response, expected",
    [
        ("bash", {"output": "1 passed"}, ""),
        (
            "bash",
            {"output": "E  AssertionError: 1 != 2\nCommand exited with code 1"},
            "E AssertionError: 1 != 2",
        ),
        ("bash", {"exit_code": 3, "stdout": ""}, "exit 3"),
        ("read_file", {"output": "def error(): raise ValueError('Error: x')"}, ""),
        ("book", {"output": "Error: seat taken"}, "Error: seat taken"),
        ("book", {"error": "Tool call book failed with error: seat taken"}, "seat taken"),
        ("book", {"success": False, "reason": "no seats"}, "no seats"),
        (
            "bash",
            {
                "output": "FAILURE: Build failed with an exception.\n\nExecution failed for task ':core:lint'."
            },
            "Execution failed for task ':core:lint'.",
        ),
        (
            "bash",
            {"output": "src/a.py:10:80: E501 too long\n1 error", "metadata": {"exit": 1}},
            "src/a.py:10:80: E501 too long",
        ),
        (
            "bash",
            {"output": "a.hs:3:5: error:\n    Variable not in scope: total :: Int\n", "exit_code": 1},
            "a.hs:3:5: error: Variable not in scope: total :: Int",
        ),
        (
            "bash",
            {
                "output": "  × No solution found for what is wanted:\n  ╰─▶ Because a==1 needs b, c cannot be used.",
                "exit_code": 1,
            },
            "╰─▶ Because a==1 needs b, c cannot be used.",
        ),
        (
            "bash",
            {
                "output": "FAIL src/a.test.js\n  ● adds\n    expect(received).toBe(expected)\n",
                "exit_code": 1,
            },
            "FAIL src/a.test.js expect(received).toBe(expected)",
        ),
        (
            "bash",
            {"output": "error: this loop never loops\n  --> log/src/a.rs:12:5\n", "exit_code": 101},
            "error: this loop never loops --> log/src/a.rs:12:5",
        ),
        (
            "bash",
            {
                "output": "--- FAIL: TestLog (0.00s)\n    log_test.go:12: got 3, want 4\nFAIL",
                "exit_code": 1,
            },
            "--- FAIL: TestLog (0.00s) log_test.go:12: got 3, want 4",
        ),
        ("bash", {"output": '{"output":"nothing here","metadata":{"exit_code":2}}'}, "nothing here"),
        ("bash", {"output": "error: shown by a test\n" + "ok\n" * 6 + "6 pass\n0 fail"}, ""),
        ("bash", {"output": "hook refused it\nexit: 1"}, "hook refused it"),
        (
            "edit",
            {"error": "shell 3 was stopped\n\nothers:\n  cat x || echo not found"},
            "shell 3 was stopped",
        ),
        (
            "bash",
            {
                "output": "Output: ERROR: no wheel for a-b\nError: (none)\nExit Code: 1\nProcess Group PGID: 7"
            },
            "ERROR: no wheel for a-b",
        ),
    ],
)
def test_failures_of_calls(name, response, expected):
    done = ledger(call(1, name, {"command": "make test"}, response))
    assert [text.partition(": ")[2] for text, _ in done.failures.values()] == (
        [expected] if expected else []
    )


def test_the_same_command_with_another_outlet_is_the_same():
    runs = [
        ("make check 2>&1 | grep a", "error: one is not b.py"), ("make check", "error: two is not c.py"), ("make test", "error: d.py"),
        ("make check > log", "fine"), ('grep -c "x" log | tail -1', "0\nCommand exited with code 1"),
    ]  # fmt: skip
    done = ledger(
        [m for n, (c, o) in enumerate(runs) for m in call(n, "bash", {"command": c}, {"output": o})]
    )
    assert list(done.failures) == ["`make check`", "`make test`"]
    assert done.passed == {"`make check`"}


LONG = "so that the arguments of this call are far too long to be shown in one line of a summary " * 3


@pytest.mark.parametrize(("name", "failed", "passes", "again"), [
    ("book", {"flight": "F1", "card": "c1"}, {"flight": "F1", "card": "c2"}, False), ("book", {"flight": "F1", "card": "c1"}, {"flight": "F1", "card": "c1"}, True),
    ("book", {"flight": "F1", "cards": [{"id": 1}]}, {"flight": "F1", "cards": [{"id": 2}]}, False), ("book", {"cards": [{"id": 1}]}, {"cards": [{"id": 1}]}, True),
    ("book", {"note": LONG, "z": LONG + "a"}, {"note": LONG, "z": LONG + "b"}, False), ("book", {"note": LONG}, {"note": LONG}, True),
    ("bash", {"command": f"echo {LONG} a"}, {"command": f"echo {LONG} b"}, False), ("bash", {"command": f"echo {LONG} a"}, {"command": f"echo {LONG} a 2>&1"}, True),
    ("bash", {"command": "dump all | load a"}, {"command": "dump all | load b"}, False), ("bash", {"command": "make 2>&1 | tail -3"}, {"command": "make > log.txt"}, True),
    ("bash", {"command": "build | tee log && deploy"}, {"command": "build"}, False), ("bash", {"command": "make"}, None, False),
])  # fmt: skip
def test_only_the_same_call_can_pass_later(name, failed, passes, again):
    turns = call(1, name, failed, {"error": "Error: card c1 not found"})
    turns += (
        call(2, name, passes, {"output": "ok"}) if passes else call(2, name, failed, {"output": "ok"})[:1]
    )
    done = ledger(turns)
    assert (len(done.failures), len(done.passed)) == (1, again)


@pytest.mark.parametrize("command", ["sed -n 's/x.y//p' src/a.py", "cat src/a.py | grep this.ui.start"])
def test_what_is_searched_for_is_no_file(command):
    done = ledger(call(1, "bash", {"command": command}, {"output": "x"}))
    assert [*done.files] == ["src/a.py"]


@pytest.mark.parametrize(("command", "acts"), [
    ('cd /x && git add -A && git commit -m "Skip; torn lines" && git push origin main', ['`git commit -m "Skip; torn lines"`', "`git push origin main`"]),
    ("git push --force 2>&1 | tail -3; git commit -m x --dry-run", ["`git push --force`"]), ("git status; git log", []), ("grep -n 'git commit' notes.md", []),
])  # fmt: skip
def test_what_a_shell_committed_and_pushed_is_done(command, acts):
    done = ledger(call(1, "bash", {"command": command}, {"output": "ok"}))
    assert [what for what, _ in done.actions.values()] == acts


@pytest.mark.parametrize(
    ("command", "output", "act"),
    [
        ("git commit -m x", "[main 28c3bbd] x\n 1 file changed", "`git commit -m x` → main 28c3bbd"),
        (
            "git commit -m x",
            "[main (root-commit) 8141d45] x",
            "`git commit -m x` → main (root-commit) 8141d45",
        ),
        (
            "gh pr create --title x",
            "Creating pull request\nhttps://github.com/a/b/pull/7",
            "`gh pr create --title x` → https://github.com/a/b/pull/7",
        ),
        ("git push origin main", "To github.com:a/b.git", "`git push origin main`"),
    ],
)
def test_what_was_published_has_its_hash_or_url(command, output, act):
    done = ledger(call(1, "bash", {"command": command}, {"output": output}))
    assert [text for text, _ in done.actions.values()] == [act]
