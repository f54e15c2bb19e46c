"""`store init` without a database: nothing is made, which is said."""

import pytest

from inside import inside


@pytest.mark.parametrize("environ", [{}, {"CODEH_STORE": "dir:{}/w"}, {"CODEH_BLOCKS": "{}/b"}])
def test_a_folder_needs_no_tables(home, tmp_path, environ):
    env = {name: value.format(tmp_path) for name, value in environ.items()}
    done = inside("store", "init", home=home, env=env)
    assert done.code == 0
    place = env.get("CODEH_STORE", f"dir:{home}/sessions").removeprefix("dir:")
    assert (
        done.err.decode()
        == f"codeh-history: {place}: a folder needs no tables (CODEH_STORE=postgres://… does)\n"
    )
    assert not home.exists()
    assert not (tmp_path / "w").exists()


def test_another_word_is_exit_2(home):
    done = inside("store", "drop", home=home)
    assert (done.code, done.err) == (2, b"codeh-history: drop: one of init\n")
