"""Write a Homebrew formula for the source distribution in dist/, with each dependency as `uv` resolves it.

For a tap: brew builds what it installs from source, so each resource is a source distribution with its sha256, or
the wheel of a release that has no source distribution.
"""

import hashlib
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORMULA = ROOT / "dist" / "codeh-history.rb"
PYTHON = "3.13"
HEAD = """\
# Homebrew formula, written by `make dist`.
class CodehHistory < Formula
  include Language::Python::Virtualenv

  desc "Keeps conversations with LLMs as plain files"
  homepage "{source}"
  url "{source}/releases/download/v{version}/codeh_history-{version}.tar.gz"
  sha256 "{sha256}"
  license "MIT"

  depends_on "rust" => :build
  depends_on "python@{python}"
"""
RESOURCE = """
  resource "{name}" do
    url "{url}"
    sha256 "{sha256}"
  end
"""
TAIL = """
  def install
    virtualenv_install_with_resources
    man1.install_symlink libexec/"share/man/man1/codeh-history.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/codeh-history"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_codeh-history"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/codeh-history.fish"
  end

  test do
    ENV["CODEH_HOME"] = testpath
    system bin/"codeh-history", "append", "-s", "demo", "Why is the sky blue?"
    assert_match "Why is the sky blue?", shell_output("#{bin}/codeh-history last demo")
  end
end
"""


def write():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    head = HEAD.format(
        source=project["urls"]["Source"], version=sdist.name.removesuffix(".tar.gz").rpartition("-")[2],
        sha256=hashlib.sha256(sdist.read_bytes()).hexdigest(), python=PYTHON,
    )  # fmt: skip
    archives = {each["name"]: each.get("sdist") or each["wheels"][0] for each in locked()}
    resources = (
        RESOURCE.format(name=name, url=archive["url"], sha256=archive["hashes"]["sha256"])
        for name, archive in archives.items()
    )
    FORMULA.write_text(head + "".join(resources) + TAIL)


def locked():
    """The dependencies for macOS, by name."""
    done = subprocess.run(
        [Path(sys.executable).parent / "uv", "pip", "compile", "--quiet", "--no-header", "--format", "pylock.toml",
         "--python-version", PYTHON, "--python-platform", "aarch64-apple-darwin", ROOT / "pyproject.toml"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return tomllib.loads(done.stdout)["packages"]
