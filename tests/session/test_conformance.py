"""`fixtures/conformance`: what each session file in it means, to this program and to the reader in docs/examples."""

import hashlib
import subprocess
from base64 import b64encode

import orjson
import pytest

from conformance import FOLDER, cases, shape, view_of
from node import EXAMPLES, node, script
from support import ROOT, lines

CASES = cases()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_log_means_what_its_case_says(case, tmp_path):
    assert orjson.loads(orjson.dumps(shape(view_of(case, tmp_path)))) == case.view


def test_every_block_has_the_name_of_its_content():
    for case in CASES.values():
        for id, part in case.blocks.items():
            assert hashlib.sha256(orjson.dumps(part)).hexdigest() == id


def test_the_directory_says_what_is_in_it():
    about = (FOLDER / "README.md").read_text()
    kinds = {name.split("-")[0] for name in CASES}
    assert all(f"`{kind}" in about for kind in kinds), kinds
    assert len({case.log for case in CASES.values()}) == len(CASES)


def test_the_reader_in_typescript_comes_to_the_same(tmp_path):
    given = [{"log64": b64encode(case.log).decode(), "blocks": case.blocks} for case in CASES.values()]
    done = subprocess.run(
        [node(), ROOT / "tests" / "session" / "conformance.mjs", script("reader.ts", tmp_path)],
        input=b"".join(orjson.dumps(each) + b"\n" for each in given), capture_output=True, check=False,
    )  # fmt: skip
    assert done.stderr == b""
    found = dict(zip(CASES, lines(done.stdout), strict=True))
    assert found == {name: case.view for name, case in CASES.items()}


def test_the_reader_in_typescript_is_short():
    assert len((EXAMPLES / "reader.ts").read_text().splitlines()) <= 400
