"""`rescue` restores what is readable in any damaged program file and accounts for each message.

`make test-deep` tries ten thousand damaged sessions of each program (RESCUES), `make test` a few.
"""

import hashlib
import json
import os
import random
import shutil

import orjson
import pytest

import sent
from agent_cases import MODELS, cases
from codeh_history.filters.curate.pairs import LOST
from codeh_history.programs.registry import WRITTEN
from codeh_history.providers.turns import CONTINUATION
from codeh_history.session.model import SUMMARY_HEAD
from coding_agents import AGENTS
from damage import KINDS, damaged
from in_process import run_in_process, run_ok
from program_files import Codex, Pi, played
from rescued_cases import FOLDER, NOTHING, every, table
from support import ROOT
from written_cases import hash_of, without_thoughts

EXAMPLES = int(os.environ.get("RESCUES", "10"))
FATES = ("kept", "shortened", "summarised", "dropped")

CHOSEN = {program: cases(program) for program in WRITTEN}


def drawn(program, count, salt=""):
    """Distinct damaged files of a program, reproducible."""
    seen = set()
    number = 0
    while len(seen) < count:
        number += 1
        chance = random.Random(f"{program} {salt} {number}")
        case = chance.choice(CHOSEN[program])
        kinds = chance.choices(sorted(KINDS), k=chance.randint(1, 4))
        data, done = damaged(chance, case.session.read_bytes(), kinds)
        digest = hashlib.sha256(data).digest()
        if done and digest not in seen:
            seen.add(digest)
            yield f"{case.id}, {number}: {' '.join(done)}", case, data


def payload(path, program, home):
    """The turns sent from a file; None if there are none."""
    speaks = "anthropic" if program in ("opencode", "kilo") else AGENTS[program].speaks  # it speaks to all
    words = ["--to", speaks, "--model", MODELS[speaks], "--prefill", "--unanswered", "stub", "--quiet"]
    done = run_in_process("payload", str(path), *words, home=home)
    assert done.code in (0, 65), done
    turns = without_thoughts(sent.turns(speaks, json.loads(done.out)))[1] if done.code == 0 else []
    if turns == [{"role": "user", "parts": [{"text": ""}]}]:  # OpenAI's are sent this instead of nothing
        return None
    opening = {"text": CONTINUATION}  # which programs want where a user's message is not the first
    return turns[1:] if turns and turns[0]["parts"] == [opening] else turns or None


def write_session(case, data, home):
    """Write a damaged file and its companions into its own folder."""
    folder = home / "laid"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return case.write_session(data, folder)


def facts(path, *words, home, env=None):
    """The report of a rescue as JSON."""
    return orjson.loads(run_in_process("rescue", str(path), "--json", *words, home=home, env=env).out)


def accounted(done):
    """The report of a rescue, after checking that each message has one fate."""
    report = orjson.loads(done.out)
    counts = report["messages"]
    assert counts["before"] == sum(counts[fate] for fate in FATES)
    return report


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("program", WRITTEN)
def test_readable_messages_are_restored_and_all_accounted_for(program, home, subtests):
    for how, case, data in drawn(program, EXAMPLES):
        with subtests.test(how):
            brought_back(write_session(case, data, home), data, program, home)


def brought_back(path, data, program, home):
    """Rescue a damaged file, or exit 65; the result has all readable content and needs no repair."""
    out = path.with_name("out.jsonl")
    done = run_in_process("rescue", str(path), "--output", str(out), "--json", "--report", home=home)
    assert path.read_bytes() == data
    assert done.code in (0, 65), done
    if done.code:
        assert not out.exists()
        return
    report = accounted(done)
    run_ok("verify", str(out), home=home)
    again = facts(out, "--dry-run", home=home)
    assert (again["problems"], again["mended"]) == ([], {})
    original, made = payload(path, program, home), payload(out, program, home)
    if original is None:  # another branch was taken
        return
    if any(problem["reason"] == "the text of a summary is lost" for problem in report["problems"]):
        assert texts_of(original) - {SUMMARY_HEAD} <= texts_of(made or [])  # and what it stood for
    elif all(problem["effect"] != "doubles" for problem in report["problems"]):
        assert without_repeated_ids(made or [], original) == without_repeated_ids(original, original)
    else:  # what is said twice may be joined, or its first time be summarised or a second result
        before, after = texts_of(original), texts_of(made or [])
        assert all(any(line in whole for whole in before) for line in after)
        if not report["messages"]["summarised"] + report["messages"]["dropped"]:
            assert not [whole for whole in before if without(whole, after).strip()]


def without_repeated_ids(turns, original):
    """The turns; without ids if calls of the original share one, as the new file gives each its own."""
    ids = [part["id"] for turn in original for part in turn["parts"] if "call" in part]
    if len(set(ids)) == len(ids):
        return turns
    named = ("id", "result")
    return [
        [{key: part[key] for key in part if key not in named} for part in turn["parts"]] for turn in turns
    ]


def texts_of(turns):
    """The texts and calls, without placeholders for lost results."""
    parts = [part for turn in turns for part in turn["parts"]]
    texts = (part.get("text") or json.dumps([part.get("call"), part.get("args")]) for part in parts)
    return {text for text in texts if LOST not in text}


def without(text, others):
    for other in sorted(others, key=len, reverse=True):
        text = text.replace(other, "")
    return text


@pytest.mark.parametrize("program", WRITTEN)
def test_the_budget_holds_and_every_message_is_accounted_for(program, home, subtests):
    for number, (how, case, data) in enumerate(drawn(program, EXAMPLES // 4, "for a budget")):
        budget = random.Random(number).randint(20, 200)
        with subtests.test(f"{how}, {budget} tokens"):
            words = ("--budget", str(budget), "--dry-run", "--json", "--report")
            done = run_in_process("rescue", str(write_session(case, data, home)), *words, home=home)
            assert done.code in (0, 5, 65), done
            if done.code == 0:
                assert accounted(done)["tokens"]["after"] <= budget


def test_duplicate_lines_are_written_once(home):
    case = next(case for case in CHOSEN["codex"] if case.folder.name == "plain")
    lines = case.session.read_bytes().splitlines(keepends=True)
    answer = next(at for at, line in enumerate(lines) if b'"role":"assistant"' in line)
    path = write_session(case, b"".join([*lines[: answer + 1], *lines[answer:]]), home)
    out = path.with_name("out.jsonl")
    done = run_ok("rescue", str(path), "--output", str(out), "--json", home=home)
    assert orjson.loads(done.out)["left"]["repeated line"] == 1
    assert payload(out, "codex", home) == payload(case.session, "codex", home)


def test_summarised_messages_are_read_if_the_summary_is_lost(home):
    case = next(case for case in CHOSEN["opencode"] if case.folder.name == "compacted")
    whole = json.loads(case.session.read_bytes())
    summary = next(m for m in whole["messages"] if m["info"].get("summary"))
    text = next(part for part in summary["parts"] if part["type"] == "text")["text"]
    summary["parts"] = [part for part in summary["parts"] if part["type"] != "text"]
    path = write_session(case, json.dumps(whole).encode(), home)
    out = path.with_name("out.jsonl")
    report = facts(path, "--output", str(out), home=home)
    assert [problem["reason"] for problem in report["problems"]] == ["the text of a summary is lost"]
    assert report["messages"]["kept"] == report["messages"]["before"]
    before = {it for it in texts_of(payload(case.session, "opencode", home) or []) if text not in it}
    assert before < texts_of(payload(out, "opencode", home) or [])


@pytest.mark.parametrize("program", sorted(path.stem for path in FOLDER.glob("*.json")))
def test_the_real_program_resumes_each_rescued_session(program):
    """Checks the recorded outcome, and that the generated sessions match it."""
    record = json.loads((FOLDER / f"{program}.json").read_bytes())
    hashes = {case.id: hash_of(case.data) for case in every(program)}
    assert hashes == {id: entry["file"] for id, entry in record.items()}
    assert {entry["rescued"] for entry in record.values()} - {NOTHING} == {"yes"}


def test_the_page_has_the_table_of_what_was_rescued():
    assert table() in (ROOT / "docs" / "programs.md").read_text()


def test_2026_11_26_the_longest_other_branch_is_read_if_the_current_one_is_empty(tmp_path):
    file = played(Pi(), 'user a one; model b two model="claude-opus-4-8"; user c other parent=null')
    file.line("label", "d", None, targetId="a", label="start")
    path, out = file.write(tmp_path), tmp_path / "out.jsonl"
    done = run_in_process("rescue", str(path), "--output", str(out), home=tmp_path)
    assert done.code == 0, done.err.decode()
    assert b"2 \xe2\x86\x92 2: 2 kept; not included: 1 message of an abandoned branch" in done.err
    assert b"the longest other branch is read" in done.err
    assert b'"text":"two"' in out.read_bytes()


@pytest.mark.parametrize("window", [8000, None])
def test_2026_11_23_a_smaller_window_in_the_programs_settings_is_respected(window, tmp_path):
    file = Pi()
    for number in range(60):
        file.user(f"u{number}", f"Say {number}. " * 40)
        file.model(f"a{number}", f"So {number}. " * 40, model="claude-opus-4-8")
    path = file.write(tmp_path)
    model = {"id": "claude-opus-4-8", "contextWindow": window}
    settings = tmp_path / ".pi" / "agent" / "models.json"
    settings.parent.mkdir(parents=True)
    settings.write_bytes(orjson.dumps({"providers": {"p": {"models": [model]}}}))
    env = {"HOME": str(tmp_path)}
    report = facts(path, "--dry-run", home=tmp_path, env=env)
    assert report["compacted"] is (window is not None)
    assert report["window"] == (window or 1_000_000)
    if window:
        assert report["tokens"]["after"] <= report["budget"] == int(window * 0.6)


def test_the_window_that_codex_recorded_is_respected(tmp_path):
    file = Codex()
    file.line("turn_context", {"model": "gpt-5.4"})
    file.user("Go.")
    for number in range(60):
        file.model(f"So {number}. " * 40)
    file.event("token_count", info={"model_context_window": 8000})
    report = facts(file.write(tmp_path), "--dry-run", home=tmp_path)
    assert (report["window"], report["budget"], report["compacted"]) == (8000, 4800, True)


@pytest.mark.parametrize("program", sorted(set(WRITTEN) - {"opencode", "kilo"}))
def test_2026_11_23_what_was_installed_is_not_installed_again(program, tmp_path):
    case = next(case for case in CHOSEN[program] if case.folder.name == "result-lost")
    env = {"HOME": str(tmp_path)}
    first, second = (facts(case.session, "--install", home=tmp_path, env=env) for _ in range(2))
    assert first["written"]
    again = {"written": None, "there": first["written"], "resume": first["resume"]}
    assert again.items() <= second.items()
    done = run_in_process("rescue", str(case.session), "--install", home=tmp_path, env=env)
    assert f"written   nothing; already installed: {first['written']}\n" in done.err.decode()
    other = facts(case.session, "--install", "--title", "x", home=tmp_path, env=env)
    assert other["written"] not in (None, first["written"])


@pytest.mark.parametrize("program", sorted(set(WRITTEN) - {"opencode", "kilo"}))
def test_a_session_is_listed_with_the_count_of_its_messages(program, tmp_path):
    case = next(case for case in CHOSEN[program] if case.folder.name == "result-lost")
    env = {"HOME": str(tmp_path)}
    run_ok("rescue", str(case.session), "--install", home=tmp_path, env=env)
    (row,) = orjson.loads(b"[%s]" % run_ok("rescue", "--json", home=tmp_path, env=env).out)
    (listed,) = orjson.loads(run_ok("list", "--all-programs", "--json", home=tmp_path, env=env).out)
    assert row["messages"] == listed["messages"] > 0


def test_2026_11_23_a_missing_project_folder_is_not_proposed(tmp_path):
    case = next(case for case in CHOSEN["claude-code"] if case.folder.name == "result-lost")
    env = {"HOME": str(tmp_path)}
    done = run_in_process("rescue", str(case.session), "--install", home=tmp_path, env=env)
    stderr = done.err.decode()
    assert f"resume    cd {os.path.realpath(os.getcwd())} && claude --resume " in stderr
    assert "/home/dev/project does not exist; it continues in" in stderr


def test_2026_11_24_a_prompt_repeated_after_its_summary_is_left_out(tmp_path):
    case = next(case for case in CHOSEN["codex"] if case.folder.name == "compacted")
    lines = case.session.read_bytes().splitlines(keepends=True)
    prompt = next(line for line in lines if b'"role":"user"' in line)
    compaction = next(number for number, line in enumerate(lines) if b'"type":"compacted"' in line)
    data = b"".join([*lines[: compaction + 1], prompt, *lines[compaction + 1 :]])
    brought_back(write_session(case, data, tmp_path), data, "codex", tmp_path)
    paths = case.session, write_session(case, data, tmp_path)
    whole, again = (
        run_in_process("rescue", str(path), "--dry-run", "--json", home=tmp_path) for path in paths
    )
    assert orjson.loads(again.out)["left"]["repeated line"] == 1
    assert accounted(again)["messages"] == accounted(whole)["messages"]
