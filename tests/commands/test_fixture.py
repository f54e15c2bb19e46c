"""Hand-made sessions and the requests they become: `fixtures/NAME.jsonl`, `fixtures/payloads/NAME.FORMAT.json`.

`pytest --golden tests/commands/test_fixture.py` rewrites the payloads; review the difference.
"""

import os

import orjson
import pytest

from codeh_history import main, providers
from codeh_history.base.env import Env
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from in_process import write_session
from secret_examples import SECRETS
from strategies import encode
from support import MODELS, ROOT, run

FIXTURES = ROOT / "fixtures"
SESSIONS = sorted(FIXTURES.glob("*.jsonl"))


def payload(session, to, out):
    """What `payload` prints: open calls answered by a stub, a final model message kept for continuation."""
    fd = os.open(out, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    quiet = os.open(os.devnull, os.O_WRONLY)
    env = Env({"CODEH_HOME": str(out.parent / "home")}, stdout=fd, stderr=quiet)
    flags = ["--model", MODELS[to], "--pretty", "--prefill", "--unanswered", "stub", "-q"]
    code = main.run(["payload", str(session), "--to", to, *flags], env)
    os.close(fd)
    os.close(quiet)
    assert code == 0
    return out.read_bytes()


@pytest.mark.parametrize("to", providers.FORMATS)
@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_session_becomes_the_request_it_became_before(session, to, tmp_path, request):
    body = payload(session, to, tmp_path / "out")
    golden = FIXTURES / "payloads" / f"{session.stem}.{to}.json"
    if request.config.getoption("--golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(body)
    assert body.decode() == golden.read_text()
    messages = fold(parse(session.read_bytes())).messages
    roles = [m.role for m in messages if m.is_sent]
    if roles[-1] != "model":  # some models refuse to continue their own word
        assert providers.Format(to).problems(orjson.loads(body)) == []


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.stem)
def test_a_filter_keeps_its_view(session):
    view = fold(parse(session.read_bytes()))
    printed = b"".join(view.lines())
    again = fold(parse(printed))
    read, before = ([(m.id, m.kind, m.parts, m.pending) for m in each.messages] for each in (again, view))
    assert read == before
    assert [s.text for s in again.summaries] == [s.text for s in view.summaries]
    assert b"".join(again.lines()) == printed


def test_every_payload_has_its_session():
    wanted = {f"{session.stem}.{to}.json" for session in SESSIONS for to in providers.FORMATS}
    assert wanted == {path.name for path in (FIXTURES / "payloads").iterdir()}


def test_a_fixture_is_anonymous_and_reproducible(tmp_path):
    env = {"HOME": "/home/marguerite", "USER": "marguerite"}
    text = f"in /home/marguerite/work with {SECRETS['npm-token']}"
    run("append", "-s", "s", "-m", text, home=tmp_path, env=env)
    run("append", "-s", "s", "--call", "ls", "--call-id", "toolu_9", home=tmp_path, env=env)
    run("append", "-s", "s", "--result", "ls", "-m", "of marguerite", home=tmp_path, env=env)
    first, second = (run("fixture", "s", home=tmp_path, env=env) for _ in range(2))
    assert first.out == second.out
    assert b"marguerite" not in first.out
    assert b"npm_" not in first.out
    view = fold(parse(first.out))
    assert [m.kind for m in view.messages] == ["user", "codeh", "tool"]
    call, answer = view.messages[1].parts[0], view.messages[2].parts[0]
    assert call["functionCall"]["id"] == answer["functionResponse"]["id"] == "c4"


def test_a_fixture_contains_nothing_personal(tmp_path):
    """In every place: numeric times, the parent, dangling ids, tool data, other users' homes."""
    evil = "/home/marguerite/x and /Users/jane.doe/y, Marguerite"
    records = [
        {"type": "session", "version": 1, "id": "acme-2031", "created": 1767323045000, "cwd": "/home/marguerite/p",
         "parent": {"session": "acme-parent", "at": "deadbeef01"}},
        {"type": "message", "id": "deadbeef02", "ts": 1767323045678, "kind": "user", "role": "user", "key": "acme-key",
         "parts": [{"text": evil}], "source": "~marguerite"},
        {"type": "message", "id": "deadbeef03", "ts": "2031-05-06T07:08:09Z", "kind": "codeh", "role": "model",
         "parts": [{"functionCall": {"id": "toolu_9", "name": "f", "args": {"id": evil, "data": evil, "at": evil, "created": "noon"}}}]},
        {"type": "message", "id": "deadbeef04", "ts": None, "kind": "tool", "role": "user",
         "parts": [{"functionResponse": {"id": "toolu_9", "name": "f", "response": {"key": evil, "data": "AKIA" + "IOSFODNN7EXAMPLE"}}}]},
        {"type": "summary", "id": "deadbeef05", "createdAt": "2031-05-06T07:08:09Z", "summary": evil, "covers": ["deadbeef06"]},
    ]  # fmt: skip
    write_session(tmp_path, encode(records), "acme-2031")
    env = {"HOME": "/home/marguerite", "USER": "", "LOGNAME": ""}
    done = run("fixture", "acme-2031", home=tmp_path, env=env)
    text = done.out.decode()
    for word in ("marguerite", "jane", "acme", "deadbeef", "toolu", "2031", "17673", "akia"):
        assert word not in text.lower(), word
    assert '"created":"noon"' in text  # a tool's word, not a time of ours
    elsewhere = run("fixture", "acme-2031", home=tmp_path, env={"HOME": "/nowhere", "USER": "nobody-here"})
    assert elsewhere.out.replace(b"Marguerite", b"user") == done.out
