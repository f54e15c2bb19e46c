"""What `append` may be asked for, and what of it contradicts itself."""

from __future__ import annotations

from ..base.errors import Usage
from ..base.options import FILES, KINDS, MAX_BYTES, NEW, PROVIDERS, Writing, argument, flag, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

CALLS, INPUT = "Tool calls", "Other input"


class Text(Writing, section="Message"):
    """The text of a message, and the session that it is for or begins."""

    words: Sequence[str] | None = argument("[TEXT...]", "The text; words are joined by spaces.")
    message: Sequence[str] = option("TEXT", "Text; repeatable, joined by a blank line.", "-m")
    file: Sequence[str] = FILES
    new: bool = NEW


class Options(Text, section="Message"):
    """The options of a message, and the other ways in which messages come."""

    attach: Sequence[str] = option("FILE", "Attach a file (image, PDF, audio, text).")
    role: str | None = option("ROLE", "user (default) or model.", choices=("user", "model"))
    kind: str | None = option(
        "KIND", "user, model, tool, error or info.", rare=True, choices=KINDS, also=("codeh",)
    )
    call: Sequence[str] = option("NAME", "A tool call by the model; repeatable.", section=CALLS)
    args: Sequence[str] = option("JSON", "The arguments of each call, in order.", section=CALLS)
    call_id: Sequence[str] = option("ID", "The id of each call, or of the call answered.", section=CALLS)
    result: str | None = option("NAME", "A tool's result: the text, or a JSON object.", section=CALLS)
    failed: bool = flag("The tool failed; the text is its error.", section=CALLS)
    references: str | None = option(
        "FILE", "JSON list of sources to cite: {id, title?, url?, text, score?}.", rare=True
    )
    exchange: str | None = option(
        "FILE|-", "Prompt and answer: {userMessage, assistantResponse, toolsUsed?, source?}.", rare=True
    )
    jsonl: bool = flag("Read many messages, one a line, all or nothing.", section=INPUT)
    from_: str | None = option(
        "FORMAT",
        "stdin is a response of this provider, or auto.",
        section=INPUT,
        choices=("auto", *PROVIDERS),
    )
    stream: bool = flag("stdin is text still being written.", section=INPUT)
    echo: bool = flag("With --from, --stream: print text as it arrives.", section=INPUT)
    max_bytes: str | None = MAX_BYTES
    key: str | None = option("K", "Store once under this key, however often retried.", rare=True)
    pin: bool = flag("Keep it through curation and compaction.")
    pending: bool = flag("Leave it uncommitted (see update).", rare=True)
    redact: bool = flag("Replace secrets first; best effort.")
    max_items: int | None = option(
        "N", "Then hide the oldest exchanges beyond N messages (`undo` shows them).", rare=True
    )

    def check(self) -> None:
        """Flags that contradict each other are exit 2."""
        from .tool_parts import unmatched

        one = "--call and --result: a message is one or the other; use --jsonl for both"
        unlike = unmatched(self.call, self.args, self.call_id)
        for wrong, why in (
            (self.call and self.result, one),
            (self.result == "" or "" in self.call, "--call and --result name a tool"),
            (self.args and not self.call, "--args goes with --call NAME"),
            (self.failed and not self.result, "--failed goes with --result NAME"),
            (self.call_id and not (self.call or self.result), "--call-id goes with --call or --result"),
            (unlike, unlike),
            (self.key == "", "--key is empty"),
            (
                self.new and self.result,
                "--result answers a call of a session that exists, never with --new",
            ),
            (self.pending and (self.attach or self.max_items), "--pending goes with text only"),
            (self.max_items is not None and self.max_items < 1, "--max-items: a number above 0"),
        ):
            if wrong:
                raise Usage(why)
