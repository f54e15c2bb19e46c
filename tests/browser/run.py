"""`make test-browser`: pages as a browser shows them; `make test-browser ARGS=pictures`: pictures of them in .browser.

    run.py check|pictures

Pages of a session made here are laid out by headless Chromium, wide and narrow, light and dark. Checked: nothing
scrolls sideways but what does so in itself, nothing is asked of the network, and axe-core (npm) finds nothing serious.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".browser"
AXE = "axe-core@4.14.1"
WIDTHS = (1280, 390)
SCHEMES = {"light": "1", "dark": "0"}
PROGRAM = (sys.executable, "-m", "codeh_history")

ANSWER = """\
The sky is **blue** because of *Rayleigh scattering*: short waves are scattered more.

| colour | wavelength |
|---|---|
| blue | 450 nm |
| red | 700 nm |

```python
def scattered(wavelength: float) -> float:  # relative to red; a comment that is much longer than a narrow screen is wide
    return (700e-9 / wavelength) ** 4
```

> So the light from all over the sky is blue.

1. See `sky.txt`
2. [An article](https://example.net/sky)
"""
# What the page does not hold is put into a copy of it; the policy, which forbids just that, is taken out.
PROBE = """
<script>{axe}</script>
<script>addEventListener('load',async()=>{{
for(const d of document.querySelectorAll('details'))d.open=true;
const found=await axe.run(),e=document.documentElement;
const out=document.createElement('pre');out.id='probe';
out.textContent=JSON.stringify({{wide:e.scrollWidth-e.clientWidth,
serious:found.violations.filter(v=>['serious','critical'].includes(v.impact)).map(v=>[v.id,v.nodes.map(n=>n.html)])}});
document.body.append(out)}})</script></body>"""


def main(job):
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if chromium is None:
        print("no Chromium here: apt install chromium", file=sys.stderr)
        return 2
    PLACE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = made(folder)
        if job == "pictures":
            for page, width, scheme in shown(pages):
                picture = PLACE / f"{page.stem}-{width}-{scheme}.png"
                look(chromium, folder, page, width, scheme, f"--screenshot={picture}")
                print(picture.relative_to(ROOT))
            return 0
        axe = fetched(folder)
        return sum(wrong(chromium, folder, axe, *view) for view in shown(pages)) and 1


def shown(pages):
    return ((page, width, scheme) for page in pages for width in WIDTHS for scheme in SCHEMES)


def made(folder):
    """The page of a session with all kinds of content, and the index."""
    environ = {
        **os.environ,
        "CODEH_HOME": str(folder / "home"),
        "CODEH_SESSION": "sky",
        "CODEH_ID_SEED": "page",
    }

    def run(*argv, stdin=""):
        clock = {"CODEH_NOW": "2026-01-02T03:04:05Z"}
        subprocess.run(
            [*PROGRAM, *argv],
            input=stdin.encode(),
            env=environ | clock,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    run("set", "title=Why the sky is blue", "system=Be brief, and name your sources.")
    picture = folder / "sky.png"
    picture.write_bytes(bytes.fromhex(PNG))
    run("append", "-m", "Why is the sky blue?\n  And <why> not violet?", "--attach", str(picture))
    run(
        "append",
        "--role",
        "model",
        "--call",
        "grep",
        "--args",
        json.dumps({"pattern": "sky", "path": "notes/" * 30}),
    )
    run("append", "--result", "grep", "-m", "\n".join(f"sky.txt:{n}: {'the sky ' * 30}" for n in range(30)))
    run("append", "--role", "model", "-m", ANSWER)
    for number in range(8):
        run("append", "-m", f"Question {number}?")
        run("append", "--role", "model", "-m", f"Answer {number}.")
    run("export", "--all", "--to", "html", "--output", str(folder / "pages"))
    return sorted((folder / "pages").glob("*.html"))


def look(chromium, folder, page, width, scheme, *job):
    """Have the browser lay a page out; its stdout."""
    argv = [
        chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},1400",
        f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", f"--user-data-dir={folder / 'profile'}",
        "--virtual-time-budget=10000", *job, page.as_uri(),
    ]  # fmt: skip
    environ = {**os.environ, "HOME": str(folder)}
    return subprocess.run(argv, env=environ, capture_output=True, text=True, timeout=120, check=True).stdout


def wrong(chromium, folder, axe, page, width, scheme):
    """Whether a page has a problem; prints the problems."""
    data = page.read_text()
    loads = re.findall(r'(?:src|href)="(?!data:image/|#|https://example\.net/sky|sky\.html)[^"]*"', data)
    data = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", data)
    probed = folder / f"probed-{page.name}"
    probed.write_text(data.replace("</body>", PROBE.format(axe=axe)))
    probe = re.search(
        r'<pre id="probe">(.*?)</pre>',
        look(chromium, folder, probed, width, scheme, "--dump-dom"),
        re.DOTALL,
    )
    result = json.loads(html.unescape(probe[1])) if probe else {"serious": ["no answer"], "wide": 0}
    problems = [
        *loads,
        *result["serious"],
        *([f"{result['wide']} pixels too wide"] if result["wide"] > 0 else []),
    ]
    print(f"{page.stem} {width} {scheme}: {problems or 'good'}")
    return bool(problems)


def fetched(folder):
    """axe-core's script, from npm the first time."""
    kept = PLACE / "axe.min.js"
    if not kept.exists():
        packed = subprocess.run(
            ["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, check=True
        )
        shutil.unpack_archive(folder / packed.stdout.strip(), folder / "axe", filter="data")
        shutil.copy(folder / "axe" / "package" / kept.name, kept)
    return kept.read_text()


# 8 × 8 pixels of one colour.
PNG = (
    "89504e470d0a1a0a0000000d49484452000000080000000808020000004b6d29dc000000114944415478da63683ff71a2b62"
    "185a12002b109001ed1b82f80000000049454e44ae426082"
)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
