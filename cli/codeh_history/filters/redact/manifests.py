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
_YAML = re.compile(
    r"^([ ]{0,40})(?P<field>data|stringData):[ ]*\n"
    r"(?P<values>(?:(?:\1[ ]+\S[^\n]*|[ ]*)(?:\n|\Z))++)",
    re.MULTILINE,
)
_YAML_VALUE = re.compile(  # after a name, or a line of a block
    r"^[ ]*+(?:[\"']?[\w.-]{1,128}[\"']?:[ ]+|(?![^\n]*:[ ]*[|>][+-]?[ ]*$))"
    r"(?P<q>[\"']?)(?P<secret>[^\s\"'|>#][^\n]*?)(?P=q)[ ]*$",
    re.MULTILINE,
)
_PAIR = r"\s{0,80}\"[^\"\\\n]{1,256}\"\s{0,8}:\s{0,8}\"((?:[^\"\\]|\\.)*+)\"\s{0,80},?"
_JSON = re.compile(
    rf"\"(?P<field>data|stringData)\"\s{{0,8}}:\s{{0,8}}\{{(?P<values>(?:{_PAIR})*)", re.DOTALL
)
_JSON_VALUE = re.compile(_PAIR.replace("((", "(?P<secret>("), re.DOTALL)
_FORMS = ((_YAML, _YAML_VALUE), (_JSON, _JSON_VALUE))
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def _find(text: str, _lower: str, at: int) -> Iterator[Span]:
    """Find all values of Secrets in a text, at any level of quoting."""
    if _ANY_KIND_SECRET.search(text, max(0, at - 100), at + len("Secret") + 1):
        yield from _find_at_level(text, 0)
        yield Span(len(text), len(text), "")


def _find_at_level(text: str, level: int) -> Iterator[Span]:
    start = 0
    for mark in (*_DOCUMENT.finditer(text), None):
        end = mark.start() if mark else len(text)
        for field, value in _FORMS if _KIND_SECRET.search(text, start, end) else ():
            for values in field.finditer(text, start, end):
                for match in value.finditer(text, *values.span("values")):
                    if is_value(values["field"], match["secret"]):
                        yield Span(*match.span("secret"), KIND)
        start = end
    if level < _MAX_LEVELS and "\\" in text and _ANY_KIND_SECRET.search(text):
        yield from decoded(
            text,
            _ESCAPE,
            lambda match: _UNESCAPED.get(match[1], match[1]),
            lambda inner: _find_at_level(inner, level + 1),
        )


def is_value(field: str, value: str) -> bool:
    """Whether a value may be a secret in this field; those of `data` are base64."""
    if not value or "[redacted:" in value:
        return False
    return field == "stringData" or (len(value) % 4 == 0 and _BASE64.fullmatch(value) is not None)


RULES = [Rule(start="secret", find=_find, anywhere=True)]
