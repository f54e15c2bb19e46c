"""The program with its sessions in Postgres."""

from __future__ import annotations

from typing import NamedTuple

import forks
import support

SECRET = "pass-word-7f3a"  # which no message may hold


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Program:
    """The program in a home of its own."""

    def __init__(self, home, url):
        self.home = home
        self.url = url
        self._program = forks.shim(home.parent)

    def environ(self, **more):
        return {
            "CODEH_HOME": str(self.home),
            "CODEH_STORE": self.url,
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            **more,
        }

    def __call__(self, *argv, stdin="", **more):
        env = {"CODEH_STORE": self.url, **more}
        done = support.run(*argv, stdin=stdin.encode(), env=env, home=self.home)
        return Done(done.code, done.out.decode(), done.err.decode())
