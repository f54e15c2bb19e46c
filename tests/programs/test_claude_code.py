"""Claude Code's files: what it would send next, each trap of its format by name."""

import pytest

from codeh_history.store import file
from in_process import run_in_process, run_ok
from length import by_length
from program_copies import imported, shown, view
from program_files import SESSION, Claude, played, written
from support import corpus_files, lines, session_path

COPY = f"claude-code-{SESSION}"


KEPT = '{"preservedSegment":{"headUuid":"b","anchorUuid":"s","tailUuid":"b"}}'
VIEWS = {  # what is sent of the lines that these steps write; `part`: a call of one response
    "what came after the last prompt goes on from its leaf": (
        "user a one; model b two; leaf b; user c three; model d four", ["one", "two", "three", "four"]),
    "a last prompt that names a line of the newest branch takes nothing back": (
        "user a one; model b two; user c three; leaf b", ["one", "two", "three"]),
    "a leaf that was rewound to hides what came after it": ("user a one; model b two; user c three a; leaf b", ["one", "two"]),
    "the lines of a response stand in the order of the file": (
        "user a go; part b A; part c B; part d C; result e A of_A c", ["go", "call A+call B+call C", "A=of A"]),
    "a summary without its boundary line": (
        "user a old; user s in_short None isCompactSummary=true; user b new", ["S:in short", "new"]),
    "messages that a compaction kept stand after its summary": (
        f"user a old; model b kept; compacted s in_short compactMetadata={KEPT}; user c new", ["S:in short", "kept", "new"]),
}  # fmt: skip


def test_a_line_that_is_too_long_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "LONGEST", 2000)
    path = played(Claude(), f"user a {'x' * 2000}; user b one; model c two").write(tmp_path)
    done = run_in_process("import", str(path), home=tmp_path)
    assert b"line 1: longer than 64 MiB" in done.err
    assert shown(tmp_path, COPY) == ["one", "two"]


@pytest.mark.parametrize(("script", "sent"), VIEWS.values(), ids=VIEWS)
def test_what_is_sent(script, sent, tmp_path):
    assert view(played(Claude(), script).write(tmp_path), tmp_path) == sent


def test_usage_grows_from_line_to_line_and_counts_once_a_response(tmp_path):
    file = played(Claude(), "user a go")
    file.model("b", {"type": "thinking", "thinking": "hm", "signature": "s"}, id="m", out=5)
    file.model("c", "answer", id="m", out=631)
    file.model("d", {"type": "text", "text": "!"}, id="m", out=7)
    (record,) = [r for r in imported(file.write(tmp_path), tmp_path) if r.get("kind") == "codeh"]
    assert record["usage"]["output"] == 631
    assert record["imported"] == [2, 3, 4]
    assert [part.get("thoughtSignature") for part in record["parts"]] == ["s", None, None]


def test_what_a_compaction_replaced_lies_under_its_summary(tmp_path):
    file = played(Claude(), "user a old; model b older; compacted s in_short; user c new")
    assert view(file.write(tmp_path), tmp_path) == ["S:in short", "new"]
    (summary,) = [r for r in lines(session_path(tmp_path, COPY)) if r["type"] == "summary"]
    assert summary["covers"] == ["a", "b"]
    assert (summary["by"], summary["conversationCount"]) == ("claude-code", 1)
    assert b"older" in run_in_process("expand", "s", "-s", COPY, home=tmp_path).out


def test_a_lost_line_makes_it_forget_all_before_which_is_named_and_mended(tmp_path):
    file = Claude()
    for number in range(10):
        file.user(f"u{number}", f"q{number}")
        file.model(f"a{number}", f"r{number}")
    del file.lines[15]
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert b"line 16: its parent a7" in done.err
    why = b"unless the times show its place (treated as following line 15)"
    assert b"Claude Code would send 4 of 19 messages " + why in done.err
    assert len(shown(tmp_path, COPY)) == 19


def test_lines_that_do_not_say_their_parent_follow_each_other(tmp_path):
    file = played(Claude(), "user a one; model b two; user c three")
    for line in file.lines:
        line.pop("parentUuid", None)
    assert view(file.write(tmp_path), tmp_path) == ["one", "two", "three"]


def test_a_file_that_begins_in_the_middle_says_so(tmp_path):
    file = played(Claude(), "user a one elsewhere; model b two")
    done = run_in_process("verify", str(file.write(tmp_path)), home=tmp_path)
    assert done.text.endswith("its parent elsewher… is not in the file, which lacks everything before it")


def test_a_lost_line_before_a_compaction_costs_nothing_that_is_sent(tmp_path):
    file = played(Claude(), "user a one; model b lost; user c three; compacted s in_short; user d new")
    del file.lines[1]
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert b"its parent" not in done.err
    (summary,) = [r for r in lines(session_path(tmp_path, COPY)) if r["type"] == "summary"]
    assert summary["covers"] == ["a", "c"]


def test_unknown_record_types_are_counted_and_the_version_recognises_own(tmp_path):
    file = played(Claude(), 'user a one version="9.9.9"')
    file.lines += [{"type": "hologram", "sessionId": SESSION}] * 3
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert b"not imported: 3 holograms" in done.err
    assert lines(session_path(tmp_path, COPY))[0]["imported"]["version"] == "9.9.9"


TITLES = {"custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle"}
TITLES |= {"summary": "summary"}  # the last counts least


@pytest.mark.parametrize("highest", TITLES)
def test_the_title_is_the_one_of_the_highest_kind(highest, tmp_path):
    file, kinds = Claude(), [*TITLES]
    kinds = kinds[kinds.index(highest) :]
    for order in (kinds, kinds[::-1]):
        file.lines = [{"type": kind, TITLES[kind]: kind, "sessionId": SESSION} for kind in order]
        file.user("a", "one", None)
        (meta,) = [r for r in imported(file.write(tmp_path), tmp_path) if r["type"] == "meta"]
        assert meta["set"] == {"title": highest}


# -- results in files of their own -------------------------------------------------------------------------


def spilled(path="/x/h.txt"):
    stub = f"<persisted-output>\nOutput too large (34.3KB). Full output saved to: {path}\n\nPreview (first 2KB):\nbeg\n...\n</persisted-output>"
    file = played(Claude(), "user a go; called b A")
    file.result("c", "A", stub)
    return file


@pytest.mark.parametrize(
    "folder", ["/home/x/.claude/projects/p/s/tool-results/", "C:\\Users\\x\\s\\tool-results\\", "/etc/"]
)
def test_a_spilled_result_is_read_from_below_the_sessions_own_folder(folder, tmp_path):
    written(tmp_path / SESSION / "tool-results" / "h.txt", [b"all of it"])
    assert view(spilled(f"{folder}h.txt").write(tmp_path), tmp_path)[-1] == "A=all of it\n"


@pytest.mark.parametrize(
    ("link", "why"),
    [(None, "is not there"), ("tool-results/h.txt", "not read"), ("tool-results", "not read")],
)
def test_a_spilled_result_that_is_gone_or_a_link_is_named(link, why, tmp_path):
    secret = written(tmp_path / "other" / "h.txt", [b"root:x:0"])
    if link:
        place = tmp_path / SESSION / link
        place.parent.mkdir(parents=True)
        place.symlink_to(secret if link.endswith(".txt") else secret.parent)
    done = run_in_process("import", str(spilled().write(tmp_path)), home=tmp_path)
    assert f"line 3: tool-results/h.txt: {why}" in done.err.decode()
    assert "(its beginning is used instead)" in done.err.decode()
    assert b"root:x" not in session_path(tmp_path, COPY).read_bytes()


def test_a_rescued_session_does_not_refer_to_a_result_that_is_gone(tmp_path):
    file, out = spilled().write(tmp_path), tmp_path / "out.jsonl"
    run_ok("rescue", str(file), "--output", str(out), home=tmp_path)
    run_ok("verify", str(out), home=tmp_path)
    assert view(out, tmp_path)[-1] == "A=Preview (first 2KB):\nbeg\n...\n"


# -- again -------------------------------------------------------------------------------------------------


def test_2026_11_23_messages_in_another_order_are_all_in_the_next_copy(tmp_path):
    """What followed the first that stood elsewhere was left out, and each import made one more copy."""
    file = played(Claude(), "user a one; model b two; user c three")
    run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    for line, parent in zip(file.lines[-3:], ("c", "a", None), strict=True):
        line["parentUuid"] = parent
    file.model("d", "four", parent="b")
    path = str(file.write(tmp_path))
    assert run_in_process("import", path, home=tmp_path).text == f"{COPY}-2"
    assert shown(tmp_path, f"{COPY}-2") == ["three", "one", "two", "four"]
    assert run_in_process("import", path, home=tmp_path).text == f"{COPY}-2"


def test_through_a_pipe(tmp_path):
    file = played(Claude(), "user a one; model b two").write(tmp_path)
    done = run_in_process("import", "-", home=tmp_path, stdin=[file.read_bytes()])
    assert done.text == COPY
    assert shown(tmp_path, COPY) == ["one", "two"]


@pytest.mark.parametrize("file", corpus_files("sessions/claude-code-*.jsonl"), ids=lambda file: file.name)
def test_recorded_sessions(file, tmp_path):
    (id,) = run_in_process("import", str(file), home=tmp_path).text.split()
    source = [r["message"] for r in lines(file) if r["type"] in ("user", "assistant")]
    responses = {m["id"] for m in source if m["role"] == "assistant"}
    copied = [r for r in lines(session_path(tmp_path, id)) if r["type"] == "message"]
    assert len(copied) == len(responses) + sum(m["role"] == "user" for m in source)


# -- branches and sub-agents ---------------------------------------------------------------------------------


def test_branches_and_sub_agents_are_sessions_of_their_own_with_their_parent(tmp_path):
    file = played(
        Claude(),
        'user a one; model b two; user left0001 abandoned; called l1 A id="m"; called l2 B id="m"; '
        "result l3 A of_A l1; result l4 B of_B l2; user sub00001 look None isSidechain=true; "
        "model s1 found isSidechain=true; user c three b",
    )
    agent = played(Claude(), "user g1 search isSidechain=true; model g2 nothing isSidechain=true")
    agent.write(tmp_path / SESSION / "subagents", "agent-x1")
    path = str(file.write(tmp_path))
    done = run_in_process("import", path, home=tmp_path / "counted")
    left = b"5 messages of an abandoned branch", b"2 messages of a sub-agent", b"1 sub-agent in a file"
    assert all(b"not imported: " + each in done.err for each in left)
    assert len(list((tmp_path / "counted" / "sessions").iterdir())) == 1
    done = run_in_process("import", "--branches", path, home=tmp_path)
    names = [COPY, f"{COPY}-left0001", f"{COPY}-sub00001", f"{COPY}-agent-x1"]
    assert done.out.decode().split() == names
    assert b"abandoned" not in done.err
    assert [shown(tmp_path, name) for name in names] == [
        ["one", "two", "three"],
        ["one", "two", "abandoned", "call A+call B", "A=of A", "B=of B"],
        ["look", "found"],
        ["search", "nothing"],
    ]
    parents = [lines(session_path(tmp_path, name))[0].get("parent") for name in names]
    assert parents == [None, *({"session": COPY, "at": at} for at in ("b", None, None))]
    before = {name: session_path(tmp_path, name).read_bytes() for name in names}
    run_in_process("import", "--branches", path, home=tmp_path)
    assert {name: session_path(tmp_path, name).read_bytes() for name in names} == before


def test_a_copy_whose_parts_lie_in_blocks_and_that_was_compacted_here_grows_all_the_same(tmp_path):
    file = Claude()
    file.user("a", "long " * 1000)
    file.model("b", "first " * 1000, id="m")
    file.user("c", "short")
    imported(file.write(tmp_path), tmp_path)
    run_ok("persist", "-i", COPY, home=tmp_path)
    run_ok("compact", "-i", COPY, "--budget", "900", home=tmp_path)
    before = shown(tmp_path, COPY)
    file.model("d", "second", "b", id="m")
    file.user("e", "more", "c")
    after = view(file.write(tmp_path), tmp_path)
    assert after[-1] == "more"
    assert len(after) == len(before) + 1
    run_ok("verify", COPY, home=tmp_path)


def test_sub_agents_usage_counts_though_they_are_not_imported(tmp_path):
    file = played(
        Claude(),
        'user a one; model b two out=3; model x aside None id="m" out=5 isSidechain=true; '
        'model y aside x id="m" out=7 isSidechain=true; model c three b out=11',
    )
    path = file.write(tmp_path)
    agent = played(Claude(), "model z elsewhere None out=13 isSidechain=true")
    agent.write(tmp_path / SESSION / "subagents", "agent-1")
    records = imported(path, tmp_path, COPY)
    used = [record for record in records if record["type"] == "usage"]
    assert [(record["of"], record["response"], record["usage"]["output"]) for record in used] == [
        ("x", "m", 7), ("z", "msg-z", 13),
    ]  # fmt: skip
    total = run_in_process("usage", COPY, "--json", home=tmp_path).lines
    assert total[0]["total"]["output"] == 3 + 7 + 11 + 13
    assert imported(path, tmp_path, COPY) == records
    agent.model("w", "more", out=17, isSidechain=True)
    agent.write(tmp_path / SESSION / "subagents", "agent-1")
    assert imported(path, tmp_path, COPY)[len(records) :][0]["of"] == "w"
    run_ok("verify", COPY, home=tmp_path)
    run_ok("payload", COPY, "--to", "anthropic", "--prefill", home=tmp_path)

    run_in_process("import", "--branches", str(path), home=tmp_path / "other")
    for session in (tmp_path / "other" / "sessions").iterdir():
        assert "usage" not in {record["type"] for record in lines(session)}
    total = run_in_process("usage", "--json", home=tmp_path / "other").lines
    assert total[0]["total"]["output"] == 3 + 7 + 11 + 13 + 17


def test_a_sub_agents_own_file_is_imported_into_the_session_named(tmp_path):
    file = played(Claude(), "user a Go isSidechain=true; model b done a isSidechain=true")
    path = file.write(tmp_path / SESSION / "subagents", "agent-1")
    done = run_in_process("import", str(path), "--branches", "--into", "mine", home=tmp_path)
    assert done.out == b"mine\n"


@pytest.mark.parametrize(("leaves", "title"), [(["nowhere"], []), (["b", "nowhere"], [{"title": "of b"}])])
def test_a_summary_line_whose_leaf_names_nothing_does_no_harm(leaves, title, tmp_path):
    """Older versions began a file with the titles of other sessions: they were taken for its own."""
    file = Claude()
    file.lines += [{"type": "summary", "summary": f"of {leaf}", "leafUuid": leaf} for leaf in leaves]
    path = played(file, "user a one; model b two").write(tmp_path)
    assert view(path, tmp_path) == ["one", "two"]
    assert [r["set"] for r in lines(session_path(tmp_path, COPY)) if r["type"] == "meta"] == title


@pytest.mark.parametrize(
    "attachment",
    [
        {"type": "file"}, {"type": "file", "filename": "/a", "content": {"type": "image", "file": []}},
        {"type": "file", "filename": "/a", "content": {"type": "text", "file": {"content": 1}}},
        {"type": "mcp_resource", "content": [{"contents": 1}]},
        {"type": "nested_memory", "content": "x"}, {"type": "hook_additional_context", "content": {}},
        {"type": "hook_success", "content": "quiet", "hookEvent": "PostToolUse"},
        {"type": "skill_listing", "content": "- mow"}, {"type": "invoked_skills", "skills": [1]}, {"type": "diagnostics", "files": {}},
        {"type": "async_hook_response", "response": {"systemMessage": 1}}, {"type": "unheard_of"}, {"type": ["file"]}, "file", None,
    ],
    ids=str,
)  # fmt: skip
def test_an_attachment_that_says_nothing_is_counted(attachment, tmp_path):
    file = played(Claude(), "user u1 ask")
    file.line("attachment", "a1", attachment=attachment)
    file.model("m1", "answer")
    done = run_in_process("import", "-v", str(file.write(tmp_path)), home=tmp_path)
    assert b"not imported: 1 attachment" in done.err
    assert shown(tmp_path, COPY) == ["ask", "answer"]


def test_a_later_attachment_joins_its_prompt(tmp_path):
    file = played(Claude(), "user u1 ask")
    assert view(file.write(tmp_path), tmp_path) == ["ask"]
    file.line("attachment", "a1", attachment={"type": "opened_file_in_ide", "filename": "/rye.txt"})
    file.model("m1", "answer")
    (prompt, answer) = view(file.write(tmp_path), tmp_path)
    assert prompt.startswith("ask+The user opened the file /rye.txt in the IDE.")
    assert answer == "answer"


def test_diagnostics_of_any_shape_are_read(tmp_path):
    file = played(Claude(), "user u1 ask")
    bad = {"range": {"start": {"line": "x"}}, "severity": [], "message": "bad"}
    files = [{"uri": 1, "diagnostics": [{}, bad]}, None]
    file.line("attachment", "a1", attachment={"type": "diagnostics", "files": files})
    (prompt,) = view(file.write(tmp_path), tmp_path)
    assert prompt.count("[Line 1:1]") == 2


NOTIFIED = (
    "[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is an automated background-task event, NOT a message from the user.\n"
    "Do NOT interpret this as user acknowledgement, confirmation, or response to any pending question.\n\n"
)
QUEUED = [  # what waited in the queue while the model worked: its fields, and the heading that is sent
    ({}, ""),
    ({"commandMode": "prompt"}, ""),
    ({"commandMode": "bash", "origin": {"kind": "human"}}, ""),
    ({"commandMode": "task-notification"}, NOTIFIED),
    (
        {"commandMode": "task-notification", "isMeta": True, "origin": {"kind": "task-notification"}},
        NOTIFIED,
    ),
    ({"commandMode": "task-notification", "origin": {"kind": "human"}}, ""),
    ({"commandMode": "prompt", "isMeta": True}, "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"),
    ({"origin": {"kind": "coordinator"}}, "The coordinator sent a message while you were working:\n"),
    ({"origin": {"kind": "peer"}}, "Another Claude session sent a message while you were working:\n"),
    ({"origin": {"kind": "channel", "server": "s"}}, "A message arrived from s while you were working:\n"),
]


@pytest.mark.parametrize(("fields", "head"), QUEUED)
def test_2026_11_23_all_that_waited_is_there_and_says_whose_it_is(fields, head, tmp_path):
    file = played(Claude(), "user a one; called b A; result c A of_A")
    for uuid, prompt in (("d", "mow"), ("e", [{"type": "text", "text": "bale"}])):
        file.line("attachment", uuid, attachment={"type": "queued_command", "prompt": prompt, **fields})
    path = played(file, "model f two").write(tmp_path)
    later = [f"{head}mow", f"{head}+bale" if head else "bale"]
    assert view(path, tmp_path) == ["one", "call A", "A=of A", *later, "two"]
    assert run_in_process("list", "--jsonl", home=tmp_path).lines[0]["exchanges"] == (1 if head else 3)


def test_2026_11_23_a_leaf_on_one_of_several_results_hides_nothing(tmp_path):
    file = played(
        Claude(), 'user a one; called b A id="m"; result c A of_A; called d B b id="m"; result e B of_B'
    )
    path = played(file, "model f two; user g three; model h four; user i five; leaf c").write(tmp_path)
    assert view(path, tmp_path)[-4:] == ["two", "three", "four", "five"]
    done = run_in_process("verify", str(path), home=tmp_path)
    why = "it names line 3, one of several results: Claude Code 2.1.197 would forget what follows them"
    assert (done.code, done.text) == (1, f"{path}: line 10: {why}")
    out = tmp_path / "22222222-2222-4222-8222-222222222222.jsonl"
    done = run_in_process("rescue", str(path), "--output", str(out), home=tmp_path)
    assert f"broken    line 10: {why}\n" in done.err.decode()
    run_ok("verify", str(out), home=tmp_path)
    assert view(out, tmp_path)[-4:] == ["two", "three", "four", "five"]


def test_2026_11_23_an_attached_image_is_told_of_and_there(tmp_path):
    file = played(Claude(), "user a one")
    held = {"type": "image", "file": {"base64": "iVBORw0KGgo=", "type": "image/png"}}
    file.line("attachment", "b", attachment={"type": "file", "filename": "/x/a.png", "content": held})
    parts = imported(played(file, "model c two").write(tmp_path), tmp_path)[1]["parts"]
    assert [part.get("text") for part in parts] == [
        "one", 'Called the Read tool with the following input: {"file_path":"/x/a.png"}', None,
    ]  # fmt: skip
    assert parts[2] == {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


@pytest.mark.parametrize("others", [0, 1])
def test_2026_11_23_a_long_first_line_is_read(others, tmp_path):
    file, text = Claude(), "rye " * (by_length(2, 8, 60) << 18)
    file.lines.append(
        {"message": {"role": "user", "content": text}, "parentUuid": None, "type": "user", "uuid": "a"}
    )
    if others:
        file.model("b", "two", "a")
    path = file.write(tmp_path)
    ok = ("ok: 1 message of claude-code", "ok: 2 messages of claude-code")[others]
    assert run_in_process("verify", str(path), home=tmp_path).text == ok
    assert imported(path, tmp_path)[1]["parts"] == [{"text": text}]


def test_2026_11_23_half_a_character_in_an_only_line_is_read(tmp_path):
    line = rb'{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"one \ud83d two"}}'
    path = written(tmp_path / f"{SESSION}.jsonl", [line])
    assert run_in_process("verify", str(path), home=tmp_path).text == "ok: 1 message of claude-code"
    assert view(path, tmp_path) == ["one \ufffd two"]
