"""The package's page, its metadata, and the Makefile's targets."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from html import unescape

import pytest

import completions
import man_page
from codeh_history import __version__
from support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SOURCE = PROJECT["project"]["urls"]["Source"]
SHARED = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]


@pytest.fixture(scope="module")
def page():
    """The README as it goes into the wheel's metadata."""
    done = subprocess.run(
        [sys.executable, "-c", METADATA], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout


METADATA = """\
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
print(ProjectMetadata(".", PluginManager()).core.readme)
"""


@pytest.fixture(scope="module")
def rendered(page):
    """The page as the index shows it."""
    from readme_renderer import markdown

    html = markdown.render(page)
    assert html is not None
    return html


def links(rendered):
    yield from map(unescape, re.findall(r'(?:href|src)="([^"]*)"', rendered))


def test_the_page_renders_as_the_index_renders_it(page, rendered):
    assert "<table>" in rendered
    assert rendered.count("<pre") == page.count("```") // 2


def test_each_link_of_the_page_leads_to_a_file_of_this_version(rendered):
    ids = set(re.findall(r'id="(?:user-content-)?([^"]+)"', rendered))
    own = 0
    for link in links(rendered):
        if link.startswith("#"):
            assert link.removeprefix("#").removeprefix("user-content-") in ids
            continue
        assert link.startswith("https://"), link
        raw = SOURCE.replace("//github.com/", "//raw.githubusercontent.com/")
        for place in (f"{SOURCE}/blob/v{__version__}/", f"{raw}/v{__version__}/"):
            if link.startswith(place):
                own += 1
                assert (ROOT / link.removeprefix(place).partition("#")[0]).exists(), link
    assert own >= 10


def test_links_of_the_project_lead_to_files():
    for link in PROJECT["project"]["urls"].values():
        assert link.startswith(SOURCE)
        path = re.sub(r"^/(?:blob|tree)/main/", "", link.removeprefix(SOURCE))
        assert path in {"", "/issues"} or (ROOT / path).exists(), link


def test_the_wheel_installs_the_manual_page_and_the_completions():
    expected = {man_page.PAGE: "share/man/man1/codeh-history.1"}
    expected |= {completions.PLACE / name: place for name, place in completions.INSTALLED.values()}
    assert {ROOT / name: place for name, place in SHARED.items()} == expected
    assert all(path.is_file() for path in expected)


def test_the_completions_are_what_the_command_prints():
    for path, text in completions.scripts().items():
        assert path.read_text() == text, "run `make generate`"


def test_the_source_distribution_has_what_the_wheel_is_built_from():
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    needed = {"README.md", "CHANGELOG.md", *PROJECT["project"]["license-files"], *SHARED, "cli", "Makefile"}
    assert [
        name for name in sorted(needed) if not any(f"/{name}/".startswith(f"{each}/") for each in included)
    ] == []


MAKEFILE = (ROOT / "Makefile").read_text()
PHONY = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split()
TARGETS = dict(re.findall(r"^([a-z-]+):.*## (.*)$", MAKEFILE, re.MULTILINE))
PAGES = [
    ROOT / "README.md", ROOT / "pyproject.toml", *(ROOT / ".ci").iterdir(), *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "tests").rglob("*.py"), *(ROOT / "tests").rglob("*.sh"), *(ROOT / "cli").rglob("*.py"),
]  # fmt: skip
EXAMPLES = {
    ROOT / "tests" / room for room in ("filters", "summaries")
}  # sessions in which others call make


def test_there_are_few_targets_and_each_is_explained():
    assert len(PHONY) <= 25
    assert set(PHONY) == set(TARGETS) == set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, re.MULTILINE))


@pytest.mark.skipif(not shutil.which("make"), reason="no make on this machine")
def test_help_fits_on_one_screen():
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines] == PHONY
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80


def test_make_targets_used_in_pages_and_scripts_exist():
    called = {
        (str(path.relative_to(ROOT)), target)
        for path in PAGES if EXAMPLES.isdisjoint(path.parents)
        for target in re.findall(r"`(?:[A-Z]+=\S+ )*make ([a-z][\w-]*)", path.read_text())
    }  # fmt: skip
    nightly, each = ((ROOT / ".ci" / name).read_text() for name in ("nightly", "run"))
    tasks = shlex.split(re.search(r"^tasks=\((.*)\)$", nightly, re.MULTILINE)[1])
    called |= {(".ci/nightly", task.split()[0]) for task in tasks}
    words = re.search(r"^exec make (.*)$", each, re.MULTILINE)[1].split()
    called |= {(".ci/run", word) for word in words if "=" not in word}
    assert sorted((path, target) for path, target in called if target not in PHONY) == []
