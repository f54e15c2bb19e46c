"""What goes with a message to the model: sources in tool results, lists of attached files."""

import subprocess

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history import providers
from codeh_history.session import sources
from codeh_history.session.ops import apply, replace
from codeh_history.session.records import block_of
from codeh_history.session.sources import attached_names
from in_process import run_ok
from support import lines, session_path, start

RESULTS = [
    {"number": 5, "id": "doc_1", "text": "ページ", "title": "T", "url": "https://x", "score": 0.5},
    {"number": 6, "id": "doc_2", "text": "two"},
]
SOURCES = [
    {"source_number": 5, "content_id": "doc_1", "content": "ページ"},
    {"source_number": 6, "content_id": "doc_2", "content": "two"},
]
PROVIDERS = tuple(providers.FORMATS)


def result(response, name="search"):
    return {"functionResponse": {"name": name, "response": response}}


def message(*parts, kind="tool", **fields):
    role = "model" if kind == "codeh" else "user"
    return {"type": "message", "id": "m", "kind": kind, "role": role, "parts": list(parts), **fields}


def shown(*records):
    return sources.rendered(some.view_of(list(records))).messages[0].parts


RENDERED = {
    "beside what the tool said": (
        message(result({"output": "2 hits"}), references=RESULTS),
        [result({"output": "2 hits", "sources": SOURCES})],
    ),
    "alone": (message(result({"output": ""}), references=RESULTS), [result({"sources": SOURCES})]),
    "nothing found": (
        message(result({"output": "0 hits"}), references=[]),
        [result({"output": "0 hits", "sources": "No relevant sources found."})],
    ),
    "the tool's own sources stay": (
        message(result({"sources": ["a", "b"]}), references=RESULTS),
        [result({"sources": ["a", "b"], "references": SOURCES})],
    ),
    "numbered already": (
        message(result({"sources": SOURCES[:1]}), references=RESULTS), [result({"sources": SOURCES[:1]})],
    ),
    "in the first result": (
        message(result({"output": "a"}), result({"output": "b"}), references=RESULTS),
        [result({"output": "a", "sources": SOURCES}), result({"output": "b"})],
    ),
    "a user's text": (
        message({"text": "hi"}, kind="user", references=RESULTS[1:]),
        [{"text": f"hi\n\nSources:\n{orjson.dumps(SOURCES[1:]).decode()}"}],
    ),
    "a model's text": (message({"text": "hi"}, kind="codeh", references=RESULTS), [{"text": "hi"}]),
    "no references": (message(result({"output": "a"})), [result({"output": "a"})]),
    "odd response": (message(result(["a"]), references=RESULTS[1:]), [result({"output": ["a"], "sources": SOURCES[1:]})]),
    "odd references": (
        message(result({"output": "a"}), references=[7, {"id": "x"}, {"number": "1"}, *RESULTS[1:]]),
        [result({"output": "a", "sources": SOURCES[1:]})],
    ),
    "no list": (message(result({"output": "a"}), references={"number": 1}), [result({"output": "a"})]),
    "nothing to put them in": (
        message({"inlineData": {"mimeType": "image/png", "data": "aaaa"}}, kind="user", references=RESULTS),
        [{"inlineData": {"mimeType": "image/png", "data": "aaaa"}}],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("record", "parts"), RENDERED.values(), ids=RENDERED)
def test_rendered(record, parts):
    before = orjson.dumps(record)
    view = sources.rendered(some.view_of([record]))
    assert view.messages[0].parts == parts
    assert sources.rendered(view).messages[0].parts == parts
    assert orjson.dumps(record) == before


def test_a_result_that_was_replaced_stays_as_it_is():
    record = message(result({"output": "a"}), {"text": "b"}, references=RESULTS)
    op = replace("m", 0, block_of(record["parts"][0]), result({"output": "stub"}), "test")
    view = sources.rendered(apply(some.view_of([record]), [op]))
    assert view.messages[0].parts == [result({"output": "stub"}), {"text": "b"}]


@given(log=some.records(), cited=st.lists(some.json_objects, max_size=2))
def test_rendering_keeps_the_number_of_parts_and_never_fails(log, cited):
    log = [{**r, "references": cited, "attached": cited} if r["type"] == "message" else r for r in log]
    view = some.view_of(log)
    after = sources.rendered(view)
    assert [len(m.parts) for m in after.messages] == [len(m.parts) for m in view.messages]
    assert len(sources.listed(after.messages)) == len(view.messages)


# -- attached files -----------------------------------------------------------------------------------

IMAGE = {"inlineData": {"mimeType": "image/png", "data": "aaaa"}}
PDF = {"inlineData": {"mimeType": "application/pdf", "data": "aaaa"}}
ATTACHED = [
    {"name": "a.png", "mimeType": "image/png", "bytes": 3, "part": 1},
    {"name": "b.pdf", "mimeType": "application/pdf", "bytes": 12345, "part": 2},
]
NAMED = [
    {"inlineData": {**file["inlineData"], "displayName": name}}
    for file, name in ((IMAGE, "a.png"), (PDF, "b.pdf"))
]
LIST = {"text": "Attached files:\n- a.png (image/png, 3 bytes)\n- b.pdf (application/pdf, 12345 bytes)"}


def test_attached_files_are_listed_before_the_first_of_them():
    record = message({"text": "see"}, IMAGE, PDF, kind="user", attached=ATTACHED)
    view = some.view_of([record])
    assert sources.listed(view.messages)[0].parts == [{"text": "see"}, LIST, *NAMED]
    gone = replace("m", 0, block_of(record["parts"][0]), None, "test")
    assert sources.listed(apply(view, [gone]).messages)[0].parts == [LIST, *NAMED]


def test_a_file_that_has_a_name_keeps_it_and_one_that_was_replaced_gets_none():
    own = {"inlineData": {**PDF["inlineData"], "displayName": "own.pdf"}}
    record = message(own, PDF, kind="user", attached=[{"name": "x", "part": 0}, {"name": "y", "part": 1}])
    op = replace("m", 1, block_of(PDF), {"text": "stub"}, "test")
    (listed,) = sources.listed(apply(some.view_of([record]), [op]).messages)
    assert listed.parts[1:] == [own, {"text": "stub"}]


@pytest.mark.parametrize(
    ("attached", "text"),
    [
        ([{"name": "x"}], "Attached files:\n- x"), ([{"bytes": 0}], "Attached files:\n- file (0 bytes)"),
        ([ATTACHED[0], 5, {"name": "b", "bytes": "x"}], "Attached files:\n- a.png (image/png, 3 bytes)\n- b"),
        ([{}], "Attached files:\n- file"),
        ([{"name": 7, "bytes": "?", "part": "?"}], "Attached files:\n- 7"),
        ([{"name": "a\n- b\r\u2028c  d"}], "Attached files:\n- a - b c d"),
        ([7], ""), (7, ""), ("a.png", ""), ([], ""), (None, ""),
    ],
)  # fmt: skip
def test_unknown_facts_of_a_file_are_left_out(attached, text):
    (shown,) = some.view_of([message({"text": "see"}, kind="user", attached=attached)]).messages
    assert sources.listing(shown) == text
    assert len(sources.listed([shown])[0].parts) == 1 + bool(text)


# -- as users run it ----------------------------------------------------------------------------------


@pytest.fixture
def searched(home, tmp_path):
    """Two searches whose results carry references, the first taken back and asked again."""
    for name, count in (("one", 4), ("two", 3)):
        words = " ".join(f"word{n}" for n in range(60))
        items = [{"id": f"{name}-{n}", "text": f"ページ {name} {n} {words}"} for n in range(count)]
        (tmp_path / f"{name}.json").write_bytes(orjson.dumps(items))
    (tmp_path / "none.json").write_text("[]")
    run_ok("append", "-s", "s", "-m", "find it", home=home)
    run_ok("append", "-s", "s", "--call", "search", "--args", "{}", "--call-id", "c1", home=home)
    search(home, tmp_path, "one.json", "4 hits")
    run_ok("undo", "-s", "s", home=home)
    return home


def search(home, tmp_path, name, hits):
    run_ok(
        "append", "-s", "s", "--result", "search", "-m", hits, "--references", tmp_path / name, home=home
    )
    return lines(session_path(home, "s"))[-1]["references"]


def test_concurrent_writers_get_distinct_numbers(home, tmp_path):
    (tmp_path / "found.json").write_bytes(orjson.dumps([{"id": str(n), "text": "x"} for n in range(3)]))
    run_ok("append", "-s", "s", "-m", "go", home=home)
    argv = ("append", "-s", "s", "-m", "found", "--references", tmp_path / "found.json")
    writers = [start(*argv, home=home, stdout=subprocess.DEVNULL) for _ in range(8)]
    assert [writer.wait() for writer in writers] == [0] * 8
    numbers = [r["number"] for m in lines(session_path(home, "s"))[2:] for r in m["references"]]
    assert numbers == list(range(1, 25))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_model_reads_them(searched, tmp_path, provider):
    search(searched, tmp_path, "two.json", "3 hits")
    argv = ("payload", "s", "--to", provider, "--model", "m")
    body = run_ok(*argv, home=searched).out.decode()
    for number in (5, 6, 7):
        assert f'"source_number":{number}' in body.replace("\\", "")
    assert "ページ two 0" in body
    assert "one-0" not in body
    run_ok("append", "-s", "s", "--role", "model", "-m", "It is there [source6].", home=searched)
    run_ok("append", "-s", "s", "--call", "search", "--args", "{}", "--call-id", "c2", home=searched)
    search(searched, tmp_path, "none.json", "nothing")
    later = run_ok(*argv, home=searched).out.decode()
    assert "No relevant sources found." in later
    array = {"gemini": "contents", "openai-responses": "input"}.get(provider, "messages")
    first, second = (orjson.dumps(orjson.loads(text)[array]) for text in (body, later))
    assert second.startswith(first[:-1])


def test_a_budget_counts_sources_and_lists_of_files(searched, tmp_path):
    search(searched, tmp_path, "two.json", "3 hits")
    run_ok("append", "-s", "s", "--role", "model", "-m", "It is there [source6].", home=searched)
    (tmp_path / "a.txt").write_text("attached text")
    run_ok("append", "-s", "s", "-m", "and now?", "--attach", tmp_path / "a.txt", home=searched)
    whole = run_ok("payload", "s", "--to", "gemini", home=searched).out.decode()
    assert "Attached files:\\n- a.txt (text/plain, 13 bytes)" in whole
    small = run_ok("payload", "s", "--to", "gemini", "--budget", "300", home=searched).out.decode()
    assert '"source_number":6' in small
    assert '"source_number":5' not in small
    assert "Attached files:\\n- a.txt" in small


def test_a_reader_sees_them_as_a_list_and_as_footnotes(searched, tmp_path):
    search(searched, tmp_path, "two.json", "3 hits")
    answer = "There [source5], there [Source 06] and [source7]; not [source1], [source99] or [source]."
    run_ok("append", "-s", "s", "--role", "model", "-m", answer, home=searched)
    shown = run_ok("show", "s", home=searched).out.decode()
    assert shown.endswith("\nreferences\n  [5] two-0\n  [6] two-1\n  [7] two-2\n")
    text = run_ok("export", "s", "--to", "markdown", home=searched).out.decode()
    assert "There [^5], there [^6] and [^7]; not [source1], [source99] or [source]." in text
    assert text.endswith("\n\n[^5]: two-0\n[^6]: two-1\n[^7]: two-2\n")


ODD_REFERENCES = [
    7, "x", {}, [7, None, {"id": "x"}, {"number": "1"}, {"number": None}],
    [{"number": 1, "title": "a\n[^2]: b", "url": "https://x\ny"}, {"number": 1, "title": ["c"]}],
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_REFERENCES)
def test_odd_references_cost_only_what_is_odd(home, odd):
    home.mkdir(exist_ok=True)
    record = message({"text": "see [source1]"}, kind="codeh", references=odd)
    (home / "a.jsonl").write_bytes(orjson.dumps(record) + b"\n")
    for form in ("markdown", "html"):
        text = run_ok("export", home / "a.jsonl", "--to", form, home=home).out.decode()
        assert "see " in text
        assert text.count("[^2]") == 0
    run_ok("show", home / "a.jsonl", home=home)
    run_ok("payload", home / "a.jsonl", "--to", "gemini", "--prefill", home=home)


def test_what_the_live_loop_found_keeps_its_first_and_their_numbers(searched, tmp_path):
    """What the answer is made of is not cited yet: each tool keeps its first `max(1, n // d)`."""
    search(searched, tmp_path, "two.json", "3 hits")
    small = run_ok("compact", "s", "--policy", "loop", "--budget", "200", home=searched)
    body = run_ok("payload", "-", "--to", "gemini", stdin=small.out, home=searched).out.decode()
    assert '"source_number":5' in body
    assert '"source_number":7' not in body


def test_a_name_is_known_by_the_part_that_it_names():
    assert attached_names(
        [ATTACHED[0], {"name": "b\nc", "part": 2}, {"name": "d", "part": "3"}, {"part": 4}, 5]
    ) == {1: "a.png", 2: "b c"}
    assert attached_names(None) == attached_names("x") == {}
