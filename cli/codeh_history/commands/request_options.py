"""How the options of requests, curation and compaction are spelled; `base.options` says what they are."""

from typing import Annotated, Any, Optional

import typer

from ..filters.curate import passes
from .options import AllowMissing

Text = Optional[str]
Texts = Optional[list[str]]
Share = Optional[float]

OPTIONS: dict[str, Any] = {
    "to": Annotated[
        Text,
        typer.Option(
            "--to",
            metavar="PROVIDER",
            help="gemini, openai-chat, openai-responses, anthropic or text; $CODEH_TO.",
        ),
    ],
    "model": Annotated[Text, typer.Option("--model", metavar="MODEL", help="The provider's model name.")],
    "system": Annotated[Text, typer.Option("--system", metavar="TEXT|@FILE", help="The system prompt.")],
    "tools": Annotated[
        Text, typer.Option("--tools", metavar="@FILE", help="Tool declarations, in any provider's shape.")
    ],
    "set": Annotated[
        Texts, typer.Option("--set", metavar="PATH=JSON", help="Set a field of the body, last of all.")
    ],
    "max_tokens": Annotated[
        Optional[int],
        typer.Option(
            "--max-tokens", metavar="N", min=1, help="Longest answer (Anthropic: 8192 by default)."
        ),
    ],
    "stream": Annotated[bool, typer.Option("--stream", help="Ask for a stream (Gemini's is in the URL).")],
    "raw": Annotated[bool, typer.Option("--raw", help="Only the curation that provider rules force.")],
    "prefill": Annotated[bool, typer.Option("--prefill", help="Allow the model's message at the end.")],
    "pretty": Annotated[bool, typer.Option("--pretty", help="Indented JSON.")],
    "cache": Annotated[bool, typer.Option("--cache", help="Place provider cache marks.")],
    "context": Annotated[
        bool, typer.Option("--context", help="Put the context prompt in the system prompt.")
    ],
    "persist": Annotated[bool, typer.Option("--persist", help="Persist the session's blocks first.")],
    "user_template": Annotated[
        Text, typer.Option("--user-template", metavar="FILE", help="Jinja; renders the last user message.")
    ],
    "system_template": Annotated[
        Text, typer.Option("--system-template", metavar="FILE", help="Jinja; renders the system prompt.")
    ],
    "var": Annotated[Texts, typer.Option("--var", metavar="K=V", help="A template variable.")],
    "allow_missing": AllowMissing,
    # -- curation --------------------------------------------------------------------------------------
    "only": Annotated[
        Texts,
        typer.Option("--only", metavar="PASS", help=f"Only these passes: {', '.join(passes.PASSES)}."),
    ],
    "skip": Annotated[Texts, typer.Option("--skip", metavar="PASS", help="All but these passes.")],
    "ide_marker": Annotated[
        Texts,
        typer.Option(
            "--ide-marker", metavar="TEXT", help="What marks IDE context, instead of the defaults."
        ),
    ],
    "keep_system": Annotated[
        Texts, typer.Option("--keep-system", metavar="REGEX", help="Keep System: texts it is found in.")
    ],
    "remove": Annotated[
        Texts,
        typer.Option("--remove", metavar="REGEX", help="Cut from model prose (dot matches newlines)."),
    ],
    "remove_cmd": Annotated[
        Texts, typer.Option("--remove-cmd", metavar="CMD", help="Filter model prose through a command.")
    ],
    "thoughts": Annotated[
        Text, typer.Option("--thoughts", metavar="T", help="keep (default), old or all: which thoughts go.")
    ],
    "unanswered": Annotated[
        Text,
        typer.Option(
            "--unanswered", metavar="U", help="Open calls at the end: error (default), stub or drop."
        ),
    ],
    "timeout": Annotated[
        Share,
        typer.Option(
            "--timeout", metavar="S", help="Seconds that each pattern or template may take in all (10)."
        ),
    ],
    # -- compaction ------------------------------------------------------------------------------------
    "budget": Annotated[
        Text, typer.Option("--budget", metavar="N", help="Tokens, system and tools included; 32k is 32000.")
    ],
    "max_chars": Annotated[
        Text,
        typer.Option("--max-chars", metavar="N", help="Characters of texts, arguments and results."),
    ],
    "max_items": Annotated[
        Text, typer.Option("--max-items", metavar="N", help="Messages; whole oldest exchanges go first.")
    ],
    "keep_last": Annotated[
        Text,
        typer.Option(
            "--keep-last",
            metavar="N",
            help="Leave the last N exchanges as they are; alone: only those stay.",
        ),
    ],
    "policy": Annotated[
        Text,
        typer.Option("--policy", metavar="P", help="tiered or loop; loop where a share is given."),
    ],
    "counter": Annotated[
        Text,
        typer.Option("--counter", metavar="C", help="o200k_base, cl100k_base, approx, or a model's name."),
    ],
    "calibrated": Annotated[
        bool, typer.Option("--calibrated", help="Correct the count by the usage recorded for the model.")
    ],
    "upload_share": Annotated[
        Share,
        typer.Option("--upload-share", metavar="S", help="What uploads may take of the budget (0.6)."),
    ],
    "history_share": Annotated[
        Share,
        typer.Option("--history-share", metavar="S", help="The same for earlier exchanges (0.2)."),
    ],
}
System, Tools = OPTIONS["system"], OPTIONS["tools"]
