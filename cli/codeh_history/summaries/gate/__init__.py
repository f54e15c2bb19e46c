"""The gate: what is wrong with a summary that a command wrote, each reason named.

Blank, an error text, a refusal, an echo of its input, no smaller than its source; and unfaithful: naming
paths, URLs, numbers or ids that its source does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ...base.errors import SummarizerFailed
from ..clipped import clip
from . import names, nonanswers, spoken
from .known_words import COMMON
from .nonanswers import straight

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
_LABEL = re.compile(r"(?:\[\d{4}-\d\d-\d\d[T ][\d:.]+Z?\]$|(?:User|Assistant|Tool call|Tool result): )")

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`\])}]+|\bwww\.[^\s<>\"'`\])}]+", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PATH = re.compile(
    r"(?<![\w:/.@-])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.$-]+[/\\])+[\w@+.*$-]*"
    r"|(?<![\w:/.@-])[/~][\w@+.-]+"
)
_FILE = re.compile(r"(?<![\w/@.-])[\w@+-][\w@+.-]*\.([A-Za-z][A-Za-z0-9]{0,9})(?![\w/-])")
_ID = re.compile(r"(?<![\w.])#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z_#])[A-Za-z0-9_#][\w-]*\w|(?<!\w)#\d+")
_NUMBER = re.compile(
    r"(?<![\w.,])[-\u2212]?[$\u20ac\u00a3]?\d[\d,.\u202f_]*\d|(?<![\w.,])[$\u20ac\u00a3]?\d"
)
_DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_DIGITS = re.compile(r"(?<![A-Za-z_\d.,])\d[\d,_]*(?:\.\d+)*")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]\s+)?\(?\d{1,2}[.)]\s", re.MULTILINE)
_SUFFIX = re.compile(r"(?:st|nd|rd|th|s|%|x|k|m|b|ms|am|pm|kb|mb|gb|tb|px|h|d|min|sec)", re.IGNORECASE)
_EXTENSIONS = frozenset(
    "py pyi js jsx ts tsx mjs cjs json jsonl yaml yml toml md rst txt csv tsv html htm css scss go rs c h"
    " cc cpp hpp java"
    " kt rb php sh bash zsh sql xml ini cfg conf env lock log ipynb pdf png jpg jpeg gif svg webp zip tar"
    " gz tgz db sqlite"
    " proto vue svelte swift lua pl r jl ex exs hs scala dart tf gradle bat ps1 exe dll so docx xlsx pptx"
    " doc xls ppt mp3"
    " mp4 wav bak tmp diff patch service timer com org net io dev app ai co edu gov".split()
)  # fmt: skip
_PRODUCTS = frozenset(
    "node.js next.js vue.js react.js three.js d3.js express.js socket.io asp.net nuxt.js nest.js".split()
)
_SLASHED = frozenset(
    "and/or he/she his/her yes/no on/off true/false client/server read/write input/output i/o pros/cons"
    " start/stop n/a w/o"
    " 24/7 ci/cd tcp/ip ui/ux a/b q/a before/after add/remove import/export success/failure and/nor".split()
)  # fmt: skip
_DAY = re.compile(r"\d{1,2}[.]\d{1,2}[.](?:19|20)\d\d")
_THINKING = re.compile(r"\A\s*<(think|thinking)>.*?</\1>", re.DOTALL)  # local models print it first
FAR_LONGER = 8  # times its prompt: refused without counting its tokens
COUNTS = 10  # plain whole numbers up to this are a summariser's own counting


def summary_in(
    answer: str, source: str, prompt: str, given: int, count: Callable[[Sequence[str]], list[int]], *,
    faithful: bool,
) -> str:  # fmt: skip
    """The summary that an answer is; SummarizerFailed with every reason where it is none.

    `source` and `prompt` as for `problems`; `given` are the tokens of what the summary replaces.
    """
    text = _THINKING.sub("", answer).strip()
    if len(text) > FAR_LONGER * max(len(prompt), 1000):
        sizes = f"{len(text)} of {len(prompt)} characters"
        raise SummarizerFailed(f"the summary was refused: it is not shorter than its source ({sizes})")
    reasons = problems(text, source, prompt, tokens=(count([text])[0], given), faithful=faithful)
    if reasons:
        raise SummarizerFailed(f"the summary was refused: {'; '.join(reasons)}")
    return text


def problems(
    summary: str, source: str, prompt: str, *, tokens: tuple[int, int], faithful: bool = True
) -> list[str]:
    """Why a summary must not stand for its source; empty where it may.

    `source` is everything that it may name, `prompt` what the command was given; `tokens` are the counts
    of the summary and of what it replaces.
    """
    text = summary.strip()
    if not re.search(r"\w", text):
        return ["it is blank"]
    if nonanswers.says_none(text):
        return [f"it says that there is none ({clip(text, 60)!r})"]
    shown = repr(clip(text, 80))
    wrong = {
        "it holds control characters or broken text": _CONTROL.search(text) is not None,
        f"it is an error text ({shown})": nonanswers.is_error(text),
        f"it is a refusal ({shown})": nonanswers.is_refusal(text),
    }
    found = [reason for reason, holds in wrong.items() if holds]
    if not found and nonanswers.is_contentless(text):
        found.append(f"it says nothing ({shown})")
    if is_echo(text, prompt):
        found.append("it is an echo of its input")
    if tokens[0] >= tokens[1]:
        found.append(f"it is not shorter than its source ({tokens[0]} of {tokens[1]} tokens)")
    if faithful and not found:
        found += unfaithful(text, source)
    return found


def is_echo(text: str, prompt: str) -> bool:
    """Whether a text gives its input back: half of it or more, its first line, or its very lines."""
    said, given = " ".join(text.split()), " ".join(prompt.split())
    if len(said) * 2 >= len(given) and (said in given or given in said):
        return True
    first = next((line.strip() for line in prompt.splitlines() if len(line.strip()) > 20), "")
    if first and first in text:
        return True
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labelled = sum(1 for line in lines if _LABEL.match(line) and line in prompt)
    return labelled >= 2 and labelled * 2 >= len(lines)


def unfaithful(text: str, source: str) -> list[str]:
    """The paths, URLs, numbers and ids that a text names and its source does not have, by kind."""
    known = _known(source)
    rest = _LIST_MARK.sub(" ", straight(text))
    found: list[str] = []
    for kind, pattern, judge in (
        ("URL", _URL, known.has_url),
        ("address", _EMAIL, known.has),
        ("path", _PATH, known.has_path),
        ("file", _FILE, known.has_file),
        ("date", _DATE, known.has),
        ("id", _ID, known.has_id),
        ("number", _NUMBER, known.has_number),
    ):
        missing: list[str] = []
        for match in pattern.finditer(rest):
            name = match[0].rstrip(".,;:!?'\"*`)")
            if name and not judge(name):
                missing.append(name)
        rest = pattern.sub(" ", rest)
        if missing:
            listed = ", ".join(dict.fromkeys(missing))
            found.append(f"it names a {kind} that its source does not have: {clip(listed, 160)}")
    missing = names.invented(_without_paths(text), known.names)
    if missing:
        found.append(f"it names who or what its source does not have: {clip(', '.join(missing), 160)}")
    return found


@lru_cache(maxsize=2)
def _known(source: str) -> _Source:
    return _Source(source)


def _without_paths(text: str) -> str:
    """The text with a digit for each URL, address, path and file; the end of a sentence stays."""
    for pattern in (_URL, _EMAIL, _PATH, _FILE):
        text = pattern.sub(lambda match: "0" + match[0][len(match[0].rstrip(".,;:!?")) :], text)
    return text


class _Source:
    """What a source names, for looking up."""

    def __init__(self, source: str) -> None:
        self.text = source.casefold()
        self.names = names.Words(source)
        self.numbers = {_value(match[0]) for match in _DIGITS.finditer(source)}
        self.words = set(re.findall(r"[^\W_]+", self.text))
        self.numbers |= spoken.values(self.text)

    def has(self, name: str) -> bool:
        return name.casefold() in self.text

    def has_url(self, name: str) -> bool:
        return self.has(name.rstrip("/"))

    def has_path(self, name: str) -> bool:
        """Paths of the source and their ends; plain words joined by a slash (`and/or`) are none."""
        plain = name.strip("/\\~.*").replace("\\", "/")
        if self.has(name.rstrip("/\\*")) or not plain:
            return True
        parts = plain.split("/")
        if all(part.isdecimal() for part in parts):  # a date, a fraction
            return all(map(self.has_number, parts))
        if name[0] in "/~." or name.endswith(("/", "\\")) or len(parts) > 3:
            return False
        heading = plain.istitle()  # `Modified/Created`
        return plain.casefold() in _SLASHED or all(
            part in self.words or (heading and part in COMMON) for part in plain.casefold().split("/")
        )

    def has_file(self, name: str) -> bool:
        ending = name.rsplit(".", 1)[-1].lower()
        return ending not in _EXTENSIONS or name.lower() in _PRODUCTS or self.has(name)

    def has_id(self, name: str) -> bool:
        """An id as it stands, a hash cut short, a number with its unit by its value."""
        if self.bounded(name, "a-z0-9") or (re.fullmatch(r"[0-9a-fA-F]{7,}", name) and self.has(name)):
            return True
        value = re.fullmatch(r"(\d[\d,.]*)([A-Za-z%]+)", name)
        if value is not None:
            return bool(_SUFFIX.fullmatch(value[2])) and self.has_number(value[1])
        pieces = [piece.casefold() for piece in re.split(r"[-_]", name) if piece]
        return name[0] != "#" and all(piece in self.words or piece.isalpha() for piece in pieces)

    def has_number(self, name: str) -> bool:
        value = _value(name)
        counts = name.isdecimal() and int(value) <= COUNTS
        if _DAY.fullmatch(name):
            return all(_value(part) in self.numbers for part in name.split("."))
        return counts or value in self.numbers or self.bounded(name, r"\d")

    def bounded(self, name: str, alphabet: str) -> bool:
        """Whether the source has the name, not inside a longer one (`v2` has 2)."""
        pattern = rf"(?<![{alphabet}.])(?<![a-z0-9]{{2}}){re.escape(name.casefold())}(?![{alphabet}])"
        return re.search(pattern, self.text) is not None


def _value(number: str) -> str:
    """A number without grouping, leading and trailing zeros: `1,234.50` and `1234.5` are the same."""
    plain = re.sub(r"[^\d.]", "", number).strip(".")
    whole, dot, rest = plain.partition(".")
    if "." in rest:
        return plain  # a version
    whole, rest = whole.lstrip("0") or "0", rest.rstrip("0")
    return f"{whole}.{rest}" if dot and rest else whole
