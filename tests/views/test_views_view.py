"""From a session to its view: what is wrong with it is told as far as it helps, and a message is found by its name."""

import fcntl

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, NotFound
from codeh_history.session.records import ELEMENT, Damage, Log, block_of
from codeh_history.store.resolve import Target
from codeh_history.views import view as access
from folding import drop, w
from in_process import write_session
from strategies import encode

HEADER = b'{"type":"session","version":1,"id":"s"}\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'
MISSING = block_of({"text": "gone"})


class Notes:
    """An environment whose stderr is kept."""

    def __init__(self, home):
        self._path = home.parent / "stderr"
        self._file = self._path.open("wb")
        self.env = Env({"CODEH_HOME": str(home)}, stderr=self._file.fileno())

    @property
    def text(self):
        return self._path.read_text().replace("codeh-history: ", "")


@pytest.fixture
def notes(home):
    return Notes(home)


# -- a message by its name ---------------------------------------------------------------------------------


def talk():
    log = w().a("apple").a("apricot").a("pear").a(":odd").a("kiwi").k("k", drop("kiwi"))
    return log.view()


@pytest.mark.parametrize(
    ("name", "id"),
    [("apple", "apple"), ("pe", "pear"), ("apr", "apricot"), (":1", "apple"), (":4", ":odd"), (":-1", ":odd"),
     (":-4", "apple"), (":+2", "apricot"), ("ki", "kiwi"), ("kiwi", "kiwi")],
)  # fmt: skip
def test_message_is_named_by_id_prefix_or_number(name, id):
    assert access.find_message(talk(), name, session="s").id == id


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ap", "ambiguous: apple, apricot"), ("x", "no such message"), (":0", "there are 4 messages"),
        (":5", "there are 4 messages"), (":-5", "there are 4 messages"), (":x", "not a number"), (":", "not a number"),
    ],
)  # fmt: skip
def test_unknown_and_ambiguous_message_names_are_refused(name, why):
    with pytest.raises(NotFound, match=rf"^s: {name}: {why}"):
        access.find_message(talk(), name, session="s")


# -- what is wrong with a log ------------------------------------------------------------------------------


def log_of(*damage):
    return Log([], list(damage), 0)


def lines(count, *, mended=False):
    return [Damage(number, number * 10, "not JSON", mended=mended) for number in range(1, count + 1)]


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ([], ""),
        (lines(1), "f: 1 damaged line skipped (line 1, byte 10: not JSON)\n"),
        (lines(3), "f: 3 damaged lines skipped (line 1, byte 10: not JSON; line 2, byte 20: not JSON; line 3, byte 30: not JSON)\n"),
        (lines(5), "f: 5 damaged lines skipped (line 1, byte 10: not JSON; line 2, byte 20: not JSON; line 3, byte 30: not JSON; and 2 more)\n"),
        (lines(1, mended=True), "f: 1 line repaired (line 1, byte 10: not JSON)\n"),
        ([Damage(7, -1, "torn")], "f: 1 damaged line skipped (line 7: torn)\n"),
        ([Damage(ELEMENT, 0, "[3]: no text")], "f: 1 unexpected element kept unchanged ([3]: no text)\n"),
        ([Damage(ELEMENT, 0, "a")] * 21, f"f: 21 unexpected elements kept unchanged ({'a; ' * 20}and 1 more)\n"),
        (lines(1, mended=True) + lines(1), "f: 1 damaged line skipped (line 1, byte 10: not JSON)\nf: 1 line repaired (line 1, byte 10: not JSON)\n"),
    ],
    ids=["none", "one", "three", "five", "mended", "another program's", "an element", "many elements", "both"],
)  # fmt: skip
def test_damage_is_counted_and_its_first_line_named(notes, damage, expected):
    access.report_damage(notes.env, Target("f", "-s"), log_of(*damage), strict=False)
    assert notes.text == expected
    if damage:
        with pytest.raises(BadData) as error:
            access.report_damage(notes.env, Target("f", "-s"), log_of(*damage), strict=True)
        assert str(error.value) == expected.removesuffix("\n").replace("\n", "; ")


def test_skipped_and_repaired_lines_are_counted_separately():
    both = lines(2) + lines(1, mended=True)
    assert access.damage_summary(both) == "2 damaged lines skipped, 1 line repaired"
    assert access.damage_summary([Damage(ELEMENT, 0, "a")]) == "1 unexpected element kept unchanged"
    assert access.damage_summary([]) == ""


def test_last_line_being_written_is_not_damage(notes, home):
    path = write_session(home, HEADER + LINE + LINE[:20])
    target = Target(str(path), "-s")
    with path.open("rb") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        assert len(access.view_of(notes.env, target, strict=True).messages) == 1
        access.view_of(notes.env, target, path.read_bytes())  # under our own lock nobody else writes
        assert "torn last line" in notes.text
    with pytest.raises(BadData, match=r"1 damaged line skipped"):
        access.view_of(notes.env, target, strict=True)


# -- blocks ------------------------------------------------------------------------------------------------


def ref(id, block):
    return {"type": "ref", "id": id, "kind": "user", "role": "user", "flowId": "s", "blockIds": [block]}


def test_read_only_view_allows_missing_blocks(notes):
    data = HEADER + encode([ref("a", MISSING)])
    assert access.read_only_view(notes.env, data, None).messages[0].parts[0]["text"].startswith("[block")
    assert notes.text == ""
    access.read_only_view(notes.env, data, "s")
    assert notes.text.startswith("s: 1 block left out")
