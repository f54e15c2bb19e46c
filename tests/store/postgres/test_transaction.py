"""What is added to a session's rows is what would be added to a file."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import postgres_server
from codeh_history.base.env import Env
from codeh_history.base.errors import NotFound
from codeh_history.store import log, stores
from codeh_history.store.postgres import transaction
from store_logs import HEAD, LINE, ODD


@postgres_server.needed
@pytest.mark.parametrize("data", ODD)
def test_a_line_is_added_to_rows_as_to_a_file(data, cluster, tmp_path):
    env = Env({"CODEH_HOME": str(tmp_path / "home")})
    keyed = LINE.replace(b'"parts"', b'"key":"k","parts"')
    kept = []
    for url in (f"dir:{tmp_path / 'store'}", cluster.database(f"a{random.getrandbits(60)}")):
        store = stores.at(env, url)
        store.create("a", data)
        for lines in (LINE, LINE + LINE, keyed, LINE, keyed, LINE[:-1], LINE, b"\n", b""):
            log.append(env, store.path("a"), lambda _, lines=lines: lines, header=lambda: HEAD)
        kept.append(store.read("a"))
        with pytest.raises(NotFound):
            log.append(env, store.path("b"), lambda _: LINE)
    assert kept[0] == kept[1]
    assert kept[0].count(LINE) >= 5


KEYED = LINE.replace(b'"parts"', b'"key":"k","parts"')


@given(
    lines=st.lists(st.sampled_from([LINE, KEYED, KEYED.replace(b'"k"', b'"l"'), b"\n", b"x\n"]), max_size=8),
    torn=st.booleans(), number=st.integers(0, 3), start=st.integers(0, 9), known=st.sampled_from([(), (b"k",)]),
)  # fmt: skip
def test_rows_are_the_lines_with_the_place_of_each_and_a_key_once(lines, torn, number, start, known):
    data = b"".join(lines)[: -1 if torn else None]
    rows = list(transaction._numbered("s", data, number, start, known))
    assert b"".join(line for *_, line in rows) == data
    assert [row[1] for row in rows] == list(range(number, number + len(rows)))
    assert [data[row[2] - start :].startswith(row[4]) for row in rows] == [True] * len(rows)
    keys = [key for *_, key, _ in rows if key is not None]
    assert len(keys) == len(set(keys))
    assert not set(keys) & set(known)
    carried = {b"k" if b'"k"' in line else b"l" for line in lines[: len(rows)] if b'"key"' in line}
    if not torn:
        assert set(keys) == carried - set(known)


def test_of_a_session_of_which_nothing_is_known_there_is_nothing():
    row = transaction.Row("postgres://h/d/s", "s", header=lambda: HEAD)
    assert (row.whole(), list(row.keyed("k")), row.created, row.offset) == (b"", [], True, len(HEAD))
    assert not row.has("m1")


def test_a_channel_has_a_name_of_its_own_however_long_the_id():
    names = {transaction.channel(id) for id in ("a", "b", "a" * 128)}
    assert len(names) == 3
    assert max(map(len, names)) < 64
    assert transaction.edition() != transaction.edition()
