"""Signals that end the program unwind it, so that what is open is closed properly; what ignores them goes on to."""

import signal
import subprocess
import sys

import pytest

from support import environ

CODE = """
import sys, time
from codeh_history.base.errors import Interrupted
from codeh_history.base.env import unwind
unwind()
try:
    print("ready", flush=True)
    {wait}
except Interrupted as end:
    print("closed", end.exit_code, flush=True)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_what_is_open_is_closed_and_the_code_tells_which_it_was(number, code):
    command = [sys.executable, "-c", CODE.format(wait="time.sleep(60)")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.read() == f"closed {code}\n".encode()


def test_under_nohup_it_goes_on():
    code = CODE.format(wait="import os, signal; os.kill(os.getpid(), signal.SIGHUP); print('goes on')")
    command = ["/bin/sh", "-c", 'trap "" HUP; exec "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(command, capture_output=True, env=environ(), check=True)
    assert done.stdout == b"ready\ngoes on\n"
