"""The steps of `rescue`: what can be read, what is reduced, where it goes, and what is reported."""

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.commands.rescue import lines
from codeh_history.commands.rescue.steps import read, reduced
from histories import model, session, user
from in_process import run_in_process, write_session
from program_files import SESSION, Claude, Codex, Copilot, played, written
from strategies import encode
from terminal_output import on_terminal


def texts(recovered):
    return [part["text"] for message in recovered.view.messages for part in message.parts]


def talk():
    return played(Claude(), "user u1 hi; model a1 ho; user u2 more")


def test_a_program_file_with_damaged_first_lines_is_recognised(env, tmp_path):
    path = written(tmp_path / "s.jsonl", [b"damage"] * 30 + talk().lines)
    recovered = read(env, None, str(path))
    assert (recovered.program, texts(recovered)) == ("claude-code", ["hi", "ho", "more"])
    assert {problem["line"] for problem in recovered.problems} >= {1, 30}


def test_a_file_of_any_name_is_read(env, tmp_path):
    path = written(tmp_path / "broken copy.txt", talk().lines)
    assert read(env, None, str(path)).program == "claude-code"
    with pytest.raises(Usage, match=r"rescue reads a file or a session, never a stream"):
        read(env, None, "-")


def test_a_file_without_readable_messages_is_refused(env, home, tmp_path):
    write_session(home, b'{"type":"session","version":1,"id":"s"}\n{damage\n')
    with pytest.raises(BadData, match=r"it contains no readable message"):
        read(env, "s", None)
    made = Claude()
    made.line("system", "x", subtype="note", content="nothing said")
    with pytest.raises(BadData, match=r"it contains no readable message of claude-code"):
        read(env, None, str(written(tmp_path / "empty.jsonl", made.lines)))


def test_a_file_of_many_sessions_needs_a_choice(env, tmp_path):
    batch = [{"messages": [{"role": "user", "content": text}]} for text in ("one", "two")]
    with pytest.raises(BadData, match=r"more than one session of openai-jsonl; import it, and rescue one"):
        read(env, None, str(written(tmp_path / "b.jsonl", batch)))


def test_2026_11_23_without_a_name_the_newest_sessions_are_listed_with_their_problems(tmp_path):
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    done = run_in_process("rescue", home=tmp_path, env=env)
    assert (done.code, done.out, b"no sessions of other programs found" in done.err) == (0, b"", True)
    whole, broken = Claude(), Codex()
    whole.user("a", "Why is the sky blue?")
    whole.model("b", "It scatters.")
    first = whole.write(tmp_path / "claude" / "projects" / "x")
    played(broken, "user Run_it.; called A; model Done.")
    second = broken.write(tmp_path / ".codex" / "sessions" / "2026" / "01" / "01")
    unread = written(tmp_path / ".pi" / "agent" / "sessions" / "x" / "y.jsonl", [{"type": "hologram"}])
    done = run_in_process("rescue", home=tmp_path, env=env)
    rows = {row[0]: row[2:] for row in (line.split("\t") for line in done.text.splitlines())}
    assert rows[str(first)] == ["claude-code", "2", "ok", "Why is the sky blue?"]
    why = "line 3: the call of exec_command has no result: Codex answers it with `aborted`"
    assert rows[str(second)] == ["codex", "2", why, "Run it."]
    assert str(unread) not in rows
    rows = {row["path"]: row for row in run_in_process("rescue", "--json", home=tmp_path, env=env).lines}
    assert rows[str(second)]["problems"][0]["line"] == 3
    assert "Why is the sky blue?" in on_terminal("rescue", home=tmp_path, **env)
    compacted = played(Copilot(), "user one; model two; compacted in_short; user three")
    compacted.write(tmp_path / ".copilot" / "session-state" / SESSION)
    rows = {row["program"]: row for row in run_in_process("rescue", "--json", home=tmp_path, env=env).lines}
    assert rows["copilot-cli"]["messages"] == 1  # the others are summarised
    assert run_in_process("rescue", "--install", home=tmp_path, env=env).code == 2


LOG = [
    {"type": "session", "version": 1, "id": "demo"},
    {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": [{"text": "hi"}]},
    {"type": "message", "id": "b", "kind": "codeh", "role": "model", "parts": [{"text": "ho"}]},
]  # fmt: skip


def test_a_rescued_native_session_names_its_source(home):
    path = write_session(home, encode(LOG[:2]) + b"{damage\n" + encode(LOG[2:]), "demo")
    before = path.read_bytes()
    done = run_in_process("rescue", "demo", "--output", "new")
    assert (done.code, done.text) == (0, "new")
    assert path.read_bytes() == before
    header, *rest = map(orjson.loads, (home / "sessions" / "new.jsonl").read_bytes().splitlines())
    assert (header["id"], header["parent"]) == ("new", {"session": "demo", "at": "b"})
    assert [line["id"] for line in rest] == ["a", "b"]
    assert run_in_process("rescue", "demo", "--output", "new").code == 65
    assert run_in_process("rescue", "demo").text == "demo-rescued"


ENV = Env({"CODEH_HOME": "/nowhere"})


def called(id, name="f"):
    call = {"functionCall": {"id": id, "name": name, "args": {}}}
    return {"kind": "codeh", "role": "model", "parts": [call]}


def answered(id, name="f", output="x"):
    result = {"functionResponse": {"id": id, "name": name, "response": {"output": output}}}
    return {"kind": "tool", "role": "user", "parts": [result]}


def done(records, to=None, budget=None):
    """What is written, and the facts of it."""
    written, _, facts = reduced(ENV, view(records), to, budget)
    return written, facts


def view(records):
    return session(records)


@pytest.mark.parametrize(("records", "repairs"), [
    ([user("go"), called("c"), answered("c"), model("ok")], {}),
    ([user("go"), called("c"), model("ok")], {"call answered as failed because its result was lost": 1}),
    ([user("go"), answered("c"), model("ok")], {"result without its call left out": 1}),
    ([user("go"), called("c"), answered("c"), answered("c"), model("ok")], {"second result of a call left out": 1}),
    ([user("go"), called("c"), user("on"), answered("c"), model("ok")], {"result moved to its call": 1}),
    ([user("go"), called("c"), answered("c", "g"), model("ok")], {"result renamed to match its call": 1}),
], ids=["whole", "lost", "unasked", "second", "late", "renamed"])  # fmt: skip
def test_repairs_of_calls_and_results_are_counted(records, repairs):
    assert done(records)[1]["mended"] == repairs


def fates(records, budget=None):
    counts = done(records, budget=budget)[1]["messages"]
    names = ("before", "kept", "shortened", "summarised", "dropped")
    return {name: counts[name] for name in names if counts[name]}


def test_messages_covered_by_an_earlier_summary_are_not_counted():
    records = [{**user("go"), "id": "a"}, {**model("so"), "id": "b"}, user("on"), model("ok")]
    summary = {"type": "summary", "id": "s", "covers": ["a", "b"], "summary": "They went."}
    assert fates([*records, summary]) == {"before": 2, "kept": 2}


def test_2026_11_24_a_result_shares_the_fate_of_its_call():
    late = [user("go"), called("c"), user("on"), answered("c", output="x " * 60), model("ok")]
    assert fates(late) == {"before": 5, "kept": 5}


def test_2026_11_24_a_message_that_lost_one_of_two_results_is_shortened():
    both = {**answered("c"), "parts": [*answered("c")["parts"], *answered("other")["parts"]]}
    assert fates([user("go"), called("c"), both, model("ok")]) == {"before": 4, "kept": 3, "shortened": 1}


def test_a_program_gets_only_what_it_can_continue():
    assert done([user("go"), model("ok")], to="codex")[0].messages
    with pytest.raises(BadData, match="can be sent again"):
        done([{"kind": "info", "parts": [{"text": "a note"}]}], to="codex")


REPORT = {
    "session": "s", "program": "codex", "ok": True, "problems": [], "mended": {}, "model": None, "window": None, "budget": None, "compacted": False, "there": None,
    "messages": {"before": 4, "after": 4, "kept": 4, "shortened": 0, "summarised": 0, "dropped": 0},
    "tokens": {"counter": "approx", "before": 1234, "after": 1234}, "let_go": {}, "summary": 0, "left": {}, "not_written": {},
    "written": None, "place": None, "resume": None,
}  # fmt: skip


def report(**more):
    first, *rest = lines({**REPORT, **more})
    rows = {"first": first}
    label = ""
    for line in rest:
        label = line[:9].strip() or label
        rows[label] = f"{rows[label]}|{line[10:]}" if label in rows else line[10:]
    return rows


def problems(*located):
    return [{"line": line, "reason": reason} for line, reason in located]


@pytest.mark.parametrize(
    ("located", "answered"),
    [
        ([(3, "torn")], "line 3: torn"), ([(3, "torn"), (5, "torn")], "lines 3, 5: torn"), ([(0, "no head")], "no head"),
        ([(n, "torn") for n in range(1, 7)], "lines 1, 2, 3 and 3 more: torn"), ([(1, "a"), (2, "b"), (3, "c")], "line 1: a|line 2: b|line 3: c"),
        ([(1, "a"), (2, "b"), (3, "c"), (4, "d")], "line 1: a|line 2: b|line 3: c|and 1 other kind (`codeh-history verify FILE`)"),
        ([(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")], "line 1: a|line 2: b|line 3: c|and 2 other kinds (`codeh-history verify FILE`)"),
    ],
    ids=["one", "twice", "all of it", "many lines", "three kinds", "one more kind", "more kinds"],
)  # fmt: skip
def test_problems_are_reported_by_kind_with_their_first_lines(located, answered):
    assert report(ok=False, problems=problems(*located))["broken"] == answered


def test_repairs_are_counted():
    rows = report(ok=False, mended={"a result moved": 1, "a call answered": 1200})
    assert rows["repaired"] == "a result moved; a call answered (1,200)"


def test_removed_content_is_listed_largest_first_with_its_summary():
    sizes = {"texts": (1, 10), "results": (1500, 90_000), "answers": (0, 4)}
    gone = {name: {"parts": parts, "tokens": tokens} for name, (parts, tokens) in sizes.items()}
    limits = {"summary": 800, "not_written": {"thought": 3, "image": 2}, "budget": 1000, "window": 200_000}
    rows = report(compacted=True, let_go=gone, **limits)
    removed = "1,500 results (90,000 tokens), 1 text (10 tokens), 2 images"
    assert rows["removed"] == f"{removed}, replaced by a summary of 800 tokens"
    assert rows["tokens"] == "1,234 → 1,234, at most 1,000 of a window of 200,000"
    assert rows["written"] == "nothing yet (--output FILE or --install writes it)"


def test_what_its_program_summarised_before_is_not_called_summarised_by_the_rescue(tmp_path):
    made = talk()
    made.compacted("s", "They greeted.")
    made.user("u3", "on")
    path = written(tmp_path / "s.jsonl", made.lines)
    first, *rest = run_in_process("rescue", str(path), "--dry-run", home=tmp_path).err.decode().splitlines()
    assert ": 1 message, " in first
    assert "broken    nothing" in rest
    assert "messages  1 → 1: 1 kept" in rest
