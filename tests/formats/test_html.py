"""The HTML of a conversation, and of many: whatever a model wrote, it neither acts nor loads anything."""

import re
from html import escape, unescape
from html.parser import HTMLParser
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import strategies as some
import support
from codeh_history.formats import html
from codeh_history.formats.html import look, rendered
from in_process import run_in_process, write_session

PNG = "iVBORw0KGgo="
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": '<img src=x onerror="alert(1)">',
    "script link": "[x](javascript:alert(1))",
    "data link": "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "script link in other words": "[x](<  JavaScript&#58;alert(1)>) [x](&#x6A;avascript:alert(1)) [y]\n\n[y]: vbscript:x",
    "tracker": "![x](https://example.net/pixel?told)",
    "tracker in other words": "!\\[x](https://a) ![x][y] !![x](y) [![x](y)](z)\n\n[y]: https://example.net/pixel",
    "link title": 'a [x](https://e.net "[source1]\'><script>") b',
    "fence": "```\n</code></pre><script>",
    "end of page": "</article></body><script>",
    "style": "<style>body{background:url(https://example.net)}</style>",
    "escape sequence": "\x1b]52;c;eA==\x07",
}


class Seen(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self):
        super().__init__()
        self.elements = []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


def elements(text, **fields):
    data = page({"kind": "codeh", "role": "model", "parts": [{"text": text}], **fields})
    assert "\x1b" not in data
    seen = Seen()
    seen.feed(data)
    return seen.elements


def page(*messages, **meta):
    """The page of these messages."""
    log = (
        {"type": "message", "id": f"m{n}", "ts": some.TS, **message} for n, message in enumerate(messages)
    )
    return html.export(some.view_of([*([{"type": "meta", "set": meta}] if meta else []), *log])).decode()


def user(text):
    return {"kind": "user", "parts": [{"text": text}]}


def check(pairs):
    tags = [tag for tag, _ in pairs]
    assert not {"iframe", "object", "embed", "form", "base", "link"} & set(tags)
    assert tags.count("style") == tags.count("script") == tags.count("body") == 1
    for tag, attributes in pairs:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        src, href = attributes.get("src") or "data:image/png;", attributes.get("href") or "#"
        assert src.startswith(
            ("data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;")
        )
        assert href.startswith(("#", "http://", "https://", "mailto:")) or ":" not in href.split("/")[0], (
            tag
        )


def test_2026_11_23_malformed_mime_type_is_not_an_image():
    """The page of it ended with a bug."""
    blob = {"mimeType": {}, "data": PNG}
    assert "<img" not in page({"kind": "user", "role": "user", "parts": [{"inlineData": blob}]})


def test_2026_11_23_page_cost_equals_usage(tmp_path):
    """What is written to the cache for an hour costs more; a count that is none was a bug."""
    raw = {"cache_creation": {"ephemeral_1h_input_tokens": 1_000_000}}
    used = {"input": 1_000_000, "cacheWrite": 1_000_000, "output": ["none"], "raw": raw}
    by = {"kind": "codeh", "role": "model", "provider": "anthropic", "model": "claude-sonnet-4-5"}
    answer = {**by, "parts": [{"text": "hi"}], "usage": used}
    head = {"type": "session", "version": 1, "id": "s", "created": some.TS}
    write_session(tmp_path, some.encode([head, {"type": "message", "id": "m", "ts": some.TS, **answer}]))
    (row,) = run_in_process("usage", "s", "--json", home=tmp_path).lines[0]["rows"]
    assert row["cost"] > 5
    assert f"${row['cost']:.2f}" in page(answer)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_acts_or_loads(name):
    tags = elements(HOSTILE[name])
    check(tags)
    assert "img" not in dict(tags)


@given(st.text(st.sampled_from("<>[]()!'\"`\\&;:/#=-\n axsrcjp1"), max_size=60))
def test_no_random_text_acts_or_loads(text):
    check(elements(text))


@pytest.mark.parametrize(
    ("kind", "data", "shown"),
    [
        ("image/png", PNG, True), ("image/svg+xml", PNG, False), ("text/html", PNG, False),
        ("image/png", '"><script>', False), ('image/png" onerror="x', PNG, False),
    ],
)  # fmt: skip
def test_only_pictures_are_shown(kind, data, *, shown):
    tags = elements("x", parts=[{"inlineData": {"mimeType": kind, "data": data}}])
    check(tags)
    assert ("img" in dict(tags)) is shown


def test_citation_links_to_its_reference():
    reference = {
        "number": 3,
        "id": "r",
        "title": "A <b> title",
        "url": "https://example.net/?a=1&b=2",
        "text": "t",
    }
    tags = elements("It says so [source3].", references=[reference])
    links = [attributes for tag, attributes in tags if tag == "a"]
    assert [link["href"] for link in links if link["href"] != "#m1"] == [
        "#reference-3",
        "https://example.net/?a=1&b=2",
    ]
    ids = [attributes.get("id") for tag, attributes in tags if tag == "li"]
    assert ids[-1:] == ["reference-3"]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", 7])
def test_only_web_references_are_links(url):
    tags = elements("x", references=[{"number": 1, "id": "r", "title": "t", "url": url, "text": "t"}])
    assert [attributes["href"] for tag, attributes in tags if tag == "a"] == ["#m1"]


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("<div>\n# a\n</div>", "<p>&lt;div&gt;</p>\n<h1>a</h1>\n<p>&lt;/div&gt;</p>\n"),
        ("<b>a *x*</b> <!-- c -->", "<p>&lt;b&gt;a <em>x</em>&lt;/b&gt; &lt;!-- c --&gt;</p>\n"),
        ("<https://a.b/?c=1&d> <a@b.c> <javascript:x>",
         '<p><a href="https://a.b/?c=1&amp;d">https://a.b/?c=1&amp;d</a> <a href="mailto:a@b.c">a@b.c</a> &lt;javascript:x&gt;</p>\n'),
        ("![x](y)", '<p>!<a href="y">x</a></p>\n'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("[x](File:///etc/passwd)", "<p>[x](File:///etc/passwd)</p>\n"),
        ("[a b](<c d>)", '<p><a href="c%20d">a b</a></p>\n'),
        ("`<b> ![`\n\n    <i>", "<p><code>&lt;b&gt; ![</code></p>\n<pre><code>&lt;i&gt;\n</code></pre>\n"),
        ("\x01", "<p>^A</p>\n"),
        ("|a|\n|-|\n|b|", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>\n"),
        ("> " * 40 + "deep", "<blockquote>\n" * 40 + "<p>deep</p>\n" + "</blockquote>\n" * 40),
    ],
)  # fmt: skip
def test_text_is_rendered_as_markdown(text, page):
    assert rendered(text) == page


def test_very_wide_table_is_text_in_linear_time():
    """comrak takes 15 seconds for this one, and four times that for twice the columns."""
    wide = "|a" * 60_000 + "|\n" + "|-" * 60_000 + "|\n|b|\n"
    start = process_time()
    assert "<table>" not in rendered(wide)
    assert process_time() - start < 3
    assert "<table>" in rendered("|a" * 200 + "|\n" + "|-" * 200 + "|\n|b|\n")


@given(st.text(st.sampled_from("ab 1.-+#=~*_`\\&;<:!()|\"'\né"), max_size=30))
def test_markdown_matches_a_reference_renderer(text):
    other = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").disable("image")
    assert rendered(text) == re.sub(r'style="text-align:(\w+)"', r'align="\1"', other.render(text))


@pytest.mark.parametrize("text", ["a  b\n  c", "# no heading", "`x` **y** [z](http://a)", "<b>&amp;"])
def test_prompts_are_not_markdown(text):
    assert f'<div class="typed">{escape(text)}</div>' in page(user(text))


def test_code_is_highlighted_and_complete():
    code = "def f(x: str) -> bool:  # <why> & how\n    return x == 'a'\n"
    shown = page({"kind": "codeh", "role": "model", "parts": [{"text": f"```python\n{code}```"}]})
    code_tag = re.search(r'<pre><code class="language-python">(.*?)</code></pre>', shown, re.DOTALL)
    assert {"keyword", "name", "comment", "string"} <= set(re.findall(r'<span class="(\w+)">', code_tag[1]))
    assert unescape(re.sub("<[^>]*>", "", code_tag[1])) == code


def test_page_names_its_session():
    shown = page(
        user("hi"), {"kind": "codeh", "role": "model", "model": "m-1", "parts": [{"text": "x", "thought": True}]},
        title="A <title>", system="Be <brief>.",
    )  # fmt: skip
    assert "<h1>A &lt;title&gt;</h1>" in shown
    assert "<li>m-1</li>" in shown
    assert "<li>2 messages</li>" in shown
    assert '<summary>System prompt</summary>\n<div class="typed">Be &lt;brief&gt;.</div>' in shown
    assert "<summary>Thought: x</summary>" in shown


def test_messages_have_anchors_and_long_pages_a_contents_list():
    assert "<nav>" not in page(*[user(f"q{n}") for n in range(7)])
    shown = page(*[user(f"q{n}") for n in range(8)])
    assert [shown.count(f'id="m{n}"') for n in range(1, 9)] == [1] * 8
    assert '<li value="8"><a href="#m8">q7</a></li>' in shown


def test_attached_files_are_named():
    part = {"inlineData": {"mimeType": "application/pdf", "data": "AAAA"}}
    shown = page({"kind": "user", "parts": [part], "attached": [{"part": 0, "name": "a<b>.pdf"}]})
    assert '<p class="file">[application/pdf, 3 bytes, a&lt;b&gt;.pdf]</p>' in shown


def test_content_security_policy_matches_the_page():
    shown = page(user("hi"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', shown)
    assert policy[1].split("; ")[:2] == ["default-src 'none'", "img-src data:"]
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", shown, re.DOTALL)
        assert f"{tag}-src '{look.hashed(content[1])}'" in policy[1]


@pytest.fixture
def three(home):
    for number, text in enumerate(["first <question>", "second", "third"]):
        support.run(
            "append", "-s", f"s{number}", "-m", text, env={"CODEH_NOW": f"2026-01-0{number + 1}T00:00:00Z"}
        )
    support.run("set", "-s", "s1", "title=A & B")
    return home


def made(folder, *more):
    return support.run("export", "--all", "--to", "html", "--output", str(folder), *more)


def test_export_all_writes_pages_and_an_index(three, tmp_path):
    folder = tmp_path / "new" / "pages"
    assert made(folder).code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "s0.html", "s1.html", "s2.html"]
    index = (folder / "index.html").read_text()
    links = re.findall(r'<li><a href="([^"]*)">([^<]*)</a>', index)
    assert links == [("s2.html", "third"), ("s1.html", "A &amp; B"), ("s0.html", "first &lt;question&gt;")]
    assert (folder / "s0.html").read_bytes() == support.run("export", "s0", "--to", "html").out
    assert (folder / "s0.html").stat().st_mode & 0o777 == 0o600


def test_export_all_again_reflects_current_sessions(three, tmp_path):
    made(tmp_path)
    support.run("append", "-s", "s0", "-m", "more")
    assert made(tmp_path).code == 0
    assert "more" in (tmp_path / "s0.html").read_text()
    assert not list(tmp_path.glob(".*"))


def test_export_all_continues_after_a_failure(three, tmp_path):
    (three / "sessions" / "s1.jsonl").unlink()
    (three / "sessions" / "s1.jsonl").mkdir()
    done = made(tmp_path)
    assert done.code == 65
    assert b"s1: no page: " in done.err
    assert "s2.html" in (tmp_path / "index.html").read_text()


def test_secrets_stay_out_of_pages_and_index(three, tmp_path):
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    support.run("append", "-s", "zz", "-m", f"my key {secret}")
    folder = tmp_path / "pages"
    made(folder, "--redact")
    assert not [path for path in folder.iterdir() if secret in path.read_text()]
    assert "my key [redacted" in (folder / "index.html").read_text()


@pytest.mark.parametrize(
    "argv",
    [
        "",
        "--output -",
        "--output p s0",
        "--output p --to markdown",
        "--output p --install",
        "--output p -s s0",
    ],
)
def test_export_all_takes_a_directory_and_no_session(argv, three, tmp_path):
    (tmp_path / "empty").mkdir()
    done = support.run("export", "--all", "--to", "html", *argv.split(), cwd=tmp_path / "empty")
    assert (done.code, list((tmp_path / "empty").iterdir())) == (2, [])
