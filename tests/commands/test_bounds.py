"""How much memory sessions of any size take: a million records, a line of a GiB, ten thousand sessions.

CI takes an eighth of these sizes and less, `make test` not all of that; `make test-all` the whole ones.
"""

import subprocess
import sys
from typing import NamedTuple

import pytest

from length import by_length, not_short, sampled
from support import PROGRAM, environ

MIB = 1 << 20
HEADER = '{"type":"session","version":1,"id":"%s","created":"2026-01-01T00:00:00.000Z"}\n'
MESSAGE = (
    '{"type":"message","id":"%s","ts":"2026-01-01T00:00:00.000Z","kind":"%s","role":"%s","parts":[%s]}\n'
)
CALL = '{"functionCall":{"id":"toolu_%020d","name":"read_file","args":{"path":"src/part%d.py"}}}'
RESULT = '{"functionResponse":{"id":"toolu_%020d","name":"read_file","response":{"output":"the file, in two lines"}}}'
TEXT = '{"text":"message %d of a session that is long, as they are after a year of working with one"}'


class Cost(NamedTuple):
    """A command's exit code, stderr and peak memory in MiB."""

    code: int
    err: str
    mib: int


MEASURE = """
import os, resource, sys
limit, told, *argv = sys.argv[1:]
child = os.fork()
if not child:
    if int(limit):
        resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    os.execv(argv[0], argv)
_, status, used = os.wait4(child, 0)
unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
with open(told, "w") as file:
    file.write(f"{os.waitstatus_to_exitcode(status)} {used.ru_maxrss // unit}")
"""


def cost(home, *argv, limit=0):
    """Run a command in a process of its own, with at most `limit` MiB of address space.

    A small process starts it: a child counts as its own what its parent held when it began.
    """
    with (home / "out").open("wb") as out, (home / "err").open("wb") as err:
        measured = [sys.executable, "-I", "-S", "-c", MEASURE, str(limit * MIB), str(home / "cost")]
        how = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err, "env": environ(home=home)}
        subprocess.run([*measured, *PROGRAM, *argv], check=True, **how)
    code, mib = map(int, (home / "cost").read_text().split())
    return Cost(code, (home / "err").read_text(), mib)


def texts(count):
    for number in range(count):
        kind, role = ("codeh", "model") if number % 2 else ("user", "user")
        yield MESSAGE % (f"m{number:020}", kind, role, TEXT % number)


def tools(count):
    """Calls and their results, and nothing else."""
    for number in range(count // 2):
        yield MESSAGE % (f"c{number:020}", "codeh", "model", CALL % (number, number))
        yield MESSAGE % (f"r{number:020}", "tool", "user", RESULT % number)


def session(home, lines, name="s"):
    path = home / "sessions" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        file.write(HEADER % name)
        file.writelines(lines)
    return path


# -- long sessions -------------------------------------------------------------------------------------

SAME = [["append", "-s", "s", "-m", "x"], ["last", "s"], ["show", "s", "-n", "3"]]
BOUNDED = [["list"], ["search", "notthere", "s"]]
MOST = 100  # MiB, at any length
COUNTED = 200  # MiB of `status` of any length, with the vocabulary of the token counter
MORE = 12  # MiB that ten times as many records may take where they should take no more


@pytest.mark.parametrize("kind", [texts, pytest.param(tools, marks=not_short)])
def test_a_long_session(tmp_path, kind):
    grown(tmp_path, kind, 60_000, most=70)
    counted(tmp_path, kind, by_length(3_000, 8_000, 20_000))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [texts, tools])
def test_a_session_of_a_million_records(tmp_path, kind):
    grown(tmp_path, kind, 1_000_000, most=MOST)
    counted(tmp_path, kind, 1_000_000)


def grown(home, kind, count, *, most):
    """Constant-memory commands use no more than on a tenth of the records; others at most `most` MiB."""
    session(home / "short", kind(count // 10))
    session(home / "long", kind(count))
    for argv in [*SAME, *BOUNDED]:
        usage = cost(home / "long", *argv)
        print(f"{' '.join(argv)}: {usage.mib} MiB on {count:,} {kind.__name__}")
        assert usage.code in (0, 1), usage.err
        assert usage.mib <= (cost(home / "short", *argv).mib + MORE if argv in SAME else most), argv


def counted(home, kind, count):
    """Counting tokens takes no more memory than the vocabulary."""
    session(home / "counted", kind(count))
    usage = cost(home / "counted", "status", "s")
    print(f"status: {usage.mib} MiB on {count:,} {kind.__name__}")
    assert usage.code == 0, usage.err
    assert usage.mib <= COUNTED


# -- a long line ---------------------------------------------------------------------------------------

READERS = [
    ["show", "s"], ["show", "s", "-n", "2"], ["last", "s"], ["list"], ["verify", "s"], ["search", "word", "s"],
    ["payload", "s", "--to", "gemini"], ["curate", "s"], ["status", "s"], ["stats", "s"], ["calls", "s"], ["export", "s", "--to", "contents"],
]  # fmt: skip
WRITERS = [
    ["append", "-s", "s", "-m", "x"], ["append", "-s", "s", "-m", "x", "--key", "k"], ["undo", "-s", "s"],
    ["update", "-s", "s", "a", "-m", "y"], ["clear", "-s", "s"],
]  # fmt: skip
SILENT = ("last", "verify", "append", "undo", "update", "clear")  # verify prints it
LINE = '{"type":"message","id":"%s","kind":"user","role":"user","parts":[{"text":"%s"}]}\n'


def with_long_line(home, mib, *, ended=True):
    """A session with a line of `mib` MiB between two messages."""
    path = session(home, iter([LINE % ("a", "the first word")]))
    begin, end = (LINE % ("long", "|")).split("|")
    with path.open("a") as file:
        file.write(begin)
        for _ in range(mib):
            file.write("x" * MIB)
        if ended:
            file.write(end + LINE % ("z", "the last word"))
    return path


def check_long_line(home, path, argv, *, limit, most):
    size = path.stat().st_size
    usage = cost(home, *argv, limit=limit)
    assert usage.code == (1 if argv[0] in ("verify", "calls") else 0), (argv, usage.err)
    assert usage.mib <= most, argv
    if argv[0] not in SILENT:
        assert "1 damaged line skipped" in usage.err, argv
    out = (home / "out").read_text()
    if argv[0] in ("show", "payload", "curate", "search", "export"):
        assert "the last word" in out, argv
    if argv[0] == "verify":
        assert "too long for a record" in out
    assert path.stat().st_size - size < 1000


@pytest.mark.parametrize("argv", sampled([*READERS[:7], WRITERS[0], WRITERS[2]]), ids=" ".join)
def test_a_line_of_256_mib_is_skipped_and_counted(long_line, argv):
    """With less address space than the line needs."""
    check_long_line(long_line.parent.parent, long_line, argv, limit=450, most=170)


@pytest.fixture(scope="module")
def long_line(tmp_path_factory):
    path = with_long_line(tmp_path_factory.mktemp("home"), 256)
    yield path
    path.unlink()


def test_a_torn_long_line_loses_only_itself(tmp_path):
    path = with_long_line(tmp_path, 70, ended=False)
    assert cost(tmp_path, "append", "-s", "s", "-m", "the next word", limit=450).code == 0
    for line in ("show s", "last s", "show s -n 1", "payload s --to gemini"):
        assert cost(tmp_path, *line.split(), limit=450).code == 0
        assert "the next word" in (tmp_path / "out").read_text()
    usage = cost(tmp_path, "verify", "s", limit=450)
    assert (usage.code, (tmp_path / "out").read_text().count("\n")) == (1, 1)
    path.unlink()


@pytest.mark.slow
def test_a_line_of_a_gib_is_skipped_and_counted(tmp_path):
    path = with_long_line(tmp_path, 1024)
    for argv in [*READERS, *WRITERS]:
        check_long_line(tmp_path, path, argv, limit=600, most=200)
    path.unlink()


# -- many sessions -------------------------------------------------------------------------------------


def many(home, count):
    for number in range(count):
        session(home, texts(4), f"s{number}")


def test_a_thousand_sessions_are_listed_in_little_memory(tmp_path):
    many(tmp_path, 1000)
    assert cost(tmp_path, "list").mib <= 60
    assert len((tmp_path / "out").read_text().splitlines()) == 1000


@pytest.mark.slow
def test_ten_thousand_sessions_are_listed_in_little_memory(tmp_path):
    many(tmp_path, 10_000)
    for line in ("list", "list --json", "search notthere", "status @ --counter approx"):
        usage = cost(tmp_path, *line.split())
        print(f"{line}: {usage.mib} MiB")
        assert usage.code in (0, 1)
        assert usage.mib <= MOST
