"""Secrets are found in the forms that vendors and programs give them, and nothing else is taken for one."""

import sysconfig
from hashlib import sha256
from pathlib import Path
from random import Random

import orjson
import pytest

from codeh_history.filters.redact import Redactor
from gitleaks_samples import FIRST, SECOND, fill
from secret_examples import SECRETS
from secret_forms import FORMS, MORE
from secret_forms_fourth import FIFTH, HARMLESS, HARMLESS_MORE, SIXTH
from secret_forms_third import FOURTH, THIRD


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items(), ids=SECRETS)
@pytest.mark.parametrize("around", ["{}", "log: {} (seen)", "a\n{}\nb", '{{"x": "{}"}}'])
def test_a_secret_is_replaced(kind, secret, around):
    redactor = Redactor()
    text = redactor.text(around.format(secret))
    assert "[redacted:" in text
    assert secret.rsplit(maxsplit=1)[-1].strip('"') not in text
    assert sum(redactor.counts.values()) >= 1


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("levels", [1, 2])
def test_a_secret_is_replaced_in_json_in_a_text(secret, levels):
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
def test_every_form_is_found(around):
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
def test_a_secret_of_several_words_goes_whole(around):
    assert not [text for text, secret in FOURTH if secret in Redactor().text(around.format(text))]


@pytest.mark.parametrize(
    "lines",
    [[line for _, line in FIRST], [line for _, line in SECOND], FIFTH, SIXTH],
    ids=["gitleaks", "gitleaks again", "fifth", "sixth"],
)
def test_drawn_secrets_are_found(lines):
    """At most 3 % are missed, drawn without a digit by chance; `tests/bench/redaction.py` counts more."""
    missed = []
    for line in lines:
        for seed in (1, 29):
            text, pieces = fill(line, Random(f"{seed} {line}"))
            cleaned = Redactor().text(f"I ran\n{text}\nand it failed")
            missed += [line] if any(piece in cleaned for piece in pieces) else []
    assert len(missed) <= len(lines) * 2 * 0.03, missed


def test_each_rule_of_gitleaks_has_a_line():
    assert len({rule for rule, _ in FIRST}) == 221  # all but PKCS #12 files
    assert {rule for rule, _ in SECOND} <= {rule for rule, _ in FIRST}


def test_what_only_looks_like_a_secret_stays():
    assert [line for line in HARMLESS + HARMLESS_MORE if Redactor().text(line) != line] == []


@pytest.mark.parametrize("line", [
    "X_TOKEN=abcDEF123ghi.JKLmno456.pqrSTU789vwx", 'X_TOKEN="abcDEF123ghi.JKLmno456.pqrSTU789vwx"', "X_TOKEN='abcDEF123ghi.JKLmno456.pqrSTU789vwx'",
    "X_TOKEN%3DabcDEF123ghi", "password%3A+abcDEF123ghi", "--password-command 'echo abcDEF123ghi'", '--password-command "echo abcDEF123ghi"',
    'password = "abcDEF123ghi"', "password: abcDEF123ghi", 'client_id = "abcDEF123ghi45"', "Token: s.abcDEF123ghiJKLmno456pqr", "1234567890123456|abcDEF123ghiJKLmno456pqrSTU7",
])  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "ran `{}` again", '{{"output": "\\n{}\\n"}}'])
def test_a_line_is_found_quoted_too(line, around):
    text = around.format(orjson.dumps(line).decode()[1:-1] if "output" in around else line)
    assert "abcDEF123ghi" not in Redactor().text(text)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["stdlib", "purelib"])
def test_sources_are_left_alone(where):
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
