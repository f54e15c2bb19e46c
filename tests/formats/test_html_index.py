"""A page of each session and an index of them."""

import re

import pytest

import support


@pytest.fixture
def three(home):
    for number, text in enumerate(["first <question>", "second", "third"]):
        support.run(
            "append", "-s", f"s{number}", "-m", text, env={"CODEH_NOW": f"2026-01-0{number + 1}T00:00:00Z"}
        )
    support.run("set", "-s", "s1", "title=A & B")
    return home


def made(folder, *more):
    return support.run("export", "--all", "--to", "html", "--output", str(folder), *more)


def test_all_sessions_have_a_page_and_a_line_in_the_index(three, tmp_path):
    folder = tmp_path / "new" / "pages"
    assert made(folder).code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "s0.html", "s1.html", "s2.html"]
    index = (folder / "index.html").read_text()
    links = re.findall(r'<li><a href="([^"]*)">([^<]*)</a>', index)
    assert links == [("s2.html", "third"), ("s1.html", "A &amp; B"), ("s0.html", "first &lt;question&gt;")]
    assert (folder / "s0.html").read_bytes() == support.run("export", "s0", "--to", "html").out
    assert (folder / "s0.html").stat().st_mode & 0o777 == 0o600


def test_again_it_is_what_there_is_now(three, tmp_path):
    made(tmp_path)
    support.run("append", "-s", "s0", "-m", "more")
    assert made(tmp_path).code == 0
    assert "more" in (tmp_path / "s0.html").read_text()
    assert not list(tmp_path.glob(".*"))


def test_one_failure_stops_no_other(three, tmp_path):
    (three / "sessions" / "s1.jsonl").unlink()
    (three / "sessions" / "s1.jsonl").mkdir()
    done = made(tmp_path)
    assert done.code == 65
    assert b"s1: no page: " in done.err
    assert "s2.html" in (tmp_path / "index.html").read_text()


def test_secrets_stay_out_of_pages_and_index(three, tmp_path):
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    support.run("append", "-s", "zz", "-m", f"my key {secret}")
    folder = tmp_path / "pages"
    made(folder, "--redact")
    assert not [path for path in folder.iterdir() if secret in path.read_text()]
    assert "my key [redacted" in (folder / "index.html").read_text()


@pytest.mark.parametrize(
    "argv",
    [
        "",
        "--output -",
        "--output p s0",
        "--output p --to markdown",
        "--output p --install",
        "--output p -s s0",
    ],
)
def test_all_takes_a_folder_and_no_session(argv, three, tmp_path):
    (tmp_path / "empty").mkdir()
    done = support.run("export", "--all", "--to", "html", *argv.split(), cwd=tmp_path / "empty")
    assert (done.code, list((tmp_path / "empty").iterdir())) == (2, [])
