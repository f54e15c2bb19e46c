"""A server by its URL: no message of it holds the password."""

import psycopg
import pytest

import postgres_server
from codeh_history.base.errors import BadData, InputOutput, TryAgain
from codeh_history.base.postgres import Server, Unreachable
from postgres_server import SECRET, Program


@postgres_server.needed
@pytest.mark.parametrize("url", [
    f"postgres://u:{SECRET}@127.0.0.1:1/d", f"postgres://u:%{SECRET}@h/d", f"postgres://u:{SECRET}@h:port/d",
    f"postgres://h/d?pasword={SECRET}", f"postgres://u@127.0.0.1:1/d?password={SECRET}", f"postgrs://u:{SECRET}@h/d",
])  # fmt: skip
def test_no_message_holds_the_password(url, tmp_path):
    run = Program(tmp_path / "home", url)
    for words in (("list",), ("append", "-s", "demo", "-m", "x"), ("store", "init"), ("show", "demo")):
        done = run(*words)
        assert done.code in {2, 75}
        assert SECRET not in done.out + done.err


@pytest.mark.parametrize(("url", "name"), [
    ("postgres://u:p@h:5433/d", "postgres://h:5433/d"), ("postgres://h", "postgres://h"), ("postgres:///d", "postgres:///d"),
    ("postgres://%2Frun%2Fpg/d", "postgres://%2Frun%2Fpg/d"), ("postgres:///?service=mine", "postgres://mine"),
    ("postgres://", "postgres://default"), ("postgresql://a:1,b:2/d?sslmode=require", "postgres://a,b:1,2/d"),
    ("postgres:///d?hostaddr=10.0.0.1", "postgres://10.0.0.1/d"),
])  # fmt: skip
def test_server_is_named_by_its_address(url, name):
    assert Server(url, "CODEH_STORE").name == name


def error(kind, sqlstate):
    made = kind("it failed\nDETAIL: more")
    made.sqlstate = sqlstate
    return made


@pytest.mark.parametrize(("kind", "sqlstate", "ours", "ending"), [
    (psycopg.OperationalError, None, Unreachable, "; what"), (psycopg.OperationalError, "57P01", Unreachable, "; what"),
    (psycopg.OperationalError, "53100", InputOutput, "; what"), (psycopg.OperationalError, "54000", InputOutput, "; what"),
    (psycopg.errors.SerializationFailure, "40001", TryAgain, "; what; try again"),
    (psycopg.errors.DeadlockDetected, "40P01", TryAgain, "; what; try again"),
    (psycopg.errors.LockNotAvailable, "55P03", TryAgain, "locked by another process; try again"),
    (psycopg.errors.UndefinedTable, "42P01", InputOutput, "run `codeh-history store init`"),
    (psycopg.errors.UniqueViolation, "23505", InputOutput, "; what"), (psycopg.ProgrammingError, None, InputOutput, "; what"),
])  # fmt: skip
def test_server_errors_become_our_errors(kind, sqlstate, ours, ending):
    with pytest.raises(ours) as raised, Server("postgres://h/d", "X").failing("; what"):
        raise error(kind, sqlstate)
    assert type(raised.value) is ours
    assert str(raised.value).startswith("postgres://h/d: ")
    assert str(raised.value).endswith(ending)
    assert "\n" not in str(raised.value)


def test_data_errors_name_the_server():
    with pytest.raises(BadData, match=r"^postgres://h/d: odd$"), Server("postgres://h/d", "X").failing():
        raise BadData("odd")
