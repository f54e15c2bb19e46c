"""Disks of the tests' own: one that is really full, and really read-only, and what one has after power cuts."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from length import by_profile
from support import ROOT, environ

UNSHARE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
SCRIPTS = ROOT / "tests" / "helpers" / "faults"
MOUNT = 'mount -t tmpfs -o size=256k tmpfs "$1" && head -c 100000 /dev/zero > "$1/filler"'


def can_mount(place):
    """Whether a file system may be mounted here, seen by the test alone."""
    if shutil.which("unshare") is None:
        return False
    argv = [*UNSHARE, "sh", "-c", MOUNT, "sh", str(place)]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def test_full_disk(tmp_path, tally):
    """Every acknowledged record is there; nothing else is; with room again, or to write, it goes on."""
    if not can_mount(tmp_path):
        pytest.skip("no file system may be mounted here (unshare -m, mount -t tmpfs)")
    script = f'{MOUNT} && exec "$2" "$3" "$1/home"'
    program = [sys.executable, str(SCRIPTS / "full_disk.py")]
    argv = [*UNSHARE, "sh", "-c", script, "sh", str(tmp_path), *program]
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


CUTS = by_profile(3, 10, 100)


def can_loop(place):
    """Whether an image may be mounted here, seen by the test alone."""
    if os.geteuid() or not all(map(shutil.which, ("unshare", "mkfs.ext4"))):
        return False
    script = 'truncate -s 4M "$1/try" && mkfs.ext4 -q -F "$1/try" && mkdir "$1/on" && mount -o loop "$1/try" "$1/on" && rm "$1/try"'
    argv = ["unshare", "-m", "sh", "-c", script, "sh", str(place)]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def cut(place, cuts, *mutant):
    if not can_loop(place):
        pytest.skip("no image may be mounted here (root, loop devices, mkfs.ext4)")
    argv = ["unshare", "-m", sys.executable, str(SCRIPTS / "power.py"), str(place), str(cuts), *mutant]
    done = subprocess.run(argv, capture_output=True, check=False, env=environ(), timeout=1200)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["acknowledged"] >= 10 * cuts
    return seen


def test_acknowledged_records_survive_power_loss(tmp_path, tally):
    seen = cut(tmp_path, CUTS)
    assert (seen["lost"], seen["torn"], seen["missing"]) == (0, 0, 0)
    tally("power cuts", CUTS, seen["lost"], seen["torn"])


def test_power_loss_check_detects_missing_fsync(tmp_path):
    assert cut(tmp_path, 2, "no_fsync")["lost"] > 0
