"""Names of sessions that are begun without one: the local date and the first words."""

from __future__ import annotations

import time

from ...base.env import Env
from ...store.create import is_taken
from ...store.paths import path_of

_LONGEST = 40
_WORDS = 4
_BEGINNING = 2000  # characters of the text that may hold its first words


def free_name(env: Env, text: str) -> str:
    """`name_for` the text, with a number where that is taken."""
    base = name = name_for(env, text)
    number = 1
    while is_taken(path_of(env, name)):
        number += 1
        name = f"{base[: _LONGEST - len(str(number)) - 1].rstrip('-')}-{number}"
    return name


def name_for(env: Env, text: str) -> str:
    """A name of at most 40 ASCII characters without secrets; date and time where the text has no words."""
    now = time.localtime(env.millis() / 1000)
    words = _words(text)
    if not words:
        return time.strftime("%Y-%m-%d-%H%M%S", now)
    return "-".join([time.strftime("%Y-%m-%d", now), *words])[:_LONGEST].rstrip("-")


def _words(text: str) -> list[str]:
    """The first words, in lower case and without what may be a secret."""
    if not text.strip():
        return []
    import re
    import unicodedata

    from ...filters.redact import Redactor

    beginning = Redactor().text(text.lstrip()[:_BEGINNING])
    beginning = re.sub(r"\[redacted:[^\]]*\]", " ", beginning).replace("'", "")
    ascii = unicodedata.normalize("NFKD", beginning).encode("ascii", "ignore").decode()
    return re.findall("[a-z0-9]+", ascii.lower())[:_WORDS]
