"""The clients of docs/examples, used as programs would."""

import shutil
import subprocess
from pathlib import Path

import orjson
import pytest

from length import not_short
from node import EXAMPLES, node, script
from support import PROGRAM, ROOT, environ


@not_short
def test_in_typescript(home, tmp_path):
    done = subprocess.run(
        [node(), Path(__file__).with_name("client.mjs"), script("serve.ts", tmp_path), orjson.dumps(PROGRAM)],
        env=environ(home=home), capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert orjson.loads(done.stdout or b"0") == {
        "texts": ["- 3\n"] * 3, "missing": 3, "piped": 0, "streamed": "streamed\n", "cancelled": 143, "code": 0,
        "after": "serve has ended (0)",
    }, done.stderr  # fmt: skip


@not_short
def test_in_go(home, tmp_path):
    go = shutil.which("go")
    if go is None:
        pytest.skip("no go here (apt install golang-go)")
    env = environ({"CODEH_COMMAND": "\n".join(PROGRAM), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}, home)
    env["GOCACHE"] = str(ROOT / ".go")  # kept: the first build takes seconds
    done = subprocess.run(
        [go, "test", "-count=1", "./..."], cwd=EXAMPLES / "go", env=env, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
