"""What leaves the machine encrypted is opened by the keys it was encrypted to, and by no other."""

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.sync.encryption import Encryption, is_encrypted

pyrage = pytest.importorskip("pyrage", reason="the extra `age` is not installed")
DATA = b"a conversation \xff" * 100


def identity(path, before="# made today\n\n", after="\n"):
    """A new key in a file; its public one, and the file's name."""
    made = pyrage.x25519.Identity.generate()
    path.write_text(f"{before}{made}{after}")
    return str(made.to_public()), str(path)


def test_each_of_those_it_is_encrypted_to_opens_it_alone(tmp_path):
    (ours, our_file), (theirs, their_file) = (identity(tmp_path / name) for name in ("ours", "theirs"))
    sealed = Encryption([ours, theirs], []).encrypt(DATA)
    assert is_encrypted(sealed)
    assert not is_encrypted(DATA)
    assert b"conversation" not in sealed
    for name in (our_file, their_file):
        assert Encryption([], [name]).decrypt(sealed, "here") == DATA


def test_a_file_of_several_keys_opens_what_any_of_them_does(tmp_path):
    first, _ = identity(tmp_path / "one")
    second, _ = identity(tmp_path / "two", before="  ", after="")
    both = tmp_path / "both"
    both.write_text((tmp_path / "one").read_text() + (tmp_path / "two").read_text())
    for to in (first, second):
        assert Encryption([], [str(both)]).decrypt(Encryption([to], []).encrypt(DATA), "here") == DATA


def test_who_has_another_key_or_none_is_told_so(tmp_path):
    to, _ = identity(tmp_path / "ours")
    _, other = identity(tmp_path / "other")
    sealed = Encryption([to], []).encrypt(DATA)
    with pytest.raises(Usage, match=r"^there: encrypted; pass --identity FILE to decrypt it$"):
        Encryption([to], []).decrypt(sealed, "there")
    with pytest.raises(BadData, match=rf"^there: {other} cannot decrypt it: "):
        Encryption([], [other]).decrypt(sealed, "there")


def test_what_was_altered_or_cut_is_never_opened(tmp_path):
    to, file = identity(tmp_path / "k")
    sealed, seal = Encryption([to], []).encrypt(DATA), Encryption([], [file])
    changed = bytearray(sealed)
    changed[-20] ^= 1
    for spoiled in (bytes(changed), sealed[:-1], sealed[: len(sealed) // 2], sealed[:25]):
        with pytest.raises(BadData, match=r"^here: .* cannot decrypt it"):
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
    assert (
        Encryption([], [str(tmp_path / "id")]).decrypt(Encryption([to], []).encrypt(DATA), "here") == DATA
    )


@pytest.mark.parametrize("text", ["", "age1nonsense", "ssh-ed25519 AAAA", "me@example.org"])
def test_what_is_no_public_key_is_refused(text):
    with pytest.raises(Usage, match=r"^--encrypt-to: a public key expected"):
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
