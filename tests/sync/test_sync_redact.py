"""What was redacted in one copy is redacted in all, and nothing of it comes back from another."""

from codeh_history.sync.log import read
from codeh_history.sync.redact import redacted
from syncing import HEADER, message, opened, record

SECRET, CLEAN, ON = (message("a", text, 1) for text in ("a word: onion", "a word: [redacted:x]", "b"))
LATER = message("b", "on", 2)
DELTA, SAID, HIDDEN = (
    record(type=type, of="s", ts="2026-01-01T00:01:01.000Z", parts=[{"text": text}])
    for type, text in (("delta", "onion"), ("commit", "onion"), ("commit", "[redacted:x]"))
)


def redaction(*names, id="x"):
    return record(type="redaction", id=id, ts="2026-01-01T00:02:00.000Z", lines=list(names))


def logs(*data):
    return [read(HEADER + each) for each in data]


def after(*data):
    """What each of these logs holds then, without its header."""
    return [log.data.removeprefix(HEADER) for log in redacted(logs(*data))]


def test_where_nothing_was_redacted_the_logs_are_the_same():
    given = logs(SECRET, SECRET + LATER)
    assert [one is other for one, other in zip(redacted(given), given, strict=True)] == [True, True]


def test_the_line_is_that_of_whoever_redacted_it_and_so_is_what_says_so():
    told = redaction("a") + CLEAN
    assert after(told, SECRET + LATER) == [told, told + LATER]


def test_a_log_that_has_nothing_of_it_stays_as_it_is():
    given = logs(redaction("a") + CLEAN, LATER)
    assert [log.data for log in redacted(given)] == [log.data for log in given]
    assert redacted(given)[1] is given[1]


def test_what_was_redacted_in_two_ways_is_left_out_whole():
    one, two = redaction("a", id="x") + CLEAN, redaction("a", id="y") + ON
    found = after(one, two)
    both = redaction("a", id="x") + redaction("a", id="y")
    assert found == [both + message("a", "[redacted]", 1)] * 2


def test_deltas_of_a_redacted_stream_go_with_it():
    told = redaction("commit s") + opened("s") + HIDDEN
    assert after(told, opened("s") + DELTA + SAID) == [told, told]
    assert after(redaction("a") + CLEAN, SECRET + opened("s") + DELTA + SAID)[1].count(DELTA) == 1


def test_a_damaged_line_that_nobody_knows_clean_is_left_out():
    damaged = b"torn onion"
    name = next(line.name for line in read(HEADER + damaged + b"\n").lines if line.record is None)
    assert after(redaction(name), damaged + b"\n" + LATER)[1] == redaction(name) + LATER


def test_a_fork_keeps_the_id_and_the_parent_of_its_own_header():
    told = HEADER.replace(b'"id":"demo"', b'"id":"fork","parent":{"session":"demo"}')
    clean = read(
        HEADER.replace(b'"created"', b'"cwd":"[redacted:x]","created"') + redaction("session demo")
    )
    name = next(line.name for line in clean.lines)
    held = read(HEADER.replace(b'"created"', b'"cwd":"[redacted:x]","created"') + redaction(name))
    fork = redacted([held, read(told.replace(b'"created"', b'"cwd":"/onion","created"'))])[1]
    assert fork.header is not None
    assert fork.header.record is not None
    said = fork.header.record.data
    assert (said["id"], said["parent"], said["cwd"]) == ("fork", {"session": "demo"}, "[redacted:x]")
