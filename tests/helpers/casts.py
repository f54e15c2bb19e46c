"""Generate terminal casts (asciinema) of the README's screens, which a test compares with real output (`make generate`)."""

import json
import re

from support import ROOT

README = (ROOT / "README.md").read_text()
RESCUE, ASK = re.findall(r"```console\n([\s\S]*?)```", README)[:2]
CASTS = {"rescue": ("Rescue a broken session", RESCUE), "ask": ("Talk to any provider", ASK)}
KEY, READ = 0.04, 1.5  # seconds a key, and until what was printed is read


def cast(title, screen):
    """The screen as if typed, in asciicast version 2."""
    header = {"version": 2, "width": 110, "height": 24, "title": title}
    lines, time = [json.dumps(header)], 0.5
    for line in screen.splitlines():
        typed = line.removeprefix("$ ") if line.startswith("$ ") else ""
        if typed:
            time += READ
            lines.append(_event(time, "$ "))
            for key in typed:
                time += KEY
                lines.append(_event(time, key))
        time += KEY
        lines.append(_event(time, "\r\n" if typed else f"{line}\r\n"))
    lines.append(_event(time + 2 * READ, "$ "))
    return "\n".join(lines) + "\n"


def _event(time, text):
    return json.dumps([round(time, 2), "o", text], ensure_ascii=False)


def path(name):
    return ROOT / "docs" / "pictures" / f"{name}.cast"


if __name__ == "__main__":
    for name, screen in CASTS.items():
        path(name).write_text(cast(*screen))
