"""The example of config.toml."""

from __future__ import annotations

import re
from pathlib import Path

from codeh_history.commands.config import example
from codeh_history.config import file


def written(folder: Path, text: str) -> str:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(0o600)
    return str(path)


def test_the_example_holds_nothing_until_it_is_told_to_and_then_every_key(tmp_path: Path) -> None:
    assert file.read(written(tmp_path, example.TEXT)).top == {}
    text = re.sub(r"^#(?! |$)", "", example.TEXT, flags=re.MULTILINE)
    found = file.read(written(tmp_path, text))
    assert {*found.top, *(key for one in found.profiles.values() for key in one)} == set(file.KEYS)
