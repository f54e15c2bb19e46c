"""Replace secrets in texts and JSON values, and count them."""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from re import Pattern
from typing import Any

from ...base.errors import BadData
from ...session.model import Json
from . import assignments, patterns, vendors
from .assignments import name_of
from .rules import Rule, RuleSelector, WordRule
from .spans import (
    Span,
    ascii_lower,
    decoded_text,
    encoded_spans,
    is_base64,
    mark,
    merged,
    span_of,
    split_spans,
    without,
)
from .values import is_random

_MIN_CERTAIN = 12  # characters of a value that is a secret wherever it occurs
_MAX_WORDS = 64  # words of a command
_MAX_PASSES = 3  # passes over a text: one secret may have hidden the next
# Fields of the structure and references of records.
_STRUCTURE_FIELDS = frozenset(
    """type kind role ts id of op covers ids after block blockId blockIds flowId created createdAt
    periodStart periodEnd mimeType media_type""".split()
)
_OPAQUE_FIELDS = frozenset(("thoughtSignature", "signature", "encrypted_content"))
_UNCHANGED_FIELDS = _STRUCTURE_FIELDS | _OPAQUE_FIELDS
# Field names of records and parts.
_FIELDS = _UNCHANGED_FIELDS | frozenset(
    """parts text thought functionCall functionResponse name args response inlineData fileData data
        fileUri native provider value set title tags system tools model usage ops why with part message
        summary conversationCount by policy counter budget before version cwd parent session at
        references number url score attached bytes key pinned source finish reason idless spelling
        displayName item raw lines""".split()
)
_TOOL_FIELDS = frozenset(("args", "response"))  # fields of a call and its result
_MEDIA_FIELDS = frozenset(("mimeType", "media_type"))  # beside them, `data` is media
_UNCERTAIN_KINDS = ("key", "id")  # kinds of names whose value must look like a secret
_NAME_FIELDS = ("name", "key", "header", "Name", "Key")  # fields of an object with a name and a `value`


class Redactor:
    """Replaces secrets in strings and counts them by kind.

    `removed`: the values, to search for other copies; they are never printed. `unreplaced`: secrets that
    cannot be replaced, by (kind, key).
    """

    def __init__(self, extra: Sequence[tuple[str, str]] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self.removed: set[str] = set()
        self.unreplaced: Counter[tuple[str, str]] = Counter()
        self._user_rules: list[tuple[str, Pattern[str]]] = []
        self._known_values: list[tuple[str, Pattern[str]]] = []
        for kind, text in extra:
            try:
                pattern = re.compile(text)
            except (re.error, OverflowError, RecursionError) as error:
                raise BadData(f"rule {kind}: {error}") from None
            if pattern.match(""):
                raise BadData(f"rule {kind}: matches the empty string, and so everywhere")
            self._user_rules.append((kind, pattern))

    # -- texts --------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """Return the text with its secrets replaced."""
        return self.texts([text])[0]

    def texts(self, pieces: Sequence[str]) -> list[str]:
        """Redact the pieces of one text; a secret may continue in the next piece."""
        pieces = list(pieces)
        for _ in range(_MAX_PASSES):
            spans = self.split_spans(pieces)
            if not spans:
                break
            pieces = [without(piece, inside) for piece, inside in zip(pieces, spans, strict=True)]
        return pieces

    def split_spans(self, pieces: Sequence[str]) -> list[list[Span]]:
        """Return and count the spans of secrets in each piece of a text; empty if there are none."""
        whole = "".join(pieces)
        spans = self._spans(whole)
        for span in spans:
            self.counts[span.kind] += 1
            self.removed.add(whole[span.start : span.end])
        return split_spans(pieces, spans) if spans else []

    def certain(self) -> set[str]:
        """Return the removed values that are too random to occur by chance."""
        return {value for value in self.removed if is_random(value, _MIN_CERTAIN)}

    def reset(self) -> None:
        """Reset the counts."""
        self.counts.clear()
        self.unreplaced.clear()

    def learn(self, rest: bytes) -> bool:
        """Add a rule for the certain removed values; return whether `rest` may contain one."""
        values = sorted(self.certain())
        if not values:
            return False
        self._known_values = [("known", re.compile("|".join(map(re.escape, values))))]
        return b'"delta"' in rest or self._knows(rest)

    def _knows(self, line: bytes) -> bool:
        return any(pattern.search(line.decode("utf-8", "replace")) for _, pattern in self._known_values)

    def may_have_secret(self, line: bytes) -> bool:
        """Whether a line of a session may contain a secret, as JSON or as plain text."""
        joined = line.count(b'"text"') > 1 or any(mark in line for mark in _WHOLE)
        other = joined or self._user_rules or _ENCODED.search(line) or self._knows(line)
        return bool(other or _SELECTOR.needed(line.replace(b"\\/", b"/")))

    def finds(self, text: str) -> bool:
        """Whether a text contains a secret, without counting it."""
        return bool(self._spans(text))

    def _spans(self, text: str) -> list[Span]:
        rules, base64 = _SELECTOR.of(text)
        spans = self._plain(text, rules)
        if base64 or "%" in text or "\\u00" in text:
            spans += encoded_spans(
                text, lambda inner: self._plain(inner, _SELECTOR.of(inner)[0]), base64=base64
            )
        # neither a mark nor the kind in it is a secret
        return [s for s in merged(spans) if "[redacted:" not in text[max(0, s.start - 10) : s.end]]

    def _plain(self, text: str, rules: Sequence[int]) -> list[Span]:
        """Return the secrets of a text, without decoding it."""
        spans = [
            span_of(kind, match)
            for kind, pattern in [*self._user_rules, *self._known_values]
            for match in pattern.finditer(text)
            if match[0]
        ]
        lower = ascii_lower(text) if rules else ""
        for rule in rules:
            spans += RULES[rule].spans(text, lower)
        return [*spans, *patterns.SETTING.spans(text, text)]

    # -- values -------------------------------------------------------------------------------------

    def value(self, value: Any, key: str = "", *, of_tool: bool = False) -> Any:
        """Return a JSON value with its strings and keys redacted; the same object if there are no secrets.

        Ids, signatures and base64 media stay, except in the arguments or result of a call (`of_tool`).
        """
        if isinstance(value, str):
            if of_tool or key not in _UNCHANGED_FIELDS:
                return self.text(value)
            kind = _vendor_kind(value)
            if kind and key in _OPAQUE_FIELDS:
                return self.text(value)  # not a signature
            if kind:
                self.unreplaced[kind, key] += 1
            return value
        new = value
        if isinstance(value, list):
            # jointly first: the rest of a secret is not recognisable without its beginning
            parts = self._joined(value) if key == "parts" and not of_tool else value
            new = [self.value(item, key, of_tool=of_tool) for item in parts]
            new = self._command(new) if of_tool else new
        elif isinstance(value, dict):
            new = self._object(value, key, of_tool=of_tool)
        return value if new == value else new

    def _joined(self, parts: list[Any]) -> list[Any]:
        """Redact secrets that span several text parts of a message."""
        new = list(parts)
        for run in runs(parts):
            texts = self.texts([parts[n]["text"] for n in run]) if len(run) > 1 else []
            for n, text in zip(run, texts, strict=False):
                new[n] = {**parts[n], "text": text}
        return new

    def _command(self, items: list[Any]) -> list[Any]:
        """Redact the words of a command, one of which may announce a secret."""
        if not 1 < len(items) <= _MAX_WORDS or not all(isinstance(item, str) for item in items):
            return items
        words = self.texts([f'"{item}", ' for item in items])
        return [word.removeprefix('"').removesuffix('", ') for word in words]

    def _object(self, value: Json, within: str, *, of_tool: bool) -> Json:
        new: Json = {}
        names = (value[field] for field in _NAME_FIELDS if isinstance(value.get(field), str))
        is_pair = isinstance(value.get("value"), str) and any(map(names_a_secret, names))
        manifest = patterns.MANIFEST_FIELDS if value.get("kind") == "Secret" else ()
        for key, item in value.items():
            name = key if key in _FIELDS and not of_tool else self.text(key)
            if isinstance(item, str):
                if key == "data" and not _MEDIA_FIELDS.isdisjoint(value):
                    new[name] = self._media(item)
                elif (is_pair and key == "value") or names_a_secret(key, item, of_tool=of_tool):
                    new[name] = self._redact_all(item)  # `{"password": "x"}`
                elif within == "references":
                    new[name] = self.text(item)  # ids here are not referred to
                else:
                    new[name] = self.value(item, key, of_tool=of_tool)
                continue
            if key == "lines" and isinstance(item, list) and not of_tool:
                texts = [str(line[1]) for line in item if isinstance(line, list) and line[1:]]
                if any(map(self.finds, (str(value.get("summary")), "\n".join(texts)))):
                    continue  # of a summary: they repeat its text, and a secret may span several
            if isinstance(item, dict):
                secrets = ("value",) if names_a_secret(key) else ()
                item = {
                    inner: self._redact_all(text)
                    if inner in secrets and isinstance(text, str)
                    else self._redact_all(text, patterns.MANIFEST_KIND)
                    if key in manifest and isinstance(text, str) and patterns.is_manifest_value(key, text)
                    else text
                    for inner, text in item.items()
                }
            new[name] = self.value(item, key, of_tool=of_tool or key in _TOOL_FIELDS)
        return new

    def _redact_all(self, item: str, kind: str = "assignment") -> str:
        if not item or "[redacted:" in item:
            return item
        self.counts[kind] += 1
        self.removed.add(item)
        return mark(kind)

    def _media(self, data: str) -> str:
        """Redact an encoded text file; other content stays, unless all of it is a key."""
        text = decoded_text(data)
        if text is not None:
            new = self.text(text)
            return data if new == text else b2a_base64(new.encode(), newline=False).decode()
        return self.text(data) if _vendor_kind(data) or not is_base64(data) else data


def runs(parts: Sequence[Any]) -> Iterator[list[int]]:
    """Yield runs of adjacent text parts, as indices."""

    def thought(number: int) -> bool | None:
        """Whether a text part is a thought; None for other parts."""
        part = parts[number]
        text = isinstance(part, dict) and isinstance(part.get("text"), str)
        return bool(part.get("thought")) if text else None

    return (list(run) for kind, run in groupby(range(len(parts)), thought) if kind is not None)


RULES: tuple[Rule | WordRule, ...] = (*vendors.RULES, *patterns.RULES, *assignments.RULES)
_SELECTOR = RuleSelector(RULES)
# Signs that a line must be redacted as a whole: deltas, files, and the rule that no single word identifies.
_WHOLE = (b'"delta"', b'"update"', b'"mimeType"', b'"media_type"', patterns.SETTING.start.encode())
# Percent-encoding, and printable characters written as numbers.
_ENCODED = re.compile(rb"%[0-9A-Fa-f]{2}|\\u(?!00[01])")


def names_a_secret(key: str, value: str = "", *, of_tool: bool = False) -> bool:
    """Whether this key names a secret; in a call or a result, the value decides for uncertain names."""
    name = name_of(key)
    if name is None or name.kind not in _UNCERTAIN_KINDS:
        return name is not None
    return of_tool and assignments.is_secret(name, "op", value)


def _vendor_kind(text: str) -> str | None:
    """Return the kind of a text that is entirely a vendor's secret, otherwise None."""
    rules = (RULES[number] for number in _SELECTOR.of(text)[0] if number < len(vendors.RULES))
    spans = (span for rule in rules for span in rule.spans(text, ascii_lower(text)))
    return next((span.kind for span in spans if (span.start, span.end) == (0, len(text))), None)
