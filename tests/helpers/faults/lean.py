"""The program with minimal startup, for tracing: `python -I -S -B lean.py PATH MUTANT ARGV…` (`-`: no mutant)."""

import runpy
import sys

place, mutant = sys.argv[1:3]
sys.path[:0] = place.split(":")
del sys.argv[1:3]

from codeh_history.base import times  # noqa: E402, F401 - what Python itself reads later is not the subject
from codeh_history.main import program  # noqa: E402

if mutant != "-":
    runpy.run_path(mutant)
program()
