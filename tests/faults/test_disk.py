"""A disk that is really full, and one that is really read-only: a small file system in memory."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from support import ROOT, environ

UNSHARE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
SCRIPT = ROOT / "tests" / "helpers" / "faults" / "full_disk.py"
MOUNT = 'mount -t tmpfs -o size=256k tmpfs "$1" && head -c 100000 /dev/zero > "$1/filler"'


def can_mount(place):
    """Whether a file system may be mounted here, seen by the test alone."""
    if shutil.which("unshare") is None:
        return False
    argv = [*UNSHARE, "sh", "-c", MOUNT, "sh", str(place)]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def test_a_disk_that_fills_up(tmp_path, tally):
    """Every acknowledged record is there; nothing else is; with room again, or to write, it goes on."""
    if not can_mount(tmp_path):
        pytest.skip("no file system may be mounted here (unshare -m, mount -t tmpfs)")
    script = f'{MOUNT} && exec "$2" "$3" "$1/home"'
    argv = [*UNSHARE, "sh", "-c", script, "sh", str(tmp_path), sys.executable, str(SCRIPT)]
    done = subprocess.run(argv, capture_output=True, check=False, env=environ(), timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert 5 < seen["acknowledged"] < 100
    assert (seen["code"], seen["again"], seen["later"]) == (74, [74] * 3, 0)
    assert "No space left on device; nothing was stored" in seen["told"]
    assert seen["persisting"][0] == 74
    assert "No space left on device" in seen["persisting"][1]
    assert seen["read_only"] == [74, seen["read_only"][1]]
    assert "Read-only file system" in seen["read_only"][1]
    assert (seen["left"], seen["lost"]) == ([], 0)
    assert seen["unchanged"]
    assert seen["order"]
    assert not seen["torn"]
    tally("a file system of 256 KiB that fills up, then is read-only", seen["acknowledged"] + 6)
