"""SIGINT, SIGTERM and SIGHUP at any moment of any command: exit 128 + N, a whole session, nothing left over."""

import random
import signal

import pytest

from faults.each_call import signal_problems, wrong_ending
from faults.runner import Fault
from faults.scenarios import SCENARIOS, Subject
from faults.verbs import COMMANDS
from length import by_profile

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STEP = by_profile(4, 1, 1)
SAMPLE = by_profile(1, 3, 10_000)  # calls


def faults(calls, seed):
    """Before and after some, or all, of the calls, with each signal."""
    every = [Fault(n, s, after=after) for n in range(calls) for s in SIGNALS for after in (False, True)]
    if len(every) <= SAMPLE * len(SIGNALS):
        return every
    chosen = random.Random(seed)
    return [fault for s in SIGNALS for fault in chosen.sample([f for f in every if f.signum == s], SAMPLE)]


@pytest.mark.parametrize("name", COMMANDS)
def test_any_command(name, place, runner, tally):
    """Every verb, at some of its calls."""
    tries, wrong = signal_problems(
        COMMANDS[name], place / "home", runner, lambda calls: faults(calls, name)
    )
    assert wrong == []
    tally("SIGINT, SIGTERM, SIGHUP", tries)


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if scenario.replaces])
def test_signal_at_each_call_of_commands_that_replace_files(name, place, runner, tally):
    subject = Subject(SCENARIOS[name], place, runner)
    for n, call in list(enumerate(subject.done.calls))[::STEP]:
        for after in (False, True):
            fault = Fault(n, SIGNALS[n % 3], after=after)
            subject.fresh()
            done = subject.run(fault=fault)
            assert wrong_ending(done, fault) is None, (fault, call)
            assert subject.wrong(done) is None, (fault, call)
            tally("SIGINT, SIGTERM, SIGHUP", 1)
