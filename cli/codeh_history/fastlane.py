"""Plain `append`, `payload` and `compact` without Typer: their start-up is what scripts wait for.

The tables are derived from the Typer commands (a test prints the right ones when they differ). Anything
unusual (`--x=y`, `-mTEXT`, `--help`, a repeated option, a stray word) is left to Typer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .base.env import Env

    Given = dict[str, object]

APPEND = {
    "--message": ("message", "list"), "-m": ("message", "list"), "--file": ("file", "list"),
    "-F": ("file", "list"), "--role": ("role", "str"), "--kind": ("kind", "str"),
    "--session": ("session", "str"), "-s": ("session", "str"), "--quiet": ("quiet", "flag"),
    "-q": ("quiet", "flag"),
}  # fmt: skip
PAYLOAD = {
    "--to": ("to", "str"), "--model": ("model", "str"), "--system": ("system", "str"),
    "--tools": ("tools", "str"), "--set": ("set", "list"), "--stream": ("stream", "flag"),
    "--raw": ("raw", "flag"), "--prefill": ("prefill", "flag"), "--pretty": ("pretty", "flag"),
    "--cache": ("cache", "flag"), "--context": ("context", "flag"), "--persist": ("persist", "flag"),
    "--user-template": ("user_template", "str"), "--system-template": ("system_template", "str"),
    "--var": ("var", "list"), "--allow-missing": ("allow_missing", "flag"), "--only": ("only", "list"),
    "--skip": ("skip", "list"), "--ide-marker": ("ide_marker", "list"),
    "--keep-system": ("keep_system", "list"), "--remove": ("remove", "list"),
    "--remove-cmd": ("remove_cmd", "list"), "--thoughts": ("thoughts", "str"),
    "--unanswered": ("unanswered", "str"), "--budget": ("budget", "str"),
    "--max-chars": ("max_chars", "str"), "--max-items": ("max_items", "str"),
    "--keep-last": ("keep_last", "str"), "--policy": ("policy", "str"), "--counter": ("counter", "str"),
    "--calibrated": ("calibrated", "flag"), "--session": ("session", "str"), "-s": ("session", "str"),
    "--strict": ("strict", "flag"), "--quiet": ("quiet", "flag"), "-q": ("quiet", "flag"),
}  # fmt: skip

COMPACT = {
    "--budget": ("budget", "str"), "--max-chars": ("max_chars", "str"),
    "--max-items": ("max_items", "str"), "--keep-last": ("keep_last", "str"),
    "--policy": ("policy", "str"), "--counter": ("counter", "str"),
    "--calibrated": ("calibrated", "flag"), "--system": ("system", "str"), "--tools": ("tools", "str"),
    "--plan": ("plan", "flag"), "--apply": ("apply", "str"), "--in-place": ("in_place", "flag"),
    "-i": ("in_place", "flag"), "--report": ("report", "flag"),
    "--allow-missing": ("allow_missing", "flag"), "--session": ("session", "str"),
    "-s": ("session", "str"), "--strict": ("strict", "flag"), "--quiet": ("quiet", "flag"),
    "-q": ("quiet", "flag"),
}  # fmt: skip


def read(argv: list[str], table: dict[str, tuple[str, str]], positional: str | None) -> Given | None:
    """The options of a plain command line, by parameter name; None for anything unusual."""
    given: Given = {}
    words = iter(argv)
    for word in words:
        known = table.get(word)
        if known is None:
            if positional is None or positional in given or (word.startswith("-") and word != "-"):
                return None
            if not word:
                return None
            given[positional] = word
            continue
        name, shape = known
        if shape == "flag":
            if name in given:
                return None
            given[name] = True
            continue
        value = next(words, None)
        if value is None or (value.startswith("-") and value != "-"):
            return None
        if shape == "list":
            values = given.setdefault(name, [])
            values.append(value)  # type: ignore[attr-defined]
        elif name in given:
            return None
        else:
            given[name] = value
    return given


def run(argv: list[str], env: Env) -> int | None:
    """Run a plain `append`, `payload` or `compact`; None when the command line is not plain."""
    if argv[:1] == ["append"]:
        given = read(argv[1:], APPEND, None)
        if given is not None:
            from .append import text as append

            return append.run(env, **given)  # type: ignore[arg-type]
    elif argv[:1] == ["payload"]:
        given = read(argv[1:], PAYLOAD, "argument")
        if given is not None and "to" in given:
            from .send import payload

            return payload.run(env, **given)  # type: ignore[arg-type]
    elif argv[:1] == ["compact"]:
        given = read(argv[1:], COMPACT, "argument")
        if given is not None:
            from .filters.compact import run as compact

            return compact.run(env, **given)  # type: ignore[arg-type]
    return None
