"""Nothing is synced."""

import os

os.fsync = os.fdatasync = lambda _: None
