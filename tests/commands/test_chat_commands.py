"""What may be typed in `chat` besides prompts, and what a word may become."""

import re

import pytest

from codeh_history.base.env import Env
from codeh_history.commands import chat
from codeh_history.commands.chat.talk import Talk
from codeh_history.store.resolve import for_writing
from fake_provider import configure
from support import ROOT, run, session_path


@pytest.mark.parametrize(
    ("before", "word", "found"),
    [
        ("", "/re", ["/retry "]), ("", "/", ["/edit ", "/undo ", "/retry ", "/model ", "/profile ", "/attach ", "/system ", "/show ", "/fork ", "/help ", "/quit "]),
        ("", "", []), ("why ", "/re", []), ("/profile ", "", ["claude", "local"]), ("/profile ", "cl", ["claude"]),
        ("/model ", "", ["m-1"]), ("/attach ", "HOME/con", ["HOME/config.toml"]), ("/attach ", "HOME/se", ["HOME/sessions/"]),
        ("/system ", "@HOME/con", ["@HOME/config.toml"]), ("/system ", "HOME/con", []), ("/undo ", "", []),
    ],
)  # fmt: skip
def test_what_a_word_may_become(home, before, word, found):

    configured = configure(home, "http://localhost:9")
    run("append", "-s", "demo", "-m", "x", home=configured)
    made = (
        b'{"type":"message","id":"m","kind":"codeh","role":"model","model":"m-1","parts":[{"text":"y"}]}\n'
    )
    with session_path(configured, "demo").open("ab") as file:
        file.write(made)
    env = Env({"CODEH_HOME": str(configured)})
    talk = Talk(env, for_writing(env, "demo"), chat.Options(profile="local").part(chat.Asking), 1)
    at = word.replace("HOME", str(configured))
    assert [*chat.completing(talk)(before, at)] == [name.replace("HOME", str(configured)) for name in found]


def test_the_page_names_what_may_be_typed():
    page = (ROOT / "docs" / "chat.md").read_text()
    rows = re.findall(r"^\| (`.*?) \| ", page, re.MULTILINE)
    assert set(re.findall(r"/[a-z]+", " ".join(rows))) == set(chat.COMMANDS)
