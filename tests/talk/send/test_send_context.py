"""Templates and context prompts in a request, and the state of a large session."""

from unittest.mock import patch

import orjson
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import histories
import strategies as some
from codeh_history import providers
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.base.shared_options import Sending
from codeh_history.providers.request import Options
from codeh_history.store.resolve import Target
from codeh_history.talk.send import readiness
from codeh_history.talk.send.templates import rendered, variables
from codeh_history.tokens.counter import open_counter
from codeh_history.views.view import view_of as whole_view
from in_process import run_ok, write_session
from plain_logs import plain_files
from strategies import view_of
from support import run
from talks import call, result, talk


@pytest.mark.parametrize("provider", list(providers.FORMATS))
def test_payload_leaves_out_what_its_context_repeats(home, provider):
    old = {"type": "summary", "id": "S", "summary": "The user likes tea.", "covers": ["u0", "a0"]}
    write_session(home, some.encode([*talk(14, pinned={5}), old]), "demo")
    run("append", "-s", "demo", "-m", "And now?")
    done = run("payload", "demo", "--to", provider, "--model", "m", "--context", "--system", "Be brief.")
    assert done.code == 0, done.err
    body = orjson.loads(done.out)
    assert providers.Format(provider).problems(body) == []
    whole = orjson.dumps(body).decode()
    for n in range(14):
        assert whole.count(f"q{n}\\n") + whole.count(f'q{n}"') == (0 if n == 0 else 1), n
    assert whole.count("The user likes tea.") == 1
    messages = next(body[key] for key in ("contents", "messages", "input") if key in body)
    sent = [n for n in range(14) if f'"q{n}"' in whole]
    assert sent == [1, 2, 5]  # the ten newest are told; older ones and the pin are sent
    assert "And now?" in str(messages[-4:])
    parts = ("Be brief.", "## Recent Conversation History", "## Summary of Older Conversations")
    places = [whole.index(part) for part in parts]
    assert places == sorted(places)
    assert "Assistant: r13" in whole


def test_payload_with_an_empty_context(home):
    write_session(home, some.encode(talk(1)[:1]), "demo")
    plain = run("payload", "demo", "--to", "gemini").out
    assert run("payload", "demo", "--to", "gemini", "--context").out == plain


def test_context_keeps_the_open_tool_loop(home):
    write_session(home, some.encode([*talk(2), talk(3)[4], call("c", "k"), result("r", "k")]), "demo")
    body = orjson.loads(run("payload", "demo", "--to", "gemini", "--context").out)
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]


IMAGE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def view(*parts):
    """A session whose last prompt, `m2`, has these parts."""
    talk = histories.user("first"), histories.model("answer"), histories.user(*parts)
    return histories.session([*talk, histories.model(histories.call()), histories.tool(histories.result())])


@pytest.mark.parametrize(
    ("parts", "new"),
    [
        ([{"text": "q"}], [{"text": "<q>"}]), ([IMAGE, {"text": "q"}], [IMAGE, {"text": "<q>"}]),
        ([{"text": "q"}, IMAGE], [{"text": "<q>"}, IMAGE]), ([IMAGE], [IMAGE, {"text": "<>"}]),
        ([{"text": "q", "laterField": 1}], [{"text": "<q>", "laterField": 1}]),
        ([{"text": "q"}, {"text": "r"}], [{"text": "<qr>"}]), ([{"text": ""}, IMAGE, {"text": "q"}], [{"text": "<q>"}, IMAGE]),
        ([{"text": "t", "thought": True}, {"text": "q"}], [{"text": "t", "thought": True}, {"text": "<q>"}]),
    ],
)  # fmt: skip
def test_only_the_text_of_the_last_prompt_is_replaced(tmp_path, parts, new):
    (tmp_path / "t").write_text("<{{ message }}>")
    before = view(*parts)
    after, options = rendered(before, Options(system="s"), Sending(user_template=str(tmp_path / "t")))
    messages = after.messages
    assert [message.id for message in messages] == [f"m{n}" for n in range(5)]
    assert messages[2].parts == new
    assert [m.parts for m in messages if m.id != "m2"] == [m.parts for m in before.messages if m.id != "m2"]
    assert options.system == "s"
    assert before.messages[2].parts == parts  # the session is not changed


def test_system_prompt_is_rendered_with_known_variables(tmp_path):
    (tmp_path / "t").write_text("{{ context }}|{{ message }}|{{ vars.k }}")
    flags = Sending(system_template=str(tmp_path / "t"), var=["k=v=w"])
    after, options = rendered(view({"text": "q"}), Options(system="s"), flags)
    assert options.system == "s|q|v=w"
    assert [m.parts for m in after.messages] == [m.parts for m in view({"text": "q"}).messages]
    _, none = rendered(view_of([]), Options(), Sending(system_template=str(tmp_path / "t"), var=["k="]))
    assert none.system == "||"
    assert rendered(view_of([]), Options(), Sending(user_template=str(tmp_path / "none")))[0].messages == []


@pytest.mark.parametrize("flag", ["--user-template", "--system-template", "--rendered-user"])
def test_a_budget_includes_rendered_texts(tmp_path, flag):
    (tmp_path / "t").write_text("word " * 400)
    log = [
        histories.record(n, "codeh" if n % 2 else "user", [{"text": f"so {n} " * 60}]) for n in range(21)
    ]
    write_session(tmp_path, b"".join(orjson.dumps({"type": "message", **line}) + b"\n" for line in log))
    value = f"@{tmp_path}/t" if flag == "--rendered-user" else f"{tmp_path}/t"
    argv = ("payload", "s", "--to", "gemini", "--budget", "1k", flag, value)
    body = orjson.loads(run_ok(*argv, home=tmp_path).out)
    texts = [part["text"] for content in body["contents"] for part in content["parts"]]
    texts += [part["text"] for part in body.get("systemInstruction", {"parts": []})["parts"]]
    assert sum(open_counter(None).counts(texts)) <= 1000


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [([], {}), (["a=1", "b="], {"a": "1", "b": ""}), (["a=b=c"], {"a": "b=c"}), (["a= x "], {"a": " x "})],
)
def test_variable_value_follows_the_first_equals_sign(pairs, expected):
    assert variables(pairs) == expected


def test_slow_template_is_ended(tmp_path):
    long = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    (tmp_path / "t").write_text(long)
    with pytest.raises(BadData, match=rf"^{tmp_path}/t: it takes longer than 0.3 s"):
        rendered(view({"text": "q"}), Options(), Sending(user_template=str(tmp_path / "t"), timeout=0.3))


@given(data=plain_files() | some.files_of(), at_once=st.integers(1, 4), end=st.integers(2, 30))
def test_context_of_a_large_log_equals_that_of_its_view(data, at_once, end, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    env, target = Env({"CODEH_HOME": "/nowhere"}, stderr=99), Target(str(path), "-s")
    env.quiet = True
    with (
        patch.object(readiness.skim, "FOLDED", 0), patch.object(readiness, "AT_ONCE", at_once),
        patch.object(readiness, "END", end),
    ):  # fmt: skip
        status = readiness.status_of_large_log(env, target, "approx", strict=False)
    event(f"big: {status is not None}")
    expected = readiness.session_status(env, target, whole_view(env, target, hydrate=False), "approx")
    assert status in (None, expected)
