"""`ask`: text from every kind of stdin, retries, and input refused before anything is stored."""

import os
import pty
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from in_process import run_in_process, run_ok, write_session
from strategies import encode
from support import PROGRAM, environ, lines, session_path

YES = '{"candidates":[{"content":{"parts":[{"text":"yes"}]},"finishReason":"STOP"}]}'
SAYS_YES = f"cat >/dev/null; echo '{YES}'"
TO = ("-s", "s", "--to", "gemini", "--via")
FAILS = "cat >/dev/null; exit 7"


def prompts(home):
    """The texts of the user's messages, as they are on disk."""
    path = session_path(home, "s")
    stored = lines(path) if path.exists() else []
    return [record["parts"][0]["text"] for record in stored if record.get("kind") == "user"]


@contextmanager
def stdin_of(kind, data):
    """A descriptor of this kind that yields the data, then ends."""
    if kind == "file":
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            yield file.fileno()
    elif kind == "socket":
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(data)
            ours.shutdown(socket.SHUT_WR)
            yield theirs.fileno()
    else:
        reading, writing = os.pipe()
        os.write(writing, data)
        os.close(writing)
        if kind == "pipe that does not block":
            os.set_blocking(reading, False)
        yield reading
        os.close(reading)


@pytest.mark.parametrize("kind", ["pipe", "file", "socket", "pipe that does not block"])
@pytest.mark.parametrize(
    ("flags", "text"),
    [(["-m", "Review"], "Review\n\n+ a\n- b"), ([], "+ a\n- b")],
    ids=["with -m", "alone"],
)
def test_piped_input_is_sent(home, kind, flags, text):
    with stdin_of(kind, b"+ a\n- b\n") as fd:
        done = run_in_process("ask", *TO, SAYS_YES, *flags, stdin=fd)
    assert (done.code, done.out) == (0, b"yes\n")
    assert prompts(home) == [text]


@pytest.mark.parametrize("kind", ["/dev/null", "a terminal", "an empty pipe", "a blank pipe"])
def test_an_empty_stdin_changes_nothing(home, kind):
    terminal = pty.openpty()
    with stdin_of("pipe", b"\n" if "blank" in kind else b"") as pipe, Path(os.devnull).open() as null:
        end = pipe if "pipe" in kind else terminal[1] if "terminal" in kind else null.fileno()
        done = run_in_process("ask", *TO, SAYS_YES, "-m", "hi", stdin=end)
    for fd in terminal:
        os.close(fd)
    assert (done.code, done.out, done.err) == (0, b"yes\n", b"codeh-history: new session s\n")
    assert prompts(home) == ["hi"]


@pytest.mark.parametrize("session", [(), ("-s", "other")], ids=["unnamed", "named"])
def test_a_new_session_without_a_prompt_is_refused(home, session):
    done = run_in_process("ask", *session, "--new", *TO[2:], "touch ran")
    assert (done.code, done.err[:30]) == (65, b"codeh-history: nothing to ask:")


def test_a_closed_stdin_is_empty(home):
    argv = [*PROGRAM, "ask", *TO, SAYS_YES, "-m", "hi"]
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *argv]
    done = subprocess.run(closed, capture_output=True, env=environ(None, home), check=False)
    assert (done.returncode, done.stdout) == (0, b"yes\n")
    assert prompts(home) == ["hi"]


def test_the_prompt_is_stored_at_the_end_of_stdin(home):
    process = subprocess.Popen(
        [*PROGRAM, "ask", *TO, SAYS_YES, "-m", "Review"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ(None, home),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(b"one\n")
    process.stdin.flush()
    assert b"reading stdin to its end" in process.stderr.readline()  # after its two seconds
    assert not session_path(home, "s").exists()
    out, _ = process.communicate(b"two\n")
    assert out == b"yes\n"
    assert prompts(home) == ["Review\n\none\ntwo"]


def test_a_loop_over_lines_keeps_its_lines(home, tmp_path):
    script = tmp_path / "loop"
    script.write_text(
        "export CODEH_TO=gemini CODEH_SESSION=s\n"
        f"export CODEH_VIA='{SAYS_YES.replace(chr(39), chr(34)).replace(YES, YES.replace(chr(34), chr(92) + chr(34)))}'\n"
        'while read -r line; do codeh-history ask -q --no-stdin -m "$line" || exit; done\n'
    )
    bin = tmp_path / "codeh-history"
    bin.write_text(f'#!/bin/sh\nexec {PROGRAM[0]} -m codeh_history "$@"\n')
    bin.chmod(0o755)
    done = subprocess.run(
        ["bash", script], input=b"one\ntwo\n", capture_output=True, check=False,
        env=environ({"PATH": f"{tmp_path}:{os.environ['PATH']}"}, home),
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"yes\nyes\n", b"")
    assert prompts(home) == ["one", "two"]


RESULT = [
    {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z"},
    {"type": "message", "id": "m1", "ts": "2026-01-02T03:04:05.000Z", "kind": "user", "role": "user", "parts": [{"text": "go"}]},
    {"type": "message", "id": "m2", "ts": "2026-01-02T03:04:05.000Z", "kind": "codeh", "role": "model",
     "parts": [{"functionCall": {"id": "c1", "name": "f", "args": {}}}]},
    {"type": "message", "id": "m3", "ts": "2026-01-02T03:04:05.000Z", "kind": "tool", "role": "user",
     "parts": [{"functionResponse": {"id": "c1", "name": "f", "response": {"output": "x"}}}]},
]  # fmt: skip


@pytest.mark.parametrize(
    ("stands", "note"), [(4, b""), (2, b"codeh-history: stdin is not read: the last prompt is unanswered and is sent\n")],
    ids=["tool results", "a prompt"],
)  # fmt: skip
def test_stdin_is_left_to_the_loop_if_the_model_is_next(tmp_path, stands, note):
    write_session(tmp_path, encode(RESULT[:stands]))
    with stdin_of("pipe", b"the loop's next line\n") as fd:
        done = run_in_process("ask", *TO, SAYS_YES, stdin=fd, home=tmp_path)
        assert (done.code, done.out, done.err) == (0, b"yes\n", note)
        assert os.read(fd, 100) == b"the loop's next line\n"
    assert prompts(tmp_path) == ["go"]


@pytest.mark.parametrize("attached", [0, 10, 100_000], ids=["text", "a small file", "a large file"])
def test_the_same_line_again_is_a_retry(home, tmp_path, attached):
    flags = ["-m", "hi"]
    if attached:
        (tmp_path / "a.bin").write_bytes(b"\0" * attached)
        flags += ["--attach", str(tmp_path / "a.bin")]
    busy = '{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}'
    cut = 'data: {"candidates":[{"content":{"parts":[{"text":"y"}]}}]}'
    for via in (FAILS, f"cat >/dev/null; echo '{busy}'", f"cat >/dev/null; printf '%s\\n\\n' '{cut}'"):
        failed = run_in_process("ask", *TO, via, *flags)
        assert failed.code == 75
        again = b"`codeh-history ask -s s --to gemini --via CMD`"
        assert failed.err.endswith(b"; the prompt is stored: %b sends it\n" % again)
    assert run_in_process("ask", *TO, SAYS_YES, *flags).out == b"yes\n"
    kinds = [r["kind"] for r in lines(session_path(home, "s")) if "kind" in r]
    assert kinds == ["user", "error", "codeh", "codeh"]  # the one before the last is what was cut
    run_ok("ask", *TO, SAYS_YES, *flags)  # answered: it is asked anew
    assert [r.get("kind") for r in lines(session_path(home, "s"))].count("user") == 2


@pytest.mark.parametrize(
    "other", [["-m", "ho"], ["-m", "hi", "--attach", "FILE"]], ids=["text", "attachment"]
)
def test_another_prompt_is_not_a_retry(home, tmp_path, other):
    (tmp_path / "a.bin").write_bytes(b"\0")
    assert run_in_process("ask", *TO, FAILS, "-m", "hi").code == 75
    flags = [str(tmp_path / "a.bin") if word == "FILE" else word for word in other]
    run_ok("ask", *TO, SAYS_YES, *flags)
    assert prompts(home) == ["hi", other[1]]


def test_another_file_with_the_same_bytes_is_not_a_retry(home, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("the same")
        run_in_process("ask", *TO, FAILS, "-m", "hi", "--attach", str(tmp_path / name))
    stored = [record for record in lines(session_path(home, "s")) if "attached" in record]
    assert [record["attached"][0]["name"] for record in stored] == ["a.txt", "b.txt"]


def test_an_empty_file_adds_nothing(home, tmp_path):
    (tmp_path / "empty").touch()
    run_in_process("ask", *TO, FAILS, "-m", "hi", "-F", str(tmp_path / "empty"))
    run_in_process("ask", *TO, FAILS, "-m", "hi")
    assert prompts(home)[-1] == "hi"
    assert prompts(home).count("hi") == 1


def test_an_open_call_is_reported_once_and_the_prompt_sent_without_it(home):
    via = ("--to", "text", "--via", "cat > /dev/null; echo Sunny.")
    run_in_process("append", "-s", "demo", "-m", "The weather?")
    for names in (["get_weather"], ["get_weather", "get_time"]):
        calls = [word for name in names for word in ("--call", name, "--args", "{}")]
        run_in_process("append", "-s", "demo", *calls)
        note = f"codeh-history: demo: {', '.join(names)}: never answered; sent without a result\n"
        assert run_in_process("ask", "-s", "demo", "And on Mars?", *via).err.decode() == note
        assert run_in_process("ask", "-s", "demo", "And now?", *via).err == b""
    assert b"repairs of call/response pairs" in run_in_process("payload", "demo", "--to", "gemini").err
    assert run_in_process("ask", "-s", "demo", *via).code == 65


def test_a_key_is_answered_once(home):
    for _ in range(2):
        assert run_in_process("ask", *TO, FAILS, "-m", "hi", "--key", "k").code == 75
    for _ in range(2):
        assert run_in_process("ask", *TO, SAYS_YES, "-m", "hi", "--key", "k").out == b"yes\n"
    assert run_in_process("ask", *TO, SAYS_YES, "-m", "ho", "--key", "k").code == 65
    assert [r["kind"] for r in lines(session_path(home, "s")) if "kind" in r] == ["user", "codeh"]


REFUSED = {
    "no model": (2, ["--to", "anthropic"]),
    "no tools file": (2, ["--tools", "@none.json"]),
    "tools that are no JSON": (65, ["--tools", "nope"]),
    "no system file": (2, ["--system", "@none.txt"]),
    "no template": (2, ["--user-template", "none.j2"]),
    "a template error": (65, ["--user-template", "bad.j2"]),
    "a bad variable": (2, ["--var", "x", "--user-template", "good.j2"]),
    "a variable twice": (2, ["--var", "x=1", "--var", "x=2", "--user-template", "good.j2"]),
    "a bad setting": (2, ["--set", "contents.9.x=1"]),
    "a bad word for calls": (2, ["--unanswered", "maybe"]),
    "a bad word for thoughts": (2, ["--thoughts", "some"]),
    "a budget out of reach": (5, ["--budget", "3"]),
    "a budget that is none": (2, ["--budget", "many"]),
    "an option twice": (2, ["--model", "a", "--model", "b"]),
    "no such file": (2, ["-F", "none.txt"]),
    "no such attachment": (2, ["--attach", "none.png"]),
    "an empty key": (2, ["--key", ""]),
    "stdin twice": (2, ["-F", "-", "-F", "-"]),
    "id and echo": (2, ["--id", "--echo"]),
}


@pytest.mark.parametrize("before", [False, True], ids=["a new session", "one that exists"])
@pytest.mark.parametrize("case", REFUSED)
def test_invalid_input_is_refused_before_anything_is_stored(home, tmp_path, monkeypatch, case, before):
    monkeypatch.chdir(tmp_path)
    Path("bad.j2").write_text("{{ message ")
    Path("good.j2").write_text("{{ message }}")
    if before:
        run_in_process("append", "-s", "s", "-m", "earlier")
    code, flags = REFUSED[case]
    to = [] if "--to" in flags else ["--to", "gemini"]
    result = run_in_process("ask", "-s", "s", *to, "--via", "touch ran", "-m", "hi", *flags)
    assert (result.code, result.out) == (code, b"")
    assert prompts(home) == (["earlier"] if before else [])
    assert not Path("ran").exists()
    assert before or not session_path(home, "s").exists()


PROMPT = {"type": "message", "id": "u", "role": "user", "kind": "user", "parts": [{"text": "q"}]}
CALLING = {"type": "message", "id": "c", "role": "model", "kind": "codeh", "parts": [{"functionCall": {"name": "ls", "args": {}}}]}  # fmt: skip
LONG = [{**PROMPT, "id": f"u{n}", "parts": [{"text": f"question {n} about path/file{n}.py " * 5}]} for n in range(60)]  # fmt: skip
UNWRITABLE = {
    "ask": (["ask", "--to", "gemini"], [PROMPT]), "calls": (["calls"], [CALLING]),
    "summarize": (["summarize", "-i"], LONG), "compact": (["compact", "-i", "--budget", "700"], LONG),
}  # fmt: skip


@pytest.mark.parametrize("verb", UNWRITABLE)
def test_no_command_runs_for_a_session_that_cannot_be_written(home, tmp_path, verb):  # 2026-11-27
    """Its output, which may cost money, could not be stored."""
    argv, records = UNWRITABLE[verb]
    path = write_session(home, encode([{"type": "session", "version": 2, "id": "s"}, *records]), "s")
    refused = run_in_process(*argv, "-s", "s", "--via", f"touch {tmp_path}/ran; echo '{YES}'")
    assert (refused.code, refused.out) == (65, b"")
    assert refused.err.endswith(f"{path}: version 2, but this program only writes version 1\n".encode())
    assert not (tmp_path / "ran").exists()


def test_no_command_runs_for_a_stream(tmp_path):
    data = encode([{"type": "session", "version": 1, "id": "s"}, CALLING])
    refused = run_in_process("calls", "-", "--via", f"touch {tmp_path}/ran", stdin=data, home=tmp_path)
    assert (refused.code, refused.out) == (2, b"")
    assert refused.err.endswith(b"- (a stream on stdin) cannot be written; name a session\n")
    assert not (tmp_path / "ran").exists()


def test_a_signal_reports_that_the_prompt_is_stored(home, tmp_path):
    process = subprocess.Popen(
        [*PROGRAM, "ask", *TO, f"touch {tmp_path}/ran; exec sleep 60", "-m", "hi"],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environ(None, home),
    )  # fmt: skip
    while not (tmp_path / "ran").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    assert process.returncode == 143
    again = b"`codeh-history ask -s s --to gemini --via CMD`"
    assert err.endswith(b"codeh-history: the prompt is stored: %b sends it\n" % again)


@pytest.mark.parametrize("argv, again", [
    ([], "ask -s s"), (["--model", "a b"], "ask -s s --model 'a b'"), (["--to", "gemini", "--via", FAILS], "ask -s s"),
    (["--to", "text", "--via", FAILS], "ask -s s --to text --via CMD"), (["--via", "false"], "ask -s s --via CMD"),
])  # fmt: skip
def test_the_command_that_sends_it_names_what_the_environment_does_not(home, argv, again):
    usual = {"CODEH_TO": "gemini", "CODEH_VIA": FAILS}
    failed = run_in_process("ask", "-s", "s", "-m", "hi", *argv, env=usual)
    assert failed.err.endswith(f": `codeh-history {again}` sends it\n".encode())


def test_the_error_of_a_provider_names_the_model_that_was_asked(home):
    run_in_process("set", "-s", "s", "model.anthropic=m-1")
    busy = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    argv = ("ask", "-s", "s", "-m", "hi", "--to", "anthropic", "--via", f"cat >/dev/null; echo '{busy}'")
    assert run_in_process(*argv).code == 75
    error = lines(session_path(home, "s"))[-1]
    assert (error["kind"], error["provider"], error["model"]) == ("error", "anthropic", "m-1")


def test_an_unprintable_answer_is_reported_as_stored_once(home):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "ask", *TO, SAYS_YES, "-m", "hi"], check=False, env=environ(None, home),
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
    answer = lines(session_path(home, "s"))[-1]["id"]
    assert (done.returncode, done.stderr.count(b"stored all the same: " + answer.encode())) == (74, 1)


def test_a_prompt_with_its_fields_in_another_order_is_the_same(home, tmp_path):
    (tmp_path / "a.bin").write_bytes(b"\0\1")
    flags = ("-m", "hi", "--attach", str(tmp_path / "a.bin"))
    assert run_in_process("ask", *TO, FAILS, *flags).code == 75
    path = session_path(home, "s")
    head, prompt = path.read_bytes().splitlines()
    swapped = orjson.loads(prompt)
    swapped["parts"] = [dict(reversed(part.items())) for part in swapped["parts"]]
    swapped["parts"][1]["inlineData"] = dict(reversed(swapped["parts"][1]["inlineData"].items()))
    path.write_bytes(head + b"\n" + orjson.dumps(swapped) + b"\n")
    assert run_in_process("ask", *TO, SAYS_YES, *flags).out == b"yes\n"
    assert len(prompts(home)) == 1


@pytest.mark.parametrize("options", [
    "--max-items 3", "--max-chars 400", "--keep-last 1", "--policy loop --budget 100", "--remove a.", "--stream", "--raw",
    "--upload-share 0.2 --policy loop --budget 99",
])  # fmt: skip
def test_a_request_option_is_not_a_prompt_option(home, tmp_path, options):
    texts = ((role, f"{role} says {n}. " * 9) for n in range(4) for role in ("user", "model"))
    turns = [{"role": role, "parts": [{"text": text}]} for role, text in texts]
    history = b"\n".join(map(orjson.dumps, turns))
    run_ok("append", "--jsonl", "-s", "s", stdin=history)
    taken = ("--to", "openai-chat", "--model", "m", *options.split())
    via = f"cat > {tmp_path}/body; cat {tmp_path}/answer"
    choice = {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
    answer = {"id": "r", "object": "chat.completion", "choices": [choice]}
    (tmp_path / "answer").write_bytes(orjson.dumps(answer))
    assert run_in_process("ask", "-s", "s", "--via", via, "-m", "and now?", *taken).out == b"yes\n"
    run_ok("undo", "-s", "s")  # the answer
    assert (tmp_path / "body").read_bytes() == run_in_process("payload", "-s", "s", *taken).out
