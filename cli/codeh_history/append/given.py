"""What `append` may be asked for, and what of it contradicts itself."""

from __future__ import annotations

from ..base.errors import Usage
from ..base.options import FILES, MAX_BYTES, NEW, Writing, argument, flag, option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Text(Writing):
    """The text of a message, and the session that it is for or begins."""

    words: Sequence[str] | None = argument("[TEXT...]", "The text, its words joined by blanks.")
    message: Sequence[str] = option("TEXT", "Text; repeatable, joined by a blank line.", "-m")
    file: Sequence[str] = FILES
    new: bool = NEW


class Given(Text):
    """The options of a message, and the other ways in which messages come."""

    attach: Sequence[str] = option("FILE", "Attach a file (image, PDF, audio, text).")
    role: str | None = option("ROLE", "user (default) or model.")
    kind: str | None = option("KIND", "user, model, tool, error or info.")
    call: Sequence[str] = option("NAME", "A tool call of the model's; repeatable, in one message.")
    args: Sequence[str] = option("JSON", "The call's arguments; one for each call, in order.")
    call_id: Sequence[str] = option("ID", "The id of each call, or of the call answered.")
    result: str | None = option("NAME", "A tool's result; text or JSON object from -m, -F or stdin.")
    failed: bool = flag("The tool failed; the text is its error.")
    references: str | None = option(
        "FILE",
        "What the model may cite, with the message: a JSON list of {id, title?, url?, text, score?}.",
    )
    exchange: str | None = option(
        "FILE|-",
        "Prompt and answer at once, as JSON: {userMessage, assistantResponse, toolsUsed?, source?}.",
    )
    jsonl: bool = flag("Many messages, one a line, all or nothing.")
    from_: str | None = option("FORMAT", "stdin is a provider's response: auto, or a provider.")
    stream: bool = flag("stdin is a text still being written: pending until it ends.")
    echo: bool = flag("With --from and --stream: print the text as it arrives.")
    max_bytes: str | None = MAX_BYTES
    key: str | None = option("K", "Store once under this key, however often it is retried.")
    pin: bool = flag("Keep it verbatim through curation and compaction.")
    pending: bool = flag("Not committed yet (see update, commit).")
    redact: bool = flag("Replace secrets by [redacted:kind] first; best effort.")
    max_items: int | None = option(
        "N", "Then hide the oldest exchanges, so that at most N messages are left; `undo` shows them."
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
