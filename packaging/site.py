"""What the site has beside the files of docs/: the README, the changelog, every option of every verb."""

import logging
import re
from html import escape
from pathlib import Path

from mkdocs.structure.files import File
from typer import _click as click

from codeh_history.cli import Command
from codeh_history.commands import SECTIONS

ROOT = Path(__file__).parent.parent
log = logging.getLogger("mkdocs.plugins.site")  # a warning of it fails a strict build
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files, config):
    """Add the pages that are made while the site is built."""
    pages = {
        "index.md": (ROOT / "README.md").read_text(),
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(),
        "verbs.md": verbs(),
    }
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    """Point links to files outside docs/ to the repository."""
    top = page.file.src_uri in {"index.md", "changelog.md"}  # their links start at the top folder
    folder = ROOT if top else (ROOT / "docs" / page.file.src_uri).parent

    def target(link):
        path = (folder / link[1]).resolve()
        anchor = link[2] or ""
        own = {ROOT / "README.md": "index.md", ROOT / "CHANGELOG.md": "changelog.md"}
        inside = own.get(path) or path.relative_to(ROOT).as_posix().removeprefix("docs/")
        if files.get_file_from_path(inside):
            up = "../" * page.file.src_uri.count("/")
            return f"]({up}{inside}{anchor})"
        if not path.exists():
            log.warning("%s: %s does not exist", page.file.src_uri, link[1])
        kind = "tree" if path.is_dir() else "blob"
        return f"]({config.repo_url}/{kind}/main/{path.relative_to(ROOT).as_posix()}{anchor})"

    return LINK.sub(target, markdown)


def verbs():
    """The reference of all verbs, from what `-h` is made from."""
    lines = ["# Options of every command", ""]
    for section, names in SECTIONS.items():
        lines += [f"## {section}", ""]
        for name in names:
            lines += verb(name)
    return "\n".join(lines)


def verb(name):
    """A verb's purpose, usage, examples and options, as lines of Markdown."""
    command = Command(name)
    context = click.Context(command, info_name=name, **command.context_settings)
    yield from (f"### {name}", "", command.help or "", "")
    usage = " ".join(["codeh-history", name, *command.collect_usage_pieces(context)])
    yield from ("```text", usage, "```", "")
    if examples := command.module.EXAMPLES.splitlines():
        yield from ("```sh", *(line.strip() for line in examples), "```", "")
    records = [each.get_help_record(context) for each in command.get_params(context)]
    rows = [record for record in records if record and record[1]]
    if rows:
        yield from ("| option | meaning |", "|---|---|")
        yield from (f"| <code>{cell(option)}</code> | {cell(meaning)} |" for option, meaning in rows)
        yield ""


def cell(text):
    """Text that stays in one cell of a table."""
    return escape(" ".join(text.split()), quote=False).replace("|", "&#124;").replace("*", "&#42;")
