"""A session with its blocks in one file: whole at the other end, or not at all."""

import io
import stat
import tarfile

import pytest

from blocks.stored import BIG, IMAGE, blocks
from in_process import run_in_process, run_ok
from support import session_path


@pytest.fixture
def remote(tmp_path):
    """The home of another machine."""
    return tmp_path / "there"


@pytest.fixture
def bundle(demo, tmp_path):
    """The session of `demo` with its blocks, what was undone included."""
    run_ok("persist", "demo", "-i", home=demo)
    run_ok("export", "demo", "--bundle", tmp_path / "demo.tar", home=demo)
    return tmp_path / "demo.tar"


def test_a_bundle_carries_the_session_and_all_its_blocks(demo, remote, bundle):
    assert run_ok("import", bundle, home=remote).text == "demo"
    assert session_path(remote, "demo").read_bytes() == session_path(demo, "demo").read_bytes()
    assert blocks(remote) == blocks(demo)
    for argv in (["show", "demo", "--jsonl"], ["export", "demo"]):
        assert run_ok(*argv, home=remote).out == run_ok(*argv, home=demo).out
    assert stat.S_IMODE(session_path(remote, "demo").stat().st_mode) == 0o600
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o600


def test_a_bundle_goes_through_pipes(demo, remote, bundle):
    piped = run_ok("export", "demo", "--bundle", "-", home=demo).out
    assert piped == bundle.read_bytes()
    read = run_ok("export", "-", "--bundle", "-", home=demo, stdin=session_path(demo, "demo").read_bytes())
    assert read.out == piped
    pieces = [piped[:100], piped[100:9000], piped[9000:]]
    assert run_ok("import", "-", home=remote, stdin=pieces).text == "demo"
    assert blocks(remote) == blocks(demo)


def test_a_bundle_can_be_opened_with_tar(demo, bundle):
    with tarfile.open(bundle) as tar:
        names = tar.getnames()
        assert names[:2] == ["codeh-bundle.json", "session.jsonl"]
        assert {name.removeprefix("blocks/") for name in names[2:-1]} == set(blocks(demo))


def test_a_bundle_takes_blocks_from_both_stores_and_brings_them_to_the_one_named(demo, remote, tmp_path):
    env = {"CODEH_BLOCKS": str(tmp_path / "other")}
    run_ok("persist", "demo", "-i", home=demo)
    run_ok("append", "-s", "demo", "-m", "see", "--attach", demo / "image.png", home=demo, env=env)
    (demo / "image2.png").write_bytes(IMAGE + b"2")
    run_ok("append", "-s", "demo", "-m", "see", "--attach", demo / "image2.png", home=demo, env=env)
    run_ok("export", "demo", "--bundle", tmp_path / "b.tar", home=demo, env=env)
    away = {"CODEH_BLOCKS": str(tmp_path / "away")}
    run_ok("import", tmp_path / "b.tar", home=remote, env=away)
    assert not (remote / "blocks").exists()
    read = run_ok("export", "demo", home=remote, env=away).out
    assert read == run_ok("export", "demo", home=demo, env=env).out


def test_a_bundle_is_never_written_over_a_file(demo, bundle):
    before = bundle.read_bytes()
    refused = run_in_process("export", "demo", "--bundle", str(bundle), home=demo)
    assert (refused.code, bundle.read_bytes()) == (65, before)
    assert b"already exists" in refused.err


def test_a_bundle_of_an_existing_session_is_refused(demo, remote, bundle):
    run_ok("append", "-s", "demo", "-m", "mine", home=remote)
    before = session_path(remote, "demo").read_bytes()
    refused = run_in_process("import", str(bundle), home=remote)
    assert (refused.code, refused.out) == (65, b"")
    assert b"another session of that id; --into NEW" in refused.err
    assert (session_path(remote, "demo").read_bytes(), blocks(remote)) == (before, {})
    assert run_ok("import", bundle, home=demo).text == "demo"  # where it came from: nothing to do
    assert run_ok("import", bundle, "--into", "again", home=remote).text == "again"
    for argv in (["export"], ["show", "--jsonl"]):
        read = run_ok(*argv, "-s", "again", home=remote).out
        assert read == run_ok(*argv, "-s", "demo", home=demo).out


def test_a_bundle_cut_anywhere_leaves_nothing(remote, bundle, tmp_path):
    data = bundle.read_bytes()
    with tarfile.open(bundle) as tar:
        last = tar.getmembers()[-1]
    whole = last.offset_data + last.size
    cut = tmp_path / "cut.tar"
    for size in (513, 1024, 1500, whole // 3, whole // 2, last.offset, last.offset + 100, whole - 1):
        cut.write_bytes(data[:size])
        refused = run_in_process("import", str(cut), home=remote)
        assert (size, refused.code, refused.out) == (size, 65, b"")
        assert b"nothing was imported" in refused.err
        assert not session_path(remote, "demo").exists()
        assert blocks(remote) == {}


def test_an_altered_bundle_is_refused(remote, bundle, tmp_path):
    data = bundle.read_bytes()
    altered = tmp_path / "altered.tar"
    with tarfile.open(bundle) as tar:
        members = tar.getmembers()
    for member in members:
        if member.size:
            at = member.offset_data + member.size // 2
            altered.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            refused = run_in_process("import", str(altered), home=remote)
            assert (member.name, refused.code) == (member.name, 65)
            assert not session_path(remote, "demo").exists()
            assert blocks(remote) == {}


def drop(name):
    return lambda members: [pair for pair in members if not pair[0].startswith(name)]


CHANGES = {
    "no session": drop("session"), "no blocks": drop("blocks"), "no end": drop("end"),
    "a path": lambda members: [*members[:2], ("../../evil", b"x"), *members[2:]],
    "two sessions": lambda members: [*members[:2], members[1], *members[2:]],
    "a later version": lambda members: [(members[0][0], members[0][1].replace(b'"version":1', b'"version":2')), *members[1:]],
    "another id": lambda members: [(members[0][0], members[0][1].replace(b'"demo"', b'"../x"')), *members[1:]],
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_an_invalid_bundle_is_refused(remote, bundle, tmp_path, name):
    with tarfile.open(bundle) as tar:
        members = [(m.name, tar.extractfile(m).read()) for m in tar.getmembers()]  # type: ignore[union-attr]
    with tarfile.open(tmp_path / "made.tar", "w") as tar:
        for path, data in CHANGES[name](members):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    refused = run_in_process("import", str(tmp_path / "made.tar"), home=remote)
    assert (refused.code, refused.out) == (65, b"")
    assert refused.err.count(b"\n") == 1
    assert not list(remote.rglob("*.jsonl"))
    assert blocks(remote) == {}


def test_a_link_in_a_bundle_is_refused(remote, bundle, tmp_path):
    with tarfile.open(tmp_path / "made.tar", "w") as tar:
        info = tarfile.TarInfo("codeh-bundle.json")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    assert run_in_process("import", str(tmp_path / "made.tar"), home=remote).code == 65


def test_a_missing_block_fails_a_bundle_or_is_left_out_of_it(demo, remote, tmp_path):
    run_ok("persist", "demo", "-i", home=demo)
    gone = min(blocks(demo))
    (demo / "blocks" / gone[:2] / gone).unlink()
    file = tmp_path / "b.tar"
    refused = run_in_process("export", "demo", "--bundle", str(file), home=demo)
    assert (refused.code, file.exists()) == (65, False)
    assert gone.encode() in refused.err
    assert gone.encode() in run_ok("export", "demo", "--bundle", file, "--allow-missing", home=demo).err
    assert gone.encode() in run_ok("import", file, home=remote).err
    assert blocks(remote) == blocks(demo)


def test_a_bundle_of_an_altered_block_leaves_no_file(home, tmp_path):
    run_ok("append", "-s", "a", "-m", BIG)
    run_ok("persist", "a", "-i")
    (id,) = blocks(home)
    (home / "blocks" / id[:2] / id).write_bytes(b"{}")
    refused = run_in_process("export", "a", "--bundle", str(tmp_path / "b.tar"))
    assert (refused.code, (tmp_path / "b.tar").exists()) == (65, False)


def test_a_session_without_blocks_with_damage_and_another_spelling_is_carried_as_it_is(home, remote):
    run_ok("append", "-s", "a", "-m", "hi")
    path = session_path(home, "a")
    spaced = path.read_bytes().replace(b'{"type":"session",', b'{ "version": 1, "type" : "session", ', 1)
    path.write_bytes(spaced + b"not json\n" + b'{"torn":')
    path.chmod(0o600)
    run_ok("export", "a", "--bundle", home / "b.tar")
    run_ok("import", home / "b.tar", home=remote)
    assert session_path(remote, "a").read_bytes() == path.read_bytes()
    assert not (remote / "blocks").exists()


def test_options_that_a_bundle_excludes(home):
    run_ok("append", "-s", "a", "-m", "hi")
    for more in (["--to", "html"], ["--redact"], ["-n", "2"]):
        assert run_in_process("export", "a", "--bundle", "x.tar", *more).code == 2
    assert run_in_process("export", "a", "--bundle", str(home / "no" / "x.tar")).code == 74


def test_a_file_without_an_id_as_name_is_imported_under_a_similar_id(home, remote):
    file = home / "my chat é.jsonl"
    home.mkdir(exist_ok=True)
    run_ok("append", "-s", str(file), "-m", "hi")
    run_ok("export", str(file), "--bundle", home / "b.tar")
    assert run_ok("import", home / "b.tar", home=remote).out == b"my-chat\n"
    assert run_ok("last", "my-chat", home=remote).out == b"hi\n"
    assert run_ok("import", home / "b.tar", "--into", "named", home=remote).out == b"named\n"
