"""Generate the manual page from the declarations behind `--help` (`make generate`)."""

import re

from typer import _click as click

from codeh_history import __version__
from codeh_history.cli import EXAMPLES, Command, group
from codeh_history.commands import SECTIONS
from support import ROOT

PAGE = ROOT / "docs" / "codeh-history.1"
DATE = re.search(r"^## \[\d.* - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[
    1
]  # of the version
CODES = re.compile(r"^\| ([\d, ]+) \| (.*) \|$", re.MULTILINE)
VARIABLES = {
    "CODEH_HOME": "Where everything is kept, instead of ~/.codeh.",
    "CODEH_SESSION": "The session, where none is named; without it the newest begun in this directory.",
    "CODEH_CONFIG": "The configuration, instead of $CODEH_HOME/config.toml.",
    "CODEH_PROFILE": "The profile of the configuration, where -p names none.",
    "CODEH_TO": "The provider, where --to names none.",
    "CODEH_VIA": "The command that sends a request, where --via names none.",
    "CODEH_MODEL": "The model, where --model names none.",
    "CODEH_SUMMARIZER": "The command that summarises, where --via names none.",
    "CODEH_BLOCKS": "The block store: a directory, or redis://HOST:PORT/DB.",
    "CODEH_BLOCKS_PASSWORD": "Its password, which stands in no URL.",
    "CODEH_NOW, CODEH_ID_SEED": "Fix times and ids, for tests.",
    "PAGER, NO_COLOR, TZ": "As elsewhere.",
}
FILES = {
    "~/.codeh/sessions/ID.jsonl": "A session: append-only JSON lines.",
    "~/.codeh/config.toml": "Defaults and profiles; see codeh-history config init.",
    "~/.codeh/blocks": "Content that sessions refer to by its hash.",
    "~/.codeh/trash": "What rm and prune removed.",
}


def page():
    """The page as roff."""
    return "".join(f"{line}\n" for line in _lines())


def _lines():
    whole = group()
    yield f'.TH CODEH-HISTORY 1 {DATE} "codeh-history {__version__}"'
    yield from (".SH NAME", r"codeh\-history \- keep conversations with LLMs as plain files")
    yield from (
        ".SH SYNOPSIS",
        r".B codeh\-history",
        r".I COMMAND",
        r"[\fIOPTION\fR]... [\fIARGUMENT\fR]...",
    )
    yield from (".SH DESCRIPTION", plain(whole.help or ""))
    yield from (
        ".PP",
        r"\fBcodeh\-history \fICOMMAND\fB \-h\fR shows a command's examples and main options, \fB\-\-help\-all\fR all of them.",
    )
    yield from example(EXAMPLES)
    for section, verbs in SECTIONS.items():
        yield f'.SH "{plain(section.upper())}"'
        for verb in verbs:
            yield from command(verb)
    yield ".SH EXIT STATUS"
    for code, meaning in CODES.findall((ROOT / "docs" / "commands.md").read_text()):
        yield from tagged(code, meaning)
    for title, table in (("ENVIRONMENT", VARIABLES), ("FILES", FILES)):
        yield f".SH {title}"
        for name, meaning in table.items():
            yield from tagged(name, meaning)


def command(verb):
    """A command's description, usage, options and examples."""
    loaded = Command(verb)
    context = click.Context(loaded, info_name=verb, **loaded.context_settings)
    usage = " ".join(loaded.collect_usage_pieces(context))
    yield f".SS {plain(verb)}"
    yield rf"\fBcodeh\-history {plain(verb)}\fR {plain(usage)}"
    for paragraph in (loaded.help or "").split("\n\n"):
        yield from (".PP", plain(" ".join(paragraph.split())))
    for each in loaded.get_params(context):
        record = each.get_help_record(context)
        if record and (record[1] or each.param_type_name == "option"):
            yield from tagged(*record)
    yield from example(loaded.module.EXAMPLES)


def tagged(name, meaning):
    yield from (".TP", rf"\fB{plain(name)}\fR", plain(meaning))


def example(text):
    """Preformatted lines; long ones are not broken."""
    if text:
        yield from (".PP", ".nf", *map(plain, text.rstrip("\n").split("\n")), ".fi")


def plain(text):
    """Text escaped for roff."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga")
    text = text.replace("^", r"\(ha").replace("~", r"\(ti").replace('"', r"\(dq")
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return rf"\&{text}" if text.startswith(".") else text


if __name__ == "__main__":
    PAGE.write_text(page())
