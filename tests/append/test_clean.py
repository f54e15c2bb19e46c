"""`append --redact`: what is stored has no secret that is known as one, and what could not be looked into is said."""

import base64

from codeh_history.append.clean import Cleaning
from codeh_history.base.env import Env

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"[:16]


def part(data, mime="text/plain"):
    return {"inlineData": {"mimeType": mime, "data": base64.b64encode(data).decode()}}


def test_what_was_found_is_counted_by_kind_and_never_shown(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        cleaning = Cleaning(Env({}, stderr=err.fileno()))
        cleaning.report()
        plain = [{"text": "nothing here"}]
        assert cleaning.value(plain) is plain
        clean = cleaning.value([{"text": f"my token is {SECRET} and again {SECRET}"}])
        assert SECRET not in str(clean)
        assert "[redacted:" in str(clean)
        cleaning.report()
    said = (tmp_path / "err").read_text()
    assert said.count("\n") == 1
    assert "secret" in said
    assert SECRET not in said


def test_a_text_file_is_looked_into_and_of_another_it_is_said(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        cleaning = Cleaning(Env({}, stderr=err.fileno()))
        found = cleaning.file("a.txt", part(f"token={SECRET}\n".encode()))
        assert SECRET.encode() not in base64.b64decode(found["inlineData"]["data"])
        assert (tmp_path / "err").read_text() == ""
        image = part(b"\x89PNG\xff\0", "image/png")
        assert cleaning.file("i.png", image) == image
    assert (tmp_path / "err").read_text() == (
        "codeh-history: i.png (image/png): stored unchanged: --redact reads only text\n"
    )
