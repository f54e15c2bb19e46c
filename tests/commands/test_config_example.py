"""The example of config.toml."""

import re

from codeh_history.commands.config import example
from codeh_history.config import file
from codeh_history.providers import TARGETS


def written(folder, text):
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def test_it_has_a_profile_for_each_provider_and_no_setting_for_all(tmp_path):
    found = file.read(written(tmp_path, example.TEXT))
    assert found.top == {}
    assert {name: values["to"] for name, values in found.profiles.items()} == {to: to for to in TARGETS}
    assert all(values["via"] for values in found.profiles.values())


def test_every_key_is_in_it(tmp_path):
    text = re.sub(r"^#(?! |$)", "", example.TEXT, flags=re.MULTILINE)
    found = file.read(written(tmp_path, text))
    assert {*found.top, *(key for one in found.profiles.values() for key in one)} == set(file.KEYS)
