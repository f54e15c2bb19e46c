"""`make test-agents`: have each program go on with sessions, and compare what it sends with what is recorded.

    make test-agents ARGS='[--record] [PROGRAM[/CASE] | written[/CASE[/PROGRAM]] | again[/PROGRAM[/CASE]] |
                            rescued[/PROGRAM[/KIND[/CASE]]] | through-all]…'

A case is a folder of `cases/PROGRAM`: `about` (one line), a session's file as that program would have written
it, what lies beside it, and `request.json`, what the program sends when it goes on; `request.older.json` is what the
version in `older/package.json` sends where that is something else. `written` holds sessions that we write for each
program, and `PROGRAM.json`, what it sends when it goes on with our file; `written/again.json` says whether a program
sends the same of each of its own cases once that was read and written by us, and `written/through-all.json` what is left of a session that each program in turn has gone on with.
`rescued/PROGRAM.json` says what a program does with damaged sessions, and with what `rescue` makes of them.
`--record` writes what is recorded.
"""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from functools import partial
from pathlib import Path
from threading import Lock

import rescued_cases
import written_cases
from agent_cases import cases, older, recorded, written
from coding_agents import INSTALLED, OLDER_AGENTS

LOCK = Lock()


def main(argv):
    if not INSTALLED.is_dir():
        print("the programs are not installed: make test-agents", file=sys.stderr)
        return 2
    record = "--record" in argv
    words = [word for word in argv if word != "--record"]
    wanted = list(_wanted(words, record=record))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        different = sum(pool.map(lambda run: run(), wanted))
    if not record:
        print(f"{len(wanted)} cases, {different} of them now different")
    return 1 if different and not record else 0


def _wanted(words, *, record):
    """How each case that is wanted is compared or recorded; says whether it is different now."""

    def is_wanted(id):
        return not words or any(id == word or id.startswith(f"{word}/") for word in words)

    for case in cases():
        if is_wanted(case.id):
            yield partial(_case, case, case.id, record=record)
    for case, made in written_cases.shared():
        if is_wanted(id := f"written/{case.folder.name}/{made.program}"):
            yield partial(_written, case, made, made.hash(), id, record=record)
    if is_wanted("through-all"):
        yield partial(_through_all, "through-all", record=record)
    for case, made in written_cases.again():
        if is_wanted(id := f"again/{case.id}"):
            yield partial(_again, case, made, made.hash(), id, record=record)
    for program in rescued_cases.GOOD:
        every = rescued_cases.every(program)
        for case in every:
            if is_wanted(id := f"rescued/{program}/{case.id}"):
                with tempfile.TemporaryDirectory() as home:
                    turns = rescued_cases.wanted(case, Path(home))
                order = [other.id for other in every]
                yield partial(_rescued, case, turns, order, id, record=record)


def _case(case, id, *, record):
    live = case.live()
    if record:
        different = _record(id, changed=written_cases.write(case.record, written(live)))
    else:
        different = _differs(id, recorded(case), live)
    if case.program in OLDER_AGENTS:
        different += _older(case, f"{id} (older)", record=record)
    return different


def _older(case, id, *, record):
    live = case.live(older=True)
    before = written_cases.read(case.older)
    if not record:
        return _differs(id, {**older(case), "why": None}, {**live, "why": None})
    if live == {**recorded(case), "version": live["version"]}:
        case.older.unlink(missing_ok=True)
        return _record(id, changed=bool(before))
    why = {"why": before["why"]} if "why" in before else {}
    return _record(id, changed=written_cases.write(case.older, written({**live, **why})))


def _written(case, made, file, id, *, record):
    live, path = made.live(file), case.record(made.program)
    if not record:
        return _differs(id, {**live, **written_cases.read(path), "why": None}, {**live, "why": None})
    why = written_cases.read(path).get("why") if path.exists() else None
    return _record(
        id, changed=written_cases.write(path, written({**live, **({"why": why} if why else {})}))
    )


def _through_all(id, *, record):
    live, path = written_cases.through_all(), written_cases.THROUGH
    if not record:
        return _differs(id, written_cases.read(path), live)
    return _record(id, changed=written_cases.write(path, written(live)))


def _again(case, made, file, id, *, record):
    live = made.live(file)
    if "turns" in live:
        live["sha256"] = written_cases.digest(live["turns"])
    with LOCK:
        table = written_cases.read(written_cases.AGAIN)
        before = table.get(case.id, {})
        after = {key: live[key] for key in ("file", "sha256", "thoughts", "says") if key in live}
        if not record:
            kept = {key: value for key, value in before.items() if key != "why"}
            return _differs(id, kept, after, live.get("turns"))
        table[case.id] = {**after, **({"why": before["why"]} if "why" in before else {})}
        return _record(id, changed=written_cases.write(written_cases.AGAIN, _table(table, sorted(table))))


def _rescued(case, turns, order, id, *, record):
    live, path = rescued_cases.live(case, turns), rescued_cases.FOLDER / f"{case.program}.json"
    with LOCK:
        table = written_cases.read(path)
        if not record:
            return _differs(id, table.get(case.id, {}), live)
        table[case.id] = live
        return _record(id, changed=written_cases.write(path, _table(table, order)))


def _table(records, order):
    """Records as their file has them: a line each."""
    line = written_cases.line
    return (
        "{\n" + ",\n".join(f"  {line(id)}: {line(records[id])}" for id in order if id in records) + "\n}\n"
    )


def _record(id, *, changed):
    print(f"{id}: {'recorded' if changed else 'as before'}", flush=True)
    return changed


def _differs(id, before, after, more=None):
    old, new = written(before).splitlines(), written(after).splitlines()
    diff = list(unified_diff(old, new, "recorded", "now", lineterm=""))
    print("\n".join([f"{id}: {'DIFFERENT' if diff else 'equal'}", *diff]), flush=True)
    if diff and more:
        print(f"{id}: now sent: {written_cases.line(more)}", flush=True)
    return bool(diff)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
