"""Use `codeh-history serve` like another program: requests on stdin, responses on stdout."""

import queue
import subprocess
import threading
from collections import defaultdict

import orjson

from support import PROGRAM, ROOT, environ

SECONDS = 60


class Server:
    """A running `serve`; its responses are read by request id."""

    def __init__(
        self, home, *, env = None,
        cwd = None, only = None
    ):  # fmt: skip
        """`only`: the server's whole environment, except what is needed to start it."""
        environment = environ(env, home) if only is None else {**only, "PYTHONPATH": str(ROOT / "cli")}
        self.process = subprocess.Popen(
            [*PROGRAM, "serve"], env=environment, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.order = []  # the ids of answers, as they came
        self._came = defaultdict(queue.Queue)
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.end()

    def send(self, *argv, id, **fields):
        self.write(orjson.dumps({"id": id, "argv": argv, **fields}) + b"\n")

    def write(self, data):
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def cancel(self, id):
        self.write(orjson.dumps({"cancel": id}) + b"\n")

    def answer(self, id):
        """The next line for a request: its response or an event."""
        return self._came[id].get(timeout=SECONDS)

    def ask(self, *argv, id="ask", **fields):
        self.send(*argv, id=id, **fields)
        return self.answer(id)

    def end(self):
        """Close its stdin; return its exit code once all requests are answered."""
        assert self.process.stdin
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        code = self.process.wait(timeout=SECONDS)
        self._reading.join()
        return code

    def _read(self):
        assert self.process.stdout
        for line in self.process.stdout:
            answer = orjson.loads(line)
            if "code" in answer:
                self.order.append(answer["id"])
            self._came[answer["id"]].put(answer)
        self.process.stdout.close()
