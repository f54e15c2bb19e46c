"""Hand-made sessions and the requests they become: `fixtures/NAME.jsonl`, `fixtures/payloads/NAME.FORMAT.json`.

`pytest --golden tests/commands/test_fixture.py` rewrites the payloads; review the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest

from codeh_history import providers
from codeh_history.base.env import Env
from codeh_history.main import run
from codeh_history.session import stream
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from support import MODELS, ROOT

FIXTURES = ROOT / "fixtures"
SESSIONS = sorted(FIXTURES.glob("*.jsonl"))


def payload(session: Path, to: str, out: Path) -> bytes:
    """What `payload` prints: open calls answered by a stub, a model's last word left to be continued."""
    fd = os.open(out, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    quiet = os.open(os.devnull, os.O_WRONLY)
    env = Env({"CODEH_HOME": str(out.parent / "home")}, stdout=fd, stderr=quiet)
    flags = ["--model", MODELS[to], "--pretty", "--prefill", "--unanswered", "stub", "-q"]
    code = run(["payload", str(session), "--to", to, *flags], env)
    os.close(fd)
    os.close(quiet)
    assert code == 0
    return out.read_bytes()


def ends_with_the_model(session: Path) -> bool:
    view = fold(parse(lines_of(session.read_bytes())))
    return [m.role for m in view.messages if m.role is not None and m.committed][-1] == "model"


@pytest.mark.parametrize("to", providers.FORMATS)
@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_session_becomes_the_request_it_became_before(
    session: Path, to: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    body = payload(session, to, tmp_path / "out")
    golden = FIXTURES / "payloads" / f"{session.stem}.{to}.json"
    if request.config.getoption("--golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(body)
    assert body.decode() == golden.read_text()
    if not ends_with_the_model(session):  # some models refuse to continue their own word
        assert providers.load(to).problems(orjson.loads(body)) == []


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_filter_keeps_its_view(session: Path) -> None:
    view = fold(parse(lines_of(session.read_bytes())))
    printed = b"".join(stream.lines(view))
    again = fold(parse(lines_of(printed)))
    assert [(m.id, m.kind, m.parts, m.pending) for m in again.messages] == [
        (m.id, m.kind, m.parts, m.pending) for m in view.messages
    ]
    assert [s.text for s in again.summaries] == [s.text for s in view.summaries]
    assert b"".join(stream.lines(again)) == printed


def test_every_payload_has_its_session() -> None:
    wanted = {f"{session.stem}.{to}.json" for session in SESSIONS for to in providers.FORMATS}
    assert wanted == {path.name for path in (FIXTURES / "payloads").iterdir()}
