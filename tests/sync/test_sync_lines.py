"""Lines of copies: joined, damaged, redacted, summaries."""

import random
import shutil
import subprocess
from itertools import chain, cycle

import orjson
import pytest

from codeh_history.session.records import lines_of
from codeh_history.sync.log import Log, read, redacted
from codeh_history.sync.plan import repaired
from in_process import run_in_process, run_ok, write_session
from support import lines, session_path
from synced import HEADER, message, opened, record

BASE = (
    HEADER + message("a", "a") + opened("s") + record(type="commit", of="s", ts="x", parts=[{"text": "s"}])
)
MINE = message("b", "b", 2)
THEIRS = message("c", "c", 4) + record(type="meta", ts="x", set={"title": "t"})


def cat(place, mine, theirs):
    return mine + theirs


def merged(how):
    def merge(place, mine, theirs):
        for name, data in (("base", BASE), ("mine", mine), ("theirs", theirs)):
            (place / name).write_bytes(data)
        argv = ["git", "merge-file", "-p", *how.split(), "mine", "base", "theirs"]
        return subprocess.run(argv, cwd=place, capture_output=True, check=False).stdout

    return merge


@pytest.fixture(
    params=[cat, merged("--union"), merged("-q")], ids=["cat", "git, union", "git, conflict markers"]
)
def joined(request, tmp_path):
    if request.param is not cat and shutil.which("git") is None:
        pytest.skip("git is missing")
    data = request.param(tmp_path, BASE + MINE, BASE + THEIRS)
    assert b'"c"' in data
    return data


def test_it_reads_as_the_union(joined, tmp_path):
    write_session(tmp_path / "home", joined, "demo")
    shown = run_in_process("show", "demo", "--jsonl", home=tmp_path / "home").lines
    assert [item["id"] for item in shown] == ["a", "s", "b", "c"]


def test_repair_makes_it_clean(joined, tmp_path):
    home = tmp_path / "home"
    write_session(home, joined, "demo")
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(run_ok("repair", "demo", home=home).out)
    run_ok("verify", str(whole), home=home)
    ids = [item.get("id") for item in lines(whole)]
    assert len(set(ids)) == len(ids)
    shown = [run_in_process("show", name, "--jsonl", home=home).lines for name in ("demo", str(whole))]
    assert [item["id"] for item in shown[0]] == [item["id"] for item in shown[1]]


def test_the_copies_take_it_when_they_are_synced(joined, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    write_session(one, joined, "demo")
    path = write_session(two, BASE + MINE, "demo")
    for _ in range(2):
        run_ok("sync", f"dir:{two / 'sessions'}", home=one)
    assert set(lines_of(BASE + MINE + THEIRS)) <= set(lines_of(path.read_bytes()))
    assert [item.stem for item in path.parent.iterdir()] == ["demo"]


COUNT = 6
LINES = [
    b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n',
    *(b'{"type":"message","id":"m%d","kind":"user","role":"user","parts":[{"text":"number %d"}]}\n' % (n, n)
      for n in range(COUNT)),
]  # fmt: skip
WHOLE = b"".join(LINES)


def zeroed(data, start, count):
    end = min(len(data), start + count)
    return data[:start] + bytes(end - start) + data[end:]


PLACES = {
    "inside a line": (len(WHOLE) // 2, 4), "the header": (0, 30), "over several lines": (150, 200), "the last line": (len(WHOLE) - 40, 39),
    "the last line and its newline": (len(WHOLE) - 40, 40), "a line and its newline": (len(LINES[0]), len(LINES[1])),
    "everything": (0, len(WHOLE)),
}  # fmt: skip


@pytest.mark.parametrize("damaged", ["folder", "home"])
@pytest.mark.parametrize("grown", ["neither", "folder", "home", "both"])
@pytest.mark.parametrize("place", PLACES)
def test_damage_makes_no_fork(tmp_path, place, grown, damaged):
    home, folder = tmp_path / "home", tmp_path / "folder"
    paths = {"home": session_path(home, "s"), "folder": folder / "s.jsonl"}
    for path in paths.values():
        path.parent.mkdir(parents=True)
        path.write_bytes(WHOLE)
    path = paths[damaged]
    path.write_bytes(zeroed(WHOLE, *PLACES[place]))
    if place == "everything" and (damaged == "home" or grown in ("both", damaged)):
        pytest.skip("a file of zeros is no session")
    wanted = WHOLE
    for name in paths if grown == "both" else [grown] if grown != "neither" else []:
        line = b'{"type":"message","id":"%b","kind":"user","role":"user","parts":[{"text":"new"}]}\n'
        torn = b"" if paths[name].read_bytes().endswith(b"\n") else b"\n"  # as `append` begins a line
        with paths[name].open("ab") as file:
            file.write(torn + line % name.encode())
        wanted += line % name.encode()
    for _ in range(2):
        done = run_ok("sync", f"dir:{folder}", home=home)
    assert done.err == b""
    if grown == "both":  # a fork of what was said, not of what was damaged
        copies = sorted(p.read_bytes() for p in home.glob("sessions/*.jsonl"))
        assert len(copies) == 2
        assert not any(b"\0" in copy for copy in copies)
        return
    for files in (folder.glob("*.jsonl"), home.glob("sessions/*")):
        assert [path.name for path in files] == ["s.jsonl"]
    assert {path.read_bytes() for path in paths.values()} == {wanted}


def test_a_damaged_line_without_an_intact_twin_is_kept():
    odd = b"\0\0\0 what is this \0\0\0\n"
    log = Log(read(b"".join(LINES[:3]) + odd + b"".join(LINES[3:])).lines)
    assert [each.data for each in repaired(log, read(WHOLE))] == [log.data, WHOLE]
    other = WHOLE.replace(b"number 3", b"another")
    assert repaired(read(zeroed(WHOLE, WHOLE.index(b"number 3"), 4)), read(other))[1].data == other


def test_zeros_anywhere():
    """As long as no line is damaged in both copies."""
    chance = random.Random(7)
    for _ in range(300):
        half = chance.randrange(1, len(LINES))
        cut = len(b"".join(LINES[:half]))
        first, second = chance.randrange(cut - 1), cut + chance.randrange(len(WHOLE) - cut)
        one = zeroed(WHOLE, first, min(chance.randrange(1, 200), cut - 1 - first))
        other = zeroed(WHOLE, second, min(chance.randrange(1, 200), len(WHOLE) - 1 - second))
        pair = repaired(read(one), read(other))
        assert [each.data for each in pair] == [WHOLE, WHOLE], (one, other)


RULE = "Never touch anything under src/billing."


def test_the_lines_of_a_summary_go_with_it(home, tmp_path):
    parts = [f"Part {n}: " + f"what does module_{n} do in detail? " * 12 for n in range(30)]
    texts = [[text, f"It holds part {number}. " * 20] for number, text in enumerate([RULE, *parts])]
    turns = [*zip(cycle(["user", "model"]), chain(*texts), strict=False), ("user", "Go on.")]
    messages = ({"role": role, "parts": [{"text": text}]} for role, text in turns)
    batch = b"".join(orjson.dumps(message) + b"\n" for message in messages)
    run_ok("append", "-s", "demo", "--jsonl", stdin=batch)
    run_ok("compact", "demo", "-i", "--budget", "3000")
    run_ok("fork", "demo", "--into", "copy")
    other = tmp_path / "other"
    run_ok("sync", f"dir:{other / 'sessions'}")
    for place, name in ((home, "copy"), (other, "demo"), (other, "copy")):
        path = place / "sessions" / f"{name}.jsonl"
        (first,) = summaries(path)
        assert ["rule", RULE] in [line[:2] for line in first["lines"]]
        run_ok("compact", name, "-i", "--budget", "1500", home=place)
        _, second = summaries(path)
        assert ["rule", RULE] in [line[:2] for line in second["lines"]]


def summaries(path):
    """The summaries that compactions have put into a session."""
    ops = [op for line in lines(path) for op in line.get("ops", ())]
    return [op for op in ops if op["op"] == "summarize"]


SECRET, CLEAN, ON = (message("a", text, 1) for text in ("a word: onion", "a word: [redacted:x]", "b"))
LATER = message("b", "on", 2)
AT = {"of": "s", "ts": "2026-01-01T00:01:01.000Z"}
DELTA, COMMIT = (record(type=type, **AT, parts=[{"text": "onion"}]) for type in ("delta", "commit"))
HIDDEN = record(type="commit", **AT, parts=[{"text": "[redacted:x]"}])


def redaction(*names, id="x"):
    return record(type="redaction", id=id, ts="2026-01-01T00:02:00.000Z", lines=list(names))


def logs(*data):
    return [read(HEADER + each) for each in data]


def after(*data):
    """What each of these logs holds then, without its header."""
    return [log.data.removeprefix(HEADER) for log in redacted(logs(*data))]


def test_without_redactions_the_logs_are_unchanged():
    plain = logs(SECRET, SECRET + LATER)
    assert [one is other for one, other in zip(redacted(plain), plain, strict=True)] == [True, True]


REDACTED, HIDING = redaction("a") + CLEAN, redaction("commit s") + opened("s") + HIDDEN
BOTH = redaction("a", id="x") + redaction("a", id="y") + message("a", "[redacted]", 1)
STREAM = opened("s") + DELTA + COMMIT
FIRST, LAST = (
    redaction("a") + message("a", text) for text in ("[redacted:x] and two", "one and [redacted:x]")
)
ALL = redaction("a") + redaction("a", id="y") + message("a", "[redacted:x] and [redacted:y]")
NOTHING = redaction("a") + message("a", "[redacted]")
AFTER = {
    "whoever redacted it": (REDACTED, SECRET + LATER, [REDACTED, REDACTED + LATER]),
    "redacted in two ways": (REDACTED, redaction("a", id="y") + ON, [BOTH, BOTH]),
    "in two outcomes, of which each may hold what the other lost": (FIRST, LAST, [NOTHING, NOTHING]),
    "by whoever knows all redactions": (ALL, FIRST, [ALL, ALL]),
    "known to the other alone": (message("a", "one and two"), ALL, [ALL, ALL]),
    "a stream, with its deltas": (HIDING, STREAM, [HIDING, HIDING]),
    "not the deltas of another": (REDACTED, SECRET + STREAM, [REDACTED, REDACTED + STREAM]),
}


@pytest.mark.parametrize(("one", "two", "logs"), AFTER.values(), ids=AFTER)
def test_a_redacted_line_replaces_the_original_in_every_log(one, two, logs):
    assert after(one, two) == logs


def test_a_log_without_redacted_lines_is_unchanged():
    both = logs(redaction("a") + CLEAN, LATER)
    assert [log.data for log in redacted(both)] == [log.data for log in both]
    assert redacted(both)[1] is both[1]


def test_a_damaged_line_that_nobody_knows_clean_is_left_out():
    damaged = b"torn onion"
    name = next(line.name for line in read(HEADER + damaged + b"\n").lines if line.record is None)
    assert after(redaction(name), damaged + b"\n" + LATER)[1] == redaction(name) + LATER


def test_a_fork_keeps_the_id_and_the_parent_of_its_own_header():
    header = HEADER.replace(b'"id":"demo"', b'"id":"fork","parent":{"session":"demo"}')
    clean = read(
        HEADER.replace(b'"created"', b'"cwd":"[redacted:x]","created"') + redaction("session demo")
    )
    name = next(line.name for line in clean.lines)
    held = read(HEADER.replace(b'"created"', b'"cwd":"[redacted:x]","created"') + redaction(name))
    fork = redacted([held, read(header.replace(b'"created"', b'"cwd":"/onion","created"'))])[1]
    fields = fork.header.record.data
    assert (fields["id"], fields["parent"], fields["cwd"]) == ("fork", {"session": "demo"}, "[redacted:x]")
