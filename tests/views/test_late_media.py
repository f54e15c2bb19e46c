"""Sessions with many large images: small files, and commands that hold one image at a time."""

import base64
import os
import subprocess
import sys

import orjson
import pytest

from in_process import run_in_process
from support import environ, session_path

MIB = 1 << 20
COUNTING = 100 * MIB  # a vocabulary, where tokens are counted
SIGNATURE = b"\x89PNG\r\n\x1a\n"


# A process starts with the peak of the one that started it: a small one stands between.
MEASURE = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
sys.stderr.write(f"peak {usage.ru_maxrss * 1024}")
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak(*argv, home, out=None):
    """The most memory a command held, in bytes; its stdout goes to a file."""
    command = [sys.executable, "-S", "-c", MEASURE, sys.executable, "-m", "codeh_history", *argv]
    with open(out or os.devnull, "wb") as stdout:
        done = subprocess.run(
            command, env=environ(None, home), stdout=stdout, stderr=subprocess.PIPE, check=True
        )
    return int(done.stderr.rpartition(b"peak ")[2])


@pytest.mark.parametrize(
    ("count", "size"), [(5, 5 * MIB), pytest.param(20, 10 * MIB, marks=pytest.mark.slow)]
)
def test_images_in_a_session(home, tmp_path, count, size):
    image, body = tmp_path / "image.png", tmp_path / "body.json"
    base = peak("append", "-s", "demo", "--pin", "-m", "hello", home=home)
    base = max(base, peak("payload", "demo", "--to", "openai-chat", "--model", "m", home=home))
    most = 3 * size * 4 // 3
    for number in range(count):
        image.write_bytes(SIGNATURE + number.to_bytes(8) + os.urandom(MIB) * (size // MIB))
        command = ("append", "-s", "demo", "-m", f"image {number}", "--attach", str(image))
        assert peak(*command, home=home) - base < most
    assert session_path(home, "demo").stat().st_size < MIB
    for provider in ("gemini", "openai-chat", "openai-responses", "anthropic"):
        used = peak("payload", "demo", "--to", provider, "--model", "m", home=home, out=body)
        assert used - base < most
        assert body.stat().st_size > count * size * 4 // 3
    assert peak("search", "image", "demo", home=home) - base < most
    for looking in ("status", "stats"):
        assert peak(looking, "demo", home=home) - base < most + COUNTING
    small = ("payload", "demo", "--to", "gemini", "--budget", "3k")
    assert peak(*small, home=home, out=body) - base < most + COUNTING
    assert 0 < body.stat().st_size < count * size * 4 // 3
    assert peak("append", "-s", "demo", "--call", "f", "--args", "{}", home=home) - base < most
    assert peak("append", "-s", "demo", "--result", "f", "-m", "x", home=home) - base < most
    assert session_path(home, "demo").stat().st_size < MIB


@pytest.mark.parametrize("spoil", ["wrap", "url", "pad", "mime", "name"])
def test_media_with_other_key_spellings_is_sent(home, tmp_path, spoil):
    """Wrapped lines, the URL-safe alphabet, no padding, a type that is looked into: all read as they are."""
    data = base64.b64encode(SIGNATURE + os.urandom(MIB)).decode()
    blob = {"mimeType": "image/png", "data": data}
    if spoil == "wrap":
        blob["data"] = "\n".join(data[at : at + 76] for at in range(0, len(data), 76))
    elif spoil == "url":
        blob["data"] = data.replace("+", "-").replace("/", "_")
    elif spoil == "pad":
        blob["data"] = data.rstrip("=") + "A=="[: -(len(data.rstrip("=")) + 1) % 4]
    elif spoil == "mime":
        blob = {"mimeType": "text/plain", "data": base64.b64encode(b"a text " * MIB).decode()}
    else:
        blob = {"displayName": '"data":"x', **blob}
    line = orjson.dumps({"role": "user", "parts": [{"text": "see"}, {"inlineData": blob}]})
    run_in_process("append", "-s", "demo", "--jsonl", stdin=line, home=home)
    for provider in ("gemini", "openai-chat", "anthropic"):
        argv = ("payload", "demo", "--to", provider, "--model", "m")
        plain = run_in_process(*argv, home=home)
        run_in_process("persist", "demo", "-i", home=home)
        assert run_in_process(*argv, home=home).out == plain.out
        run_in_process("hydrate", "demo", "-i", home=home)


def test_streamed_body_equals_the_body(home, tmp_path):
    """The same bytes as from a session that holds the image itself."""
    image = tmp_path / "image.png"
    image.write_bytes(SIGNATURE + os.urandom(MIB) + b"1")
    for text in ("one", "two"):
        run_in_process("append", "-s", "demo", "-m", text, "--attach", str(image), home=home)
    run_in_process("fork", "demo", "--into", "inline", home=home)
    run_in_process("hydrate", "inline", "-i", home=home)
    assert session_path(home, "inline").stat().st_size > 2 * MIB
    for provider in ("gemini", "openai-chat", "openai-responses", "anthropic"):
        for flags in ((), ("--pretty",), ("--cache",), ("--budget", "9k")):
            argv = ("--to", provider, "--model", "m", *flags)
            body, plain = (
                run_in_process("payload", name, *argv, home=home).out for name in ("demo", "inline")
            )
            assert len(body) > 2 * MIB
            assert body.replace(b'"demo"', b'"inline"') == plain


def test_budget_counts_media_in_blocks(home, tmp_path):
    """The same images go, are told by the same words, and stay, as if the session held them itself."""
    image = tmp_path / "image.png"
    for number, size in enumerate((1 << 19, 700_001, 900_002)):
        image.write_bytes(SIGNATURE + bytes(8) + b"\0\0\3\0" * 2 + os.urandom(size))  # 768 by 768
        run_in_process("append", "-s", "demo", "-m", f"image {number}", "--attach", str(image), home=home)
        run_in_process("append", "-s", "demo", "--role", "model", "-m", "seen", home=home)
    run_in_process("append", "-s", "demo", "-m", "and?", home=home)
    run_in_process("fork", "demo", "--into", "inline", home=home)
    run_in_process("hydrate", "inline", "-i", home=home)
    for provider in ("gemini", "openai-chat", "openai-responses", "anthropic"):
        argv = ("--to", provider, "--model", "m", "--budget", "1200")
        deferred, whole = (run_in_process("payload", name, *argv, home=home) for name in ("demo", "inline"))
        assert (deferred.code, deferred.out) == (0, whole.out)
        assert deferred.out.count(b"left out; codeh-history expand") == 2
        assert len(deferred.out) > 900_002 * 4 // 3
