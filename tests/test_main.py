"""The way in: every failure is one line on stderr and an exit code, a bug too."""

import signal
import subprocess

import pytest

from codeh_history import main
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, HistoryError, Interrupted, NegativeAnswer, NotFound, Usage
from in_process import run_ok
from strategies import encode
from support import ROOT, is_running, start, until


def ended(monkeypatch, tmp_path, error, **environ):
    """How the program ends where something in it is raised."""

    def fail(*_):
        raise error

    monkeypatch.setattr(main, "run_plain", fail)
    with (tmp_path / "err").open("wb") as err:
        code = main.run(["list"], Env(environ, stderr=err.fileno()))
    return code, (tmp_path / "err").read_text().replace("codeh-history: ", "")


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (Usage("what?"), 2, "what?\n"), (NotFound("none"), 3, "none\n"), (NegativeAnswer(""), 1, ""), (HistoryError("odd"), 65, "odd\n"), (Interrupted(15), 143, ""),
        (KeyboardInterrupt(), 130, ""), (MemoryError(), 74, "out of memory; nothing was changed\n"), (OSError(28, "No space left on device", "/f"), 74, "/f: No space left on device\n"),
        (Interrupted(13), 141, ""), (BadData("two\nlines \x1b[31m"), 65, "two\\nlines ^[[31m\n"),
        (RuntimeError("can't start new thread"), 75, "the system does not allow another thread (ulimit -u, memory); try again\n"),
        (RecursionError("maximum recursion depth exceeded"), 65, "JSON nested deeper than 200 levels; nothing was stored, sent or changed\n"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_failure_is_one_line_and_its_code(monkeypatch, tmp_path, error, code, message):
    assert ended(monkeypatch, tmp_path, error) == (code, message)


def test_2026_11_26_a_signal_during_class_creation_is_not_a_bug(monkeypatch, home):
    class Field:
        def __set_name__(self, *_):
            raise Interrupted(15)

    monkeypatch.setattr(main, "run_plain", lambda *_: type("Session", (), {"settings": Field()}))
    assert main.run(["list"], Env({"CODEH_HOME": str(home)})) == 143


def test_a_bug_is_one_line_with_its_place_and_a_traceback_on_request(monkeypatch, tmp_path):
    code, message = ended(monkeypatch, tmp_path, TypeError("odd\nthing"))
    assert code == 70
    assert message.count("\n") == 1
    assert message.startswith("bug: TypeError at ")
    assert "test_main.py:" in message
    assert "nothing is lost; please report it" in message
    with pytest.raises(TypeError, match=r"odd"):
        ended(monkeypatch, tmp_path, TypeError("odd"), CODEH_TRACEBACK="1")


@pytest.mark.parametrize("argv", [["list"], ["append", "-s", "s", "-m", "hi"], ["no-such-verb"]])
def test_either_lane_ends_with_a_code(home, tmp_path, argv):
    with (tmp_path / "out").open("wb") as out:
        env = Env({"CODEH_HOME": str(home)}, stdout=out.fileno(), stderr=out.fileno())
        assert main.run(argv, env) == (2 if argv[0].startswith("no") else 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("verb", ["append --from auto", "status"])
def test_2026_11_27_a_signal_while_orjson_is_imported_ends_no_process_by_a_crash(
    home, tmp_path, verb, number
):
    """orjson imports `uuid`, and dereferences a null pointer if that raises."""
    (tmp_path / "uuid.py").write_text(f"import os\nos.kill(os.getpid(), {int(number)})\nclass UUID: pass\n")
    process = start(
        *verb.split(), "-s", "s", home=home, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT / 'cli'}"},
    )  # fmt: skip
    assert process.wait() in (128 + number, -number)


def test_2026_11_27_a_signal_ends_the_command_that_writes_a_summary(home, tmp_path):
    texts = (f"question {n} about path/file{n}.py " * 5 for n in range(60))
    lines = [{"role": "user", "parts": [{"text": text}]} for text in texts]
    run_ok("append", "-s", "s", "--jsonl", home=home, stdin=encode(lines))
    pid = tmp_path / "pid"
    via = f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 60"
    process = start(
        "compact", "s", "-i", "--budget", "700", "--via", via, home=home, stdin=subprocess.DEVNULL
    )
    until(pid.exists)
    process.terminate()
    assert process.wait() == 143
    until(lambda: not is_running(int(pid.read_text())))
