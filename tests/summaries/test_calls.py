"""What calls did: the files they touched, what they changed elsewhere, what failed and passed later."""

import pytest

from codeh_history.session.pairing import pair
from codeh_history.summaries.calls import PASSED, Ledger
from compact.short import tool_call
from histories import model, session, user


def after(*calls):
    """The ledger of calls, each `(name, arguments, response)`."""
    turns = [turn for number, each in enumerate(calls) for turn in tool_call(f"planted{number}", *each)]
    return ledger_of(turns)


def ledger_of(turns):
    ledger = Ledger()
    for call in pair(session(turns).messages).calls:
        ledger.add(call)
    return ledger


def texts(ledger, kind):
    """The ledger's lines of a kind."""
    return [text for each, _, text, _ in ledger.lines() if each == kind]


def shell(command, output):
    return "bash", {"command": command}, {"output": output}


@pytest.mark.parametrize(("name", "args", "files"), [
    ("read_file", {"path": "a/b.py"}, {"a/b.py": "read"}), ("Edit", {"file_path": "/x/y.ts"}, {"/x/y.ts": "written"}),
    ("bash", {"command": "cat src/a.c | head; echo hi > out/log.txt"}, {"src/a.c": "read", "out/log.txt": "written"}),
    ("shell", {"command": ["bash", "-lc", "sed -i s/a/b/ conf/x.ini"]}, {"conf/x.ini": "written"}),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/k.rs\n+x"}, {"src/k.rs": "written"}),
    ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Add File: src/l.rs\n+x"]}, {"src/l.rs": "created"}),
    ("bash", {"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: m.rs\nEOF"}, {"m.rs": "deleted"}),
    ("str_replace_based_edit_tool", {"command": "view", "path": "q.md"}, {"q.md": "read"}),
    ("get_user", {"name": "Dana", "target": "Leeds"}, {}), ("create_file", {"path": "Makefile"}, {"Makefile": "created"}),
    ("bash", {"command": "sed -i '' 's/new A/new B/' src/n.ts"}, {"src/n.ts": "written"}),
    ("bash", {"command": "cat > a.py <<'EOF'\nrm b.py > c.py\nEOF\nrm d.py"}, {"a.py": "written", "d.py": "deleted"}),
    ("bash", {"command": "cp a/b.json c/d.json && mv e.py dir/ 2>/dev/null"}, {"a/b.json": "read", "c/d.json": "written", "e.py": "deleted"}),
    ("bash", {"command": "sort < src/a.txt 2>&1 > src/b.txt"}, {"src/b.txt": "written"}), ("shell", {"command": ["ssh", "host", "rm a.py"]}, {}),
    ("bash", {"command": "sed -n 's/x.y//p' src/a.py"}, {"src/a.py": "read"}), ("bash", {"command": "cat src/a.py | grep this.ui.start"}, {"src/a.py": "read"}),
])  # fmt: skip
def test_files_of_calls(name, args, files):
    lines = after((name, args, {"output": "ok"})).lines()
    assert {text: label for kind, label, text, _ in lines if kind == "file"} == files


def test_of_a_file_the_newest_state_counts_and_a_read_hides_no_change():
    calls = [
        (name, {"path": path}, {"output": "ok"})
        for name, path in [("create_file", "a"), ("edit", "b"), ("read", "b"), ("read", "a"), ("read", "c"), ("edit", "c")]
    ]  # fmt: skip
    assert [line[:3] for line in after(*calls).lines()] == [
        ("file", "written", "b"), ("file", "created", "a"), ("file", "written", "c"),
    ]  # fmt: skip


@pytest.mark.parametrize(("paths", "expected"), [
    (["/home/me/shop/src/a.py", "src/a.py"], ["/home/me/shop/src/a.py"]), (["src/a.py", "~/shop/src/a.py"], ["~/shop/src/a.py"]),
    (["/home/me/shop/src/a.py", "./src/a.py"], ["/home/me/shop/src/a.py"]), (["/home/me/shop/a.py", "a.py"], ["/home/me/shop/a.py", "a.py"]),
    (["/home/me/shop/src/ba.py", "src/a.py"], ["/home/me/shop/src/ba.py", "src/a.py"]), (["/x/src/a.py", "/y/src/a.py"], ["/x/src/a.py", "/y/src/a.py"]),
])  # fmt: skip
def test_a_file_called_by_its_whole_path_elsewhere_is_that_file(paths, expected):
    assert texts(after(*(("edit", {"path": path}, {"output": "ok"}) for path in paths)), "file") == expected


def test_a_call_is_shown_with_its_arguments_long_ones_last_and_with_what_it_returned():
    args = {"root": "/home/me", "title": "x", "id": 7, "flights": [{"no": "HAT1", "date": "2024-05-20"}]}  # fmt: skip
    ledger = after(
        ("book_flight", args, {"booking_id": "B7", "id": 7, "note": "paid"}), ("book_flight", {}, {})
    )
    assert texts(ledger, "done") == [
        "book_flight(id=7, title=x, flights=HAT1 2024-05-20, root=/home/me) → booking_id=B7"
    ]


def test_a_call_without_a_result_did_nothing():
    open_call = model({"functionCall": {"id": "c", "name": "book_room", "args": {"room": 4}}})
    assert [*ledger_of([user("Book it."), open_call]).lines()] == []


@pytest.mark.parametrize(("name", "response", "expected"), [
    ("bash", {"output": "1 passed"}, ""), ("bash", {"exit_code": 3, "stdout": ""}, "exit 3"), ("bash", {"output": "x\nexit: 1"}, "x"),
    ("bash", {"output": "E  AssertionError: 1 != 2\nCommand exited with code 1"}, "E AssertionError: 1 != 2"),
    ("bash", {"output": "Command exited with code 3"}, "exit 3"), ("bash", {"output": "Process exited with code 2\nOutput:\nno"}, "no"),
    ("bash", {"output": '{"output":"nothing here","metadata":{"exit_code":2}}'}, "nothing here"), ("bash", {"output": "x", "metadata": {"exit": 1}}, "x"),
    ("read_file", {"output": "def error(): raise ValueError('Error: x')"}, ""), ("book", {"output": "Error: seat taken"}, "Error: seat taken"),
    ("book", {"error": "Tool call book failed with error: seat taken"}, "seat taken"), ("book", {"success": False, "reason": "no seats"}, "no seats"),
    ("bash", {"output": "src/a.py:10:80: E501 Line too long\n1 error", "exit_code": 1}, "src/a.py:10:80: E501 Line too long"),
    ("bash", {"output": "a.hs:3:5: error:\n    Variable not in scope\n", "exit_code": 1}, "a.hs:3:5: error: Variable not in scope"),
    ("bash", {"output": "Traceback (most recent call last):\n  File\nKeyError: 'a'", "exit_code": 1}, "KeyError: 'a'"),
    ("bash", {"output": "error: shown by a test\n" + "ok\n" * 6 + "6 pass\n0 fail"}, ""),
    ("bash", {"output": "Output: ERROR: no wheel for a-b\nError: (none)\nExit Code: 1\nProcess Group PGID: 7"}, "ERROR: no wheel for a-b"),
])  # fmt: skip
def test_failures_of_calls(name, response, expected):
    failed = texts(after((name, {"command": "make test"}, response)), "failed")
    assert [text.partition(": ")[2] for text in failed] == ([expected] if expected else [])


def test_a_long_command_is_cut_within_its_backticks():
    (text,) = texts(after(("bash", {"command": "word " * 60}, {"error": "Error: gone"})), "failed")
    assert text.index("…`: Error: gone") < 140


LONG = "so that the arguments of this call are far too long to be shown in one line of a summary " * 3


@pytest.mark.parametrize(("name", "failed", "passes", "again"), [
    ("book", {"flight": "F1", "card": "c1"}, {"flight": "F1", "card": "c2"}, False), ("book", {"flight": "F1", "card": "c1"}, {"flight": "F1", "card": "c1"}, True),
    ("book", {"cards": [{"id": 1}]}, {"cards": [{"id": 2}]}, False), ("book", {"note": LONG + "a"}, {"note": LONG + "b"}, False), ("book", {"note": LONG}, {"note": LONG}, True),
    ("bash", {"command": f"make {LONG} a"}, {"command": f"make {LONG} b"}, False), ("bash", {"command": f"make {LONG} a"}, {"command": f"make {LONG} a 2>&1"}, True),
    ("bash", {"command": "dump all | load a"}, {"command": "dump all | load b"}, False), ("bash", {"command": "make 2>&1 | tail -3"}, {"command": "make > log.txt"}, True),
    ("bash", {"command": "build | tee log && deploy"}, {"command": "build"}, False), ("bash", {"command": "make"}, {"command": "make --dry-run"}, False),
    ("bash", {"command": "pytest tests/a"}, {"command": "cd /p && CI=1 pytest tests/a"}, True), ("bash", {"command": "pytest tests/a"}, {"command": "pytest tests/b"}, False),
    ("bash", {"command": "pytest -q tests/a"}, {"command": "pytest tests/a --verbose"}, True), ("bash", {"command": "make -j"}, {"command": "make"}, False),
    ("bash", {"command": "make lint | head"}, {"command": "make fmt && make lint"}, True), ("bash", {"command": "make fmt && make lint"}, {"command": "make lint"}, False),
    ("Edit", {"file_path": "/p/a.py", "old_string": "x"}, {"file_path": "/p/a.py", "old_string": "y"}, True),
    ("Edit", {"file_path": "/p/a.py", "old_string": "x"}, {"file_path": "/p/b.py", "old_string": "x"}, False),
    ("read_file", {"path": "a.py", "limit": 5}, {"path": "a.py"}, True), ("book", {"file": "a.pdf", "seat": 1}, {"file": "a.pdf", "seat": 2}, False),
])  # fmt: skip
def test_only_the_same_call_can_pass_later(name, failed, passes, again):
    ledger = after((name, failed, {"error": "Error: card c1 not found"}), (name, passes, {"output": "ok"}))
    assert [text.endswith(PASSED) for text in texts(ledger, "failed")] == [again]


def test_what_fails_again_has_not_passed():
    runs = [("make", "error: one"), ("make", "ok"), ("make | tail", "error: two")]
    assert texts(after(*(shell(*run) for run in runs)), "failed") == ["`make | tail`: error: two"]


GIT = "[main 28c3bbd] x\nTo github.com:a/b.git\n   17d213a..28c3bbd  main -> main"


@pytest.mark.parametrize(("command", "acts"), [
    ('cd /x && git add -A && git commit -m "Skip; torn lines" && git push origin main', ["git commit", "git push"]),
    ("git push --force 2>&1 | tail -3", ["git push"]), ("git status; git log", []), ("grep -n 'git commit' notes.md", []), ("git push -n", []), ("git push --dry-run x", []),
    ("(cd a && sudo git -C b push)", ["git -C b push"]), ("for b in a c; do git push origin $b; done", ["git push"]),
    ("cat > deploy.sh <<'EOF' && git push\ngit commit -a\nEOF\ngit tag v1", ["git push"]), ("python - <<PY\ngit push\nPY", []),
    ('echo "then run: git push origin main"', []), ("ls # then git push", []), ("# don't\ngit commit -m 'dev'", ["git commit"]),
    ("git log --grep 'git merge dev'", []), ("gh pr list --search 'gh pr merge 1'", []),
])  # fmt: skip
def test_what_a_shell_committed_and_pushed_is_done(command, acts):
    assert [text.split("`")[1] for text in texts(after(shell(command, GIT)), "done")] == acts


@pytest.mark.parametrize(("command", "output", "act"), [
    ("git commit -m x", "[main 28c3bbd] x\n 1 file changed", "`git commit` → [main 28c3bbd] x"),
    ("git commit -m \"$(cat <<'EOF'\nSplit \"it\"\n\nrm a.py; git push\nEOF\n)\"", '[main (root-commit) 8141d45] Split "it"', '`git commit` → [main (root-commit) 8141d45] Split "it"'),
    ("gh pr create --title x --body 'y z'", "Creating pull request\nhttps://github.com/a/b/pull/7", "`gh pr create --title x` → https://github.com/a/b/pull/7"),
    ("git push origin main", "To github.com:a/b.git\n   1a2b3c4..28c3bbd  main -> main", "`git push` → 1a2b3c4..28c3bbd main -> main"),
    ("git push -u origin x | tail -1", "branch 'x' set up to track 'origin/x'.", "`git push` → branch 'x' set up to track 'origin/x'."),
    ("git push origin :old", "To github.com:a/b.git\n - [deleted]         old", "`git push` → [deleted] old"),
    ("git revert 1f", '[main 28c3bbd] Revert "x"', '`git revert` → [main 28c3bbd] Revert "x"'), ("git merge dev", "Updating 1a..2b\nFast-forward\n a.py | 2 +-", "`git merge` → Fast-forward"),
    ("git tag v1", "", "`git tag v1`"), ("gh pr merge 1 --squash", "(no output)", "`gh pr merge 1 --squash`"), ("gh pr close 1", "✓ Closed pull request #1", "`gh pr close 1` → ✓ Closed pull request #1"),
    ("gh pr merge 1 --squash && git pull", "From github.com:a/b\n   1a..2b  main -> origin/main\nUpdating 1a..2b\nFast-forward", "`gh pr merge 1 --squash`"),
    ("gh pr merge 1 && git pull", "Already up to date.", "`gh pr merge 1`"), ("git commit -m x; git merge dev", "[main 28c3bbd] x\nAlready up to date.", "`git commit` → [main 28c3bbd] x"),
])  # fmt: skip
def test_what_was_published_has_its_hash_or_url(command, output, act):
    assert texts(after(shell(command, output)), "done") == [act]


@pytest.mark.parametrize(("command", "output", "acts"), [
    ("git commit -am x", "On branch main\nnothing to commit, working tree clean", 0), ("git commit -m x && git status", "[main 28c3bbd] x\nnothing to commit, working tree clean", 1),
    ("git merge dev", "CONFLICT (content): Merge conflict in a.py\nAutomatic merge failed; fix conflicts", 0), ("git push origin v1.2", "Permission to use Bash with git push origin v1.2 has been denied.", 0),
    ("git push", "exec command rejected by user", 0), ("git commit -m x && git push", "[main 28c3bbd] x\n ! [rejected]  main -> main (fetch first)\nerror: failed to push", 1),
    ("gh pr merge 1", "✓ Merged pull request #1 (Fix failed uploads)", 1), ("gh pr merge 1", "X Pull request #1 is not mergeable: a conflict", 0),
    ("git merge main", "Already up to date.", 0), ("git push", "Everything up-to-date", 0), ("git pull && git push", "   1a..2b  main       -> origin/main\nEverything up-to-date", 0),
    ("git tag v1", "fatal: tag 'v1' already exists", 0), ("git tag v1", "Command exited with code 128", 0), ("git tag -l 'v*'", "", 0), ("git commit --help | head", "GIT-COMMIT(1)", 0),
    ("gh pr create -t x --dry-run", "Would have created a Pull Request with:\nhttps://github.com/a/b/pull/7", 0), ("gh pr create -t x", "a pull request already exists:\nhttps://github.com/a/b/pull/7", 0),
    ("npm test; gh pr merge 1", "✓ 30 tests\nGraphQL: Base branch was modified", 0), ("gh pr merge 1; git pull", "Already up to date.\nGraphQL: Base branch was modified", 0),
    ("git pull && git push", "From github.com:a/b\n * branch            main       -> FETCH_HEAD\nEverything up-to-date", 0), ("git commit -am x; git pull", "nothing to commit\nUpdating 1a..2b\nFast-forward", 0),
    ("git fetch --tags && git push", "From github.com:a/b\n * [new tag]         v1         -> v1\nEverything up-to-date", 0), ("git merge dev && git status", "Already up to date.\n[main 28c3bbd] x", 0),
])  # fmt: skip
def test_what_an_output_denies_is_not_done(command, output, acts):
    assert len(texts(after(shell(command, output)), "done")) == acts


@pytest.mark.parametrize(("name", "acts"), [
    ("book_flight", 1), ("order_pizza", 1), ("issue_refund", 1), ("update_order_status", 1), ("create_list", 1), ("mcp__linear__create_issue", 1), ("set_read_status", 1),
    ("mcp__github__get_issue", 0), ("jira_get_issue", 0), ("exchange_rate", 0), ("schedule_lookup", 0), ("order_status", 0), ("return_policy", 0), ("transfer_history", 0),
    ("validate_order", 0), ("preview_transfer", 0), ("estimate_refund", 0), ("is_open", 0), ("retrieve_order", 0), ("order_overview", 0), ("todo_write", 0), ("mcp__exchange__get_mail", 0),
])  # fmt: skip
def test_a_tool_that_looks_does_nothing(name, acts):
    assert len(texts(after((name, {"id": "4"}, {"output": "ok"})), "done")) == acts


@pytest.mark.parametrize(("args", "output", "reason"), [
    ({"id": "10"}, '{"success":false,"message":"mailbox full"}', "mailbox full"), ({"id": "10"}, '{"ok":false}', "failed"), ({"id": "10"}, '{"error":{"code":409,"message":"no rooms"}}', "no rooms"),
    ({"id": "10"}, '{"status":"failed","reason":"no rooms"}', "failed no rooms"), ({"id": "10"}, '{"status":"error"}', "error"),
    ({"id": "10"}, "Payment declined by bank", "Payment declined by bank"), ({"id": "10"}, "Denied: not confirmed", "Denied: not confirmed"), ({"id": "10"}, "Could not send: full", "Could not send: full"),
    ({"id": "10"}, "Accepted. A receipt could not be mailed.", None), ({"id": "10"}, "No issues. Sent.", None), ({"id": "10"}, "No changes made", "No changes made"),
    ({"id": "10"}, "No seats left.", "No seats left."), ({"id": "10"}, "The user doesn't want to proceed.", "The user doesn't want to proceed."), ({"id": "10"}, "HTTP 403 Forbidden", "HTTP 403 Forbidden"),
    ({"id": "10"}, '{"result":"error","message":"sent before"}', "error sent before"), ({"id": "10"}, '{"merged":false,"message":"not mergeable"}', "not mergeable"),
    ({"id": "10"}, "ValueError: no such id", "ValueError: no such id"), ({"id": "10"}, "\n  error: not found", "error: not found"), ({"id": "10"}, "Request timed out", "Request timed out"),
    ({"id": "10"}, "Sent; you won't be charged.", None), ({"id": "10"}, "Sent, there wasn't an attachment", None), ({"subject": "Error: x"}, "Error: x", None),
])  # fmt: skip
def test_an_action_that_its_result_denies_failed(args, output, reason):
    done = after(("send_mail", args, {"output": output}))
    assert [text.partition("): ")[2] for text in texts(done, "failed")] == ([reason] if reason else [])
    assert len(texts(done, "done")) == (reason is None)


@pytest.mark.parametrize(("command", "output"), [
    ("npm test", "Output: 12 passed\nError: (none)\nExit Code: 0\nProcess Group PGID: 9"), ("ruff check --fix .", "Found 3 errors (3 fixed, 0 remaining)."),
    ("git commit -m x", "[main abc1234] Fix 3 errors in parser"), ("git branch", "* error-handling"), ("test -f x", "exit code: 1"), ("[ -d x ]", "exit code: 1"), ("tree src", "├── error.py"), ("./run.sh", "Error count: 0\nerrors: 3\nfailed: 0"),
    ("kubectl get pods", "web-1 0/1 Error\nError: x"), ("cat a.log | cut -d: -f2 | sort | uniq -c", "ERROR: x"),
    ("make", "Error: expected by a test\nexit code: 0"), ("make", "Process exited with code 0\nOutput:\nerror: logged"), ("make", '{"output":"Error: x","metadata":{"exit_code":0}}'),
    ("grep a b | tail -1", "Command exited with code 1"), ("go test ./...", "ok  \tx/errors\t0.1s"),
    ("kubectl describe pod", "  Exit Code: 1"), ("jq . a.json", '"error": null'), ("python a.py", "Errors by day\nerror rate: 2 %"),
])  # fmt: skip
def test_output_that_only_mentions_an_error_is_no_failure(command, output):
    assert not texts(after(shell(command, output)), "failed")


@pytest.mark.parametrize(("name", "output"), [
    ("Grep", "Error.py\nsrc/Error.ts"), ("Read", "Error: what it means"), ("web_search", "Error 404 explained: how to"), ("ask_user", "Error is what I meant"), ("get_order", '{"status":"failed"}'),
    ("refund_status", "Denied: too late"), ("Task", "Error handling: it is sound"),
])  # fmt: skip
def test_what_a_tool_shows_is_no_failure(name, output):
    assert not texts(after((name, {"query": "x"}, {"output": output})), "failed")


@pytest.mark.parametrize(("command", "output"), [
    ("pytest 2>&1 | tail -3", "Process exited with code 0\nOutput:\n1 failed, 3 passed in 0.2s"), ("npm test", "Test Suites: 1 failed, 3 passed"), ("mypy a", "Found 1 error in 1 file (checked 4 source files)"),
    ("mvn test", "[ERROR] Failures:"),
    ("foo", "(eval):1: command not found: foo"), ("make", "make: *** [all] Error 2\n<exited with exit code 2>"), ("make lint || true", "a.py:1:1: error: x"), ("sed -i s/a/b/ a", "sed: a: No such file or directory"),
    ("gh api x -f body=y", "zsh: command not found: y"), ("yarn test", "error Command failed with exit code 1."),
    ("npm test", "Command was cancelled by user before it could complete."), ("phpunit", "FAILURES!\nTests: 3"), ("npx tsc", "src/a.ts(3,5): error TS2304: Cannot find name 'x'."),
])  # fmt: skip
def test_output_that_reports_an_error_is_a_failure(command, output):
    assert texts(after(shell(command, output)), "failed")


@pytest.mark.parametrize("call", [
    ("bash", {"command": "git tag v1"}, {"exit_code": 1, "stdout": ""}), ("write_file", {"path": "a.py"}, {"output": "Error writing file"}),
    ("str_replace_editor", {"path": "a.py"}, {"output": "No replacement was performed, old_str `x` did not appear verbatim in a.py."}),
    ("bash", {"command": "pytest; touch z.py"}, {"output": "FAILED a.py - assert\n1 failed in 3s", "error": ""}),
    ("bash", {"command": "./a.out > o.txt"}, {"output": "Segmentation fault (core dumped)"}),
    ("bash", {"command": "curl -s http://h/x > o.txt"}, {"output": "curl: (6) Could not resolve host: h"}),
    ("bash", {"command": "make > o.txt"}, {"output": "Command timed out after 2m 0.0s"}), ("book", {"id": "A"}, {"output": "Error: seat taken", "error": ""}),
    ("book", {"id": "A"}, {"output": "no seat", "isError": True}), ("book", {"id": "A"}, {"output": "Not possible on Sundays"}), ("bash", {"command": "gh pr merge 1"}, {"output": "X Pull request #1 is not mergeable: a conflict"}),
    ("book", {"id": "A"}, {"output": "The payment was not authorized"}), ("book", {"id": "A"}, {"output": "No seats available"}),
    ("book", {"id": "A"}, {"state": "failed"}), ("bash", {"command": "make"}, {"success": False, "output": "x"}), ("Task", {"name": "a"}, {"output": "Error: no such agent"}),
])  # fmt: skip
def test_what_was_not_done_failed(call):
    assert {kind for kind, *_ in after(call).lines()} == {"failed"}


@pytest.mark.parametrize(("call", "expected"), [
    (("create_issue", {"title": "Login can't work"}, {"title": "Login can't work", "number": 3}), "done"),
    (("set_ticket", {"id": "T1", "status": "rejected"}, {"id": "T1", "status": "rejected"}), "done"),
    (("bash", {"command": "cat deploy.sh"}, {"output": "make\nexit 1\n"}), "file"), (("deploy", {"id": "s", "dry_run": "true"}, {"output": "ok"}), None),
    (("simulate_transfer", {"id": "W8"}, {"output": "3"}), None),
])  # fmt: skip
def test_what_passed_or_was_only_tried_did_not_fail(call, expected):
    assert [kind for kind, *_ in after(call).lines()] == ([expected] if expected else [])


@pytest.mark.parametrize(("call", "path"), [
    (("apply_diff", {"path": "a.py", "diff": "x"}, {"output": "ok"}), "a.py"), (shell("sed -i.bak s/x/y/ l.py", ""), "l.py"),
    *(((name, {"path": "a.py"}, {"output": "ok"}), "a.py") for name in ("multiedit", "copy_file", "overwrite_file", "truncate")),
])  # fmt: skip
def test_changed_files_are_not_only_read(call, path):
    assert [line[:3] for line in after(call).lines()] == [("file", "written", path)]


def test_a_command_is_shown_as_it_was_run():
    assert texts(after(shell("echo abcd foo; rm x.py", "error: no")), "failed") == [
        "`echo abcd foo; rm x.py`: error: no"
    ]
