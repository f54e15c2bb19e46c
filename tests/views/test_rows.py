"""Rows are remembered only while their files stay what they were."""

import os
from pathlib import Path

import orjson
import pytest
from hypothesis import given

import strategies as some
import support
from codeh_history.base.env import Env
from codeh_history.session.exchanges import is_prompt, prompts
from codeh_history.session.fold import fold
from codeh_history.session.pairing import open_calls
from codeh_history.store import cache, read
from codeh_history.views import rows as listing
from codeh_history.views import rows as remembering
from plain_logs import plain_files, talks

MUCH = remembering.MUCH


@pytest.fixture
def paths(home):
    """Three settled files, as if of sessions."""
    (home / "sessions").mkdir(parents=True)
    files = [home / "sessions" / f"s{n}.jsonl" for n in range(3)]
    for path in files:
        path.write_text("one")
    return [str(path) for path in files]


@pytest.fixture(autouse=True)
def _young(monkeypatch):
    """Files are settled however young, and remembered however small."""
    monkeypatch.setattr(cache, "SETTLED", -1e9)
    monkeypatch.setattr(remembering, "MUCH", 0)


def counted_rows(home, paths, *, problem=False):
    """Which files were counted, and the rows."""
    counted = []

    def row_of(path):
        counted.append(os.path.basename(path))
        extra = {"problem": "x"} if problem else {}
        return {"id": "s", "path": path, "text": Path(path).read_text(), **extra}

    rows = remembering.cached_rows(Env({"CODEH_HOME": str(home)}), paths, row_of)
    assert [row["path"] for row in rows] == paths
    return counted, rows


def test_only_what_changed_is_counted_again(home, paths):
    assert counted_rows(home, paths)[0] == ["s0.jsonl", "s1.jsonl", "s2.jsonl"]
    assert counted_rows(home, paths)[0] == []
    with Path(paths[1]).open("a") as file:
        file.write("!")
    counted, rows = counted_rows(home, paths)
    assert counted == ["s1.jsonl"]
    assert [row["text"] for row in rows] == ["one", "one!", "one"]


def test_problems_and_removed_files_are_not_remembered(home, paths):
    counted_rows(home, paths, problem=True)
    assert len(counted_rows(home, paths)[0]) == 3
    counted_rows(home, paths[:1])
    with Path(paths[0]).open("a") as file:
        file.write("!")
    counted_rows(home, paths[:1])
    assert counted_rows(home, paths[:1])[0] == []
    assert counted_rows(home, paths)[0] == ["s1.jsonl", "s2.jsonl"]


def test_small_home_has_no_cache(home, monkeypatch):
    monkeypatch.setattr(remembering, "MUCH", MUCH)
    support.run("append", "-s", "demo", "-m", "x")
    assert support.run("list").code == 0
    assert not (home / "cache").exists()


def test_a_large_home_lists_the_same_twice(home):
    (home / "sessions").mkdir(parents=True)
    for number in range(remembering.MANY + 10):
        message = {"type": "message", "id": f"m{number}", "kind": "user", "parts": [{"text": "x"}]}
        line = orjson.dumps(message) + b"\n"
        path = home / "sessions" / f"s{number:05}.jsonl"
        path.write_bytes(line * (number % 3) + (b"no json\n" if number % 100 == 7 else b""))
        os.utime(path, (1_700_000_000, 1_700_000_000))
    first, second = support.run("list", "--jsonl"), support.run("list", "--jsonl")
    assert first.code == second.code == 0
    assert len(first.lines) == remembering.MANY + 10
    assert (first.out, first.err) == (second.out, second.err)


@pytest.mark.parametrize(("size", "times"), [(10, 2), (MUCH // 2, 1)])
def test_2026_11_23_large_sessions_are_cached(home, size, times, monkeypatch):
    """`list` of forty coding sessions took as long as reading all that is in them, each time."""
    monkeypatch.setattr(remembering, "MUCH", MUCH)
    reads = []
    paths = [str(home / name) for name in ("one", "two")]
    home.mkdir()
    for path in paths:
        Path(path).write_bytes(bytes(size))
    for _ in range(2):
        env = Env({"CODEH_HOME": str(home)})
        remembering.cached_rows(env, paths, lambda path: {"at": reads.append(path)})
    assert reads == paths * times


# -- what a row says: what the fold shows, however it is counted -----------------------------------------


def folded(data):
    view = fold(read.read_log(data))
    return {
        "header": view.header, "meta": view.meta, "damage": len(view.log.damage), "bytes": len(data),
        "messages": len(view.messages), "exchanges": prompts(view.messages),
        "pending": sum(m.pending is not None for m in view.messages),
        "open_calls": len(open_calls(view.messages)),
        "last": next((m.ts for m in reversed(view.messages) if m.ts), None),
        "models": {m.model for m in view.all.values() if m.model and m.hidden != "clear"},
        "prompt": next(filter(None, map(listing.beginning, prompt_texts(view))), None),
    }  # fmt: skip


def prompt_texts(view):
    """The texts of prompts that say something, and of those that something stands for now."""
    for message in view.all.values():
        if message.hidden != "clear" and is_prompt(message):
            texts = (part.get("text") for part in message.parts if type(part) is dict)
            yield from (text for text in texts if isinstance(text, str) and text.strip())


def counted(count):
    row = count.row("s.jsonl")
    names = ("messages", "exchanges", "pending", "open_calls", "last", "bytes", "prompt")
    facts = {name: row[name] for name in names}
    facts["models"] = set(row["models"])
    return {"header": count.header, "meta": count.meta, "damage": len(count.damage), **facts}


@pytest.mark.parametrize(
    "change",
    [
        ["compact", "--keep-last", "1", "-i"],
        ["summarize", "-i", "--max-conversations", "1", "--min-batch", "1"],
    ],
)
def test_replaced_messages_still_tell_the_branch_and_the_model(home, change):
    (home / "sessions").mkdir(parents=True)
    messages = [
        prompt("Paint it", id="a", git={"branch": "barn"}),
        prompt("Red.", id="b", kind="codeh", model="old"),
        prompt("And the door?", id="c"),
        prompt("Green.", id="d", kind="codeh", model="new"),
    ]
    (home / "sessions" / "s.jsonl").write_text("".join(line + "\n" for line in messages))
    assert support.run(change[0], "s", *change[1:]).code == 0
    for option, value in (("--branch", "barn"), ("--model", "old"), ("--model", "new")):
        assert support.run("list", option, value).out.startswith(b"s\t")


def prompt(text="hi", **fields):
    return orjson.dumps(
        {"type": "message", "id": "a", "kind": "user", "parts": [{"text": text}], **fields}
    ).decode()


@pytest.mark.parametrize(
    "lines",
    [
        [prompt("System: tick", pinned=True)], [prompt("System: tick")], [prompt("x System: tick", pinned=False)],
        [prompt(7), prompt(id="b")], [prompt(), prompt("again")], [prompt(id=7)], [prompt(id=[])], [prompt(), prompt(id="b", kind=[])],
        [prompt(), '{"type":"meta","set":{"title":[1', "2]}}"], [prompt(), '{"type":"meta","set":[1]}'],
        [prompt(), '{"type":"message","id":"b","kind":"codeh","parts":[{"text":7}]}'], ["[]"], ["7"], ['"type"'],
        [prompt(), "", prompt(id="b")], [prompt() + "," + prompt(id="b"), '{"type":"later"', '"x":1}'],
        [prompt(ts="2026-01-02T03:04:05.000Z"), prompt(id="b", parts=[])], [prompt(parts="text")], [prompt(parts={"0": 1})],
        ['{"type":"open","id":"m","kind":"codeh","ts":"t1"}', prompt(ts="t2"), '{"type":"commit","of":"m","parts":[]}'],
        [prompt(role=7, kind="codeh")], [prompt(role=7, kind="?")], ['{"type":"session","cwd":"/a"}', '{"type":"session"}'],
    ],
)  # fmt: skip
def test_odd_lines_are_counted_as_by_the_fold(lines):
    data = "".join(line + "\n" for line in lines).encode()
    assert counted(listing.count_bytes(data)) == folded(data)


@given(data=talks() | some.files_of() | plain_files())
def test_counts_equal_those_of_the_fold(data, tmp_path_factory):
    assert counted(listing.count_bytes(data)) == folded(data)
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    assert counted(listing.count_file(str(path), big=0)) == folded(data)


@pytest.mark.parametrize(
    ("value", "tags"),
    [(["a", "b", 3], ["a", "b"]), ("a, b,", ["a", "b"]), (None, []), ({"a": 1}, []), ("", [])],
)
def test_tags(value, tags):
    assert listing.tags_of(value) == tags


def test_a_session_that_cannot_be_read_is_listed(tmp_path):
    (tmp_path / "d.jsonl").mkdir()
    row = listing.row_of(str(tmp_path / "d.jsonl"))
    assert (row["id"], row["messages"], row["title"]) == ("d", 0, None)
    assert "not a regular file" in row["problem"]
    assert "no such session" in listing.row_of(str(tmp_path / "x.jsonl"))["problem"]


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("one\n  two\tthree", "one two three"),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 119 + "…"),
        ("a" + " " * 500 + "b", "a…"),
        ("<local-command-caveat>Caveat: do not respond.</local-command-caveat>", ""),
        (
            "<command-name>/mcp</command-name>\n <command-message>mcp</command-message>\n <command-args></command-args>",
            "",
        ),
        (
            "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>167</command-args>",
            "/review 167",
        ),
        ("<ide_opened_file>It may not be related.</ide_opened_file>\nfix the gate", "fix the gate"),
        ("<system-reminder>cut off", "<system-reminder>cut off"),
        ("<b>bold</b> words", "<b>bold</b> words"),
    ],
)
def test_prompt_beginning_omits_program_markup(text, begins):
    assert listing.beginning(text) == begins


def test_2026_11_23_stream_is_listed_as_stdin():
    assert listing.count_bytes(b"").row("-")["id"] == "stdin"


def test_2026_11_23_compacted_session_is_listed_by_its_first_prompt(tmp_path):
    path = tmp_path / "s.jsonl"
    talk = "".join(
        f'{{"type":"message","id":"{id}","kind":"{kind}","role":"{role}","parts":[{{"text":"{text}"}}]}}\n'
        for id, kind, role, text in [
            ("a", "user", "user", "Paint the barn"), ("b", "codeh", "model", "Done."), ("c", "user", "user", "Thanks"),
        ]
    )  # fmt: skip
    summary = '{"type":"summary","id":"s","summary":"A barn was painted.","covers":["a","b"]}\n'
    for after, begins in [(summary, "Paint the barn"), ('{"type":"clear","id":"x"}\n', None)]:
        path.write_text(talk + after)
        assert listing.row_of(str(path))["prompt"] == begins
