"""Each sample of docs/contributing.md works in a copy of the program."""

import os
import re
import shutil
import subprocess
import sys

import orjson
import pytest

from support import NOW, ROOT

PAGE = (ROOT / "docs" / "contributing.md").read_text()
FILES = dict(re.findall(r"```python\n# (\S+)\n(.*?\n)```", PAGE, re.DOTALL))
CHANGES = re.findall(r"```diff\n--- (\S+)\n(.*?\n)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The program with all that the page adds to it."""
    place = tmp_path_factory.mktemp("program")
    shutil.copytree(ROOT / "cli", place / "cli", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    for name, diff in CHANGES:
        before, after = (
            "".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] in kept)
            for kept in (" -", " +")
        )
        old = (place / name).read_text()
        assert old.count(before.strip("\n")) == 1, f"{name}: {before}"
        (place / name).write_text(old.replace(before.strip("\n"), after.strip("\n")))
    return place


@pytest.fixture
def program(copy, tmp_path):
    """Run a command of the copy and return its stdout."""
    fixed = {"CODEH_NOW": NOW, "CODEH_ID_SEED": "s", "CODEH_SESSION": "demo"}
    env = {"HOME": str(tmp_path), "CODEH_HOME": str(tmp_path), "PYTHONPATH": str(copy / "cli"), **fixed}

    def run(*argv, stdin="", code=0):
        done = subprocess.run(
            [sys.executable, "-m", "codeh_history", *argv], input=stdin, capture_output=True, text=True,
            env={"PATH": os.environ["PATH"], **env}, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done.stdout

    run("append", "-q", "-m", "Why?\nSay.")
    run("append", "-q", "-m", "Why?\nSay.")
    return run


def test_an_exporter(program):
    assert program("export", "--to", "prompts") == "Why? Say.\nWhy? Say.\n"


def test_a_pass(program):
    body = orjson.loads(program("payload", "--to", "gemini", "--skip", "pairs"))
    assert len(body["contents"]) == 1
    assert len(body["contents"][0]["parts"]) == 1


def test_a_verb(program):
    program("models", code=1)
    program("append", "--jsonl", stdin='{"kind":"codeh","model":"m","parts":[{"text":"x"}]}\n')
    assert program("models") == "1\tm\n"
    assert orjson.loads(program("models", "--json")) == {"m": 1}
    assert program("models", "--help").startswith("Examples:\n")


def test_a_record_type(program, tmp_path):
    last = orjson.loads(program("last", "--json"))["id"]
    path = tmp_path / "sessions" / "demo.jsonl"
    before = path.read_bytes()
    label = {"type": "label", "id": "l", "of": last, "label": "good"}
    path.write_bytes(before + orjson.dumps(label) + b"\n")
    assert program("curate", "--only", "kinds").count('"label":"good"') == 1
    assert program("verify").startswith("ok: ")
    assert program("undo") == "label l\n"
    assert '"label"' not in program("curate", "--only", "kinds")


def test_a_provider(program):
    body = program("payload", "--to", "cohere", "--model", "m", "--system", "Be brief.")
    contents = [(message["role"], message["content"]) for message in orjson.loads(body)["messages"]]
    assert contents == [("system", "Be brief."), ("user", "Why?\nSay.")]
    program("verify", "--to", "cohere", "--model", "m")
    program("import", "-", "--from", "cohere", "--into", "other", stdin=body)
    assert program("last", "other") == "Why?\nSay.\n"
    start = 'data: {"type":"message-start","id":"c1"}\n\n'
    delta = 'data: {"type":"content-delta","delta":{"message":{"content":{"text":"So."}}}}\n\n'
    end = 'data: {"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"input_tokens":7}}}}\n\n'
    program("append", "--from", "auto", stdin=start + delta, code=75)
    program("append", "--from", "auto", stdin=start + delta + end)
    answer = orjson.loads(program("last", "--json"))
    assert (answer["text"], answer["provider"], answer["usage"]["input"]) == ("So.", "cohere", 7)
    message = {"content": [{"type": "text", "text": "Yes."}]}
    whole = {"id": "c2", "finish_reason": "COMPLETE", "message": message}
    program("append", "--from", "auto", stdin=orjson.dumps(whole).decode())
    assert program("last") == "Yes.\n"
    empty = {"id": "c3", "finish_reason": "MAX_TOKENS", "message": {"content": []}}
    program("append", "--from", "auto", stdin=orjson.dumps(empty).decode(), code=4)


def test_a_provider_is_as_light_as_the_others(copy):
    """Detection tries every provider."""
    code = (
        "import sys; from codeh_history.providers import packages; print(*packages()); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(copy / "cli")},
    )  # fmt: skip
    names, loaded = (line.split() for line in done.stdout.splitlines())
    assert names[0] == "cohere"
    assert not {"typing", "re", "enum", "json"}.intersection(loaded)


def test_a_program(program, tmp_path):
    at = {"timestamp": "2026-01-01T00:00:00"}
    messages = [{"role": role, "content": role, **at} for role in ("system", "user", "assistant")]
    (tmp_path / "c.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in messages))
    assert program("import", "c.jsonl") == program("import", "c.jsonl") == "gptme-c\n"
    assert program("last", "gptme-c") == "assistant\n"
