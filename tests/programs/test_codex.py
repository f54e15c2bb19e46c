"""Codex's rollouts: what it would send next, each trap of the format by name."""

import os
import shutil
import sys
from importlib import import_module

import orjson
import pytest

from in_process import run_in_process, run_ok
from program_copies import imported, short, shown, view
from program_files import SESSION, Codex, input_text, played
from support import corpus_files, lines, session_path

COPY = f"codex-{SESSION}"


PAIRS = "user one; model two; user three; model four; "
VIEWS = {  # what is sent of the lines that these steps write
    "a compaction without a history keeps the users' messages": (
        "user one; called A; result A of_A; model two; compacted short; user three", ["S:short", "one", "three"]),
    "a rollback of no turn": (PAIRS + "back 0; user five", ["one", "two", "three", "four", "five"]),
    "a rollback of all": (PAIRS + "back 2; user five", ["five"]),
    "the same message twice": ("user one; user two; user two", ["one", "two", "two"]),
    "a result in a response item, and in an event": (
        "user go; event user_message; called A; event item_completed; result A of_A; event agent_message; model done",
        ["go", "call A", "A=of A", "done"]),
}  # fmt: skip


@pytest.mark.parametrize(("script", "sent"), VIEWS.values(), ids=VIEWS)
def test_what_is_sent(script, sent, tmp_path):
    assert view(played(Codex(), script).write(tmp_path), tmp_path) == sent


def test_ids_and_outputs_of_every_kind_and_age(tmp_path):
    file = Codex()
    for output in ("text", {"content": "text", "success": True}, [{"type": "input_text", "text": "text"}]):
        file.called("A")
        file.result("A", output)
    for _ in range(2):
        file.item("message", id="m", role="user", content=[{"type": "input_text", "text": "one"}])
    assert view(file.write(tmp_path), tmp_path) == ["call A", "A=text"] * 3 + ["one", "one"]


def test_what_the_program_says_of_itself_is_skipped(tmp_path):
    file = Codex()
    file.item(
        "message", role="developer", content=[{"type": "input_text", "text": "<skills_instructions>"}]
    )
    kinds = "<environment_context>x", "<user_instructions>x", "<permissions x>", "<skills_instructions>"
    for text in (*kinds, "one"):
        file.user(text)
    assert view(file.write(tmp_path), tmp_path) == ["one"]


def test_a_compaction_with_a_history_begins_anew_from_it(tmp_path):
    file = played(Codex(), "user one; model two; user three; model four")
    file.compacted("in short", [input_text("three"), input_text("Summary: in short")])
    file.user("five")
    assert view(file.write(tmp_path), tmp_path) == ["S:Summary: in short", "three", "five"]
    (summary,) = [r for r in lines(session_path(tmp_path, COPY)) if r["type"] == "summary"]
    assert len(summary["covers"]) == 3


def test_an_encrypted_summary_is_sent_back_to_its_provider(tmp_path):
    file = played(Codex(), "user one")
    file.compacted("", [{"type": "compaction", "encrypted_content": "xyz"}])
    imported(played(file, "user two").write(tmp_path), tmp_path)
    argv = ("payload", COPY, "--raw", "--to", "openai-responses", "--model", "m")
    assert b'"encrypted_content":"xyz"' in run_in_process(*argv, home=tmp_path).out


def test_what_was_said_after_a_compaction_of_a_turn_that_is_taken_back_is_counted_too(tmp_path):
    file = played(Codex(), "user one; user two")
    file.compacted("in short", [input_text("in short")])
    path = played(file, "model to_two; back 1").write(tmp_path)
    done = run_in_process("import", str(path), home=tmp_path)
    assert "2 messages of a turn that was rolled back" in done.err.decode()


def test_a_rollback_since_is_a_revert(tmp_path):
    file = played(Codex(), "user one; user two")
    view(file.write(tmp_path), tmp_path)
    assert view(played(file, "back 1").write(tmp_path), tmp_path) == ["one"]
    assert [r["type"] for r in lines(session_path(tmp_path, COPY))][-1] == "revert"


USED = {"input_tokens": 100, "cached_input_tokens": 64, "output_tokens": 20, "reasoning_output_tokens": 8}


@pytest.mark.parametrize("record", [True, False])
def test_usage_is_the_last_responses_not_the_total_and_counts_once(record, tmp_path):
    file = Codex()
    file.line("turn_context", {"model": "gpt-5-codex"})
    for number in (1, 2):
        file.user("go")
        file.model("done")
        if record:
            file.line("token_usage_record", {"response_id": f"r{number}", "usage": USED})
        total = {key: number * value for key, value in USED.items()}
        file.event("token_count", info={"total_token_usage": total, "last_token_usage": USED})
        file.event("token_count", info={"total_token_usage": total, "last_token_usage": USED})
    answers = [r for r in imported(file.write(tmp_path), tmp_path) if r.get("kind") == "codeh"]
    counts = [[r["usage"][kind] for kind in ("input", "cached", "output")] for r in answers]
    assert counts == [[100, 64, 20]] * 2
    assert {r["model"] for r in answers} == {"gpt-5-codex"}
    assert [r.get("response") for r in answers] == (["r1", "r2"] if record else [None, None])


def test_2026_11_27_a_response_right_after_another_has_usage_of_its_own(tmp_path):
    file = played(Codex(), "user go")
    for text in ("one", "two"):
        file.model(text)
        file.event("token_count", info={"last_token_usage": USED})
        file.item("message", role="developer", content=[{"type": "input_text", "text": "go on"}])
    assert view(file.write(tmp_path), tmp_path) == ["go", "one", "two"]
    total = orjson.loads(run_ok("usage", "--json", home=tmp_path).out)["total"]
    assert (total["responses"], total["input"], total["output"]) == (2, 200, 40)


def test_a_response_imported_before_its_id_was_written_counts_once_in_a_fork(tmp_path):
    file = played(Codex(), "user go; model done")
    imported(file.write(tmp_path), tmp_path)
    file.line("token_usage_record", {"response_id": "r1", "usage": USED})
    path = file.write(tmp_path)
    imported(path, tmp_path)
    run_ok("import", str(path), "--into", "fork", home=tmp_path)
    total = orjson.loads(run_ok("usage", "--json", home=tmp_path).out)["total"]
    assert (total["responses"], total["input"]) == (1, 100)


def test_2026_11_27_usage_of_turns_that_a_fork_repeats_counts_once(tmp_path):
    file = Codex()
    for turn in ("t1", "t2"):
        file.user("go")
        for text in ("done", "and done"):
            file.line("turn_context", {"turn_id": turn, "model": "gpt-5-codex"})
            file.model(text)
            file.event("token_count", info={"last_token_usage": USED})
    imported(file.write(tmp_path), tmp_path)
    fork = Codex(id=OTHER, forked_from_id=SESSION)
    fork.lines += [
        {**line, "timestamp": "2026-01-02T00:00:00.000Z"} for line in file.lines
    ]  # of the replay
    imported(fork.write(tmp_path / "fork"), tmp_path)
    total = orjson.loads(run_ok("usage", "--json", home=tmp_path).out)["total"]
    assert (total["responses"], total["input"]) == (4, 400)


def test_unknown_types_are_counted(tmp_path):
    file = played(Codex(), "user one; line realtime-item None; item hologram x=1; event confetti")
    done = run_in_process("import", "-v", str(file.write(tmp_path)), home=tmp_path)
    for kind in (b"1 realtime-item", b"1 response_item (hologram)", b"1 event_msg (confetti)"):
        assert b"not imported: " + kind in done.err


def test_a_lost_header_costs_only_itself(tmp_path):
    file = played(Codex(header=False), "user one")
    done = run_in_process("import", str(file.write(tmp_path)), home=tmp_path)
    assert b"no session metadata: Codex does not resume it (read without it)" in done.err
    assert shown(tmp_path, COPY) == ["one"]


def test_a_fork_names_its_parent_and_later_headers_are_the_parents(tmp_path):
    file = Codex()
    file.lines[0]["payload"]["forked_from_id"] = "p"
    file.line("session_meta", {**file.lines[0]["payload"], "id": "p"})
    file.user("one")
    assert imported(file.write(tmp_path), tmp_path)[0]["parent"] == {"session": "codex-p", "at": None}


def test_a_packed_file_is_read_a_cut_one_as_far_as_it_goes(tmp_path):
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    file = Codex()
    for number in range(2000):
        file.user(f"{number} {hash(str(number))}")
    plain = file.write(tmp_path)
    packed = tmp_path / f"{plain.name}.zst"
    packed.write_bytes(zstd.compress(plain.read_bytes()))
    assert imported(packed, tmp_path)[1:] == imported(plain, tmp_path / "plain")[1:]
    packed.write_bytes(packed.read_bytes()[:-100])
    assert len(imported(packed, tmp_path / "cut")) > 1


@pytest.mark.parametrize("file", corpus_files("sessions/codex-*"), ids=lambda file: file.name)
def test_recorded_sessions(file, tmp_path):
    messages = [r for r in imported(file, tmp_path) if r["type"] == "message"]
    assert [r["kind"] for r in messages] == ["user", "codeh", "tool", "codeh", "user", "codeh"]
    assert sum(r["usage"]["total"] for r in messages if "usage" in r) == 360


def test_a_result_before_its_call_is_reported(tmp_path):
    file = played(Codex(), "user one; result A of_A; called A; result nothing of_nothing; model two")
    path = file.write(tmp_path)
    assert [short(record) for record in imported(path, tmp_path)[1:]] == [
        "one", "A=of A", "call A", "nothing=of nothing", "two",
    ]  # fmt: skip
    (early, *_, orphan) = run_in_process("verify", str(path), "--json", home=tmp_path).lines[0]["problems"]
    assert (early["line"], early["effect"]) == (3, "refused")
    assert (orphan["line"], orphan["effect"]) == (5, "drops")


def test_turns_that_were_rolled_back_are_branches(tmp_path):
    file = played(
        Codex(),
        "user one; model to_one; user two; model to_two; user three; model to_three; back 1; user four; back 2; user five",
    )
    done = run_in_process("import", "--branches", str(file.write(tmp_path)), home=tmp_path)
    main, newest, first = done.text.split()
    assert shown(tmp_path, main) == ["one", "to one", "five"]
    assert shown(tmp_path, newest) == ["one", "to one", "two", "to two", "four"]
    assert shown(tmp_path, first) == ["one", "to one", "two", "to two", "three", "to three"]
    left = {"session": main, "at": lines(session_path(tmp_path, main))[2]["id"]}
    assert [lines(session_path(tmp_path, id))[0]["parent"] for id in (newest, first)] == [left, left]
    assert b"rolled back" not in done.err


def test_branches_beyond_the_newest_are_counted(tmp_path):
    file = played(Codex(), "; ".join(["user one", *(f"user {number}; back 1" for number in range(205))]))
    done = run_in_process("import", "--branches", str(file.write(tmp_path)), home=tmp_path)
    assert len(done.text.split()) == 201
    assert b"not imported: 5 branches beyond the newest 200" in done.err


def test_a_repeated_line_counts_once(tmp_path):
    file = played(Codex(), "user one; called A; result A of_A")
    file.lines = [*file.lines[:2], *file.lines[1:], file.lines[-1]]
    path = file.write(tmp_path)
    assert view(path, tmp_path) == ["one", "call A", "A=of A"]
    problems = run_in_process("verify", str(path), "--json", home=tmp_path).lines[0]["problems"]
    assert [(it["line"], it["effect"]) for it in problems] == [(3, "doubles"), (6, "doubles")]
    assert problems[0]["reason"] == "the same as line 2: Codex sends it twice"


@pytest.mark.parametrize("block", [{"type": "input_text"}, {"type": "refusal"}])
def test_2026_11_23_what_is_damaged_in_a_content_is_left_out_of_what_is_written(block, tmp_path):
    """A block that `rescue` was to read and write again ended it with a bug."""
    file = Codex()
    file.item("message", role="user", content=[block, input_text("one")])
    file.model("two")
    file.item("message", role="user", content=[{"type": "input_text", "text": -1}])
    out = tmp_path / "out.jsonl"
    run_ok("rescue", str(file.write(tmp_path)), "--output", str(out), home=tmp_path)
    assert view(out, tmp_path) == ["one", "two"]


OTHER = "22222222-2222-4222-8222-222222222222"
REVERTED = "33333333-3333-4333-8333-333333333333"


def talk(file, *texts):
    for number, text in enumerate(texts):
        (file.model if number % 2 else file.user)(text)
    return file


def in_place(home, file, day="01"):
    """A rollout where Codex keeps it, written a while ago."""
    path = file.write(home / ".codex" / "sessions" / "2026" / "01" / day)
    os.utime(path, (path.stat().st_mtime - 3600,) * 2)
    return path


def import_all(home, *argv, again=False):
    """What `import --all` says; `again`: with nothing remembered of the files."""
    if again:
        shutil.rmtree(home / "cache", ignore_errors=True)
    return run_in_process("import", "--all", *argv, home=home)


def logs(home):
    return {path.name: path.read_bytes() for path in (home / "sessions").glob("*.jsonl")}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("day", ["01", "02"])
def test_2026_11_23_a_fork_shows_the_history_that_it_continues(day, *, packed, tmp_path):
    base = talk(Codex(history_mode="paginated"), "one", "two")
    fork = talk(Codex(id=OTHER, continues=base, forked_from_id=SESSION), "three", "four")
    second = talk(Codex(id=REVERTED, continues=fork, forked_from_id=OTHER), "five")
    talk(base, "said in the base later")
    talk(fork, "said in the fork later")
    first = in_place(tmp_path, base)
    if packed:
        zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
        first.with_name(f"{first.name}.zst").write_bytes(zstd.compress(first.read_bytes()))
        first.unlink()
    in_place(tmp_path, fork, day)
    file = in_place(tmp_path, second, day)
    (header, *_) = imported(file, tmp_path)
    assert shown(tmp_path, header["id"]) == ["one", "two", "three", "four", "five"]
    before = run_in_process("show", str(file), "--jsonl", home=tmp_path).lines[-2]["id"]
    assert header["parent"] == {"session": f"codex-{OTHER}", "at": before}
    assert run_in_process("verify", str(file), home=tmp_path).text == "ok: 5 messages of codex"


def test_2026_11_23_of_a_history_that_is_continued_the_same_messages_have_the_same_ids(tmp_path):
    base = talk(Codex(), "one", "two", "one", "two")
    base.compacted("in short", [input_text("one"), input_text("in short")])
    fork = talk(Codex(id=OTHER, continues=base, forked_from_id=SESSION), "three")
    first, second = (imported(in_place(tmp_path, file), tmp_path) for file in (base, fork))
    ids = [r["id"] for r in first if r["type"] in ("message", "summary")]
    assert [r["id"] for r in second if r["type"] in ("message", "summary")][: len(ids)] == ids


def test_2026_11_23_a_history_that_is_missing_is_named(tmp_path):
    base = talk(Codex(), "one", "two")
    fork = str(in_place(tmp_path, talk(Codex(id=OTHER, continues=base, forked_from_id=SESSION), "three")))
    why = f"it continues a missing rollout, {SESSION}: Codex does not resume it"
    done = run_in_process("verify", fork, home=tmp_path)
    assert (done.code, done.text) == (1, f"{fork}: line 1: {why}")
    for verb in ("verify", "show"):
        assert run_in_process(verb, fork, "--strict", home=tmp_path).code == 65
    for argv in (["import", fork], ["rescue", fork, "--dry-run"]):
        assert why in run_in_process(*argv, home=tmp_path).err.decode()
    assert shown(tmp_path, f"codex-{OTHER}") == ["three"]
    done = run_in_process("import", fork, "--strict", home=tmp_path / "other")
    assert done.code == 65
    assert done.err.decode() == f"codeh-history: {fork}: line 1: {why}; nothing was imported\n"
    assert not list(tmp_path.glob("other/sessions/*"))


@pytest.mark.parametrize("size", [10, 0])
def test_2026_11_23_a_history_that_is_cut_short_is_named_and_read_as_far_as_it_goes(size, tmp_path):
    base = talk(Codex(), "one", "two")
    fork = in_place(tmp_path, talk(Codex(id=OTHER, continues=base, forked_from_id=SESSION), "three"))
    path = in_place(tmp_path, base)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - size] if size else b"")
    done = run_in_process("verify", str(fork), home=tmp_path)
    assert done.code == 1
    assert f"{path.name}: only {len(path.read_bytes()):,} of {len(whole):,} bytes exist" in done.text
    assert view(fork, tmp_path) == (["one", "three"] if size else ["three"])


def test_2026_11_23_a_history_that_leads_back_to_itself_ends(tmp_path):
    base = talk(Codex(), "one")
    fork = talk(Codex(id=OTHER, continues=base), "two")
    base.lines[0]["payload"]["history_base"] = {"thread_id": OTHER, "end_byte_offset": 400}
    in_place(tmp_path, base)
    done = run_in_process("verify", str(in_place(tmp_path, fork)), home=tmp_path)
    assert (done.code, "it continues a missing rollout" in done.text) == (1, True)


def reverted(home):
    """The two files of a thread that was reverted to its first turn, and continued."""
    base = talk(Codex(history_mode="paginated"), "one", "two")
    again = talk(Codex(rollout=REVERTED, continues=base), "five", "six")
    talk(base, "three", "four")
    return in_place(home, base), in_place(home, again, "02")


def test_2026_11_23_a_reverted_thread_is_what_codex_resumes(tmp_path):
    first, second = reverted(tmp_path)
    (line,) = import_all(tmp_path).lines
    assert (line["session"], line["path"]) == (COPY, str(second))
    assert shown(tmp_path, COPY) == ["one", "two", "five", "six"]
    before = logs(tmp_path)
    assert import_all(tmp_path, again=True).out == b""
    for file in (first, second, first, second):
        run_ok("import", str(file), home=tmp_path)
    after = logs(tmp_path)
    assert {name: after[name] for name in before} == before
    (other,) = after.keys() - before.keys()  # the older file, asked for by its name
    assert shown(tmp_path, other.removesuffix(".jsonl")) == ["one", "two", "three", "four"]
    done = run_in_process("verify", str(first), home=tmp_path)
    assert (done.code, "codex resumes a newer file of this session" in done.text) == (1, True)


def test_2026_11_23_a_thread_that_is_reverted_after_it_was_imported(tmp_path):
    base = talk(Codex(), "one", "two")
    again = talk(Codex(rollout=REVERTED, continues=base), "five")
    in_place(tmp_path, talk(base, "three"))
    import_all(tmp_path)
    in_place(tmp_path, again)
    (line,) = import_all(tmp_path).lines
    assert (line["session"], line["action"]) == (COPY, "updated")
    assert shown(tmp_path, COPY) == ["one", "two", "five"]
    assert import_all(tmp_path, again=True).out == b""


def test_2026_11_23_a_fork_that_was_imported_without_its_history_stays(tmp_path):
    base = talk(Codex(), "one", "two")
    fork = talk(Codex(id=OTHER, continues=base, forked_from_id=SESSION), "three", "four")
    imported(talk(Codex(id=OTHER), "three", "four").write(tmp_path / "apart"), tmp_path)
    in_place(tmp_path, base)
    file = in_place(tmp_path, fork)
    done = run_in_process("import", str(file), home=tmp_path)
    assert done.text == f"codex-{OTHER}-2"
    assert done.err.decode().count("new messages went to") == 1
    assert shown(tmp_path, done.text) == ["one", "two", "three", "four"]
    before = logs(tmp_path)
    done = run_in_process("import", str(file), home=tmp_path)
    assert (done.text, done.err) == (f"codex-{OTHER}-2", b"")
    assert logs(tmp_path) == before


@pytest.mark.parametrize("last", [False, True])
def test_2026_11_23_a_result_that_is_lost_is_named(last, tmp_path):
    file = played(Codex(), "user go; called A")
    if not last:
        file.model("done")
    path = file.write(tmp_path)
    why = "the call of exec_command has no result: Codex answers it with `aborted`"
    done = run_in_process("verify", str(path), home=tmp_path)
    assert (done.code, done.text) == (1, f"{path}: line 3: {why}")
    done = run_in_process("rescue", str(path), "--output", str(tmp_path / "new.jsonl"), home=tmp_path)
    mended = "repaired  call answered as failed because its result was lost\n"
    assert f"broken    line 3: {why}\n{mended}" in done.err.decode()
    run_ok("verify", str(tmp_path / "new.jsonl"), home=tmp_path)
