"""Generate the completion scripts that the wheel installs from `completion SHELL` (`make generate`)."""

from support import ROOT, run

PLACE = ROOT / "docs" / "completions"
INSTALLED = {  # shell → its script, and where the wheel puts it: the shells look there
    "bash": ("codeh-history.bash", "share/bash-completion/completions/codeh-history"),
    "zsh": ("_codeh-history", "share/zsh/site-functions/_codeh-history"),
    "fish": ("codeh-history.fish", "share/fish/vendor_completions.d/codeh-history.fish"),
}


def scripts():
    """The text of each file.

    zsh wants `#compdef` in the first line of a file in its `fpath`, and runs the file at the first TAB: so it
    must not only define the completion but complete.
    """
    texts = {shell: run("completion", shell).out.decode() for shell in INSTALLED}
    start = texts["zsh"].index("#compdef")
    texts["zsh"] = f'{texts["zsh"][start:]}_codeh_history_completion "$@"\n'
    return {PLACE / name: texts[shell] for shell, (name, _) in INSTALLED.items()}


if __name__ == "__main__":
    for path, text in scripts().items():
        path.write_text(text)
