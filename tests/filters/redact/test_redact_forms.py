"""Secrets are found in the forms that vendors and programs give them, and nothing else is taken for one."""

from __future__ import annotations

import sysconfig
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from codeh_history.filters.redact import Redactor
from secret_examples import SECRETS
from secret_forms import FORMS, MORE
from secret_forms_third import FOURTH, THIRD


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items(), ids=SECRETS)
@pytest.mark.parametrize("around", ["{}", "log: {} (seen)", "a\n{}\nb", '{{"x": "{}"}}'])
def test_a_secret_is_replaced(kind: str, secret: str, around: str) -> None:
    redactor = Redactor()
    text = redactor.text(around.format(secret))
    assert "[redacted:" in text
    assert secret.rsplit(maxsplit=1)[-1].strip('"') not in text
    assert sum(redactor.counts.values()) >= 1


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("levels", [1, 2])
def test_a_secret_is_replaced_in_json_in_a_text(secret: str, levels: int) -> None:
    """As tools print it, and as their output stands in another's."""
    text = orjson.dumps({"a": secret, "password": "hunter22"}).decode()
    for _ in range(levels - 1):
        text = orjson.dumps({"output": text}).decode()
    cleaned = Redactor().text(text)
    assert orjson.loads(cleaned)
    assert "hunter22" not in cleaned
    inside = orjson.dumps(secret).decode()[1:-1]
    assert secret not in cleaned
    assert inside not in cleaned


@pytest.mark.parametrize("around", ["{}", "x\n{}\ny"])
def test_every_form_is_found(around: str) -> None:
    """The figures of docs/reliability.md."""
    left = {
        name: text
        for name, (text, secret) in FORMS.items()
        if secret in Redactor().text(around.format(text))
    }
    assert left == {}
    assert not [text for text, secret in MORE + THIRD if secret in Redactor().text(around.format(text))]
    assert len(FORMS) > 350


@pytest.mark.parametrize("around", ["{}", "I ran\n{}\nand it failed"])
def test_a_secret_of_several_words_goes_whole(around: str) -> None:
    assert not [text for text, secret in FOURTH if secret in Redactor().text(around.format(text))]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["stdlib", "purelib"])
def test_sources_are_left_alone(where: str) -> None:
    """Five megabytes of what is installed, chosen by a hash of the names: at most 20 places."""
    root = Path(sysconfig.get_paths()[where])
    files = [path for path in root.rglob("*.py") if where == "purelib" or "site-packages" not in path.parts]
    files.sort(key=lambda path: sha256(str(path.relative_to(root)).encode()).digest())
    redactor, size = Redactor(), 0
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        redactor.text(text)
        size += len(text)
        if size > 5_000_000:
            break
    assert sum(redactor.counts.values()) <= 20, redactor.removed
