"""Encryption with age, for the owners of public keys.

Recipients are public and may be in a command line; an identity is secret, so the command line has only its
file's name. The age package is loaded on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.errors import BadData, Usage
from ..base.input import read_file

HEAD = b"age-encryption.org/v1\n"  # beginning of an encrypted file
FIRST = "codeh-bundle.json"  # the first member of a bundle
_SSH = ("ssh-ed25519 ", "ssh-rsa ")


def is_encrypted(data: bytes) -> bool:
    return data.startswith(HEAD)


def is_bundle(head: bytes) -> bool:
    """Return whether a file with these first bytes is a bundle."""
    return head[257:262] == b"ustar" and head.startswith(FIRST.encode() + b"\0")


class Encryption:
    """The recipients to encrypt for, and the identities to decrypt with."""

    def __init__(self, recipients: Sequence[str], identities: Sequence[str]) -> None:
        self._recipients = list(map(_recipient, recipients))
        self._files = identities
        self._identities = [identity for name in identities for identity in _identities(name)]

    def encrypt(self, data: bytes) -> bytes:
        result: bytes = _age().encrypt(data, self._recipients)
        return result

    def decrypt(self, data: bytes, where: str) -> bytes:
        """Decrypt data; raise Usage without an identity, BadData if none matches or data was altered."""
        if not self._identities:
            raise Usage(f"{where}: encrypted; pass --identity FILE to decrypt it")
        age = _age()
        try:
            result: bytes = age.decrypt(data, self._identities)
        except age.DecryptError as error:
            if "No matching keys" in str(error):
                raise BadData(f"{where}: {', '.join(self._files)} cannot decrypt it: {error}") from None
            raise BadData(f"{where}: damaged or incomplete ({error})") from None
        return result


def _recipient(text: str) -> Any:
    age = _age()
    try:
        kind = age.ssh if text.startswith(_SSH) else age.x25519
        return kind.Recipient.from_str(text)
    except age.RecipientError:
        what = "a secret key belongs in a file" if text.upper().startswith("AGE-SECRET-KEY") else text[:80]
        raise Usage(f"--encrypt-to: expected a public key (age1…, ssh-ed25519 …): {what}") from None


def _identities(name: str) -> list[Any]:
    """Return the keys in a file: `age-keygen`'s lines, or an SSH key without a passphrase."""
    age, data = _age(), read_file(name).lstrip()
    try:
        if data.startswith(b"-----BEGIN"):
            return [age.ssh.Identity.from_buffer(data)]
        lines = [line.strip() for line in data.decode().splitlines()]
        keys = [line for line in lines if line and not line.startswith("#")]
        if keys:
            return list(map(age.x25519.Identity.from_str, keys))
    except (age.IdentityError, UnicodeDecodeError):
        pass
    raise BadData(f"{name}: not an identity (AGE-SECRET-KEY-1…, or an SSH key without a passphrase)")


def _age() -> Any:
    try:
        import pyrage
    except ImportError:
        raise Usage(
            "encryption needs the package pyrage: pipx inject codeh-history pyrage,"
            " or pip install 'codeh-history[age]'"
        ) from None
    return pyrage
