"""`config.toml`: whose it is, what may stand in it, and which line is wrong."""

import os
import re
from pathlib import Path

import pytest

from codeh_history.base.config import file
from codeh_history.base.errors import Usage
from support import ROOT

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
    parsed = file.read(written(tmp_path, ALL))
    assert parsed.top == {
        "to": "gemini", "via": f"{tmp_path}/send --fast", "model": "m", "system": f"@{tmp_path}/system.md",
        "tools": f"@{tmp_path}/tools.json", "budget": "32k", "max_tokens": 100, "stream": True,
        "set": ["temperature=0.5", "generationConfig.topK=3", "a.b=[1]"], "summarize.via": "llm", "compact.via": "llm",
    }  # fmt: skip
    assert parsed.profiles == {
        "local": {"via": "curl x", "system": "Be @brief.", "budget": "32000", "set": ["a={}"],
                  "tools": '[{"name":"f"}]', "calls.via": f"{tmp_path}/bin/tool"},
        "two words": {"summarize.via": "x"},
    }  # fmt: skip
    assert set(file.KEYS) == {*parsed.top, *parsed.profiles["local"]}


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
        ("budget = '32kb'\n", ": budget: budget 32kb: expected a positive number of tokens"),
        ("budget = 1.5\n", ": budget: budget 1.5: expected a positive number of tokens"),
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
        file.read(path)
    assert str(error.value).startswith(f"{path}{why}")
    assert "\n" not in str(error.value)


def test_invalid_utf_8(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b"to = '\xff'")
    with pytest.raises(Usage, match=r"position 6"):
        file.read(str(path))


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o664])
def test_file_writable_by_others_is_refused(tmp_path, mode):
    path = written(tmp_path, "to = 'gemini'\n")
    Path(path).chmod(mode)
    with pytest.raises(Usage, match=r"not read: others may write it; .*`chmod go-w "):
        file.read(path)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o400, 0o755])
def test_file_readable_by_others_is_accepted(tmp_path, mode):
    path = written(tmp_path, "to = 'gemini'\n")
    Path(path).chmod(mode)
    assert file.read(path).top == {"to": "gemini"}


def test_directory_writable_by_others_is_refused(tmp_path):
    path = written(tmp_path, "to = 'gemini'\n")
    tmp_path.chmod(0o777)
    with pytest.raises(Usage, match=r"others may replace it"):
        file.read(path)
    tmp_path.chmod(0o1777)  # as /tmp: each only their own
    assert file.read(path).top == {"to": "gemini"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_file_of_another_user_is_refused(tmp_path):
    path = written(tmp_path, "to = 'gemini'\n")
    os.chown(path, 65534, 65534)
    with pytest.raises(Usage, match=r"not read: it belongs to another user"):
        file.read(path)


def test_symlink_is_followed_and_fifo_is_refused(tmp_path):
    written(tmp_path, "to = 'gemini'\n")
    (tmp_path / "link").symlink_to("config.toml")
    assert file.read(str(tmp_path / "link")).top == {"to": "gemini"}
    os.mkfifo(tmp_path / "fifo", 0o600)
    with pytest.raises(Usage, match=r"not a file"):
        file.read(str(tmp_path / "fifo"))
    with pytest.raises(IsADirectoryError) as error:
        file.read(str(tmp_path))
    assert error.value.filename == str(tmp_path)  # the error names it, not a descriptor


def test_documented_example_is_valid_and_names_every_key(tmp_path):
    page = (ROOT / "docs" / "config.md").read_text()
    (sample,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert file.read(written(tmp_path, sample)).profiles
    assert set(re.findall(r"^\| `([a-z._]+)` \|", page, re.MULTILINE)) == set(file.KEYS)
