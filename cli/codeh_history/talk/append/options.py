"""The options of `append`, and which of them exclude each other."""

from __future__ import annotations

from ...base.errors import Usage
from ...base.options import FILES, KINDS, MAX_BYTES, NEW, PROVIDERS, Writing, argument, flag, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

CALLS, INPUT = "Tool calls", "Other input"
_TEXTS = ("words", "message", "file", "attach")
_PARTS = ("call", "args", "call_id", "result", "failed", "references")
_FIELDS = ("key", "pin", "pending", "max_items")
_KIND = ("role", "kind")


class Text(Writing, section="Message"):
    """The text of a message, and the session it goes to."""

    words: Sequence[str] | None = argument("[TEXT...]", "The text; words are joined by spaces.")
    message: Sequence[str] = option("TEXT", "Text; repeatable, joined by a blank line.", "-m")
    file: Sequence[str] = FILES
    new: bool = NEW


class Options(Text, section="Message"):
    """The options of a message, and the other forms of input."""

    attach: Sequence[str] = option("FILE", "Attach a file (image, PDF, audio, text).")
    role: str | None = option("ROLE", "user (default) or model.", choices=("user", "model"))
    kind: str | None = option(
        "KIND", "user, model, tool, error or info.", rare=True, choices=KINDS, also=("codeh",)
    )
    call: Sequence[str] = option(
        "NAME", "A tool call by the model; repeatable.", section=CALLS, excludes=("result",)
    )
    args: Sequence[str] = option(
        "JSON", "The arguments of each call, in order.", section=CALLS, requires=("call",)
    )
    call_id: Sequence[str] = option(
        "ID", "The id of each call, or of the call answered.", section=CALLS, requires=("call", "result")
    )
    result: str | None = option(
        "NAME", "A tool's result: the text, or a JSON object.", section=CALLS, excludes=("new",)
    )
    failed: bool = flag("The tool failed; the text is its error.", section=CALLS, requires=("result",))
    references: str | None = option(
        "FILE", "JSON list of sources to cite: {id, title?, url?, text, score?}.", rare=True
    )
    exchange: str | None = option(
        "FILE|-", "Prompt and answer: {userMessage, assistantResponse, toolsUsed?, source?}.", rare=True,
        excludes=(*_TEXTS, *_PARTS, *_FIELDS, *_KIND, "redact", "jsonl", "from_", "stream"),
    )  # fmt: skip
    jsonl: bool = flag(
        "Read many messages, one a line, all or nothing.", section=INPUT,
        excludes=("words", "message", "attach", *_PARTS, *_FIELDS, *_KIND, "from_", "stream"),
    )  # fmt: skip
    from_: str | None = option(
        "FORMAT", "stdin is a response of this provider, or auto.", section=INPUT,
        choices=("auto", *PROVIDERS),
        excludes=(*_TEXTS, *_PARTS, *_FIELDS, *_KIND, "new", "redact", "stream"),
    )  # fmt: skip
    stream: bool = flag(
        "stdin is text still being written.", section=INPUT,
        excludes=(*_TEXTS, *_PARTS, *_FIELDS, "redact"),
    )  # fmt: skip
    echo: bool = flag(
        "With --from, --stream: print text as it arrives.", section=INPUT, requires=("from_", "stream")
    )
    max_bytes: int | None = MAX_BYTES.but(requires=("from_", "stream"))
    key: str | None = option("K", "Store once under this key, however often retried.", rare=True)
    pin: bool = flag("Keep it through curation and compaction.")
    pending: bool = flag("Leave it uncommitted (see update).", rare=True, excludes=("attach", "max_items"))
    redact: bool = flag("Replace secrets first; best effort.")
    max_items: int | None = option(
        "N", "Then hide the oldest exchanges beyond N messages (`undo` shows them).", rare=True, least=1
    )

    def check(self) -> None:
        """Raise Usage for an empty name or key, or if calls do not match their arguments and ids."""
        if self.result == "" or "" in self.call:
            raise Usage("--call and --result name a tool")
        if self.key == "":
            raise Usage("--key is empty")
        count = len(self.call) or 1
        for name, values in (("--args", self.args), ("--call-id", self.call_id)):
            if len(values) not in (0, count):
                which = f"{count} call{'s' if count > 1 else ''}" if self.call else "1 result"
                raise Usage(f"{name}: {len(values)} for {which}; give one for each, in order, or none")
        ids = [id for id in self.call_id if id]
        if len(set(ids)) < len(ids):
            raise Usage("--call-id: one id for two calls")
