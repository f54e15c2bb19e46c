"""What is kept of a message without a session: its text as it came, what else it has as lines of JSON."""

import pytest

from codeh_history import Session
from codeh_history.base.errors import NotFound
from codeh_history.receive.pending import text_of
from support import session_path


def test_calls_are_kept_beside_the_text(home):
    session = Session.open("s", create=True, home=home)
    session.append("hi")

    def arriving():
        session_path(home, "s").unlink()
        yield b'{"choices":[{"message":{"role":"assistant","content":"Now:","tool_calls":['
        yield b'{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}'

    with pytest.raises(NotFound):
        session.append_response(arriving())
    (file,) = (home / "unsent").iterdir()
    assert file.read_text() == 'Now:\n{"functionCall":{"id":"c1","name":"ls","args":{}}}\n'


def test_thoughts_are_not_part_of_the_text():
    assert text_of([{"text": "Hm.", "thought": True}, {"text": "So\n"}, {"text": "it is."}]) == "So\nit is."
