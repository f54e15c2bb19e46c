"""The options that several verbs share, spelled once."""

from typing import Annotated, Optional

import typer

Session = Annotated[
    Optional[str],
    typer.Option("--session", "-s", metavar="SESSION", help="Session id, prefix, path, @, @. or -."),
]
Argument = Annotated[
    Optional[str], typer.Argument(metavar="[SESSION]", show_default=False, help="The same as -s.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No notes on stderr.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON value on stdout.")]
JsonLines = Annotated[bool, typer.Option("--jsonl", help="JSON lines on stdout.")]
Report = Annotated[bool, typer.Option("--report", help="JSON lines of what changed and why, on stderr.")]
InPlace = Annotated[
    bool, typer.Option("--in-place", "-i", help="Append one reversible record instead of printing.")
]
AllowMissing = Annotated[
    bool, typer.Option("--allow-missing", help="A placeholder for a block that is missing or altered.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 65 on a damaged line instead of skipping it.")]
MaxBytes = Annotated[
    Optional[str],
    typer.Option(
        "--max-bytes", metavar="N", help="Most bytes of an answer, or of a tool's output (256 MiB)."
    ),
]
