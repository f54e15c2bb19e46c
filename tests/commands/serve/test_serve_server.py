"""`serve` as a process: what it answers, in which order, and what it survives."""

import base64
import os
import select
import signal
import subprocess
import threading
import time
from pathlib import Path

import orjson
import pytest

from codeh_history.commands.serve.server import WAITING
from serving import Server
from support import lines, run, start

GATE = "cat >/dev/null; touch begun; until [ -e go ]; do sleep 0.02; done; echo answered"


@pytest.fixture
def server(home, tmp_path):
    with Server(home, cwd=tmp_path) as running:
        yield running


def texts(home, session):
    """The texts of a session's messages, in its order."""
    path = home / "sessions" / f"{session}.jsonl"
    return [record["parts"][0]["text"] for record in lines(path) if record["type"] == "message"]


def until(path):
    """Wait until a file exists."""
    while not path.exists():
        time.sleep(0.01)


def gone(pid):
    """Whether a process has ended, zombies included."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_many_sessions_at_once_each_in_its_order(home, server):
    for number in range(12):
        for session in range(12):
            server.send("append", "-s", f"s{session}", "-m", f"{number}", id=f"{session}.{number}")
    answers = {id: server.answer(id) for id in (f"{s}.{n}" for s in range(12) for n in range(12))}
    assert server.end() == 0
    for session in range(12):
        assert texts(home, f"s{session}") == [str(number) for number in range(12)]
        own = [id for id in server.order if id.startswith(f"{session}.")]
        assert own == [f"{session}.{number}" for number in range(12)]
        path = home / "sessions" / f"s{session}.jsonl"
        ids = [record["id"] for record in lines(path) if record["type"] == "message"]
        assert [answers[id]["stdout"] for id in own] == [f"{id}\n" for id in ids]
    assert {answer["code"] for answer in answers.values()} == {0}


def test_which_requests_wait(home, server, tmp_path):
    """Other sessions proceed while an `ask` runs; requests that may concern its session wait in order."""
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", GATE, id="ask")
    server.send("append", "-s", "a", "-m", "later", id="same")
    server.send("append", f"-s{home}/sessions/a.jsonl", "-m", "last", id="same file")
    assert server.ask("append", "-s", "b", "-m", "- at once", id="other")["code"] == 0
    server.send("last", "@", id="any")
    server.send("append", "-s", "c", "-m", "held", id="behind")
    until(tmp_path / "begun")
    assert server.ask("payload", "-", "--to", "gemini", stdin="", id="none")["code"] == 65
    assert server.order == ["other", "none"]
    (tmp_path / "go").touch()
    assert server.answer("any")["stdout"] == "last\n"
    assert server.answer("ask")["stdout"] == "answered\n"
    assert server.end() == 0
    assert server.order[2:] == ["ask", "same", "same file", "any", "behind"]
    assert texts(home, "a")[0] == "x"
    assert texts(home, "a")[-2:] == ["later", "last"]


def test_a_cancelled_ask_keeps_its_prompt_and_its_command_is_ended(home, server, tmp_path):
    via = "echo $$ >pid.new; mv pid.new pid; sleep 60; echo"
    server.send("ask", "-s", "a", "-m", "kept", "--to", "text", "--via", via, id=1)
    server.send("append", "-s", "a", "-m", "never", id=2)
    until(tmp_path / "pid")
    server.cancel(2)
    assert server.answer(2) == {"id": 2, "code": 143, "stdout": "", "stderr": ""}
    server.cancel(1)
    assert server.answer(1)["code"] == 143
    assert texts(home, "a") == ["kept"]
    until_gone(int((tmp_path / "pid").read_text()))
    server.cancel(1)  # it is over: nothing
    assert server.ask("append", "-s", "a", "-m", "next", id=3)["code"] == 0
    assert texts(home, "a") == ["kept", "next"]


def test_an_immediate_cancel_ends_the_request(server):
    """Possibly before its worker has started it; the next request is unaffected."""
    for round in range(3):
        ids = [f"{round}.{number}" for number in range(10)]
        for id in ids:
            server.send("ask", "-s", f"s{id[-1]}", "-m", "x", "--to", "text", "--via", "sleep 60", id=id)
            if int(id[-1]) % 2:
                server.cancel(id)
        for id in ids[::2]:
            server.cancel(id)
        answers = [server.answer(id) for id in ids]
        assert [answer for answer in answers if answer["code"] != 143] == []
    assert server.ask("append", "-s", "a", "-m", "x")["code"] == 0
    assert server.end() == 0


def until_gone(pid):
    while not gone(pid):
        time.sleep(0.01)


def test_follow_prints_events_as_they_arrive(server):
    server.ask("append", "-s", "a", "-m", "Grüße")
    server.send("show", "a", "--follow", "--jsonl", stream=True, id="f")
    assert orjson.loads(server.answer("f")["data"])["parts"] == [{"text": "Grüße"}]
    server.ask("append", "-s", "a", "-m", "more")
    event = server.answer("f")
    assert event["event"] == "stdout"
    assert orjson.loads(event["data"])["parts"] == [{"text": "more"}]
    server.cancel("f")
    assert server.answer("f") == {"id": "f", "code": 143, "stdout": "", "stderr": ""}
    server.send("show", "a", "--follow", stream=True, id="until the end")
    seen = ""
    while "more" not in seen:
        seen += server.answer("until the end")["data"]
    assert server.end() == 0
    assert server.order[-1] == "until the end"


def test_a_damaged_line_loses_only_itself(home, server):
    server.send("append", "-s", "a", "-m", "1", id=1)
    server.write(b'{"id":\n\n{"id":3,"argv":["append","-s","a","-m","2"]}\n')
    server.write(b'{"id":4,"argv":["chat"]}\n')
    assert server.answer(1)["code"] == server.answer(3)["code"] == 0
    why = "line 2: not a line of JSON: unexpected end of data: line 1 column 7 (char 6)"
    assert server.answer(None) == {
        "id": None,
        "code": 65,
        "stdout": "",
        "stderr": f"codeh-history: serve: {why}\n",
    }
    assert server.answer(4)["code"] == 2
    # as JSON.stringify of JavaScript writes a text cut in the middle of an emoji: it has its id
    server.write(b'{"id":5,"argv":["append","-s","a","-m","C:\\\\users \\ud83d"]}\n')
    refused = server.answer(5)
    assert (refused["code"], "not a line of JSON: " in refused["stderr"]) == (65, True)
    assert texts(home, "a") == ["1", "2"]


def test_the_id_of_an_unanswered_request_is_taken(server, tmp_path):
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", GATE, id=1)
    refused = server.ask("last", "-s", "a", id=1)
    assert refused["code"] == 2
    assert refused["stderr"].startswith("codeh-history: serve: line 2: id: ")
    (tmp_path / "go").touch()
    assert server.answer(1)["code"] == 0
    assert server.ask("last", "-s", "a", id=1)["stdout"] == "answered\n"


def test_a_huge_line_is_refused_and_later_requests_run(server):
    server.write(b'{"id":1,"argv":["append","-s","a","-m","')
    for _ in range(65):
        server.write(b"x" * (1 << 20))
    server.write(b'"]}\n{"id":2,"argv":["append","-s","a","-m","short"]}\n')
    refused = server.answer(None)
    assert (refused["code"], "serve: line 1: longer than 64 MiB\n" in refused["stderr"]) == (65, True)
    assert server.answer(2)["code"] == 0


def test_pending_requests_finish_when_stdin_ends(home, server):
    """However they came."""
    for byte in b"".join(b'{"id":%d,"argv":["append","-s","a","-m","%d"]}\n' % (n, n) for n in range(5)):
        server.write(bytes([byte]))
    server.write(b'{"id":"torn","argv":["appe')
    assert server.end() == 0
    assert sorted(map(str, server.order)) == ["0", "1", "2", "3", "4", "None"]
    assert texts(home, "a") == ["0", "1", "2", "3", "4"]


def test_a_byte_order_mark_before_the_first_request_is_ignored_and_no_newline_needed_at_the_end(home):
    mark, request = b"\xef\xbb\xbf", b'{"id":1,"argv":["append","-q","-s","a","-m","hi"]}'
    done = run("serve", stdin=mark + request + b"\n" + mark + request)
    assert run("serve", stdin=request).lines[0]["code"] == 0
    assert sorted(answer["code"] for answer in done.lines) == [0, 65]
    assert texts(home, "a") == ["hi", "hi"]


def test_excess_requests_wait_in_the_pipe(home, server, tmp_path):
    """stdin is not read in the meantime; nothing is lost or answered out of order."""
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", GATE, id="ask")
    until(tmp_path / "begun")
    count = WAITING + 200
    requests = ({"id": number, "argv": ["append", "-s", "a"]} for number in range(count))
    more = b"".join(orjson.dumps(request) + b"\n" for request in requests)
    writing = threading.Thread(target=server.write, args=(more,))
    writing.start()
    (tmp_path / "go").touch()
    writing.join()
    assert server.end() == 0
    assert server.order == ["ask", *range(count)]


def test_acknowledged_appends_survive_a_kill(home):
    """Killed during appends to many sessions: everything acknowledged is stored."""
    with Server(home) as server:
        for number in range(200):
            server.send("append", "-s", f"s{number % 4}", "-m", str(number), id=number)
        assert server.answer(60)["code"] == 0
        server.process.kill()
        server.end()
        answered = [id for id in server.order if id is not None]
    stored = {text for session in range(4) for text in texts(home, f"s{session}")}
    assert len(answered) >= 16
    assert stored >= {str(id) for id in answered}


def test_workers_end_when_the_server_is_killed(home, server, tmp_path):
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", "echo $PPID >p; mv p pid; exec sleep 60", id=1)  # fmt: skip
    until(tmp_path / "pid")
    server.process.kill()
    until_gone(int((tmp_path / "pid").read_text()))
    assert texts(home, "a") == ["x"]


def test_children_of_commands_end_when_the_server_is_killed(home, server, tmp_path):
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", "sleep 30 & echo $! >p; mv p pid; wait", id=1)  # fmt: skip
    until(tmp_path / "pid")
    killed = time.monotonic()
    server.process.kill()
    until_gone(int((tmp_path / "pid").read_text()))
    assert time.monotonic() - killed < 20


def test_a_command_that_kills_its_process_fails_alone(home, server):
    server.send("append", "-s", "b", "-m", "1", id=1)
    killed = server.ask("ask", "-s", "a", "-m", "x", "--to", "text", "--via", "kill -9 $PPID")
    assert killed["code"] == 137
    assert killed["stderr"].splitlines() == [
        "codeh-history: new session a",
        "codeh-history: serve: the command was killed (exit 137); what it stored is stored",
    ]
    assert server.answer(1)["code"] == 0
    assert server.ask("append", "-s", "a", "-m", "next")["code"] == 0
    assert texts(home, "a") == ["x", "next"]


def test_each_request_has_its_own_directory_environment_and_stdin(home, server, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "f").write_text("of a file")
    assert server.ask("append", "-s", "a", "-F", "f", cwd="other")["code"] == 0
    assert server.ask("append", "-s", "a", "-F", "f")["code"] == 2
    assert server.ask("append", "-F", "-", env={"CODEH_SESSION": "a"}, stdin="piped")["code"] == 0
    assert server.ask("append", "-m", "no session")["code"] == 2
    answer = server.ask("ask", "-s", "a", "-m", "x", "--to", "text", "--via", "pwd; echo $A $B ${HOME-none}",
                       cwd=str(other), env={"A": "1", "HOME": None})  # fmt: skip
    assert answer["stdout"] == f"{other.resolve()}\n1 none\n"
    own = {"CODEH_HOME": "home2"}
    assert server.ask("append", "-s", "here", "-m", "x", env=own, cwd="other")["code"] == 0
    assert texts(other / "home2", "here") == ["x"]
    nowhere = server.ask("last", "-s", "a", cwd="nowhere")
    assert (nowhere["code"], nowhere["stderr"]) == (
        2, "codeh-history: serve: cwd nowhere: No such file or directory\n",
    )  # fmt: skip
    assert texts(home, "a")[:2] == ["of a file", "piped"]


def test_its_directory_may_have_any_name(home, tmp_path):
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(odd)
    Path(os.fsdecode(odd), "f").write_text("of a file")
    with Server(home, cwd=odd) as server:
        assert server.ask("append", "-s", "a", "-F", "f")["code"] == 0
    assert texts(home, "a") == ["of a file"]


def test_bytes_go_in_and_out(home, server, tmp_path):
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 400  # more than a pipe holds
    (tmp_path / "f.png").write_bytes(image)
    assert server.ask("append", "-s", "a", "--attach", "f.png", "-m", "see")["code"] == 0
    assert server.ask("persist", "a", "-i", "--all")["code"] == 0
    refused = server.ask("append", "-s", "a", stdin64=base64.b64encode(image).decode())
    assert (refused["code"], "byte 0: not UTF-8" in refused["stderr"]) == (65, True)
    via = "printf '\\377\\n' >&2; echo answered"
    answer = server.ask("ask", "-s", "a", "-m", "x", "--to", "text", "--via", via)
    assert answer == {"id": "ask", "code": 0, "stdout": "answered\n", "stderr64": "/wo="}
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", via, id="s", stream=True)
    events = [server.answer("s"), server.answer("s")]
    assert {"id": "s", "event": "stderr", "data64": "/wo="} in events
    assert {"id": "s", "event": "stdout", "data": "answered\n"} in events
    assert server.answer("s") == {"id": "s", "code": 0, "stdout": "", "stderr": ""}
    long = "x" * 1_000_000
    assert server.ask("append", "-s", "b", "-F", "-", stdin=long)["code"] == 0
    assert server.ask("last", "b")["stdout"] == f"{long}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_running_requests_and_answers_all(home, server, tmp_path, number):
    server.send("ask", "-s", "a", "-m", "x", "--to", "text", "--via", GATE, id=1)
    server.send("append", "-s", "a", "-m", "never", id=2)
    until(tmp_path / "begun")
    server.process.send_signal(number)
    assert server.process.wait(60) == 128 + number
    assert server.answer(1)["code"] == 143
    assert server.answer(2)["code"] == 128 + number
    assert texts(home, "a") == ["x"]


def test_a_signal_ends_it_while_nobody_reads_its_events(home):
    via = "head -c 10000000 /dev/zero | tee /dev/stderr"  # both outputs are ready at once
    line = {"id": 1, "argv": ["ask", "-s", "a", "-m", "x", "--to", "text", "--via", via], "stream": True}
    with start("serve", home=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(orjson.dumps(line) + b"\n")
        process.stdin.flush()
        select.select([process.stdout], [], [], 60)
        time.sleep(0.5)  # until the pipe is full
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(20) == 143
        finally:
            process.kill()


def test_answers_without_a_reader(home):
    read_end, write_end = os.pipe()
    with start("serve", stdin=subprocess.PIPE, stdout=write_end) as process:
        os.close(read_end)
        os.close(write_end)
        process.communicate(b'{"id":1,"argv":["append","-s","a","-m","x"]}\n' * 3, timeout=60)
    assert process.returncode == 141
