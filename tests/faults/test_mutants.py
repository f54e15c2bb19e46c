"""Each harness fails where a rule is broken: one that cannot fail shows nothing."""

import signal

import pytest

from faults.crowds import crowd
from faults.each_call import cuts, errors, kills, problems, signal_problems
from faults.runner import MUTANTS, Fault
from faults.scenarios import SCENARIOS, Subject
from faults.tracing import calls, can_trace, undurable
from faults.tracing import problems as traced
from faults.verbs import COMMANDS
from length import by_profile


class Broken:
    """A subject whose runs are those of a mutant."""

    def __init__(self, place, runner, mutant):
        self.place, self.runner, self.mutant = place, runner, mutant

    def subject(self, name):
        return Subject(SCENARIOS[name], self.place, self.runner)

    def killed(self, name):
        subject = self.subject(name)
        return problems(subject, kills(subject, self.mutant), mutant=self.mutant)[1]

    def failing(self, name):
        subject = self.subject(name)
        return problems(subject, errors(subject), mutant=self.mutant)[1]

    def cut(self, name):
        subject = self.subject(name)
        return problems(subject, cuts(subject, deadly=False), mutant=self.mutant)[1]

    def short(self, name):
        subject = self.subject(name)
        return problems(subject, iter([Fault(short=7)]), mutant=self.mutant)[1]

    def again(self, name):
        """The first run is killed as it acknowledges; the second is the mutant's."""
        subject = self.subject(name)
        place = len(subject.done.calls) - 1
        subject.fresh()
        subject.run(fault=Fault(place, signal.SIGKILL))
        subject.run(mutant=self.mutant)
        return subject.bytes() != subject.after

    def torn(self, name):
        subject = self.subject(name)
        return subject.wrong(subject.run(mutant=self.mutant)) if subject.fresh() is None else None

    def signalled(self, name):
        def faults(calls):
            return [Fault(n, signal.SIGTERM, after=True) for n in range(calls)]

        return signal_problems(COMMANDS[name], self.place / "home", self.runner, faults, self.mutant)[1]

    def order(self, name):
        return list(undurable(calls(self.subject(name), mutant=self.mutant), self.place))

    def traced(self, name):
        subject = self.subject(name)
        chosen = [call for call in calls(subject, mutant=self.mutant) if call.changes]
        return traced(subject, "signal=SIGKILL", chosen, self.mutant)

    def crowded(self, _):
        """What is left to chance is tried until it happens."""
        for round in range(20):
            if not crowd(self.place / str(round), 60, mutant=self.mutant, others=("replace", "look")).fine:
                return True
        return False


CAUGHT = [
    ("no_lock", Broken.crowded, ""),
    ("no_inode_check", Broken.crowded, ""),
    ("no_tail_repair", Broken.torn, "append after a torn line"),
    ("no_fsync", Broken.order, "append"),
    ("no_fsync", Broken.order, "persist -i"),
    ("late_fsync", Broken.order, "append"),
    ("deaf_fsync", Broken.failing, "append"),
    ("deaf_fsync", Broken.failing, "persist -i"),
    ("rewrite", Broken.killed, "append"),
    ("rewrite", Broken.traced, "append"),
    ("replace_in_place", Broken.killed, "persist -i"),
    ("replace_in_place", Broken.traced, "redact -i"),
    ("no_take_back", Broken.cut, "append"),
    ("one_write", Broken.short, "append"),
    ("blocks_last", Broken.killed, "persist -i"),
    ("blocks_last", Broken.order, "persist -i"),
    ("forgets_keys", Broken.again, "append --key"),
    ("leaves_files", Broken.signalled, "redact -i"),
    ("goes_on", Broken.signalled, "list"),
]  # fmt: skip
TRIED = by_profile(CAUGHT[::4], CAUGHT, CAUGHT)
TRACED = (Broken.order, Broken.traced)


@pytest.mark.parametrize(
    ("mutant", "harness", "name"),
    TRIED,
    ids=[f"{mutant}-{h.__name__}-{name}" for mutant, h, name in TRIED],
)
def test_caught(mutant, harness, name, place, runner):
    if harness in TRACED and not can_trace():
        pytest.skip("strace is missing, or tracing is not permitted")
    assert harness(Broken(place, runner, mutant), name)


def test_every_mutant_is_caught():
    assert {path.stem for path in MUTANTS.glob("*.py")} == {mutant for mutant, _, _ in CAUGHT}
