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


def test_2026_11_27_of_a_booking_the_flights_and_the_date_stand_before_a_path():
    args = {
        "user_id": "mia_li",
        "root": "/a",
        "cabin": "economy",
        "flights": [{"no": "HAT1", "date": "2024-05-20", "seats": 2}],
    }
    done = [
        what for what, _ in ledger(call(1, "book_reservation", args, {"output": "ok"})).actions.values()
    ]
    assert done == ["book_reservation(user_id=mia_li, cabin=economy, flights=HAT1 2024-05-20 2, root=/a)"]


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
    ("bash", {"command": "npm test"}, {"command": "npm test -- --run"}, True), ("bash", {"command": "npm test"}, {"command": "npm test -- -t login"}, False),
    ("bash", {"command": "pytest -q tests"}, {"command": "cd /p && CI=1 .venv/bin/python -m pytest -n 2 --tb=short tests"}, True),
    ("bash", {"command": "pytest tests/a"}, {"command": "pytest tests/b"}, False), ("bash", {"command": "make"}, {"command": "make --dry-run"}, False),
    ("bash", {"command": "make lint | head"}, {"command": "make fmt && make lint"}, True), ("bash", {"command": "make fmt && make lint"}, {"command": "make lint"}, False),
    ("Edit", {"file_path": "/p/a.py", "old_string": "x"}, {"file_path": "/p/a.py", "old_string": "y"}, True),
    ("Edit", {"file_path": "/p/a.py", "old_string": "x"}, {"file_path": "/p/b.py", "old_string": "x"}, False),
    ("read_file", {"path": "a.py", "limit": 5}, {"path": "a.py"}, True), ("book", {"file": "a.pdf", "seat": 1}, {"file": "a.pdf", "seat": 2}, False),
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
    ("git push", ["`git push`"]), ("(cd a && git -C b -c c.d=e push)", ["`git push`"]), ("for b in a c; do git push origin $b; done", ["`git push origin $b`"]),
    ("cat > deploy.sh <<'EOF' && git push\ngit merge dev\nEOF\ngit tag v1", ["`git push`", "`git tag v1`"]), ("python - <<PY\ngit push\nPY", []),
    ("git commit -m \"$(cat <<'EOF'\nSplit \"it\"\n\nrm a.py; git push\nEOF\n)\"", ['`git commit -m "Split "`']), ("awk '/git tag v1/ {print}' log", []),
    ('echo "then run: git push origin main"', []), ("ls # then git push", []), ("# don't\ngit merge 'dev'", ["`git merge 'dev'`"]),
    ("git commit --help | head", []), ("git log --grep 'git merge dev'", []), ("git tag", []), ("git tag -l 'v*'", []), ("git tag --sort=-v:refname", []),
    ("git tag -a v1 -m x", ["`git tag -a v1 -m x`"]), ("gh pr list --search 'gh pr merge 1'", []), ("gh pr merge 1 --squash", ["`gh pr merge 1 --squash`"]),
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
        ("git revert 1f", '[main 28c3bbd] Revert "x"', "`git revert 1f` → main 28c3bbd"),
    ],
)
def test_what_was_published_has_its_hash_or_url(command, output, act):
    done = ledger(call(1, "bash", {"command": command}, {"output": output}))
    assert [text for text, _ in done.actions.values()] == [act]


@pytest.mark.parametrize(("command", "output", "acts"), [
    ("git commit -am x", "On branch main\nnothing to commit, working tree clean", 0), ("git commit -m x && git status", "[main 28c3bbd] x\nnothing to commit, working tree clean", 1),
    ("git merge dev", "CONFLICT (content): Merge conflict in a.py\nAutomatic merge failed; fix conflicts", 0), ("git push origin v1.2", "Permission to use Bash with git push origin v1.2 has been denied.", 0),
    ("git push", "exec command rejected by user", 0), ("git commit -m x && git push", "[main 28c3bbd] x\n ! [rejected]  main -> main (fetch first)\nerror: failed to push", 1),
    ("gh pr merge 1", "✓ Merged pull request #1 (Fix failed uploads)", 1), ("gh pr merge 1", "X Pull request #1 is not mergeable: a conflict", 0),
])  # fmt: skip
def test_what_an_output_denies_is_not_done(command, output, acts):
    assert len(ledger(call(1, "bash", {"command": command}, {"output": output})).actions) == acts


@pytest.mark.parametrize(("name", "acts"), [
    ("book_flight", 1), ("order_pizza", 1), ("issue_refund", 1), ("update_order_status", 1), ("create_list", 1), ("mcp__linear__create_issue", 1), ("set_read_status", 1),
    ("mcp__github__get_issue", 0), ("jira_get_issue", 0), ("exchange_rate", 0), ("schedule_lookup", 0), ("order_status", 0), ("return_policy", 0), ("transfer_history", 0),
    ("validate_order", 0), ("preview_transfer", 0), ("estimate_refund", 0), ("is_open", 0), ("todo_write", 0), ("mcp__exchange__get_mail", 0),
])  # fmt: skip
def test_a_tool_that_looks_does_nothing(name, acts):
    assert len(ledger(call(1, name, {"id": "4"}, {"output": "ok"})).actions) == acts


@pytest.mark.parametrize(("args", "output", "reason"), [
    ({"id": "10"}, '{"success":false,"message":"mailbox full"}', "mailbox full"), ({"id": "10"}, '{"ok":false}', "failed"), ({"id": "10"}, '{"error":{"code":409,"message":"no rooms"}}', "no rooms"),
    ({"id": "10"}, '{"status":"failed","reason":"no rooms"}', "no rooms"), ({"id": "10", "status": "failed"}, '{"status":"failed"}', None), ({"id": "10"}, '{"status":"error"}', "error"),
    ({"id": "10"}, "Payment declined by bank", "Payment declined by bank"), ({"id": "10"}, "Denied: not confirmed", "Denied: not confirmed"), ({"id": "10"}, "Could not send: full", "Could not send: full"),
    ({"title": "Login failed"}, "Added Login failed", None), ({"id": "10"}, "Accepted. A receipt could not be mailed.", None), ({"id": "10", "dry_run": True}, "would send", ""),
    ({"id": "10"}, "No seats left.", "No seats left."), ({"id": "10"}, "HTTP 403 Forbidden", "HTTP 403 Forbidden"), ({"id": "10", "dryRun": "true"}, "would send", ""),
    ({"id": "10"}, '{"result":"error","message":"sent before"}', "sent before"),
])  # fmt: skip
def test_an_action_that_its_result_denies_failed(args, output, reason):
    done = ledger(call(1, "send_mail", args, {"output": output}))
    assert [text.partition("): ")[2] for text, _ in done.failures.values()] == ([reason] if reason else [])
    assert len(done.actions) == (reason is None)


@pytest.mark.parametrize(("command", "output"), [
    ("npm test", "Output: 12 passed\nError: (none)\nExit Code: 0\nProcess Group PGID: 9"), ("ruff check --fix .", "Found 3 errors (3 fixed, 0 remaining)."),
    ("git commit -m x", "[main abc1234] Fix 3 errors in parser"), ("git branch", "* error-handling"), ("tree src", "├── error.py"), ("./run.sh", "Error count: 0\nerrors: 3\nfailed: 0"),
    ("kubectl get pods", "web-1 0/1 Error\nError: x"), ("psql -c 'select * from t'", "1 | error: timeout"), ("cat a.log | cut -d: -f2 | sort | uniq -c", "ERROR: x"),
    ("make", "Error: expected by a test\nexit code: 0"), ("make", "Process exited with code 0\nOutput:\nerror: logged"), ("make", '{"output":"Error: x","metadata":{"exit_code":0}}'),
    ("grep a b | tail -1", "Command exited with code 1"), ("go test ./...", "ok  \tx/errors\t0.1s"), ("npx vitest run", "✓ error: is shown\nTests  3 passed (3)"),
    ("kubectl describe pod", "  Exit Code: 1"), ("jq . a.json", '"error": null'), ("python a.py", "Errors by day\nerror rate: 2 %"),
])  # fmt: skip
def test_output_that_only_mentions_an_error_is_no_failure(command, output):
    assert not ledger(call(1, "bash", {"command": command}, {"output": output})).failures


@pytest.mark.parametrize(("name", "output"), [
    ("Grep", "Error.py\nsrc/Error.ts"), ("Read", "Error: what it means"), ("web_search", "Error 404 explained: how to"), ("ask_user", "Error is what I meant"), ("get_order", '{"status":"failed"}'),
    ("refund_status", "Denied: too late"), ("Task", "Error handling: it is sound"),
])  # fmt: skip
def test_what_a_tool_shows_is_no_failure(name, output):
    assert not ledger(call(1, name, {"query": "x"}, {"output": output})).failures


@pytest.mark.parametrize(("command", "output"), [
    ("pytest 2>&1 | tail -3", "Process exited with code 0\nOutput:\n1 failed, 3 passed in 0.2s"), ("npm test", "Test Suites: 1 failed, 3 passed"), ("mypy a", "Found 1 error in 1 file (checked 4 source files)"),
    ("ruff check --fix", "Found 4 errors (3 fixed, 1 remaining)."), ("cargo test", "test a ... FAILED"), ("mvn test", "[ERROR] Failures:"), ("mise run lint | tail", "[lint:go] ERROR task failed"),
    ("foo", "(eval):1: command not found: foo"), ("make", "make: *** [all] Error 2\n<exited with exit code 2>"), ("make lint || true", "a.py:1:1: error: x"), ("sed -i s/a/b/ a", "sed: a: No such file or directory"),
    ("gh api x -f body=y", "zsh: command not found: y"), ("yarn test", "error Command failed with exit code 1."),
    ("curl -sS x", "curl: (7) Failed to connect"), ("npm test", "Command was cancelled by user before it could complete."), ("phpunit", "FAILURES!\nTests: 3"), ("npx tsc", "src/a.ts(3,5): error TS2304: Cannot find name 'x'."), ("kubectl delete pod a", 'Error from server (NotFound): pods "a" not found'),
])  # fmt: skip
def test_output_that_reports_an_error_is_a_failure(command, output):
    assert ledger(call(1, "bash", {"command": command}, {"output": output})).failures
