"""New content written over the old, in the same file."""

import os
from contextlib import contextmanager

from codeh_history.store import new_file


@contextmanager
def in_place(path):
    yield path, os.open(path, os.O_WRONLY | os.O_TRUNC)


new_file.temporary = in_place
