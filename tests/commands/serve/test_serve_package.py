"""`serve` as a verb: a line in, a line out, until stdin ends; at a terminal it says what it waits for."""

import os
import subprocess

import orjson

from support import PROGRAM, environ, run


def test_a_line_is_a_command_and_a_line_its_answer(home):
    asked = [{"id": 1, "argv": ["append", "-s", "demo", "-m", "x"]}, {"id": 2, "argv": ["last", "demo"]}]
    done = run("serve", stdin=b"".join(orjson.dumps(line) + b"\n" for line in asked), home=home)
    answers = {line["id"]: line for line in done.lines}
    assert (done.code, done.err) == (0, b"")
    assert [(answers[id]["code"]) for id in (1, 2)] == [0, 0]
    assert answers[2]["stdout"] == "x\n"


def test_what_to_do_is_no_argument(home):
    done = run("serve", "show", home=home)
    assert done.code == 2
    assert b"requests are read from stdin, a JSON line each" in done.err


def test_a_person_is_told_what_it_waits_for(home):
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*PROGRAM, "serve"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ({}, home)
    ) as process:  # fmt: skip
        assert process.stderr is not None
        said = process.stderr.readline()
        os.write(ours, b"\x04")
        assert process.wait(30) == 0
    for fd in (ours, theirs):
        os.close(fd)
    assert b'{"id":1,"argv":["list"]}' in said
    assert said.endswith(b"end it with Ctrl-D\n")
