"""The lines of a session without its secrets: what is printed, and what stands in the file from then on."""

import orjson
import pytest
from hypothesis import given

from codeh_history.filters.redact.redactor import Redactor
from codeh_history.filters.redact.run import redacted_lines
from codeh_history.session.redactions import named_lines, without_content
from in_process import write_session
from secret_examples import SECRETS
from strategies import files_of, folded
from support import run


@given(files_of())
def test_a_session_without_secrets_keeps_its_bytes(data):
    redactor = Redactor()
    lines = redacted_lines(data, redactor)
    assert b"".join(lines) == data or redactor.counts


def test_file_is_rewritten_and_other_copies_are_named(tmp_path):
    secret = SECRETS["github-token"]
    run("append", "-s", "s", "-m", f"my token is {secret}", home=tmp_path)
    run("append", "-s", "s", "-m", "and undone: " + secret, home=tmp_path)
    run("undo", "-s", "s", home=tmp_path)
    run("fork", "s", "--into", "copy", home=tmp_path)
    path = tmp_path / "sessions" / "s.jsonl"
    before = path.read_bytes()
    assert run("redact", "s", "-i", home=tmp_path).code == 2
    assert path.read_bytes() == before
    result = run("redact", "s", "-i", "--yes", home=tmp_path)
    assert result.code == 1  # the fork has it too
    assert secret.encode() not in path.read_bytes() + result.err + result.out
    assert b"2 github-token" in result.err
    assert b"session copy" in result.err
    assert [m.id for m in folded(path.read_bytes()).messages] == [m.id for m in folded(before).messages]


def test_replacement_still_applies_to_a_redacted_part(tmp_path):
    run("append", "-s", "s", "--role", "model", "-m", f"x{SECRETS['jwt']}<q>y</q>", home=tmp_path)
    run("curate", "s", "-i", "--remove", "<q>.*?</q>", home=tmp_path)
    shown = orjson.loads(run("redact", "s", home=tmp_path).out.splitlines()[-1])["parts"]
    run("redact", "s", "-i", "--yes", home=tmp_path)
    view = folded((tmp_path / "sessions" / "s.jsonl").read_bytes())
    assert view.messages[0].parts == shown


@pytest.mark.parametrize("form", ["contents", "exchanges", "persisted", "refs", "markdown", "html"])
def test_redacted_export_has_no_secret(form, tmp_path):
    secret = SECRETS["npm-token"]
    says = [
        {"text": secret},
        {"text": secret, "thought": True},
        {"native": {"provider": "anthropic", "value": {"t": secret}}},
    ]
    call = {"functionCall": {"id": "c", "name": "f", "args": {secret: secret}}}
    records = [
        {"type": "session", "version": 1, "id": "s"}, {"type": "meta", "set": {"title": secret, "tags": [secret], "system": secret}},
        {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": says[:1],
         "references": [{"number": 1, "id": "r", "title": secret, "url": secret, "text": secret}], "attached": [{"part": 0, "name": secret}]},
        {"type": "message", "id": "b", "kind": "codeh", "role": "model", "parts": [*says, call], "toolsUsed": [secret], "model": secret},
        {"type": "message", "id": "t", "kind": "tool", "role": "user",
         "parts": [{"functionResponse": {"id": "c", "name": "f", "response": {"output": secret}}}]},
        {"type": "message", "id": "e", "kind": "error", "parts": says[:1]}, {"type": "open", "id": "o", "kind": "codeh", "role": "model"},
        {"type": "delta", "of": "o", "parts": says[:1]}, {"type": "summary", "id": "S", "summary": secret, "covers": []},
    ]  # fmt: skip
    write_session(tmp_path, b"".join(orjson.dumps(record) + b"\n" for record in records))
    done = run("export", "s", "--to", form, "--redact", home=tmp_path)
    assert done.code == 0
    assert secret.encode() not in done.out + done.err
    assert form == "refs" or b"[redacted:npm-token]" in done.out


def test_2026_11_22_secret_under_a_duplicate_key_is_removed(tmp_path):
    secret = SECRETS["npm-token"]
    line = f'{{"type":"message","id":"a","kind":"user","role":"user","parts":[{{"text":"{secret}","text":"hi"}}]}}\n'
    spaced = b'{"type": "message", "id": "b", "kind": "user", "role": "user", "parts": [{"text": "hi"}]}\n'
    path = write_session(tmp_path, line.encode() + spaced)
    for argv in (["redact", "s"], ["fixture", "s"], ["redact", "s", "-i", "--yes"]):
        assert secret.encode() not in run(*argv, home=tmp_path).out
    assert secret.encode() not in path.read_bytes()
    assert path.read_bytes().endswith(spaced)


@pytest.mark.parametrize("word", ["user", "message", "text", "2026", "s", "e", "codeh|model|parts", "."])
def test_2026_11_22_custom_rule_keeps_records_valid(word, tmp_path):
    """It is about what is said, never about what makes a record one."""
    rules, tmp_path = tmp_path / "rules.json", tmp_path / "home"
    rules.write_bytes(orjson.dumps({"own": word}))
    run("append", "-s", "s", "-m", "a user's message, 2026", home=tmp_path)
    run("append", "-s", "s", "--call", "ls", "--args", '{"user":"text"}', "--call-id", "c", home=tmp_path)
    run("append", "-s", "s", "--result", "ls", "-m", "model", home=tmp_path)
    run("update", "-s", "s", ":1", "-m", "user", home=tmp_path)
    before = run("show", "s", "--jsonl", home=tmp_path).lines
    assert run("redact", "s", "-i", "--yes", "--rules", rules, home=tmp_path).code == 0
    after = run("show", "s", "--jsonl", home=tmp_path).lines
    assert [(m["id"], m["kind"]) for m in after] == [(m["id"], m["kind"]) for m in before]
    assert run("verify", "s", home=tmp_path).code == 0


@pytest.mark.parametrize("rule", ["", "x*", "(", "a|"])
def test_invalid_custom_rule_is_refused(rule, tmp_path):
    run("append", "-s", "s", "-m", "x", home=tmp_path)
    (tmp_path / "rules.json").write_bytes(orjson.dumps({"own": rule}))
    done = run("redact", "s", "--rules", tmp_path / "rules.json", home=tmp_path)
    assert (done.code, done.out) == (65, b"")
    assert b"rule own: " in done.err


def test_append_redacts_references_too(tmp_path):
    secret = SECRETS["npm-token"]
    (tmp_path / "r").write_bytes(orjson.dumps([{"id": "1", "title": secret, "text": f"see {secret}"}]))
    run("append", "-s", "s", "--redact", "-m", "x", "--references", tmp_path / "r", home=tmp_path)
    stored = (tmp_path / "sessions" / "s.jsonl").read_bytes()
    assert stored.count(b"[redacted:npm-token]") == 2
    assert secret.encode() not in stored


def test_append_redacts_before_storing(tmp_path):
    secret = SECRETS["groq-key"]
    run("append", "-s", "s", "--redact", "-m", secret, home=tmp_path)
    line = orjson.dumps({"role": "user", "parts": [{"text": secret}]}) + b"\n"
    run("append", "-s", "s", "--redact", "--jsonl", stdin=line, home=tmp_path)
    assert secret.encode() not in (tmp_path / "sessions" / "s.jsonl").read_bytes()


KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\\nQyNTUxOQAAACBN\\n-----END OPENSSH PRIVATE KEY-----"


def summarized(rows, text=None):
    """A session with a summary, and with an op that makes one, of such lines."""
    lines = [["rule", "Never push.", "m0"], *(["shown a.txt", row, "m1"] for row in rows)]
    text = text or "\n".join(
        ["Rules:", "- Never push.", "What files and commands showed:", "[a.txt]", *rows]
    )
    summary = {"summary": text, "lines": lines}
    records = [
        {"type": "session", "version": 1, "id": "s"}, {"type": "summary", "id": "S", **summary},
        {"type": "compaction", "id": "K", "ops": [{"op": "summarize", "ids": [], **summary}]},
    ]  # fmt: skip
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


@pytest.mark.parametrize(
    "data",
    [
        summarized([f"my token is {SECRETS['github-token']}", "x = 1"]),
        summarized(KEY.split("\\n")),
        summarized(["hunter2hunter2"], "Rules:\n- Never push.\npassword: hunter2hunter2"),
        b"".join(
            orjson.dumps(orjson.loads(line), option=orjson.OPT_SORT_KEYS) + b"\n"
            for line in summarized(KEY.split("\\n")).splitlines()
        ),
    ],
    ids=["in a line", "across lines", "after its name in the text alone", "before the text"],
)
def test_lines_of_a_redacted_summary_are_dropped(data):
    redactor = Redactor()
    lines = [orjson.loads(line) for line in redacted_lines(data, redactor)]
    assert sum(redactor.counts.values()) == 2  # once in each record
    for record in (lines[1], lines[2]["ops"][0]):
        assert "lines" not in record
        assert "Never push." in record["summary"]
        assert "[redacted:" in record["summary"]


def test_clean_summary_keeps_its_lines_and_tombstone_has_none():
    data = summarized(["x = 1"])
    assert b"".join(redacted_lines(data, Redactor())) == data
    for line in [*named_lines(data)][1:]:
        assert b"x = 1" not in orjson.dumps(without_content(line))
