"""Encrypted copies: bundles and folders that only whoever has the key can read."""

import os
import sys
import time
from pathlib import Path

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.store.cache import SETTLED, Cache
from codeh_history.sync.encryption import Encryption
from in_process import run_in_process, run_ok, write_session
from synced import HEADER, message, sessions, sync, texts

pyrage = pytest.importorskip("pyrage", reason="the extra `age` is not installed")
DATA = b"a conversation \xff" * 100
TEXT = "the text of a message " * 300  # so long that it goes to a block


class Key:
    """An identity in a file, and the public key of it."""

    def __init__(self, folder):
        identity = pyrage.x25519.Identity.generate()
        self.to = str(identity.to_public())
        self.file = str(folder / f"{self.to[-8:]}.txt")
        Path(self.file).write_text(f"# created: today\n# public key: {self.to}\n{identity}\n")

    @property
    def both(self):
        return ("--encrypt-to", self.to, "--identity", self.file)


@pytest.fixture
def key(tmp_path):
    return Key(tmp_path)


@pytest.fixture
def one(tmp_path):
    home = tmp_path / "one"
    write_session(home, HEADER + message("a", TEXT) + message("b", "short", 2), "demo")
    run_ok("persist", "demo", "-i", home=home)
    return home


@pytest.fixture
def two(tmp_path):
    return tmp_path / "two"


def shows(folder):
    """All that can be read in a folder without a key."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def settle(*folders):
    """Let files be old enough to be remembered."""
    for folder in folders:
        for path in folder.rglob("*.*"):
            if path.is_file():
                os.utime(path, (10**9, 10**9))


# -- folders -------------------------------------------------------------------------------------------------------


def test_a_sealed_folder_carries_sessions_with_their_blocks(one, two, tmp_path, key):
    folder = tmp_path / "sealed"
    url = f"dir:{folder}"
    sync(one, url, *key.both)
    assert [path.name for path in folder.iterdir()] == ["demo.tar.age"]
    assert folder.joinpath("demo.tar.age").stat().st_mode & 0o777 == 0o600
    sync(two, url, *key.both)
    assert sessions(two) == sessions(one)
    assert texts(two, "demo") == [TEXT, "short"]
    run_in_process("append", "-s", "demo", "-m", "from two", home=two)
    run_in_process("append", "-s", "demo", "-m", "from one", home=one)
    for home in (one, two, one):
        sync(home, url, *key.both)
    assert sessions(one) == sessions(two)
    assert len(sessions(one)) == 2
    assert b"short" not in shows(folder)
    assert b"from" not in shows(folder)


def test_redacted_content_is_removed_from_a_sealed_folder(one, two, tmp_path, key):
    url = f"dir:{tmp_path / 'sealed'}"
    run_in_process("append", "-s", "demo", "-m", "sk-ant-api03-" + "Ab3" * 31 + "AA", home=one)
    for home in (one, two):
        sync(home, url, *key.both)
    run_in_process("redact", "demo", "-i", "--yes", home=one)
    for home in (one, two):
        sync(home, url, *key.both)
    assert texts(two, "demo")[-1] == "[redacted:anthropic-key]"


def test_every_recipient_can_read_and_nobody_else(one, two, tmp_path, key):
    other, stranger = Key(tmp_path), Key(tmp_path)
    url = f"dir:{tmp_path / 'sealed'}"
    sync(one, url, "--encrypt-to", key.to, "--encrypt-to", other.to)
    done = sync(two, url, *stranger.both, code=65)
    assert b"cannot decrypt it" in done.err
    assert not (two / "sessions").exists()
    sync(two, url, "--encrypt-to", key.to, "--identity", stranger.file, "--identity", other.file)
    assert texts(two, "demo") == [TEXT, "short"]


def test_unchanged_files_are_not_opened(one, tmp_path, key):
    """The second sync needs no identity any more."""
    folder = tmp_path / "sealed"
    sync(one, f"dir:{folder}", *key.both)
    settle(folder, one / "sessions")
    change = [os.stat(path).st_ctime_ns for path in folder.iterdir()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: change[0] + int(2e9 * SETTLED))
        sync(one, f"dir:{folder}", *key.both)
    assert sync(one, f"dir:{folder}", "--encrypt-to", key.to).err == b""
    Cache(str(one)).remove()
    assert b"--identity FILE" in sync(one, f"dir:{folder}", "--encrypt-to", key.to, code=2).err
    assert change == [os.stat(path).st_ctime_ns for path in folder.iterdir()]


@pytest.mark.parametrize("cut", [0, 10, 200, -1])
def test_a_truncated_or_altered_sealed_file_is_reported(one, two, tmp_path, key, cut):
    folder = tmp_path / "sealed"
    sync(one, f"dir:{folder}", *key.both)
    path = folder / "demo.tar.age"
    path.write_bytes(path.read_bytes()[:cut])
    before = sessions(one)
    for home in (one, two):
        done = sync(home, f"dir:{folder}", *key.both, code=65)
        assert b"demo.tar.age" in done.err
    assert sessions(one) == before
    path.unlink()
    sync(one, f"dir:{folder}", *key.both)
    sync(two, f"dir:{folder}", *key.both)
    assert sessions(two) == before


# -- bundles -------------------------------------------------------------------------------------------------------


def bundle(home, file, *more):
    return run_in_process("export", "demo", "--bundle", str(file), *more, home=home)


def test_a_sealed_bundle_is_opened_by_its_key(one, two, tmp_path, key):
    file = tmp_path / "demo.tar.age"
    assert bundle(one, file, "--encrypt-to", key.to).code == 0
    assert file.read_bytes().startswith(b"age-encryption.org/v1\n")
    assert b"short" not in file.read_bytes()
    assert run_in_process("import", str(file), home=two).code == 2
    assert run_in_process("import", str(file), "--identity", Key(tmp_path).file, home=two).code == 65
    assert run_in_process("import", str(file), "--identity", key.file, home=two).text == "demo"
    assert texts(two, "demo") == [TEXT, "short"]


def test_a_sealed_copy_of_a_folder_is_a_bundle(one, two, tmp_path, key):
    sync(one, f"dir:{tmp_path / 'sealed'}", *key.both)
    file = str(tmp_path / "sealed" / "demo.tar.age")
    assert run_in_process("import", file, "--identity", key.file, home=two).text == "demo"


def test_without_the_package_it_says_what_to_install(one, tmp_path, key, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyrage", None)
    done = sync(one, f"dir:{tmp_path / 'sealed'}", *key.both, code=2)
    assert b"pipx inject codeh-history pyrage" in done.err
    assert not (tmp_path / "sealed").exists()
    assert bundle(one, tmp_path / "x.age", "--encrypt-to", key.to).code == 2


# -- keys -----------------------------------------------------------------------------------------------------------


def test_a_file_of_several_keys_opens_what_any_of_them_does(tmp_path):
    keys = [Key(tmp_path), Key(tmp_path)]
    both = tmp_path / "both"
    both.write_text("".join(f"  {Path(key.file).read_text()}" for key in keys).rstrip("\n"))
    for key in keys:
        assert Encryption([], [str(both)]).decrypt(Encryption([key.to], []).encrypt(DATA), "here") == DATA


def test_what_was_altered_or_cut_is_never_opened(key):
    sealed, seal = Encryption([key.to], []).encrypt(DATA), Encryption([], [key.file])
    changed = bytearray(sealed)
    changed[-20] ^= 1
    for spoiled in (bytes(changed), sealed[:-1], sealed[: len(sealed) // 2], sealed[:25]):
        with pytest.raises(BadData, match=r"^here: damaged or incomplete \("):
            seal.decrypt(spoiled, "here")


def test_an_ssh_key_will_do(tmp_path):
    pytest.importorskip("cryptography")
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    text = serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    (tmp_path / "id").write_bytes(b"\n" + key.private_bytes(*text))
    form = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    to = key.public_key().public_bytes(*form).decode() + " me@here"
    sealed = Encryption([to], []).encrypt(DATA)
    assert Encryption([], [str(tmp_path / "id")]).decrypt(sealed, "here") == DATA


@pytest.mark.parametrize("text", ["", "age1nonsense", "ssh-ed25519 AAAA", "me@example.org"])
def test_what_is_no_public_key_is_refused(text):
    with pytest.raises(Usage, match=r"^--encrypt-to: expected a public key"):
        Encryption([text], [])


def test_a_secret_key_on_the_command_line_is_not_repeated():
    secret = str(pyrage.x25519.Identity.generate())
    for text in (secret, secret.lower()):
        with pytest.raises(Usage, match=r"a secret key belongs in a file$") as error:
            Encryption([text], [])
        assert secret.lower()[20:] not in str(error.value).lower()


@pytest.mark.parametrize(
    "data", [b"", b"# nothing\n", b"\xff\xfe", b"age1public", b"-----BEGIN NOTHING-----\n"]
)
def test_a_file_without_a_key_is_named(tmp_path, data):
    (tmp_path / "k").write_bytes(data)
    with pytest.raises(BadData, match=rf"^{tmp_path}/k: not an identity"):
        Encryption([], [str(tmp_path / "k")])
