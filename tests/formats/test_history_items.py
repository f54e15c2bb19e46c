"""`history-items`: a session as an interface keeps it, and back."""

import orjson

from blocks.stored import ok
from codeh_history import Session
from codeh_history.programs.forms import items


def test_a_session_comes_back_from_its_items(home, tmp_path):
    (tmp_path / "a.txt").write_text("attached")
    session = Session.open("a", create=True, home=home)
    session.append("look", attach=str(tmp_path / "a.txt"))
    session.append(call="ls", args={"p": "."}, call_id="c1")
    session.append("a b", result="ls")
    session.append("note", kind="info")
    session.append("so far", role="model", pending=True)
    (tmp_path / "items.json").write_bytes(session.export("history-items"))
    ok("import", tmp_path / "items.json", "--into", "b", home=home)
    again = Session.open("b", home=home)
    assert again.export("history-items") == session.export("history-items")
    told = [[(one["id"], one["kind"], one["parts"]) for one in each.messages] for each in (session, again)]
    assert told[0] == told[1]
    assert items.holds(orjson.loads(session.export("history-items"))[0])


def test_a_message_of_an_item_has_all_its_fields(home):
    ok("append", "-s", "a", "-m", "hi", home=home, env={"CODEH_NOW": "2026-01-01T00:00:00.000Z"})
    (item,) = orjson.loads(ok("export", "a", "--to", "history-items", home=home).out)
    id = item["committed"]["metadata"]["id"]
    assert item["pending"] is None
    assert item["committed"] == {
        "type": "user",
        "text": "hi",
        "timestamp": 1767225600000,
        "metadata": {"id": id},
    }
