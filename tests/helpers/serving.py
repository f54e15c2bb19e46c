"""`codeh-history serve` as another program has it: requests to its stdin, answers from its stdout."""

import queue
import subprocess
import threading
from collections import defaultdict

import orjson

from support import PROGRAM, ROOT, environ

SECONDS = 60


class Server:
    """A running `serve`; its answers are taken by the id of their request."""

    def __init__(
        self, home, *, env = None,
        cwd = None, only = None
    ):  # fmt: skip
        """`only`: the whole environment of the server but for what it is found by."""
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
        """The next line about a request: its answer, or an event of it."""
        return self._came[id].get(timeout=SECONDS)

    def ask(self, *argv, id="ask", **fields):
        self.send(*argv, id=id, **fields)
        return self.answer(id)

    def end(self):
        """Close its stdin; its exit code when all is answered."""
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
