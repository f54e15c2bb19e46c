"""Future-reference recall: of the names that later turns come back to, how many the smaller history still has.

A name is a path, a symbol, a number or an id. It counts where a later turn mentions it and the history before
the cut introduced it. Only content counts: a line that is nothing but names is left out, whoever wrote it.
"""

import re

_PATH = r"(?:~|\.{1,2}|[\w.@+-]+)?(?:/[\w.@+-]+)+"
_DOTTED = r"[A-Za-z_$][\w$-]*(?:\.[A-Za-z_][\w-]*)+"  # theme.ts, process.env.HOME
_NUMBER = r"\d+(?:[.,:]\d+)*"
_WORD = r"[A-Za-z_$][\w$]*(?:-\w+)*|\d\w*(?:-\w+)*"
_RUN = re.compile(f"(?<![\\w/.@-])(?:{_PATH}|{_DOTTED}|{_NUMBER}(?![\\w-])|{_WORD})")

_SYMBOL = re.compile(r"[^\W_]_+[^\W_]|[a-z\d][A-Z]|^[A-Z][A-Z\d]{2,}$|^__\w+__$")
_ID = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w-]{4,}$")
_LEAST_DIGITS = 3  # 1, 2 and 10 are in every text
_LEAST = 3  # characters of a name
_PLAIN = re.compile(r"[A-Za-z]{2,}")
_LABEL = re.compile(r"\W*[A-Za-z][A-Za-z ]*:\s")
_STRUCTURE = re.compile(r"[=(){}<>\[\]:+?!]")  # it says how names belong together


def names(text):
    """The paths, symbols, numbers and ids that a text mentions."""
    return {name for run in set(_RUN.findall(text)) if is_name(name := run.rstrip(".,:-"))}


def is_name(run):
    if len(run) < _LEAST:
        return False
    if run[0].isdigit() and not any(map(str.isalpha, run)):
        return sum(map(str.isdigit, run)) >= _LEAST_DIGITS
    if "/" in run:
        return len(run) > 4 and any(map(str.isalpha, run)) and not _either_or(run)
    if "." in run:
        return True
    return _SYMBOL.search(run) is not None or _ID.match(run) is not None


def _either_or(run):
    """`and/or`, `read/write`: words with a stroke between them, not a path."""
    parts = run.split("/")
    return len(parts) == 2 and all(part.isalpha() for part in parts)


def held(text):
    """The names that a text lets a reader find: those it mentions, and what the paths among them end in."""
    found_names = names(text)
    for path in [name for name in found_names if "/" in name]:
        parts = path.split("/")
        found_names.update("/".join(parts[start:]) for start in range(1, len(parts)))
        found_names.update(part for part in parts if is_name(part))
    return found_names


def texts(value):
    """Every text and number in a JSON value, media left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("inlineData", "thoughtSignature", "id"):
                yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)


def lines(contents):
    for content in contents:
        for text in texts(content["parts"]):
            yield from text.split("\n")


def spoken(content):
    """Whether the user or the model said it; the rest is what tools returned."""
    return not any("functionResponse" in part for part in content["parts"])


def recall(wanted, after):
    """The share of the wanted names that a smaller history still has; lines of nothing but names aside."""
    kept = set()
    for line in set(lines(after)):
        if not is_bare(line):
            kept |= held(line)
    return len(wanted & kept) / len(wanted) if wanted else 1.0


def is_bare(line):
    """Whether a line is a list of names, under a label or none, and says nothing about them."""
    label = _LABEL.match(line)
    if label is not None and not names(label[0]):
        line = line[label.end() :]
    tokens = _RUN.findall(line)
    named = sum(is_name(run.rstrip(".,:-")) for run in tokens)
    words = sum(not is_name(run.rstrip(".,:-")) and _PLAIN.search(run) is not None for run in tokens)
    return named > 0 and (words + len(_STRUCTURE.findall(line))) * 4 < named


def wanted(before, later, *, by_speech):
    """What the later messages mention of those before: by what was spoken, or by tool outputs as well."""
    introduced = set()
    for line in set(lines(before)):
        introduced |= held(line)
    mentioned = set()
    for line in set(lines(content for content in later if spoken(content) or not by_speech)):
        mentioned |= names(line)
    return frozenset(introduced & mentioned)
