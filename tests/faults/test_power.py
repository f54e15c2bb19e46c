"""Power cuts, on a file system of its own: what the disk has when writers are at work, mounted and read."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from faults.profiles import by_profile
from support import ROOT, environ

SCRIPT = ROOT / "tests" / "helpers" / "faults" / "power.py"
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
    argv = ["unshare", "-m", sys.executable, str(SCRIPT), str(place), str(cuts), *mutant]
    done = subprocess.run(argv, capture_output=True, check=False, env=environ(), timeout=1200)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["acknowledged"] >= 10 * cuts
    return seen


def test_what_was_acknowledged_is_on_the_disk(tmp_path, tally):
    seen = cut(tmp_path, CUTS)
    assert (seen["lost"], seen["torn"], seen["missing"]) == (0, 0, 0)
    tally("power cuts", CUTS, seen["lost"], seen["torn"])


def test_that_check_sees_that_nothing_is_synced(tmp_path):
    assert cut(tmp_path, 2, "no_fsync")["lost"] > 0
