"""The examples of docs/library.md, one after another, against a server on the loopback interface."""

import re

from loopback import Loopback
from support import ROOT

PAGE = ROOT / "docs" / "library.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_examples_run(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = {}
    with Loopback() as server:
        monkeypatch.setenv("MODEL_URL", f"{server.url}/v1beta/models/m:streamGenerateContent?alt=sse")
        for number, example in enumerate(EXAMPLES):
            exec(compile(example, f"{PAGE.name}, example {number}", "exec"), said)
    assert len(EXAMPLES) == 9
    assert (tmp_path / "demo.html").stat().st_size > 1000
    assert said["other"].id == "demo-b"


def test_the_page_names_all_that_is_public():
    from codeh_history import __all__
    from codeh_history.library.methods import Methods

    page = PAGE.read_text()
    for name in (*__all__, *vars(Methods)):
        assert name.startswith("_") or re.search(rf"\b{name}\b", page), name
