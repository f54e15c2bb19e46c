"""Fenced code in Markdown text."""

from __future__ import annotations

import re

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})(.*)", re.DOTALL)


def last_block(text: str) -> str | None:
    """The content of the last fenced code block (CommonMark, at any indentation); None without one.

    A block that is not closed is none: it may have been cut.
    """
    found: str | None = None
    opened: re.Match[str] | None = None
    content: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.fullmatch(line)
        if opened is None:
            if fence is not None and (fence[2][0] == "~" or "`" not in fence[3]):  # else code within a line
                opened, content = fence, []
        elif fence is not None and fence[2].startswith(opened[2]) and not fence[3].strip():
            found, opened = "".join(f"{inner}\n" for inner in content), None
        else:
            indent = len(opened[1])
            content.append(line[indent:] if not line[:indent].strip() else line)
    return found
