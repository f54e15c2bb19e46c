"""Redaction takes time in proportion to the text, whatever is in it: no rule reads it again and again.

Each beginning of each table repeated, its almost-matches, each name with each way to go on, huge words and
lines, nested quotes: all of them short, the worst of these then at length.
"""

from functools import partial
from time import process_time

import pytest

from codeh_history.filters.redact import Redactor, forms, names, vendors
from faults.growth import A_MEGABYTE, TIMES, grown
from faults.profiles import PROFILE, by_profile

SHORT, LONG = 8_000, by_profile(500_000, 500_000, 1_000_000)  # characters
KEPT = by_profile(0, 4, 40)  # how many of the worst are tried at length
EACH = by_profile(1, 8, 1)  # of the table every so manieth

pytestmark = pytest.mark.skipif(PROFILE == "short", reason="measures time: make test-faults")

AFTER = {
    "vendors": ["", "-", "a", "aB1_" * 5 + ".", " ", "\\n"],
    "forms": ["", "a1", ": a=b;", '"', "a:b/", " -p ", " -u a"],
    "names": ["", "_", "-", ".", "=", ": ", ' = "', "='", "=a=", ' "', ' \\"', "(", "('", '","', "</", ">", '" value="', " is ",
              "\\n", "\n", "=x", "=$", "=(", ": |\n ", " a b c "],
}  # fmt: skip
OTHERS = [
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE\n", "-----BEGIN A ", "-----END PRIVATE KEY-----", "Private-Lines: 9\nabc\n",
    "a", "1", "A ", " ", "\n", '"', '\\"', "\\", "%41", "%", "QUJD", "QUJDQUJDQUJDQUJDQUJDQUJD\n", "abcdEFGH" * 4 + " ", "\\u0041", "://", "://a:",
    "://a:b", "://a:b@", "@", "a=b; ", "cookie: a=b; ", "eyJ-", "eyJ.", "eyJabcdefgh.", "<", "<password>", "<password a", "-", "_", ".", "$", "aB_",
    "\x1b[32m", "TOKEN_", '{"password": ', "'\"", "[[", "token=abAB12.", "token=ab1c.", "client_id=aB1", "1234567890123456|", "aB1" * 8 + ".", "aB1" * 8 + ".abcdef.", "kind: Secret\\n",
    '{"kind":"Secret","data":{"a":"b",', "%3A+", "%25", "password-command 'echo ", ".atlasv1.", "AAAAAAAAAA", "İ", "é=",
]  # fmt: skip


def table():
    """What is repeated."""
    starts = {
        "vendors": starts_of(vendors.RULES),
        "forms": starts_of(forms.RULES),
        "names": (*starts_of(names.RULES), "TOKEN_", "api_key", "passphrase", "private key", "authToken"),
    }
    for kind, some in starts.items():
        for start in some:
            yield from (start + after for after in AFTER[kind])
    yield from OTHERS


def starts_of(rules):
    return list(dict.fromkeys(rule.start for rule in rules if rule.start))


def seconds(work, unit, size):
    """How long the text takes this process."""
    text = (unit * (size // len(unit) + 1))[:size]
    start = process_time()
    work(text)
    return process_time() - start


def clean(text):
    return Redactor().text(text)


def test_redaction_is_linear_whatever_the_text(tally):
    units = [*list(table())[::EACH], "TOKEN_", "eyJ-"]
    by_time = sorted(units, key=lambda unit: -seconds(clean, unit, SHORT))
    worst = list(dict.fromkeys(["TOKEN_", "eyJ-", *by_time[:KEPT]]))
    for unit in worst:
        found = grown(partial(seconds, clean, unit), LONG // TIMES)
        assert found.linear, (unit, found.told)
        assert PROFILE != "long" or found.seconds < A_MEGABYTE, (unit, found.seconds)
    tally("a text that repeats what redaction looks for", len(units))


@pytest.mark.parametrize("inside", ["said", "pieces", "file"])
def test_a_session_is_linear_too(inside, tally):
    """Many small texts, many pieces of one, one large file."""

    def work(text):
        step = 40
        pieces = [text[at : at + step] for at in range(0, len(text), step)]
        values = {
            "said": {"args": pieces},
            "pieces": [{"text": piece} for piece in pieces],
            "file": {"text": text},
        }
        return Redactor().value(values[inside], "parts" if inside == "pieces" else "")

    for unit in ("password = 'hunter22x' ", "eyJ-", "some words of prose "):
        found = grown(partial(seconds, work, unit), LONG // TIMES)
        assert found.linear, (unit, found.told)
    tally("a text that repeats what redaction looks for", 3)
