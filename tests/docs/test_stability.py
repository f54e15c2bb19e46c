"""What docs/stability.md promises: names that were released stay; the version is in one place and has its changes."""

import re

import codeh_history
from codeh_history import Session
from codeh_history.commands import SECTIONS, module_of
from support import ROOT

SURFACE = ROOT / "tests" / "docs" / "surface.txt"
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def surface():
    """Each name that users may rely on."""
    for verb in (verb for verbs in SECTIONS.values() for verb in verbs):
        yield f"verb {verb}"
        for name, option in module_of(verb).Options.DECLARED.items():
            if not option.positional:
                yield from (f"option {verb} {flag}" for flag in option.flags(name))
    commands = (ROOT / "docs" / "commands.md").read_text()
    for codes in re.findall(r"^\| ([\d, ]+) \|", commands, re.MULTILINE):
        yield from (f"exit code {code}" for code in codes.split(", "))
    yield from (f"variable {name}" for name in re.findall(r"`(CODEH_\w+)`", commands))
    yield from (f"name {name}" for name in codeh_history.__all__)
    yield from (f"method {name}" for name in dir(Session) if not name.startswith("_"))


def test_no_released_name_is_missing(request):
    """`make golden` adds the new ones at a release; taking one out needs a new major version."""
    names = sorted(set(surface()))
    if request.config.getoption("--golden"):
        SURFACE.write_text("".join(f"{name}\n" for name in names))
    assert set(SURFACE.read_text().splitlines()) - set(names) == set()


def test_the_version_stands_in_one_place():
    assert re.fullmatch(r"\d+\.\d+\.\d+", codeh_history.__version__)
    files = [ROOT / "pyproject.toml", ROOT / "README.md"]
    files += [*(ROOT / "cli").rglob("*.py"), *(ROOT / "docs").glob("*.md")]
    quoted = f'"{codeh_history.__version__}"'
    assert [path.name for path in files if quoted in path.read_text()] == ["__init__.py"]


def test_the_newest_entry_of_the_changelog_is_this_version():
    entries = re.findall(r"^## \[([^\]]+)\](?: - (\S+))?$", CHANGELOG, re.MULTILINE)
    released = [(version, date) for version, date in entries if version != "Unreleased"]
    assert released[0][0] == codeh_history.__version__
    assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", date) for _, date in released)
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) <= set(KINDS)
    assert all(f"\n[{version}]: https://" in CHANGELOG for version, _ in released)
