"""What each line of a summary is goes with it into forks and other stores, and the next compaction reads it there."""

import orjson

from inside import inside
from support import lines

RULE = "Never touch anything under src/billing."


def test_the_lines_of_a_summary_go_with_it(home, tmp_path):
    turns = [
        RULE,
        *(f"Part {n}: " + f"what does module_{n} do in detail? " * 12 for n in range(30)),
        "Go on.",
    ]
    messages = [
        turn
        for number, text in enumerate(turns)
        for turn in (
            {"role": "user", "parts": [{"text": text}]},
            {"role": "model", "parts": [{"text": f"It holds part {number}. " * 20}]},
        )
    ][:-1]
    batch = b"".join(orjson.dumps(turn) + b"\n" for turn in messages)
    assert inside("append", "-s", "demo", "--jsonl", home=home, stdin=batch).code == 0
    assert inside("compact", "demo", "-i", "--budget", "3000", home=home).code == 0
    assert inside("fork", "demo", "--into", "copy", home=home).code == 0
    other = tmp_path / "other"
    assert inside("sync", f"dir:{other / 'sessions'}", home=home).code == 0
    for place, name in ((home, "copy"), (other, "demo"), (other, "copy")):
        path = place / "sessions" / f"{name}.jsonl"
        (first,) = summaries(path)
        assert ["rule", RULE] in [line[:2] for line in first["lines"]]
        assert inside("compact", name, "-i", "--budget", "1500", home=place).code == 0
        _, second = summaries(path)
        assert ["rule", RULE] in [line[:2] for line in second["lines"]]


def summaries(path):
    """The summaries that compactions have put into a session."""
    ops = [op for line in lines(path) for op in line.get("ops", ())]
    return [op for op in ops if op["op"] == "summarize"]
