"""Append a number of records to a number of sessions; print each id once acknowledged."""

import sys

from codeh_history.base.env import Env
from codeh_history.store import log
from codeh_history.store.paths import path_of


def work(writer, count, sessions):
    env = Env()
    for number in range(count):
        id = f"w{writer}n{number}"
        line = f'{{"type":"message","id":"{id}","ts":"2026-01-02T03:04:05.000Z","kind":"user","role":"user","parts":[{{"text":"x"}}]}}\n'
        log.append(
            env,
            path_of(env, f"s{(writer * 7 + number) % sessions}"),
            lambda _, line=line: line.encode(),
            create=True,
        )
        print(id, flush=True)


if __name__ == "__main__":
    work(*map(int, sys.argv[1:]))
