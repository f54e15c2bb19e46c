"""The sources of a request's values, the table of docs/config.md; who may own `config.toml`, and what is in it."""

import os
import re
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base import config
from codeh_history.base.config import ENVIRONMENT, FLAGS, Layer
from codeh_history.base.env import Env
from codeh_history.base.errors import Usage
from codeh_history.base.shared_options import Sending
from in_process import run_in_process
from support import ROOT

KINDS = (FLAGS, "-p x", ENVIRONMENT, "CODEH_PROFILE y", "file")  # the strongest first


def layers_of(*values):
    """A layer of each kind that says these."""
    return [
        Layer(where=where, values=each, above=number < 3)
        for number, (where, each) in enumerate(zip(KINDS, values, strict=False))
    ]


def held(*values):
    return {key: value for key, (value, _) in config.values_by_layer(layers_of(*values)).items()}


LOCAL = {"to": "ollama", "via": "local", "model": "llama"}
GEMINI = {"to": "gemini", "via": "google", "model": "flash"}
CLAUDE = {"to": "anthropic", "via": "ant"}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([{}, LOCAL, CLAUDE, {}, GEMINI], LOCAL),
        ([{}, LOCAL, {"to": "anthropic"}, {}, {}], LOCAL),
        ([{}, {}, CLAUDE, LOCAL, GEMINI], CLAUDE),
        ([{}, {}, {}, LOCAL, GEMINI], LOCAL),
        ([{}, {}, {}, {}, GEMINI], GEMINI),
        ([{"model": "big"}, LOCAL, {}, {}, {}], {**LOCAL, "model": "big"}),
        ([{}, {"model": "pro"}, {}, {}, GEMINI], {**GEMINI, "model": "pro"}),
        ([{}, {}, CLAUDE, {}, {"model": "flash"}], CLAUDE),
        ([{"to": "gemini"}, {}, {}, {}, GEMINI], GEMINI),
        ([{"to": "anthropic"}, {}, {}, {}, GEMINI], {"to": "anthropic"}),
        ([{"to": "anthropic"}, {}, {"via": "x"}, {}, GEMINI], {"to": "anthropic", "via": "x"}),
        ([{"to": "gemini"}, {}, CLAUDE, {}, {}], {"to": "gemini"}),
        ([{"via": "x"}, {}, CLAUDE, {}, {}], {"to": "anthropic", "via": "x"}),
        ([{"via": "x"}, LOCAL, CLAUDE, {}, GEMINI], {"to": "anthropic", "via": "x"}),
        ([{"via": "x"}, LOCAL, {}, {}, GEMINI], {"via": "x"}),
        ([{}, {"to": "openai-chat", "via": "local"}, {}, {}, {"to": "openai-chat", "via": "far", "model": "m"}],
         {"to": "openai-chat", "via": "local"}),
        ([{}, {"to": "openai-chat", "via": "local"}, {}, {}, {"to": "openai-chat", "model": "m"}],
         {"to": "openai-chat", "via": "local"}),
        ([{}, {"to": "ollama"}, {}, {}, {"via": "any"}], {"to": "ollama"}),
        ([{}, {}, {"via": "x"}, {}, GEMINI], {"via": "x"}),
        ([{}, {}, {"to": "gemini"}, {}, GEMINI], GEMINI),
        ([{}, {}, {"model": "pro"}, {}, GEMINI], {**GEMINI, "model": "pro"}),
        ([{}, {}, {"model": "pro"}, LOCAL, GEMINI], {**LOCAL, "model": "pro"}),
        ([{}, LOCAL, {"model": "pro"}, {}, GEMINI], LOCAL),
        ([CLAUDE, {}, {"model": "opus"}, {}, GEMINI], {**CLAUDE, "model": "opus"}),
        ([{"to": "anthropic"}, {}, {"via": "ant", "model": "opus"}, {}, GEMINI], {**CLAUDE, "model": "opus"}),
        ([{"via": "ant"}, {}, {"to": "anthropic", "model": "opus"}, {}, GEMINI], {**CLAUDE, "model": "opus"}),
        ([CLAUDE, {}, GEMINI, {}, {}], CLAUDE),
        ([{"to": "anthropic"}, {}, GEMINI, {}, {}], {"to": "anthropic"}),
        ([{"model": "big"}, {}, {**CLAUDE, "model": "opus"}, {}, GEMINI], {**CLAUDE, "model": "big"}),
    ],
)  # fmt: skip
def test_provider_command_and_model_come_together(values, expected):
    assert held(*values) == expected


ONE = {"system": st.sampled_from("ABC"), "tools": st.sampled_from("DE"), "budget": st.just("9k"), "max_tokens": st.integers(1, 3),
       "stream": st.booleans(), "summarize.via": st.sampled_from("FG"), "calls.via": st.sampled_from("HI")}  # fmt: skip
ROUTE = {
    "to": st.sampled_from(["gemini", "anthropic", "ollama"]),
    "via": st.sampled_from("xyz"),
    "model": st.sampled_from("mno"),
}
VALUES = st.lists(st.fixed_dictionaries({}, optional={**ONE, **ROUTE}), min_size=5, max_size=5)


@given(VALUES)
def test_each_key_comes_from_the_first_layer_that_sets_it(values):
    settings = held(*values)
    for key in ONE:
        first = [each[key] for each in values if key in each][:1]
        assert settings.get(key) == next(iter(first), None)


@given(VALUES)
def test_request_goes_only_to_the_chosen_provider(values):
    """What holds of `to` and `via` is the first's that names one; a command is never that of another provider."""
    chosen = config.values_by_layer(layers_of(*values))
    first = next((each for each in values if {"to", "via"} & each.keys()), {})
    for key in ("to", "via"):
        if key in first:
            assert chosen[key][0] == first[key]
    if "via" in chosen and "to" in chosen:
        command = chosen["via"][1]
        assert command.values is first or command.values.get("to", chosen["to"][0]) == chosen["to"][0]
        assert command.values is first or "to" in command.values or command.where == ENVIRONMENT
    if "model" in chosen and {"to", "via"} & chosen.keys():
        model = chosen["model"][1].values
        above = values[: values.index(first) + 1]
        by_flags = model is values[2] and first is values[0]  # completed by the environment
        assert model in above or by_flags or model.get("to") == chosen["to"][0]
        assert not by_flags or model.get("to", first.get("to")) in (None, first.get("to"), chosen["to"][0])


def test_set_fields_merge_and_stay_with_their_provider():
    low = {"to": "gemini", "via": "g", "set": ["a=1", "b=1"]}
    assert held({"set": ["b=2"]}, {}, {}, {}, low)["set"] == ["a=1", "b=1", "b=2"]
    assert held({"set": ["b=2"]}, LOCAL, {}, {}, low)["set"] == ["b=2"]
    assert "set" not in held({}, LOCAL, {}, {}, low)
    assert held({}, LOCAL, {}, {"set": ["c=1"]}, low)["set"] == ["c=1"]


def test_profile_overrides_the_session_and_top_level_does_not(tmp_path):
    (tmp_path / "config.toml").write_text(
        'to = "gemini"\nsystem = "low"\nbudget = 9000\nmax_tokens = 5\n[profile.x]\nsystem = "high"\n'
    )
    env = Env({"CODEH_HOME": str(tmp_path)})
    result = config.resolve(env, Sending(), None)
    assert (result.request.system, result.request.budget, result.request.max_tokens) == (None, None, 5)
    assert result.base == {"system": "low", "compact.budget": 9000}
    result = config.resolve(env, Sending(), "x")
    assert (result.request.system, result.base) == ("high", {"compact.budget": 9000})
    assert config.resolve(env, Sending(system=""), "x").request.system == ""


@pytest.mark.parametrize(
    ("environ", "to", "via", "flags"),
    [
        ({}, "gemini", "c", "--to gemini --via CMD"),
        ({"CODEH_TO": "gemini", "CODEH_VIA": "c"}, "gemini", "c", ""),
        ({"CODEH_TO": "gemini", "CODEH_VIA": "c"}, "gemini", None, ""),
        ({"CODEH_TO": "gemini", "CODEH_VIA": "c"}, "gemini", "d", "--via CMD"),
        ({"CODEH_TO": "gemini", "CODEH_VIA": "c"}, "ollama", "c", "--to ollama --via CMD"),
        ({"CODEH_VIA": "c"}, "ollama", "c", "--to ollama --via CMD"),
        ({"CODEH_PROFILE": "x"}, "ollama", "cat", ""),
        ({"CODEH_PROFILE": "x"}, "ollama", "dog", "--via CMD"),
        ({"CODEH_PROFILE": "none"}, "ollama", "cat", "--to ollama --via CMD"),
    ],
)  # fmt: skip
def test_flags_that_name_the_same_provider_again(tmp_path, environ, to, via, flags):
    (tmp_path / "config.toml").write_text('[profile.x]\nto = "ollama"\nvia = "cat"\n')
    first, last = config.flags_for(Env({"CODEH_HOME": str(tmp_path), **environ}), None, to, via)
    assert " ".join([*first, *last]) == flags


@pytest.mark.parametrize(
    ("environ", "words", "model"),
    [
        ({"CODEH_MODEL": "env"}, ["--to", "ollama"], "env"),
        ({"CODEH_TO": "ollama", "CODEH_MODEL": "env"}, [], "env"),
        ({"CODEH_TO": "ollama", "CODEH_MODEL": "env"}, ["--model", "flag"], "flag"),
        ({"CODEH_MODEL": "env"}, ["-p", "x"], "profile"),
    ],
)
def test_the_environment_names_a_model(home, environ, words, model):
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "config.toml").write_text('[profile.x]\nto = "ollama"\nmodel = "profile"\n')
    (home / "config.toml").chmod(0o600)
    run_in_process("append", "-s", "demo", "hi", home=home)
    body = run_in_process("payload", "demo", *words, home=home, env=environ)
    assert (body.code, orjson.loads(body.out)["model"]) == (0, model)


@pytest.mark.parametrize("verb", ["ask", "calls"])
@pytest.mark.parametrize("flag", ["--via", "-p"])
def test_an_empty_flag_does_not_stand_for_the_configured_provider(home, verb, flag):
    run_in_process("append", "-s", "demo", "hi", home=home)
    environ = {"CODEH_TO": "ollama", "CODEH_MODEL": "m", "CODEH_VIA": "false"}
    done = run_in_process(verb, "-s", "demo", flag, "", home=home, env=environ)
    assert (done.code, done.err.decode().startswith(f"codeh-history: {flag}: an empty value")) == (2, True)


# -- the file -----------------------------------------------------------------------------------------

ALL = """\
to = "gemini"
via = "./send --fast"
model = "m"
system = "@system.md"
tools = "tools.json"
budget = "32k"
max_tokens = 100
stream = true
set = { temperature = 0.5, generationConfig = { topK = 3 }, "a.b" = [1] }
summarize.via = "llm"
compact.via = "llm"

[profile.local]
via = "curl x"
system = "Be @brief."
budget = 32000
set = ["a={}"]
tools = [{ name = "f" }]
calls.via = "bin/tool"
[profile."two words".summarize]
via = "x"
"""


def written(folder, text):
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def test_every_key(tmp_path):
    parsed = config.read(written(tmp_path, ALL))
    assert parsed.top == {
        "to": "gemini", "via": f"{tmp_path}/send --fast", "model": "m", "system": f"@{tmp_path}/system.md",
        "tools": f"@{tmp_path}/tools.json", "budget": 32000, "max_tokens": 100, "stream": True,
        "set": ["temperature=0.5", "generationConfig.topK=3", "a.b=[1]"], "summarize.via": "llm", "compact.via": "llm",
    }  # fmt: skip
    assert parsed.profiles == {
        "local": {"via": "curl x", "system": "Be @brief.", "budget": 32000, "set": ["a={}"],
                  "tools": '[{"name":"f"}]', "calls.via": f"{tmp_path}/bin/tool"},
        "two words": {"summarize.via": "x"},
    }  # fmt: skip
    assert set(config.KEYS) == {*parsed.top, *parsed.profiles["local"]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("to = ", ": Invalid value"),
        ('\n\nto = "gemini', ": "),
        ("a\n", ": Expected '=' after a key"),
        ("to = 'gemini'\nto = 'ollama'\n", ": Cannot overwrite a value"),
        ("modle = 'x'\n", ": modle: no such key; did you mean model?"),
        ("xyzzy = 'x'\n", ": xyzzy: no such key; one of to, via, model,"),
        ("to = 'gemini'\n[profile.x]\nvia = 'x'\nmodle = 'x'\n", ": [profile.x] modle: no such key"),
        ("[profile.'a b']\nvias = 'x'\n", ": [profile.a b] vias: no such key; did you mean via?"),
        ("[summarize]\nvai = 'x'\n", ": summarize.vai: no such key; did you mean summarize.via?"),
        ("to = 'gemni'\n", ": to gemni: one of gemini, openai-chat,"),
        ("to = 'x'\n", ": to x: one of gemini,"),
        ("to = 3\n", ": to 3: one of gemini,"),
        ("via = ''\n", ": via: expected a string"),
        ("system = 3\n", ": system: expected a string"),
        ("budget = '32kb'\n", ": budget 32kb: expected a positive number of tokens"),
        ("budget = 1.5\n", ": budget 1.5: expected a positive number of tokens"),
        ("max_tokens = 0\n", ": max_tokens 0: expected an integer from 1 to"),
        ("max_tokens = true\n", ": max_tokens True: expected an integer from 1 to"),
        (f"max_tokens = {10**20}\n", f": max_tokens {10**20}: expected an integer from 1 to"),
        ("stream = 'maybe'\n", ": stream maybe: expected true or false"),
        ("set = 'a=1'\n", ": set: expected a table of fields"),
        ("set = ['=1']\n", ": set: expected a table of fields"),
        ("set = {a = 99999999999999999999}\n", ": set: Integer exceeds 64-bit range"),
        ("profile = 'x'\n", ": profile: expected tables"),
        ("[profile]\nx = 1\n", ": profile: expected tables"),
    ],
)  # fmt: skip
def test_errors_name_key_and_file(tmp_path, text, why):
    path = written(tmp_path, text)
    with pytest.raises(Usage) as error:
        config.read(path)
    assert str(error.value).startswith(f"{path}{why}")
    assert "\n" not in str(error.value)


def test_invalid_utf_8(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b"to = '\xff'")
    with pytest.raises(Usage, match=r"position 6"):
        config.read(str(path))


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o664])
def test_file_writable_by_others_is_refused(tmp_path, mode):
    path = written(tmp_path, "to = 'gemini'\n")
    Path(path).chmod(mode)
    with pytest.raises(Usage, match=r"not read: others may write it; .*`chmod go-w "):
        config.read(path)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o400, 0o755])
def test_file_readable_by_others_is_accepted(tmp_path, mode):
    path = written(tmp_path, "to = 'gemini'\n")
    Path(path).chmod(mode)
    assert config.read(path).top == {"to": "gemini"}


def test_directory_writable_by_others_is_refused(tmp_path):
    path = written(tmp_path, "to = 'gemini'\n")
    tmp_path.chmod(0o777)
    with pytest.raises(Usage, match=r"others may replace it"):
        config.read(path)
    tmp_path.chmod(0o1777)  # as /tmp: each only their own
    assert config.read(path).top == {"to": "gemini"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_file_of_another_user_is_refused(tmp_path):
    path = written(tmp_path, "to = 'gemini'\n")
    os.chown(path, 65534, 65534)
    with pytest.raises(Usage, match=r"not read: it belongs to another user"):
        config.read(path)


def test_symlink_is_followed_and_fifo_is_refused(tmp_path):
    written(tmp_path, "to = 'gemini'\n")
    (tmp_path / "link").symlink_to("config.toml")
    assert config.read(str(tmp_path / "link")).top == {"to": "gemini"}
    os.mkfifo(tmp_path / "fifo", 0o600)
    with pytest.raises(Usage, match=r"not a file"):
        config.read(str(tmp_path / "fifo"))
    with pytest.raises(IsADirectoryError) as error:
        config.read(str(tmp_path))
    assert error.value.filename == str(tmp_path)  # the error names it, not a descriptor


def test_documented_example_is_valid_and_names_every_key(tmp_path):
    page = (ROOT / "docs" / "config.md").read_text()
    (sample,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert config.read(written(tmp_path, sample)).profiles
    assert set(re.findall(r"^\| `([a-z._]+)` \|", page, re.MULTILINE)) == set(config.KEYS)
