"""The golden cases of tests/cases, with their sessions in Postgres: the same output, the same bytes.

The folder that a case sees as `home/sessions` mirrors the database (`mirrored`), so that `cat` and damage work.
"""

import re

import pytest

import forks
import mirrored
import postgres_server
from cases import CASES, OUTPUTS, cases, outcome, scratch
from length import by_length

__all__ = ["scratch"]  # a fixture
pytestmark = [postgres_server.needed, pytest.mark.skipif(not forks.Forks.possible, reason="needs forks")]
NAME = re.compile(rb"postgres:///cases/([A-Za-z0-9_-]+)")
SAMPLE = by_length(60, 60, 24)  # every so manyth is tried without `make test-postgres`
HEAVY = {"rescue/too-long"}  # lines of 64 MiB

# What is told of here has no place in a database, or cannot be mirrored into one.
FILES_ONLY = {
    "append/not-utf8": "looks for the folder of sessions",
    "list/bad-sessions": "a folder among the sessions",
    "list/columns": "cuts the path of the home from what is printed itself",
    "log/header-only": "empty files, as a killed process leaves them",
    "log/older-forms": "sessions of an older form, one JSON value a file",
    "pipeline/closed-stdout": "a run without a stdout is started past the mirror",
    "redact/both": "the mirror is a copy of the session in the home, and holds what was redacted, which is said",
    "search/unreadable": "a session's file that cannot be read",
    **dict.fromkeys(("sync/apart", "sync/dry-run", "sync/first", "sync/wrong"), "homes with a store each"),
    "status/states": "names a session by its path in the home, which there is its id too",
}


@pytest.fixture(scope="module")
def database(cluster):
    cluster.database("cases")


def marked():
    chosen = [case for case in cases() if case not in FILES_ONLY]
    return [
        pytest.param(case, marks=() if number % SAMPLE == 0 and case not in HEAVY else pytest.mark.slow)
        for number, case in enumerate(chosen)
    ]


@pytest.mark.parametrize("case", marked())
def test_case_on_postgres(case, scratch, cluster, database):
    more = {
        "PGHOST": str(cluster.folder), "PGPORT": str(cluster.port), "PGUSER": "postgres",
        "CODEH_STORE": "postgres:///cases", mirrored.VARIABLE: "1",
    }  # fmt: skip
    actual = outcome(CASES / case, scratch, more)
    for name in ("code", "stderr", "stdout"):
        shown = NAME.sub(rb"$PWD/home/sessions/\1.jsonl", actual[name])
        assert shown.decode(errors="backslashreplace") == (CASES / case / name).read_text(
            errors="backslashreplace"
        )


def test_excluded_names_are_cases():
    assert FILES_ONLY.keys() <= set(cases())
    assert set(OUTPUTS) == {"stdout", "stderr", "code"}
