"""A page works where it is put: opened from a file, written into a viewer of gists, printed."""

import re
import shutil
import subprocess
from base64 import b64encode

import pytest

from in_process import run_in_process

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
ANSWER = "Because it **scatters** light.\n\n```python\nprint('blue')\n```\n\n" + "So it goes on.\n\n" * 200
# As gistpreview.github.io does it: a page fetches the file and writes it in its own place.
VIEWER = """<!doctype html><meta charset="utf-8"><script>
const bytes=Uint8Array.from(atob('{}'),c=>c.charCodeAt(0));
addEventListener('load',()=>{{document.open();document.write(new TextDecoder().decode(bytes));document.close()}})
</script>"""


def chromium(tmp_path, *argv):
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
         f"--user-data-dir={tmp_path}/profile", *map(str, argv)],
        env={"HOME": str(tmp_path), "TZ": "Asia/Tokyo", "PATH": "/usr/bin:/bin"}, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout.decode()


@pytest.fixture
def page(home, tmp_path):
    run_in_process("append", "-s", "demo", "-m", "Why is the sky blue?", home=home)
    run_in_process("append", "-s", "demo", "--role", "model", "-m", ANSWER, home=home)
    path = tmp_path / "demo.html"
    path.write_bytes(run_in_process("export", "demo", "--to", "html", "--redact", home=home).out)
    return path


def without_times(dom):
    return re.sub(r"<time.*?</time>", "", dom)


def test_page_works_from_a_file_and_in_a_gist_viewer(page, tmp_path):
    viewer = tmp_path / "viewer.html"
    viewer.write_text(VIEWER.format(b64encode(page.read_bytes()).decode()))
    opened, viewed = (chromium(tmp_path, "--dump-dom", path.as_uri()) for path in (page, viewer))
    assert without_times(viewed) == without_times(opened)
    for dom in (opened, viewed):
        assert "<strong>scatters</strong>" in dom
        assert dom.count(">Copy</button>") == dom.count("<pre>")  # its script ran


def test_page_prints_completely(page, tmp_path):
    paper = tmp_path / "demo.pdf"
    chromium(tmp_path, f"--print-to-pdf={paper}", page.as_uri())
    data = paper.read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", data)) > 3
