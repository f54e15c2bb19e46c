"""Templates: the rendered text stands in the place of the last prompt's, and what is attached to it survives."""

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.shared_options import Request
from codeh_history.providers.base import Options
from codeh_history.send.templates import render, rendered, variables
from strategies import view_of

IMAGE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def view(*parts):
    return view_of([
        {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": [{"text": "first"}]},
        {"type": "message", "id": "b", "kind": "codeh", "role": "model", "parts": [{"text": "answer"}]},
        {"type": "message", "id": "c", "kind": "user", "role": "user", "parts": list(parts)},
        {"type": "message", "id": "d", "kind": "codeh", "role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"type": "message", "id": "e", "kind": "tool", "role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "new"),
    [
        ([{"text": "q"}], [{"text": "<q>"}]), ([IMAGE, {"text": "q"}], [IMAGE, {"text": "<q>"}]),
        ([{"text": "q"}, IMAGE], [{"text": "<q>"}, IMAGE]), ([IMAGE], [{"text": "<>"}, IMAGE]),
        ([{"text": "q", "laterField": 1}], [{"text": "<q>", "laterField": 1}]),
        ([{"text": "q"}, {"text": "r"}], [{"text": "<qr>"}]), ([{"text": ""}, IMAGE, {"text": "q"}], [{"text": "<q>"}, IMAGE]),
        ([{"text": "t", "thought": True}, {"text": "q"}], [{"text": "t", "thought": True}, {"text": "<q>"}]),
    ],
)  # fmt: skip
def test_the_last_prompts_text_is_replaced_and_nothing_else(tmp_path, parts, new):
    (tmp_path / "t").write_text("<{{ message }}>")
    before = view(*parts)
    messages, options = rendered(before, Options(system="s"), Request(user_template=str(tmp_path / "t")))
    assert [message.id for message in messages] == list("abcde")
    assert messages[2].parts == new
    assert [m.parts for m in messages if m.id != "c"] == [m.parts for m in before.messages if m.id != "c"]
    assert options.system == "s"
    assert before.messages[2].parts == parts  # the session is not changed


def test_the_system_prompt_is_rendered_with_what_there_is(tmp_path):
    (tmp_path / "t").write_text("{{ context }}|{{ message }}|{{ vars.k }}")
    given = Request(system_template=str(tmp_path / "t"), var=["k=v=w"])
    messages, options = rendered(view({"text": "q"}), Options(system="s"), given)
    assert options.system == "s|q|v=w"
    assert [message.parts for message in messages] == [
        message.parts for message in view({"text": "q"}).messages
    ]
    _, none = rendered(view_of([]), Options(), Request(system_template=str(tmp_path / "t"), var=["k="]))
    assert none.system == "||"
    assert rendered(view_of([]), Options(), Request(user_template=str(tmp_path / "none")))[0] == []


@pytest.mark.parametrize(
    ("pairs", "found"),
    [([], {}), (["a=1", "b="], {"a": "1", "b": ""}), (["a=b=c"], {"a": "b=c"}), (["a= x "], {"a": " x "})],
)
def test_a_variable_is_all_behind_the_first_equals_sign(pairs, found):
    assert variables(pairs) == found


@pytest.mark.parametrize(
    ("pairs", "why"),
    [(["a"], "--var a: NAME=VALUE"), (["=b"], "--var =b: NAME"), (["a=1", "a=1"], "--var a: given twice")],
)
def test_what_is_no_variable_is_exit_2(pairs, why):
    with pytest.raises(Usage, match=why):
        variables(pairs)


@pytest.mark.parametrize(
    ("source", "why"),
    [("a\n{{ x", "2: "), ("{{ vars.y }}", r"vars.y is not set \(--var y=VALUE\)"), ("{% for i in range(999999) %}{{ message ** 2 }}{% endfor %}", ""),
     ("{{ ''.__class__.__mro__ }}", "")],
)  # fmt: skip
def test_a_mistake_in_a_template_is_named_with_its_file(tmp_path, source, why):
    (tmp_path / "t.j2").write_text(source)
    with pytest.raises(BadData, match=rf"^{tmp_path}/t.j2:.*{why}"):
        render(str(tmp_path / "t.j2"), {"message": "", "context": "", "vars": {}})


def test_one_that_takes_too_long_is_ended(tmp_path):
    (tmp_path / "t").write_text(
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    )
    with pytest.raises(BadData, match=rf"^{tmp_path}/t: it takes longer than 0.3 s"):
        rendered(view({"text": "q"}), Options(), Request(user_template=str(tmp_path / "t"), timeout=0.3))
