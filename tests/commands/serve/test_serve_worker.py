"""Workers: forks of the server that run a command each."""

import os
import signal

import pytest

from codeh_history.commands.serve.worker import Worker
from codeh_history.main import run


def test_a_signal_to_a_worker_that_has_just_begun_is_its_own(home):
    """It is a fork of the server, whose own signals come through a pipe that both hold."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    place = os.open(".", os.O_RDONLY)
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    fd = signal.set_wakeup_fd(wake)
    try:
        for _ in range(20):
            worker = Worker(run, {}, place)
            worker.signal(signal.SIGTERM)
            assert worker.end() == 143
        with pytest.raises(BlockingIOError):
            os.read(woken, 1)
    finally:
        signal.set_wakeup_fd(fd)
        signal.signal(signal.SIGTERM, before)
        for each in (woken, wake, place):
            os.close(each)
