"""`usage`: each response counts once, however often repeated; unknown prices are never zero."""

import re
from functools import partial

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.commands import usage
from codeh_history.commands.usage import sums
from codeh_history.store import cache
from codeh_history.tokens.prices import Table, table
from codeh_history.views import rows
from in_process import run_in_process, write_session
from program_files import SESSION as SOURCE
from program_files import Claude, Codex, played
from secret_examples import user
from strategies import encode
from support import session_path
from terminal_output import on_terminal

SONNET = {"provider": "anthropic", "model": "claude-sonnet-4-5-20250929"}  # 3 and 15 dollars a million
USED = {"input": 1000, "cached": 0, "output": 100}
COST = 0.0045


def answer(id, ts="2026-01-31T23:30:00.000Z", used=USED, **more):
    return user(id, id, ts=ts, **{"kind": "codeh", "role": "model", **SONNET, "usage": used, **more})


def kept(home, id, *records, **header):
    """A session of these records."""
    first = {"type": "session", "version": 1, "id": id, "created": "2026-01-01T00:00:00.000Z", **header}
    write_session(home, encode([first, *records]), id)


def used(home, *argv, code=0, env=None):
    done = run_in_process("usage", "--json", *argv, home=home, env=env)
    assert done.code == code, done
    return orjson.loads(done.out)


def by(home, what, *argv, env=None):
    """The number of responses of each group."""
    return {row[what]: row["responses"] for row in used(home, "--by", what, *argv, env=env)["rows"]}


def test_a_row_has_usage_and_cost(home):
    more = {"input": 2000, "cached": 1500, "cacheWrite": 500, "output": 10, "reasoning": 7}
    kept(home, "a", answer("one"), answer("two", used=more))
    report = used(home)
    row = {"responses": 2, "input": 3000, "cached": 1500, "cacheWrite": 500, "output": 110, "reasoning": 7}
    cost = round(COST + 1500 * 0.3e-6 + 500 * 3.75e-6 + 10 * 15e-6, 6)
    assert report["rows"] == [{"model": SONNET["model"], **row, "cost": cost, "unpriced": 0}]
    assert report["total"] == {**row, "cost": cost, "unpriced": 0}
    assert report["prices"]["source"].startswith("genai-prices ")
    assert len(report["prices"]["date"]) == len("2026-01-31")


def test_a_number_reused_by_a_server_is_not_a_replay(home):
    other = answer("two", responseId="chatcmpl-7", used={"input": 5, "output": 1})
    kept(home, "a", answer("one", responseId="chatcmpl-7"), other)
    assert used(home)["total"]["responses"] == 2


def test_sub_agents_count_to_their_parent(tmp_path):
    file, agent = Claude(), Claude()
    file.user("a", "one")
    file.model("b", "two")
    file.user("left0001", "abandoned")
    file.model("l1", "model too")
    file.user("sub00001", "look", None, isSidechain=True)
    file.model("s1", "found", isSidechain=True)
    file.user("c", "three", "b")
    agent.user("g1", "search", isSidechain=True)
    agent.model("g2", "nothing", isSidechain=True)
    agent.write(tmp_path / SOURCE / "subagents", "agent-x1")
    name = f"claude-code-{SOURCE}"
    run_in_process("import", "--branches", str(file.write(tmp_path)), home=tmp_path)
    assert by(tmp_path, "session") == {name: 3, f"{name}-left0001": 1}
    assert by(tmp_path, "session", name) == {name: 3}
    assert by(tmp_path, "program") == {"claude-code": 4}
    assert by(tmp_path, "dir") == {"/work": 4}


@pytest.mark.parametrize("argv, groups", [
    (["--by", "day"], ["2026-01-31", "2026-02-01", "2026-02-03", "?"]),
    (["--by", "week"], ["2026-W05", "2026-W06", "?"]),
    (["--by", "month"], ["2026-01", "2026-02", "?"]),
    (["--by", "day", "--since", "2026-02-01"], ["2026-02-01", "2026-02-03"]),
    (["--by", "day", "--until", "2026-02-01"], ["2026-01-31", "2026-02-01"]),
    (["--by", "day", "--until", "2026-02-01T00:30:00Z"], ["2026-01-31", "2026-02-01"]),
    (["--by", "day", "--until", "2026-02-01T00:29:59Z"], ["2026-01-31"]),
    (["--by", "day", "--since", "2026-02-01", "--until", "2026-02-02"], ["2026-02-01"]),
    (["--by", "day", "--since", "2026-02-01T00:30:00Z"], ["2026-02-01", "2026-02-03"]),
    (["--by", "day", "--since", "2026-02-01T00:30:00.001Z"], ["2026-02-03"]),
])  # fmt: skip
def test_by_time(home, argv, groups):
    """Epoch milliseconds and other offsets are times too."""
    times = ["2026-01-31T23:30:00.000Z", "2026-02-01T01:30:00+01:00", 1770120000000, "no time"]
    kept(home, "a", *(answer(f"m{n}", ts=time) for n, time in enumerate(times)))
    assert list(by(home, "day" if "day" in argv else argv[1], *argv[2:])) == groups


def test_days_on_a_terminal_are_the_readers(home):
    kept(home, "a", answer("one"), answer("two", model="of-ours"))
    shown = on_terminal("usage", "--by", "day", columns=140, TZ="Asia/Tokyo")
    assert "2026-02-01" in shown
    assert "$0.0045+?" in shown
    assert "█" in shown
    assert "prices: genai-prices" in shown


@pytest.mark.parametrize("columns, headings", [
    (140, "model cost share responses input cached cacheWrite output reasoning"),
    (44, "model cost share input output"), (30, "model cost input output"),
])  # fmt: skip
def test_a_narrow_terminal_shows_the_cost(home, columns, headings):
    kept(home, "a", answer("one", model="gpt-5", used={"input": 1234567, "output": 100}))
    shown = on_terminal("usage", columns=columns).splitlines()
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown[0]).split() == headings.split()
    assert "$1.54" in shown[1]
    assert "1.23M" in shown[1]


def test_cached_rows_match_the_files(home, monkeypatch):
    kept(home, "a", answer("one"))
    kept(home, "b", answer("two"))
    env, read = Env({"CODEH_HOME": str(home)}), sums.row_of
    paths = [str(session_path(home, session)) for session in ("a", "b")]
    reads = []
    monkeypatch.setattr(cache, "SETTLED", -1e9)  # however young
    monkeypatch.setattr(rows, "MUCH", 0)
    monkeypatch.setattr(sums, "row_of", lambda path, table: reads.append(path) or read(path, table))

    def remembered(table):
        version = {"version": usage.USED.version, "prices": [table.source, table.date]}
        kind = usage.USED._replace(version=version)
        return rows.cached_rows(env, paths, partial(sums.row_of, table=table), kind)

    first = remembered(table())
    assert remembered(table()) == first
    assert reads == paths
    with session_path(home, "a").open("ab") as file:
        file.write(orjson.dumps(answer("three")) + b"\n")
    changed = remembered(table())
    assert reads == [*paths, paths[0]]
    assert [len(row["responses"]) for row in changed] == [2, 1]
    newer = Table({"source": "newer", "date": "", "sellers": []})
    assert [row["responses"][0]["cost"] for row in remembered(newer)] == [None, None]


def test_damage_is_noted(home):
    kept(home, "a", answer("one"))
    with session_path(home, "a").open("ab") as file:
        file.write(b"no json\n")
    assert b"1 damaged line skipped" in run_in_process("usage").err
    assert used(home, "--strict", code=65)["total"]["responses"] == 1


SHORT = {0: "0", 9999: "9999", 10_000: "10k", 99_949: "99.9k", 99_950: "100k", 999_499: "999k"}
SHORT |= {999_500: "1M", 12_345_678: "12.3M", 5 * 10**9: "5G", 10**13: "10T"}


@pytest.mark.parametrize(("number", "text"), SHORT.items())
def test_a_number_on_a_terminal_is_short(number, text):
    assert usage._short(number) == text


def test_sub_agents_in_files_of_their_own_count_with_a_file_that_is_read_in_place(home, tmp_path):
    """Codex writes a rollout for each."""
    spend = {"last_token_usage": {"input_tokens": 9, "output_tokens": 1}}
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": SOURCE, "agent_role": "scout"}}}
    nested = {"subagent": {"thread_spawn": {"parent_thread_id": SOURCE.replace("1", "2")}}}
    second, third = (SOURCE.replace("1", digit) for digit in "23")
    rollouts = [Codex(), Codex(id=second, source=spawn), Codex(id=third, source=nested)]
    for file, answer in zip(rollouts, "ABC", strict=True):
        file.user("Go.")
        file.model(answer)
        file.event("token_count", info=spend)
    path, agent, _ = (str(file.write(tmp_path / ".codex/sessions/2026/01/01")) for file in rollouts)
    env = {"CODEX_HOME": str(tmp_path / ".codex")}
    assert by(home, "agent", path, env=env) == {"main": 1, "scout": 1, "sub-agent": 1}
    assert used(home, path, env=env)["total"]["responses"] == 3
    assert used(home, agent, env=env)["total"]["responses"] == 2


def test_2026_11_26_a_named_sub_agent_counts_with_those_that_it_called(home):
    of = {"from": "codex", "id": "x", "path": "x", "agent": True}
    kept(home, "codex-a", answer("one"), imported={"from": "codex", "id": "a", "path": "a"})
    for id, parent in (("b", "a"), ("c", "b"), ("d", "c"), ("e", "a")):
        above = {"session": f"codex-{parent}", "at": None}
        kept(home, f"codex-{id}", answer(f"of {id}"), parent=above, imported=of)
    assert used(home, "codex-a")["total"]["responses"] == 5
    assert used(home, "codex-b")["total"]["responses"] == 3
    assert used(home, "codex-d", "codex-e")["total"]["responses"] == 2


def test_a_sub_agent_s_own_file_counts_as_a_sub_agent(home, tmp_path):
    """Claude Code writes its kind in a file beside it."""
    file = played(Claude(), "user a Go. isSidechain=true; model b Done. isSidechain=true")
    path = file.write(tmp_path / SOURCE / "subagents", "agent-a1")
    assert by(home, "agent", str(path)) == {"sub-agent": 1}
    path.with_suffix(".meta.json").write_text('{"agentType": "scout"}')
    assert by(home, "agent", str(path)) == {"scout": 1}
