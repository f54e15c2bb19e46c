"""`make test-agents`: have each program go on with each of its sessions here, and compare with what is recorded.

    make test-agents ARGS='[--record] [PROGRAM[/CASE]…]'

A case is a folder of `cases/PROGRAM`: `about` (one line), a session's file as that program would have written
it, what lies beside it, and `request.json`, what the program sends when it goes on. `--record` writes the latter.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff

from agent_cases import Case, cases, recorded, written
from agents import AGENTS, INSTALLED


def main(argv: list[str]) -> int:
    if not INSTALLED.is_dir():
        print("the programs are not installed: make agents", file=sys.stderr)
        return 2
    record = "--record" in argv
    wanted = [case for case in cases() if _is_wanted(case, [word for word in argv if word != "--record"])]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        different = sum(pool.map(_record if record else _differs, wanted))
    if not record:
        print(f"{len(wanted)} cases, {different} of them now different")
    return 1 if different and not record else 0


def _is_wanted(case: Case, words: list[str]) -> bool:
    return not words or any(case.id == word or case.program == word for word in words)


def _record(case: Case) -> bool:
    new = written(case.live())
    changed = not case.record.exists() or case.record.read_text() != new
    case.record.write_text(new)
    print(f"{case.id}: {'recorded' if changed else 'as before'}", flush=True)
    return changed


def _differs(case: Case) -> bool:
    before, after = written(recorded(case)).splitlines(), written(case.live()).splitlines()
    diff = list(
        unified_diff(before, after, "recorded", f"now ({AGENTS[case.program].version})", lineterm="")
    )
    print("\n".join([f"{case.id}: {'DIFFERENT' if diff else 'equal'}", *diff]), flush=True)
    return bool(diff)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
