"""Secrets known by how they begin: each row of the table finds its own, and its beginning alone is none."""

import pytest

from codeh_history.filters.redact.vendors import RULES
from secret_examples import SECRETS


def kinds(text):
    """What is found in a text, each with its kind."""
    found = {}
    for rule in RULES:
        at = text.find(rule.start)
        while at >= 0:
            for span in rule.find(text, text.lower(), at):
                found.setdefault(text[span.start : span.end], span.kind)
            at = text.find(rule.start, at + 1)
    return found


STARTS = sorted({rule.start for rule in RULES})


@pytest.mark.parametrize("start", STARTS)
def test_a_beginning_alone_is_no_secret(start):
    for text in (start, f"{start}...", f"{start} and then", f"a word {start}word or two"):
        assert kinds(text) == {}, text


KEYS = {
    "anthropic-key": "sk-ant-api03-" + "aB3_" * 8, "openai-key": "sk-proj-" + "aB3d" * 8, "github-token": "ghp_" + "aB3d" * 9, "aws-key-id": "AKIA" + "A2B3C4D5" * 2,
    "google-key": "AIza" + "aB3_-" * 7, "stripe-key": "sk_live_" + "aB3d" * 6, "npm-token": "npm_" + "aB3d" * 9, "slack-token": "xoxb-" + "123-abc" * 3,
    "huggingface-token": "hf_" + "aB3d" * 8, "gitlab-token": "glpat-" + "aB3_" * 5, "password-hash": "$2b$12$" + "aB3d/" * 10 + "xyz", "sendgrid-key": "SG." + "aB3_" * 5 + "." + "aB3_" * 5,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "key"), KEYS.items())
def test_a_key_is_found_whole_and_a_shorter_one_is_none(kind, key):
    assert kinds(f"x {key} y") == {key: kind}
    assert kinds(f"x {key[: len(key) // 3]} y") == {}


def test_what_is_called_by_a_vendor_is_of_that_kind():
    own = {rule_kind for text in SECRETS.values() for rule_kind in kinds(text).values()}
    assert own <= {*SECRETS} | {"password-hash", "jwt", "webhook"}


def test_words_joined_by_hyphens_are_no_key():
    assert kinds("sk-learn-is-a-library-for-machine-learning") == {}
