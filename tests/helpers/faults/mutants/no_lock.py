"""Writers that do not wait for each other."""

from codeh_history.store import log

log.lock = lambda _fd, _path, _deadline: None
