"""The options that say what a request holds: those of `payload`, and of `ask`."""

from typing import Annotated, Optional

import typer

Text = Optional[str]
Texts = Optional[list[str]]

To = Annotated[
    Text,
    typer.Option(
        "--to", metavar="PROVIDER", help="gemini, openai-chat, openai-responses or anthropic; $CODEH_TO."
    ),
]
Model = Annotated[Text, typer.Option("--model", metavar="MODEL", help="The provider's model name.")]
System = Annotated[Text, typer.Option("--system", metavar="TEXT|@FILE", help="The system prompt.")]
Tools = Annotated[
    Text, typer.Option("--tools", metavar="@FILE", help="Tool declarations, in any provider's shape.")
]
Set = Annotated[
    Texts, typer.Option("--set", metavar="PATH=JSON", help="Set a field of the body, last of all.")
]
MaxTokens = Annotated[
    Optional[int],
    typer.Option("--max-tokens", metavar="N", min=1, help="Longest answer (Anthropic: 8192 by default)."),
]
Stream = Annotated[bool, typer.Option("--stream", help="Ask for a stream (Gemini's is in the URL).")]
Budget = Annotated[
    Text, typer.Option("--budget", metavar="N", help="Compact to this many tokens (32k) first, or exit 5.")
]
Counter = Annotated[Text, typer.Option("--counter", metavar="C", help="Whose tokens --budget counts.")]
Raw = Annotated[bool, typer.Option("--raw", help="Only the curation that provider rules force.")]
Thoughts = Annotated[
    str, typer.Option("--thoughts", metavar="T", help="keep, old or all: which thoughts go.")
]
Unanswered = Annotated[
    str, typer.Option("--unanswered", metavar="U", help="Open calls at the end: error, stub or drop.")
]
Prefill = Annotated[bool, typer.Option("--prefill", help="Allow the model's message at the end.")]
Cache = Annotated[bool, typer.Option("--cache", help="Place provider cache marks.")]
Context = Annotated[bool, typer.Option("--context", help="Put the context prompt in the system prompt.")]
Persist = Annotated[bool, typer.Option("--persist", help="Persist the session's blocks first.")]
UserTemplate = Annotated[
    Text, typer.Option("--user-template", metavar="FILE", help="Jinja; renders the last user message.")
]
SystemTemplate = Annotated[
    Text, typer.Option("--system-template", metavar="FILE", help="Jinja; renders the system prompt.")
]
Var = Annotated[Texts, typer.Option("--var", metavar="K=V", help="A template variable.")]
