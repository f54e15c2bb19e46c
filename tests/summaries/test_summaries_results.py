"""How a command failed, as its output tells it."""

import pytest

from codeh_history.summaries.results import failure


@pytest.mark.parametrize(("command", "output", "how"), [
    ("make release-arm", "ld: cannot find -lssl\nmake: *** [release-arm] Error 1", "ld: cannot find -lssl"),
    ("make all", "make: *** [all] Error 2", "make: *** [all] Error 2"),
    ("rspec spec/orders", "12 examples, 2 failures", "12 examples, 2 failures"),
    ("rspec spec/orders", "12 examples, 0 failures", ""),
    ("make all", "make: Nothing to be done for 'all'.", ""),
    ("cat notes.txt", "cat: cannot be bothered", ""),
])  # fmt: skip
def test_how_a_command_failed(command, output, how):
    assert failure("bash", {"output": output}, command) == how
