"""A server on the loopback interface that behaves like the provider APIs.

    with FakeProvider() as server:              # in tests
        server.url, server.requests         # its address; the received requests
        server.queue(Canned(b"…"))          # the next response, byte for byte

    python tests/helpers/fake_provider.py --port 0 --port-file FILE [--delay SECONDS]

It checks each request by the provider's rules and refuses it with the provider's error message and status.
No key is needed; nothing leaves the machine.
"""

import argparse
import itertools
import json
import re
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fake_answers import Answer, answer
from fake_formats import FORMATS, error, framed, request_of

PATHS = {
    "/v1/messages": "anthropic",
    "/v1/chat/completions": "openai-chat",
    "/v1/responses": "openai-responses",
    "/api/chat": "ollama",
}
GEMINI = re.compile(
    r"/v1(?:beta|alpha)?/(?:publishers/google/)?models/([^/:]+):(generateContent|streamGenerateContent)$"
)


@dataclass
class Canned:
    """A response sent unchanged; after `cut` bytes of the body the connection breaks."""

    body: bytes
    status: int = 200
    type: str = "application/json"
    cut: int | None = None
    chunk: int = 97  # bytes a chunk: events and characters get split


@dataclass
class Received:
    """A received request."""

    path: str
    body: Any


class FakeProvider:
    """The server, in its own thread; a context manager. With `saying`, it accepts everything and responds with that."""

    def __init__(self, port=0, delay=0.0, saying=None):
        self.delay = delay
        self.saying = saying
        self.requests = []
        self._canned = []
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def serve(self):
        """Serve until interrupted."""
        self._server.serve_forever()

    def queue(self, *answers):
        """Send these responses to the next requests, in this order."""
        self._canned += answers

    def next_canned(self):
        with self._lock:
            return self._canned.pop(0) if self._canned else None

    def next_id(self):
        with self._lock:
            return f"loop{next(self._ids):04d}"


def problems(format, body):
    """Why the provider would refuse a body, according to the program's rules for it."""
    try:
        from codeh_history.providers import Format
    except ImportError:
        return []
    try:
        return [f"{problem.path}: {problem.reason}" for problem in Format(format).problems(body)]
    except ImportError:
        return []


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: FakeProvider

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._json(200, {"object": "list", "data": []})

    def do_POST(self):
        url = urlsplit(self.path)
        raw = self._read()
        gemini = GEMINI.match(url.path)
        format = "gemini" if gemini else PATHS.get(url.path)
        id = self.provider.next_id()
        if format is None:
            return self._json(404, error("openai-chat", 404, f"no such path: {url.path}", id))
        try:
            body = json.loads(raw)
        except ValueError as reason:
            return self._json(400, error(format, 400, f"the body is not JSON: {reason}", id))
        self.provider.requests.append(Received(self.path, body))
        canned = self.provider.next_canned()
        if canned is not None:
            return self._replay(canned)
        errors = problems(format, body) if self.provider.saying is None else []
        if errors:
            return self._json(400, error(format, 400, errors[0], id))
        try:
            reply = answer(request_of(format, body, gemini[1] if gemini else ""), id)
        except (KeyError, TypeError, IndexError, AttributeError) as reason:
            return self._json(400, error(format, 400, f"not a request of this format: {reason!r}", id))
        _, whole, events = FORMATS[format]
        if self.provider.saying is not None:
            reply = Answer(reply.request, id, self.provider.saying)
        if gemini[2] == "streamGenerateContent" if gemini else body.get("stream", format == "ollama"):
            array = gemini is not None and parse_qs(url.query).get("alt") != ["sse"]
            kind = "application/json" if array else "text/event-stream"
            kind = "application/x-ndjson" if format == "ollama" else kind
            return self._stream(framed(format, events(reply), array=array), kind)
        return self._json(200, whole(reply))

    def _read(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _json(self, status, body):
        data = json.dumps(body, indent=2, ensure_ascii=False).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, pieces, type, status=200, cut=False):
        """The pieces as HTTP chunks with the server's delay between them; a cut response has no final chunk."""
        self.send_response(status)
        self.send_header("Content-Type", f"{type}; charset=utf-8")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, piece in enumerate(pieces):
            if number and self.provider.delay:
                time.sleep(self.provider.delay)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _replay(self, canned):
        body = canned.body if canned.cut is None else canned.body[: canned.cut]
        pieces = [body[at : at + canned.chunk] for at in range(0, len(body), canned.chunk)]
        self._stream(pieces, canned.type, canned.status, cut=canned.cut is not None)


def _handler(provider):
    return type("Handler", (_Handler,), {"provider": provider})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--port-file", type=Path, help="where to write the port once it listens")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds between the pieces of a stream")
    options = parser.parse_args()
    server = FakeProvider(options.port, options.delay)
    if options.port_file:
        whole = options.port_file.with_suffix(".new")
        whole.write_text(f"{server.port}\n")
        whole.replace(options.port_file)  # never there half written
    else:
        print(server.url, flush=True)
    try:
        server.serve()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()


def configure(home, url):
    """A home whose profiles use a server at this address."""
    home.mkdir(mode=0o700)
    curl = "curl -sSN --fail-with-body --json @-"
    (home / "config.toml").write_text(
        f'[profile.local]\nto = "ollama"\nmodel = "llama3.2"\nvia = "{curl} {url}/api/chat"\n'
        f'[profile.claude]\nto = "anthropic"\nmodel = "claude-opus-4-8"\nvia = "{curl} {url}/v1/messages"\n'
    )
    (home / "config.toml").chmod(0o600)
    return home
