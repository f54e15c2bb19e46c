"""A write that fails half-way leaves the half behind."""

import os

os.ftruncate = lambda _fd, _size: None
