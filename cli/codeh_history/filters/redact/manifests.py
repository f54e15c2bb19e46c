"""Kubernetes' `kind: Secret`, as YAML or JSON: each value of its `data` and `stringData`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .clues import Rule
from .spans import Span

_Q = r"\\{0,6}[\"']?"
_KIND = re.compile(rf"\bkind{_Q}:[ ]?{_Q}Secret\b")
_DOCUMENT = re.compile(r"^(?:---|```|~~~)", re.MULTILINE)
_YAML = re.compile(r"^([ ]{0,40})(data|stringData):[ ]*\n", re.MULTILINE)
_ENTRY = re.compile(
    r"([ ]{1,80})[\"']?[\w.-]{1,128}[\"']?:[ ]{1,8}"
    r"(?:[|>][+-]?[ ]*\n|(?P<q>[\"']?)(?P<secret>[^\s\"'|>][^\n]*?)(?P=q)[ ]*(?:\n|\Z))"
)
_LINE = re.compile(r"([ ]*)(?P<secret>[^\n]*)(?:\n|\Z)")
_JSON = re.compile(r"\"(data|stringData)\\{0,6}\"\s{0,8}:\s{0,8}\{(?P<inside>[^{}]*)\}")
_PAIR = re.compile(
    r"\"\s{0,8}:\s{0,8}\\{0,6}\"(?P<secret>[^\"\\]*(?:\\[^\"][^\"\\]*)*?)\\{0,6}\"", re.ASCII
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def _find(text: str, _lower: str, at: int) -> Iterator[Span]:
    """All that the text holds, where one of its documents says that it is a secret."""
    if not _KIND.search(text, max(0, at - 40), at + len("Secret") + 1):
        return
    start = 0
    for mark in (*_DOCUMENT.finditer(text), None):
        end = mark.start() if mark else len(text)
        if _KIND.search(text, start, end):
            yield from _yaml(text, start, end)
            yield from _json(text, start, end)
        start = end
    yield Span(start, start, "")


def _yaml(text: str, start: int, end: int) -> Iterator[Span]:
    for found in _YAML.finditer(text, start, end):
        at, indent, block = found.end(), len(found[1]), 0
        while line := _LINE.match(text, at, end):
            deep = len(line[1])
            if not line[0] or (line["secret"] and deep <= indent):
                break
            entry = _ENTRY.match(text, at, end) if not block or deep <= block else None
            if entry:
                block = deep if entry["secret"] is None else 0
                if entry["secret"] and _encoded(found[2], entry["secret"]):
                    yield Span(*entry.span("secret"), "kubernetes-secret")
            elif block and line["secret"]:
                yield Span(*line.span("secret"), "kubernetes-secret")
            at = line.end()


def _json(text: str, start: int, end: int) -> Iterator[Span]:
    for found in _JSON.finditer(text, start, end):
        for pair in _PAIR.finditer(text, *found.span("inside")):
            if _encoded(found[1], pair["secret"]):
                yield Span(*pair.span("secret"), "kubernetes-secret")


def _encoded(field: str, value: str) -> bool:
    """Whether it may stand there: `data` is base64."""
    if not value or "[redacted:" in value:
        return False
    return field == "stringData" or (len(value) % 4 == 0 and _BASE64.fullmatch(value) is not None)


RULES = [Rule("Secret", _find, exact=True, anywhere=True)]
