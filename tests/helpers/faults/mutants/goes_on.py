"""A signal is a failure like any other."""

from codeh_history.base import env, errors


class Failure(errors.HistoryError):
    def __init__(self, signum):
        super().__init__("")
        self.exit_code = 128 + signum


env.Interrupted = Failure
