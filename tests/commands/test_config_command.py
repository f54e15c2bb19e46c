"""`config`: its example, and what `config check` finds without running a command."""

import re

import pytest

from codeh_history.base.config import KEYS, read
from codeh_history.base.options import PROVIDERS
from codeh_history.commands import config
from codeh_history.commands.config import wrong_with


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        ("cat", []), ("cat | sed s/a/b/", []), ("KEY=x cat", []), ("cat && ! true", []), ("cd /x; cat", []), ("echo 'a | nothing-here'", []),
        ("no-such-x", ["no-such-x: no such command"]), ("no-such-x | cat", ["no-such-x: no such command"]), ("A=1 cat", []),
        ("$TOOL x", []), ("`which cat`", []),
        ("cat -H @/no/such.hdr", ["-H @/no/such.hdr: no such file"]), ("cat --header @/no/such", ["-H @/no/such: no such file"]), ("cat -H 'A: b'", []),
        ("cat -H @$KEYS/x", []), ("cat '", ["sh cannot parse it: cat '"]), ("cat -d @/no/such", []),
    ],
)  # fmt: skip
def test_missing_programs_and_header_files_are_named(command, wrong):
    assert list(wrong_with(command)) == wrong


def test_names_are_those_of_the_shell(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KEYS", str(tmp_path))
    (tmp_path / "k.hdr").touch()
    assert list(wrong_with('cat -H @~/k.hdr -H "@$KEYS/k.hdr"')) == []
    (tmp_path / "k.hdr").write_text("x-api-key: KEY\nanthropic-version: 2023-06-01\n")
    assert list(wrong_with("cat -H @~/k.hdr")) == [f"-H @{tmp_path}/k.hdr: KEY is not replaced by your key"]
    (tmp_path / "k.hdr").write_text("x-api-key: sk-ant-KEYS\n")
    assert list(wrong_with("cat -H @~/k.hdr")) == []
    assert list(wrong_with("cat -H @~/none")) == [f"-H @{tmp_path}/none: no such file"]
    ran = tmp_path / "ran"
    assert list(wrong_with(f"touch {ran}")) == []
    assert not ran.exists()


def written(folder, text):
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def test_it_has_a_profile_for_each_provider_and_every_key_but_no_setting_for_all(tmp_path):
    conf = read(written(tmp_path, config.TEXT))
    assert conf.top == {}
    assert {name: values["to"] for name, values in conf.profiles.items()} == {to: to for to in PROVIDERS}
    assert all(values["via"] for values in conf.profiles.values())
    text = re.sub(r"^#(?! |$)", "", config.TEXT, flags=re.MULTILINE)  # as if it were all set
    conf = read(written(tmp_path, text))
    assert {*conf.top, *(key for values in conf.profiles.values() for key in values)} == set(KEYS)
