"""The style and script of a page, and a content security policy that allows nothing else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

STYLE = """
:root{color-scheme:light dark;--text:#1c1e21;--quiet:#57606a;--line:#d0d7de;--back:#fff;--block:#f4f5f7;
--user:#0b57d0;--codeh:#146c2e;--tool:#7a4d00;--error:#b3261e;--link:#0b57d0;
--keyword:#8e24aa;--constant:#00687a;--name:#0b57d0;--string:#146c2e;--deleted:#b3261e}
@media (prefers-color-scheme:dark){:root{--text:#e6e6e6;--quiet:#a3abb5;--line:#3d444d;
--back:#15181c;--block:#1f242b;
--user:#8ab4f8;--codeh:#81c995;--tool:#e8b866;--error:#f2a19b;--link:#8ab4f8;
--keyword:#d7a3f5;--constant:#7fd6e6;--name:#8ab4f8;--string:#81c995;--deleted:#f2a19b}}
*{box-sizing:border-box}
body{max-width:50rem;margin:0 auto;padding:1.5rem 1rem 4rem;font:16px/1.55 system-ui,sans-serif;
color:var(--text);background:var(--back);overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
a{color:var(--link)}
article h1{font-size:1.3rem}article h2{font-size:1.15rem}article :is(h3,h4,h5,h6){font-size:1rem}
.facts{color:var(--quiet);margin:0 0 1.5rem;padding:0;list-style:none;display:flex;flex-wrap:wrap;
gap:0 1.25rem}
nav{margin:1.5rem 0}nav ol{margin:.25rem 0;padding-left:2.5rem}
article{margin:1.25rem 0;padding:0 0 0 1rem;border-left:4px solid var(--line);scroll-margin-top:1rem}
article.user{border-color:var(--user)}article.codeh{border-color:var(--codeh)}
article.tool{border-color:var(--tool)}article.error{border-color:var(--error)}
article:target{background:var(--block)}
article>header{font-weight:600;display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:baseline}
article>header :is(time,small){font-weight:400;font-size:.875rem;color:var(--quiet)}
article>header a{margin-left:auto;font-weight:400;font-size:.875rem;color:var(--quiet);
text-decoration:none}
article>header a:is(:hover,:focus){text-decoration:underline}
.typed{white-space:pre-wrap;margin:.25rem 0}
.wide,pre{overflow-x:auto}
pre{position:relative;margin:.5rem 0;padding:.75rem;background:var(--block);border-radius:6px;
font-size:.875rem;line-height:1.45;
max-height:32rem;overflow-y:auto;overflow-wrap:normal}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
:not(pre)>code{background:var(--block);padding:.1em .3em;border-radius:4px;font-size:.9em}
pre button{position:absolute;top:.4rem;right:.4rem;font:inherit;font-size:.75rem;
padding:.1rem .5rem;color:var(--text);
background:var(--back);border:1px solid var(--line);border-radius:4px;cursor:pointer}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--quiet)}summary code{color:var(--text)}
blockquote{margin:.5rem 0;padding-left:1rem;color:var(--quiet);border-left:2px solid var(--line)}
table{border-collapse:collapse;display:block;overflow-x:auto;max-width:100%}
td,th{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;overflow-wrap:normal}
img{max-width:100%;height:auto}
.file{color:var(--quiet)}
.comment{color:var(--quiet);font-style:italic}.keyword{color:var(--keyword)}.constant{
color:var(--constant)}.name{color:var(--name)}
.string,.inserted{color:var(--string)}.deleted{color:var(--deleted)}.strong{font-weight:600}
.emphasis{font-style:italic}
@media print{body{max-width:none;padding:0;font-size:11pt}pre{max-height:none;white-space:pre-wrap}
pre button,nav{display:none}article{break-inside:auto}header{break-after:avoid}}
""".strip()

# Copy buttons and local times; the page is complete without them.
SCRIPT = """
for(const p of document.querySelectorAll('pre')){const b=document.createElement('button');
b.type='button';b.textContent='Copy';
b.onclick=async()=>{await navigator.clipboard.writeText(p.querySelector('code').textContent);
b.textContent='Copied';
setTimeout(()=>{b.textContent='Copy'},1500)};p.append(b)}
for(const t of document.querySelectorAll('time')){const d=new Date(t.dateTime);
if(!isNaN(d))t.textContent=d.toLocaleString()}
""".strip()


def page(title: str, body: list[str]) -> bytes:
    """Return a complete page; title and body are already HTML.

    Its content security policy forbids all requests and all other scripts and styles, so that a model's
    text can neither run code nor reveal that it was read.
    """
    policy = (
        f"default-src 'none'; img-src data:; style-src '{hashed(STYLE)}'; script-src '{hashed(SCRIPT)}'"
    )
    head = (
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title><style>{STYLE}</style></head><body>",
    )
    pieces = (*head, *body, f"<script>{SCRIPT}</script></body></html>\n")
    return b"\n".join([piece.encode("utf-8", "replace") for piece in pieces])


def hashed(text: str) -> str:
    """Return the hash that allows an inline style or script in a policy."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
