"""Kubernetes' `kind: Secret`, as YAML or JSON: all values of its `data` and `stringData`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .encodings import decoded
from .rules import Rule
from .spans import Span

KIND = "kubernetes-secret"
FIELDS = ("data", "stringData")
_MAX_LEVELS = 5  # levels of JSON in JSON
_ANY_KIND_SECRET = re.compile(r"(?:\b|(?<=\\n))kind(?:\\{0,40}[\"'])?:[ ]?(?:\\{0,40}[\"'])?Secret\b")
_KIND_SECRET = re.compile(r"\bkind[\"']?:[ ]?[\"']?Secret\b")
_ESCAPE = re.compile(r"\\([\\\"/nrt])")
_UNESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_DOCUMENT = re.compile(r"^(?:---|```|~~~)", re.MULTILINE)
_YAML = re.compile(r"^([ ]{0,40})(data|stringData):[ ]*\n", re.MULTILINE)
_ENTRY = re.compile(
    r"([ ]{1,80})[\"']?[\w.-]{1,128}[\"']?:[ ]{1,8}"
    r"(?:[|>][+-]?[ ]*\n|(?P<q>[\"']?)(?P<secret>[^\s\"'|>][^\n]*?)(?P=q)[ ]*(?:\n|\Z))"
)
_LINE = re.compile(r"([ ]*)(?P<secret>[^\n]*)(?:\n|\Z)")
_JSON = re.compile(r"\"(data|stringData)\"\s{0,8}:\s{0,8}\{")
_PAIR = re.compile(
    r"\s{0,80}\"[^\"\\\n]{1,256}\"\s{0,8}:\s{0,8}\"(?P<secret>(?:[^\"\\]|\\.)*+)\"\s{0,80},?", re.DOTALL
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def _find(text: str, _lower: str, at: int) -> Iterator[Span]:
    """Find all secrets of a text that contains a Secret, at any level of quoting."""
    if _ANY_KIND_SECRET.search(text, max(0, at - 100), at + len("Secret") + 1):
        yield from _find_at_level(text, 0)
        yield Span(len(text), len(text), "")


def _find_at_level(text: str, level: int) -> Iterator[Span]:
    start = 0
    for mark in (*_DOCUMENT.finditer(text), None):
        end = mark.start() if mark else len(text)
        if _KIND_SECRET.search(text, start, end):
            yield from _yaml(text, start, end)
            yield from _json(text, start, end)
        start = end
    if level < _MAX_LEVELS and "\\" in text and _ANY_KIND_SECRET.search(text):
        yield from decoded(
            text,
            _ESCAPE,
            lambda match: _UNESCAPED.get(match[1], match[1]),
            lambda inner: _find_at_level(inner, level + 1),
        )


def _yaml(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _YAML.finditer(text, start, end):
        at, indent, block = match.end(), len(match[1]), 0
        while line := _LINE.match(text, at, end):
            deep = len(line[1])
            if not line[0] or (line["secret"] and deep <= indent):
                break
            entry = _ENTRY.match(text, at, end) if not block or deep <= block else None
            if entry:
                block = deep if entry["secret"] is None else 0
                if entry["secret"] and is_value(match[2], entry["secret"]):
                    yield Span(*entry.span("secret"), KIND)
            elif block and line["secret"]:
                yield Span(*line.span("secret"), KIND)
            at = line.end()


def _json(text: str, start: int, end: int) -> Iterator[Span]:
    for match in _JSON.finditer(text, start, end):
        at = match.end()
        while pair := _PAIR.match(text, at, end):
            if is_value(match[1], pair["secret"]):
                yield Span(*pair.span("secret"), KIND)
            at = pair.end()


def is_value(field: str, value: str) -> bool:
    """Whether it may be a value of this field; values of `data` are base64."""
    if not value or "[redacted:" in value:
        return False
    return field == "stringData" or (len(value) % 4 == 0 and _BASE64.fullmatch(value) is not None)


RULES = [Rule(start="Secret", find=_find, exact=True, anywhere=True)]
