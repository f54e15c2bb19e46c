"""Summarising while others write: appends, changes of what is to be covered, and two runs at once."""

import sys
import threading
import time

import pytest

from codeh_history.session.records import dumps
from in_process import run_in_process
from summarizing import (
    GOOD,
    HOW_IT_STANDS,
    LONG,
    changed_in,
    session,
    shown,
    summarize,
)
from support import append_text, lines, start

PROGRAM = f"{sys.executable} -m codeh_history"


def until(path):
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.01)


def test_appends_are_neither_blocked_nor_lost_while_a_command_thinks(home):
    path = session(home, "demo", 51)
    started, go = home / "asked", home / "go"
    command = f"touch {started}; while [ ! -e {go} ]; do sleep 0.02; done; {GOOD}"
    process = start("summarize", "demo", "-i", "--via", command, "--counter", "approx", home=home)
    until(started)
    ids = [append_text(path, f"meanwhile {n}") for n in range(100)]
    go.touch()
    assert process.wait(60) == 0
    records = lines(path)
    assert [record["id"] for record in records if str(record.get("parts")).find("meanwhile") > 0] == ids
    assert [record["type"] for record in records].count("summary") == 1
    assert len(records[-1]["covers"]) == 20
    assert shown("demo")[-100:] == ids


CHANGES = f"n=$(cat {{home}}/runs 2>/dev/null | wc -l); echo run >> {{home}}/runs; {PROGRAM} update u0 -s demo -m changed$n >/dev/null"


def test_a_change_meanwhile_is_taken_in(home):
    path = session(home, "demo", 51)
    once = f"[ -e {home}/runs ] || {{ {CHANGES.format(home=home)}; }}; tee {home}/prompt >/dev/null; echo 'The user asked.'"
    done = summarize("demo", "--via", once)
    assert done.code == 0, done.err
    assert "User: changed0" in (home / "prompt").read_text()
    assert [record["type"] for record in lines(path)].count("summary") == 1


def test_changing_again_and_again_is_75(home):
    path = session(home, "demo", 51)
    always = f"{CHANGES.format(home=home)}; {GOOD}"
    done = summarize("demo", "--via", always)
    assert done.code == 75
    assert len((home / "runs").read_text().splitlines()) == 2
    assert [record["type"] for record in lines(path)].count("summary") == 0


@pytest.mark.parametrize(
    "meanwhile, runs, stored",
    [
        ("clear -s demo", 1, 0),  # nothing is left to summarise
        ("undo -s demo --id a1", 2, 1),
        ("undo -s demo --id S", 1, 1),
        ("fork demo", 1, 1),
        ("persist demo -i --all", 1, 1),
    ],
)
def test_what_else_may_happen_meanwhile(home, meanwhile, runs, stored):
    path = session(home, "demo", 51)
    with path.open("ab") as file:
        file.write(dumps({"type": "summary", "id": "S", "summary": "tea", "covers": []}) + b"\n")
    command = f"[ -e {home}/runs ] || {PROGRAM} {meanwhile} >/dev/null; echo run >> {home}/runs; {GOOD}"
    done = summarize("demo", "--via", command)
    assert done.code == 0, done.err
    assert (home / "runs").read_text() == "run\n" * runs
    new = [record for record in lines(path) if record["type"] == "summary" and record["id"] != "S"]
    assert len(new) == stored
    assert all(("a1" in record["covers"]) == ("a1" not in meanwhile) for record in new)


@pytest.mark.parametrize("how", HOW_IT_STANDS)
def test_a_message_changed_in_how_it_stands_is_seen(home, how):
    """Pinned, edited and not yet committed, or shortened meanwhile: the summary is written anew."""
    path = session(home, "demo", 51)
    (home / "line").write_bytes(changed_in(how, path))
    once = f"[ -e {home}/runs ] || cat {home}/line >> {path}; echo run >> {home}/runs; tee {home}/prompt >/dev/null; echo 'The user asked.'"
    done = summarize("demo", "--via", once)
    assert done.code == 0, done.err
    assert len((home / "runs").read_text().splitlines()) == 2
    (summary,) = [record for record in lines(path) if record["type"] == "summary"]
    assert ("u0" in summary["covers"]) == (how == "replaced")
    assert ("a stub" in (home / "prompt").read_text()) == (how == "replaced")


def run_once_meanwhile(home, path, records):
    """A summariser's command; when it runs first, these records are appended."""
    (home / "lines").write_bytes(b"".join(dumps(record) + b"\n" for record in records))
    return f"[ -e {home}/runs ] || cat {home}/lines >> {path}; echo run >> {home}/runs; {GOOD}"


def test_the_newest_exchange_is_not_covered_though_it_was_not_the_newest_before(home):
    path = session(home, "demo", 51)
    gone = [
        {"type": "revert", "id": f"r{kind}{n}", "of": f"{kind}{n}"} for n in range(10, 51) for kind in "ua"
    ]
    done = summarize("demo", "--via", run_once_meanwhile(home, path, gone))
    assert done.code == 0, done.err
    assert [record["type"] for record in lines(path)].count("summary") == 0
    assert "u9" in shown("demo")


def test_a_summary_undone_meanwhile_is_not_folded(home):
    path = session(home, "demo", 2)
    summaries = (
        {"type": "summary", "id": f"S{n}", "summary": f"{LONG} {n}", "covers": []} for n in range(6)
    )
    with path.open("ab") as file:
        file.write(b"".join(dumps(record) + b"\n" for record in summaries))
    undo = [{"type": "revert", "id": "r", "of": "S0"}]
    done = summarize("demo", "--via", run_once_meanwhile(home, path, undo))
    assert done.code == 0, done.err
    assert [record["type"] for record in lines(path)].count("summary") == 6
    assert (home / "runs").read_text() == "run\n"  # five are not too many


def test_two_runs_at_once_with_appends_going_on(home):
    """Every batch is summarised once, nearly always asked for once, and every append is there, in order."""
    names = [f"s{n:02d}" for n in range(40)]
    paths = {name: session(home, name, 51 + n % 3) for n, name in enumerate(names)}
    stored = {name: [] for name in names}

    def keep_appending():
        for number in range(8 * len(names)):  # never so many that a session is due once more
            time.sleep(0.004)
            name = names[number % len(names)]
            stored[name].append(append_text(paths[name], f"meanwhile {number}"))

    writer = threading.Thread(target=keep_appending)
    writer.start()
    argv = "summarize --all --counter approx --jobs 2 --via".split()
    argv.append(f"echo run >> {home}/runs; {GOOD}")
    runs = [start(*argv, home=home, stdout=-1, stderr=-1) for _ in range(2)]
    outputs = [process.communicate(timeout=300) for process in runs]
    writer.join()
    assert [process.returncode for process in runs] == [0, 0], outputs
    results = [line for out, _ in outputs for line in lines(out)]
    assert sorted(line["session"] for line in results) == names
    assert len((home / "runs").read_text().splitlines()) < 1.5 * len(names)  # both may begin at once
    for name in names:
        records = lines(paths[name])
        covered = [id for record in records if record["type"] == "summary" for id in record["covers"]]
        assert covered == [f"{kind}{n}" for n in range(len(covered) // 2) for kind in "ua"]
        assert len(covered) >= 20
        assert len(covered) == len(set(covered))
        assert [r["id"] for r in records if "meanwhile" in str(r.get("parts"))] == stored[name]


def test_a_replacement_in_the_block_store_is_no_change(home):
    path = session(home, "demo", 2)
    long = dumps({"type": "message", "kind": "user", "parts": [{"text": "word " * 2000}]})
    head, *rest = path.read_bytes().splitlines(keepends=True)
    copies = [long.replace(b'"kind"', b'"id":"L%d","kind"' % number) + b"\n" for number in (1, 2)]
    path.write_bytes(b"".join([head, *copies, *rest]))
    for command in ("compact demo -i --budget 4k --counter approx", "persist demo -i --all"):
        assert run_in_process(*command.split(), home=home).code == 0
    assert b'"op":"replace"' in path.read_bytes()
    done = run_in_process(
        "summarize", "demo", "-i", "--max-conversations", "1", "--min-batch", "1", home=home
    )
    assert done.code == 0, done.err
    assert lines(path)[-1]["type"] == "summary"
