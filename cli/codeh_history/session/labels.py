"""Label speakers and sections in texts for models.

Lines from a tool, a file or a message that could be mistaken for our labels are indented.
"""

from __future__ import annotations

from ..base.lazy import Pattern

USER, MODEL, EARLIER, PASTED = "User", "Model", "Earlier", "Pasted"
ASKED, RULES, DECISIONS, DONE, FILES = "What was asked", "Rules", "Decisions", "Done", "Files"
NAMES, FAILED, OPEN, SAID = "Names in files", "What failed", "Open", "What was said and done"
NOW = "Where things stand before the messages below"
SHOWN, BEFORE, PINNED = "What files and commands showed", "Earlier summary", "Pinned"
HEADINGS = (NOW, ASKED, RULES, DECISIONS, DONE, FILES, NAMES, FAILED, OPEN, SAID, SHOWN, BEFORE, PINNED)
SPEAKERS = (
    USER, MODEL, EARLIER, "Assistant", "Human", "System", "Summary", "Tool", "Tools", "Tool call",
    "Tool calls", "Tool result", "Tool results", "Tools used", "Attached", PASTED,
)  # fmt: skip
_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # characters that a reader may treat as a line end
_BREAK = Pattern(f"[{_BREAKS}]+")
_LINE = Pattern(f"[^{_BREAKS}]+[{_BREAKS}]*|[{_BREAKS}]+")
_HIDDEN = Pattern(  # characters and colours that a reader does not see
    "[\x00-\x08\x0e-\x1a\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]|\x1b(?:\\[[\\d;]*m)?"
)
_NAMES = "|".join((*HEADINGS, "Where things stand", "Requests"))


def pattern(more: str = "(?!)") -> Pattern:
    """Return a pattern for the beginning of a line that looks like our label, or that matches `more`."""
    label = rf"(?:(?i:{'|'.join(SPEAKERS)})|{_NAMES}|{_NAMES.upper()})"
    ours = (
        r"(?:\#{1,6}\ +)?[*_]{0,3}(?:"
        rf"{label}[*_ \t\xa0]*+(?:\([^()\n]{{0,40}}\))?[*_ \t\xa0]*+[:\uff1a\ufe55]"  # `User:`, `User (3):`
        rf"|\[{label}(?:[ :(][^\]\n]{{0,40}})?\]"
        rf"|(?<=[#*_ ]){label}[*_ ]*(?=[{_BREAKS}]|\Z))"  # `## Rules`
    )
    return Pattern(rf"(?:\A|(?<=[{_BREAKS}]))(?={ours}|{more})")


_LABELS = pattern()


def escaped(text: str, ours: Pattern = _LABELS) -> str:
    """Indent the lines of a text that look like our labels, hidden characters or not."""
    if _HIDDEN.search(text) is None:
        return str(ours.sub("  ", text))
    lines = _LINE.findall(text)
    return "".join("  " + line if ours.match(_HIDDEN.sub("", line)) else line for line in lines)


def labelled(label: str, text: str, ours: Pattern = _LABELS) -> str:
    """Return `LABEL: TEXT`, with the text's later lines escaped."""
    end = _BREAK.search(text)
    first = end.start() if end else len(text)
    return f"{label}: {text[:first]}{escaped(text[first:], ours)}"


def is_ours(label: str) -> bool:
    """Return whether this is one of our labels of a speaker or section."""
    return _LABELS.match(_HIDDEN.sub("", f"{label}:")) is not None


def one_line(text: str) -> str:
    """Return the text with line ends replaced by spaces."""
    return text if text.isprintable() else str(_BREAK.sub(" ", text))
