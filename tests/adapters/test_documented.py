"""docs/adapters.md: its samples run where their package is."""

import re

import pytest

from inside import inside
from installed import PACKAGES, installed
from support import ROOT

PAGE = (ROOT / "docs" / "adapters.md").read_text()
SAMPLES = dict(re.findall(r"^## (\S+)\n\n```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))


def test_there_is_a_sample_for_each():
    assert SAMPLES.keys() == set(PACKAGES)
    for name, code in SAMPLES.items():
        compile(code, name, "exec")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_sample_runs(home, name):
    if not installed(name):
        pytest.skip(f"{name} is installed by `make test-adapters`")
    asking = "result = "  # what would ask a model on the net
    exec(compile(SAMPLES[name].split(asking)[0], name, "exec"), {"__name__": "sample"})
    if name == "langchain-core":
        assert [one["kind"] for one in inside("show", "demo", "--jsonl", home=home).lines] == [
            "user",
            "codeh",
        ]
