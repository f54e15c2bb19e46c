"""The options of requests, curation and compaction, shared by every verb that accepts them.

A session's settings may configure curation and compaction (`set curate.remove=…`, `set compact.policy=…`);
flags take precedence. A session cannot set options that run a command, read a file or lift a limit, because
it may come from someone else.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from . import Any, Callable, Iterator, Self, Sequence
from .errors import BadData, Usage
from .input import from_file
from .options import (
    ALLOW_MISSING,
    IN_PLACE,
    MOST_TOKENS,
    PROVIDERS,
    REPORT,
    STREAM,
    OptionSet,
    Reading,
    amount,
    flag,
    option,
)
from .read_json import parse_json

PASSES = ("kinds", "invalid", "ide", "system", "post", "thoughts", "pairs")  # in order
THOUGHTS = ("keep", "old", "all")
UNANSWERED = ("error", "stub", "drop")
CURATE, COMPACT = "curate.", "compact."
FLAGS_ONLY = ("curate.remove-cmd", "curate.timeout")


class Settable(OptionSet):
    """Options that a session's settings may supply."""

    def with_settings(self, meta: dict[str, Any], session: str, note: Callable[[str], None]) -> Self:
        """Return these options, completed from the session's settings."""
        values: dict[str, Any] = {}
        for key, value in meta.items():
            if value is None or not key.startswith((CURATE, COMPACT)):
                continue
            name = option_of(key)
            if key not in KEYS:
                instead = "pass it as an option" if key in FLAGS_ONLY else "no such setting"
                note(f"{session}: {key} is not taken from a session; {instead}")
            elif name in self.DEFAULTS and not self.specified(name):
                with from_settings(session):
                    values[name] = self.coerce(name, value, key)
        return self.but(**values) if values else self


class Curation(Settable, section="Curation"):
    """The options of curation, in `curate`, `payload`, `ask` and `persist`."""

    only: Sequence[str] = option("PASS", f"Only these passes: {', '.join(PASSES)}.")
    skip: Sequence[str] = option("PASS", "All but these passes.")
    ide_marker: Sequence[str] = option("TEXT", "Marker of IDE context, instead of the defaults.")
    keep_system: Sequence[str] = option("REGEX", "Keep System: texts that match.")
    remove: Sequence[str] = option("REGEX", "Cut matches from model prose (dot matches newlines).")
    remove_cmd: Sequence[str] = option("CMD", "Filter model prose through a command.")
    thoughts: str | None = option(
        "T",
        "The model's thinking: keep (default), drop it before the last prompt (old), or drop all.",
        choices=THOUGHTS,
    )
    unanswered: str | None = option(
        "U", "Open calls at the end: error (default), stub or drop.", choices=UNANSWERED
    )
    timeout: float | None = option("S", "Time limit for each pattern or template (10).", least=0.01)


class Compaction(Settable, section="Compaction"):
    """The options of compaction, in `compact`, `payload`, `ask` and `persist`."""

    budget: int | None = amount("Tokens to fit in, system and tools included (32k).", "tokens")
    max_chars: int | None = amount("Characters to fit in: texts, arguments, results.", "characters")
    max_items: int | None = amount("Messages to keep at most; oldest exchanges go first.", "messages")
    keep_last: int | None = amount("Exchanges to keep as they are; alone: only these.", "exchanges")
    policy: str | None = option(
        "P",
        "tiered (default): least loss first; loop: shares for files and history.",
        choices=("tiered", "loop"),
    )
    counter: str | None = option("COUNTER", "o200k_base, cl100k_base, approx, or a model name.")
    calibrated: bool = flag("Scale token counts by the usage that the model recorded.", rare=True)
    upload_share: float | None = option(
        "S", "With loop: share of the budget for attached files (0.6).", least=0, most=1, rare=True
    )
    history_share: float | None = option(
        "S", "With loop: share for earlier exchanges (0.2).", least=0, most=1, rare=True
    )


class Explained(OptionSet, section="Compaction"):
    """The options that explain what used the budget; a session cannot set them."""

    explain: bool = flag("Show on stderr what used the budget, what was removed.")
    json: bool = flag("With --explain: JSON on stderr.", rare=True, requires=("explain",))


class Compact(Reading, Explained, Compaction):
    """The options of `compact`."""

    system: str | None = option("TEXT|@FILE", "System prompt that counts too.", section="Compaction")
    tools: str | None = option("@FILE", "Tool declarations that count too.", section="Compaction")
    via: str | None = option("CMD", "Shell command: prompt in, summary out.", section="Compaction")
    plan: bool = flag("Print the plan as JSON and change nothing.")
    apply: str | None = option(
        "PLAN|-", "Carry out a printed plan.",
        excludes=("plan", "explain", "via", "system", "tools", *Compaction.DEFAULTS),
    )  # fmt: skip
    in_place: bool = IN_PLACE
    jsonl: bool = STREAM
    report: bool = REPORT
    allow_missing: bool = ALLOW_MISSING


class Reduction(Compaction, Curation):
    """The options of curation and compaction together."""


class RequestFields(Settable, section="Request"):
    """The parts of a request besides the session's messages."""

    to: str | None = option(
        "PROVIDER", f"{', '.join(PROVIDERS[:-1])} or {PROVIDERS[-1]}; $CODEH_TO.", choices=PROVIDERS
    )
    model: str | None = option("MODEL", "The provider's model name; $CODEH_MODEL.")
    system: str | None = option("TEXT|@FILE", "The system prompt.")
    tools: str | None = option("@FILE", "Tool declarations, in any provider's shape.")
    set: Sequence[str] = option("PATH=JSON", "Set a field of the body, after everything else.")
    max_tokens: int | None = option(
        "N", "Longest answer in tokens (Anthropic: 8192).", least=1, most=MOST_TOKENS
    )
    stream: bool = flag("Ask for a stream (Gemini's is in the URL).")
    raw: bool = flag("Send everything; fix only what the provider would refuse.", rare=True)
    prefill: bool = flag("Let the last message be the model's, for it to continue.", rare=True)
    pretty: bool = flag("Indented JSON.")
    cache: bool = flag(
        "Mark the prompt for the provider's cache (Anthropic marks, OpenAI's cache key).", rare=True
    )
    context: bool = flag(
        "Put what `context` prints in the system prompt, and leave out what it repeats.", rare=True
    )
    persist: bool = flag("Move large content to the block store first, as `persist -i` does.", rare=True)
    user_template: str | None = option("FILE", "Jinja template of the last user message.", rare=True)
    system_template: str | None = option("FILE", "Jinja template of the system prompt.", rare=True)
    rendered_user: str | None = option(
        "TEXT|@FILE", "The last user message, already rendered.", rare=True, excludes=("user_template",)
    )
    var: Sequence[str] = option("K=V", "A template variable.", rare=True)
    allow_missing: bool = ALLOW_MISSING


class Sending(Explained, Reduction, RequestFields):
    """The options of `payload` and `ask`."""


def option_of(key: str) -> str:
    """Return the option of a settings key."""
    return key.partition(".")[2].replace("-", "_")


_ALL = [
    (CURATE if name in Curation.DEFAULTS else COMPACT) + name.replace("_", "-")
    for name in Reduction.DEFAULTS
]
KEYS = tuple(key for key in _ALL if key not in FLAGS_ONLY)
LISTS = tuple(key for key in KEYS if Reduction.DEFAULTS[option_of(key)] == ())


@contextmanager
def from_settings(session: str) -> Iterator[None]:
    """Report Usage errors in this block as errors of the session's settings; flags are already checked."""
    try:
        yield
    except Usage as error:
        raise BadData(f"{session}: by the session's settings: {error}; `set KEY=` unsets one") from None


def json_from(value: str, where: str, *types: type) -> Any:
    """Parse JSON text, or the file of `@FILE`; raise BadData if the value is of no such type."""
    if not value.startswith("@") and (value.endswith(".json") or os.path.isfile(value)):
        raise Usage(f"{where}: not JSON; did you mean @{value}?")
    parsed = parse_json(from_file(value), where)
    if not isinstance(parsed, types):
        raise BadData(f"{where}: expected a JSON {'list' if list in types else 'object'}")
    return parsed


def tools_from(value: str) -> list[dict[str, Any]]:
    """Read tool declarations from `@FILE` or JSON text, in any provider's format."""
    return system_and_tools({"tools": json_from(value, f"--tools {value}", list, dict)})[1]


def system_and_tools(meta: dict[str, Any]) -> tuple[str | None, list[dict[str, Any]]]:
    """Return the system prompt and tools of a session's settings."""
    system, tools = meta.get("system"), meta.get("tools")
    items = tools if isinstance(tools, list) else [tools]
    return (system if isinstance(system, str) else None), [item for item in items if isinstance(item, dict)]
