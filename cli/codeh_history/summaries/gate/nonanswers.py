"""Answers that are not summaries: an error, a refusal or nothing, recognised by how a short text
begins.

Only in English; in other languages they are refused because they share no words with the source
(`faithful`).
"""

from __future__ import annotations

import re

from ...base.read_json import json_value

_ERROR = re.compile(
    r"(?:[a-z_.]*error|[a-z_.]*exception|fatal|panic|failed|failure)\s*(?:code\s*)?\d*\s*[:(\[]"
    r"|(?:http(?:/[\d.]+)? ?|status:? ?|error ?)?[45]\d\d[ :,]\s*(?:\w+ ?){0,4}"
    r"(?:error|gateway|unavailable|timeout|limit|requests|unauthorized|forbidden|not found|overloaded)"
    r"|traceback \(most recent|curl: \(\d+\)|<!doctype|<html|<\?xml|(?:ba|da|z)?sh: |/bin/\w*sh: "
    r"|usage: \S+ [\[<-]"
    r"|(?:internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|too many requests"
    r"|rate limit(?:ed)?|quota exceeded|segmentation fault|connection (?:refused|reset)|command not found"
    r"|(?:request|connection|operation) timed out|timed out|killed|out of memory|unauthorized"
    r"|exit(?:ed)? (?:status|code)|model is overloaded|(?:input|prompt) is too long|\S*:? ?error loading"
    r"|permission denied|no such file or directory|you(?:'ve| have)? (?:exceeded|reached) your)\b"
    r"(?! errors?\b| [a-z]+ (?:was|were|is|are)\b)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"(?:(?:i'?m|i am) (?:(?:very|so|really) )?(?:sorry|afraid|unable|not able)|sorry\b(?! \w+ of\b)"
    r"|(?:my )?apologies|i apologi[sz]e|unfortunately,? (?:i|as)\b"
    r"|i (?:can ?not|can'?t|won'?t|will not|could ?n[o']t|must decline|do not have"
    r"|don'?t (?:have|see|feel))\b"
    r"|as an ai\b|as a (?:large )?language model|this (?:request|content) (?:violates|cannot)"
    r"|(?:please|could you) (?:provide|share|paste|send)\b.{0,60}\b(?:conversation|text|transcript|content)"
    r"|(?:there(?:'s| is) )?no (?:summary|content|response|conversation|text|transcript)\b.{0,60}$"
    r"|(?:there(?:'s| is) )?nothing (?:here |left )?to summari[sz]e)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:n/?a|none|null|undefined|ok(?:ay)?|yes|no|sure|done|understood|got it|hello|hi|thanks?(?: you)?"
    r"|summary|a summary|success|true|false|\(?empty\)?|\[?no output\]?"
    r"|here(?:'s| is) (?:a|the|your)\b.{0,40}\bsummary\b.{0,40})[\s.!:,]*",
    re.IGNORECASE,
)
_OF_AN_ERROR = frozenset("error errors detail message code status type request_id statuscode msg".split())
SHORT = 400  # check every line of shorter answers
LONG = 2000  # longer answers are not error texts
FEWEST = 3  # a summary has at least so many words
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


def is_error(text: str) -> bool:
    """Whether an answer is a JSON error object, or begins like the error of a program or service."""
    if (text[:1] + text[-1:]) == "{}" or (text[:2] + text[-2:]) == "[{}]":
        return _is_error_object(text)
    if len(text) >= LONG:
        return False
    lines = [_bare(line) for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "-*•"]
    return any(map(_ERROR.match, lines if len(text) <= SHORT else lines[:1]))


def is_refusal(text: str) -> bool:
    """Whether an answer begins as a refusal, or as a request for the text."""
    return _REFUSAL.match(_bare(text)) is not None


def is_contentless(text: str) -> bool:
    """Whether an answer has no content: an acknowledgement, an announcement, a word or two."""
    plain = _bare(text)
    if _NOTHING.fullmatch(plain):
        return True
    return len(re.findall(r"\w+", plain)) + len(_UNSPACED.findall(plain)) // 2 < FEWEST


def _bare(text: str) -> str:
    """The text with straight apostrophes, without surrounding marks."""
    return text.replace("\u2019", "'").strip().lstrip("\"'*#>[⚠❌✗ \ufe0f`").rstrip("\"'*`")


def _is_error_object(text: str) -> bool:
    value = json_value(text)
    value = value[0] if isinstance(value, list) else value
    return isinstance(value, dict) and (
        "error" in value
        or value.get("type") == "error"
        or {key.casefold() for key in value} <= _OF_AN_ERROR
    )
