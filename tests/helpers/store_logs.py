"""Lines of sessions, odd ones among them."""

HEAD = b'{"type":"session","version":1,"id":"a","created":"2026-01-01T00:00:00.000Z"}\n'


LINE = (
    b'{"type":"message","id":"m1","ts":"2026-01-01T00:00:00.000Z","kind":"user","role":"user","parts":[]}\n'
)


ODD = [HEAD, HEAD + LINE, LINE, HEAD + b"not JSON\n" + LINE, HEAD + LINE[:-9], HEAD + b"\n\n\xff\n" + LINE]
