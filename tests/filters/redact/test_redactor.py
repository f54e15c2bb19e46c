"""Secrets are found in the forms that vendors give them, and nothing else is taken for one."""

from __future__ import annotations

import sysconfig
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given

from codeh_history.filters.redact import Redactor
from codeh_history.filters.redact.run import redacted_lines
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from secret_examples import SECRETS
from secret_forms import FORMS, MORE
from secret_forms_third import FOURTH, THIRD
from strategies import files_of
from support import run

HARMLESS = [
    "self.password = password", "password: str, token: Token = None", "key=lambda x: x[0]", "token = next(tokens)", "PWD=/home/me/x", "api_key=api_key,",
    "def f(self, password: Optional[str] = None):", "secret_name = 'my_secret'", 'parser.add_argument("--token", help="the token to use")', "raise ValueError('password must not be empty')",
    'token_type: "bearer"', "public_key: abcdef0123456789abcdef", "docker run -u 1000:1000 x", "mkdir -p some/folder", "ps -p 1234", "http://localhost:8080/a@b?c=d:e@f", "git push -u origin main:main",
    "password: ${DB_PASSWORD}", "PASSWORD={{ secret }}", "token: <your token>", "API_KEY=your-api-key-here", "password = getpass('Password: ')", '"key": "value"', "Authorization: <token>", "tokens: 12345", "compass: north",
    "-----BEGIN PUBLIC KEY-----", 'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):', "pass the salt", "author: me", "keyboard = 'qwertz'", "monkey: 12345678", "sha256: " + "0123456789abcdef" * 4,
    "the token count is 15", "max_tokens=8192", "total tokens: 5", "function getToken(token) { return token; }",
    "token=$TOKEN", "password: ", "see https://example.com:8080/a@b", "sk-learn and sk-image", "key: value",
    "eyJ is how they begin", "secret", "the API key is missing", "/home/me/.ssh/id_rsa", "commit 3f2a9c1", "token = getToken()", 'api_key = os.environ["X"]',
    'password = input("x")', "SORT_KEY=created", "PRIMARY KEY=id", "cache_key=user:1", "passwords: a, b", "ssh://git@github.com/x",
    "the authorization: required by law", "Bearer of bad news that is long", 'secretary = "Jane Doe"', "password: required",
    "cookies: none", "--tokens 15", "nextPageToken",
    "Only then pass `force_refresh=True`.", "No need to pass `betas=` here", '{"sessionId":"11111111-aaaa-bbbb-cccc-222222222222"}',
    "export ANTHROPIC_API_KEY=sk-ant-...", 'TOKEN_ENDPOINT = "/v1/oauth/token"', 'HEADER_TOKEN = f"{BETA},{OTHER}"', "the keys are `WORKSPACE:block:SHA256`",
    "the form -----BEGIN RSA PRIVATE KEY----- is refused by ssh, what should I do with the file", '_START = b"-----BEGIN PRIVATE KEY-----"\n_END = b"-----END PRIVATE KEY-----"',
    'works are identified as "derived from the RSA Data"', "read.password('New password: ')", "<protocol>://[<user>[:<password>]@]<host>", "3 chars/token) | C/context/** |",
    "def f(key: Ed25519PrivateKey|Ed25519PublicKey|str)", "tokens: `../corpus/cases.json`", "http://user:pass@host", "this._noAuthorization = !req.headers.authorization;",
    "(mnemonic: this happens when a constant\nis used", "assert self._passphrase is not None", '"COOKIE": x, "HAS_PKCS7_FUNCS": y', "KEY=`echo $PID|cut -d: -f1`",
    'ROOTKEY=$ROOTKEY LD_LIBRARY_PATH="$PATHS"', '"password", "scram-sha-256"', "`mysql -p…`, `sshpass`", 'headers["Authorization"] = "Basic " + x', '"Authorization", "Basic $encoded"',
    "kind: ConfigMap\ndata:\n  region: eu-central-1\n", "kind: Secret\nmetadata:\n  name: db\ntype: Opaque\n",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items(), ids=SECRETS)
@pytest.mark.parametrize("around", ["{}", "log: {} (seen)", "a\n{}\nb", '{{"x": "{}"}}'])
def test_a_secret_is_replaced(kind: str, secret: str, around: str) -> None:
    redactor = Redactor()
    text = redactor.text(around.format(secret))
    assert "[redacted:" in text
    assert secret.rsplit(maxsplit=1)[-1].strip('"') not in text
    assert sum(redactor.counts.values()) >= 1


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("levels", [1, 2])
def test_a_secret_is_replaced_in_json_in_a_text(secret: str, levels: int) -> None:
    """As tools print it, and as their output stands in another's."""
    text = orjson.dumps({"a": secret, "password": "hunter22"}).decode()
    for _ in range(levels - 1):
        text = orjson.dumps({"output": text}).decode()
    cleaned = Redactor().text(text)
    assert orjson.loads(cleaned)
    assert "hunter22" not in cleaned
    inside = orjson.dumps(secret).decode()[1:-1]
    assert secret not in cleaned
    assert inside not in cleaned


SPELLINGS = {
    "API_KEY=abc123def": "abc123def", "export OPENAI_API_KEY=foo-bar-baz": "foo-bar-baz", "DB_PASS=hunter2x": "hunter2x",
    "STRIPE_KEY=abcdef": "abcdef", "authToken=abcdef-1234": "abcdef-1234", "apiKey: 'abcdef'": "abcdef", "GITHUB_TOKEN: abcdefgh": "abcdefgh",
    "https://user:p@ss@host/x": "p@ss", "redis://:secret1@host:6379/0": "secret1", "?access_token=abc1234&x=1": "abc1234",
    'curl -H "Authorization: Bearer abcd1234"': "abcd1234", "curl -H 'x-api-key: abcd1234'": "abcd1234",
    "Proxy-Authorization: Basic QWxhZGRpbg==": "QWxhZGRpbg==", "--api-key abcdef12": "abcdef12", "--token=abcdef12": "abcdef12",
}  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), SPELLINGS.items(), ids=SPELLINGS)
def test_however_it_is_spelled(text: str, secret: str) -> None:
    assert secret not in Redactor().text(text)


@pytest.mark.parametrize("around", ["{}", "x\n{}\ny"])
def test_every_form_is_found(around: str) -> None:
    """The figures of docs/reliability.md."""
    left = {
        name: text
        for name, (text, secret) in FORMS.items()
        if secret in Redactor().text(around.format(text))
    }
    assert left == {}
    assert not [text for text, secret in MORE + THIRD if secret in Redactor().text(around.format(text))]
    assert len(FORMS) > 350


@pytest.mark.parametrize("around", ["{}", "I ran\n{}\nand it failed"])
def test_a_secret_of_several_words_goes_whole(around: str) -> None:
    assert not [text for text, secret in FOURTH if secret in Redactor().text(around.format(text))]


@pytest.mark.parametrize(
    "words",
    [
        ["curl", "-s", "-u", "anna:onion99x", "https://x.example"],
        ["mysql", "-uroot", "-ponion99x"],
        ["docker", "login", "--password", "onion99x"],
        ["sshpass", "-p", "onion99x", "ssh", 'a "quoted" word'],
    ],
)
def test_a_word_of_a_call_tells_that_the_next_is_a_secret(words: list[str]) -> None:
    call = {"functionCall": {"name": "sh", "args": {"argv": words}}}
    line = {"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": [call]}
    new = Redactor().value(line)["parts"][0]["functionCall"]["args"]["argv"]
    assert "onion99x" not in str(new)
    assert [len(new), *new[:1]] == [len(words), *words[:1]]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["stdlib", "purelib"])
def test_sources_are_left_alone(where: str) -> None:
    """Five megabytes of what is installed, chosen by a hash of the names: at most 20 places."""
    root = Path(sysconfig.get_paths()[where])
    files = [path for path in root.rglob("*.py") if where == "purelib" or "site-packages" not in path.parts]
    files.sort(key=lambda path: sha256(str(path.relative_to(root)).encode()).digest())
    redactor, size = Redactor(), 0
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        redactor.text(text)
        size += len(text)
        if size > 5_000_000:
            break
    assert sum(redactor.counts.values()) <= 20, redactor.removed


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == text
    assert not redactor.counts


def test_a_second_pass_changes_nothing() -> None:
    text = Redactor().text("\n".join(SECRETS.values()))
    again = Redactor()
    assert again.text(text) == text


def test_signatures_media_and_ids_stay() -> None:
    key = SECRETS["aws-key-id"]
    picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" + key
    part = {
        "inlineData": {"mimeType": "image/png", "data": picture},
        "thoughtSignature": "Eo" + key,
        "id": key,
    }
    assert Redactor().value(part) is part


@pytest.mark.parametrize(
    "key", ["api_key", "apiKey", "accessToken", "db_password", "Authorization", "client-secret"]
)
def test_a_key_named_like_a_secret_gives_its_value_away(key: str) -> None:
    assert Redactor().value({key: "x"}) == {key: "[redacted:assignment]"}


@pytest.mark.parametrize("key", ["nextPageToken", "tokens", "key", "secretary", "page_token"])
def test_a_key_named_otherwise_does_not(key: str) -> None:
    assert Redactor().value({key: "x"}) == {key: "x"}


@given(files_of())
def test_a_session_without_secrets_keeps_its_bytes(data: bytes) -> None:
    redactor = Redactor()
    lines = redacted_lines(data, redactor)
    assert b"".join(lines) == data or redactor.counts


def test_the_file_is_rewritten_for_good_and_says_what_else_holds_it(tmp_path: Path) -> None:
    secret = SECRETS["github-token"]
    run("append", "-s", "s", "-m", f"my token is {secret}", home=tmp_path)
    run("append", "-s", "s", "-m", "and undone: " + secret, home=tmp_path)
    run("undo", "-s", "s", home=tmp_path)
    run("fork", "s", "--into", "copy", home=tmp_path)
    path = tmp_path / "sessions" / "s.jsonl"
    before = path.read_bytes()
    assert run("redact", "s", "-i", home=tmp_path).code == 2
    assert path.read_bytes() == before
    result = run("redact", "s", "-i", "--yes", home=tmp_path)
    assert result.code == 1  # the fork has it too
    assert secret.encode() not in path.read_bytes() + result.err + result.out
    assert b"2 github-token" in result.err
    assert b"fork copy" in result.err
    assert [m.id for m in fold(parse(lines_of(path.read_bytes()))).messages] == [
        m.id for m in fold(parse(lines_of(before))).messages
    ]


def test_redact_names_what_still_holds_it_and_nothing_else(tmp_path: Path) -> None:
    """Forks, forks of forks, other sessions, the trash, and blocks."""
    secret = SECRETS["npm-token"]
    run("append", "-s", "s", "-m", f"my token is {secret}", home=tmp_path)
    run("append", "-s", "harmless", "-m", "hello", home=tmp_path)
    run("append", "-s", "other", "-m", f"it was {secret}", home=tmp_path)
    for old, new in [("s", "child"), ("child", "grandchild"), ("s", "gone"), ("s", "clean")]:
        run("fork", old, "--into", new, home=tmp_path)
    run("rm", "gone", home=tmp_path)
    run("redact", "clean", "-i", "--yes", home=tmp_path)
    run("persist", "s", "-i", "--all", home=tmp_path)
    told = run("redact", "s", "-i", "--yes", home=tmp_path).err.decode()
    assert [line.partition(" is still in ")[2] for line in told.splitlines() if "still in" in line] == [
        "fork child", "fork grandchild", "session other", "trash gone.1.jsonl",
        "1 block (gc removes those that no session needs, after 7 days)",
    ]  # fmt: skip
    assert secret not in told
    again = run("redact", "s", "-i", "--yes", home=tmp_path)
    assert again.code == 0
    assert b"still in" not in again.err


def test_a_replacement_still_holds_when_its_part_was_redacted(tmp_path: Path) -> None:
    run("append", "-s", "s", "--role", "model", "-m", f"x{SECRETS['jwt']}<q>y</q>", home=tmp_path)
    run("curate", "s", "-i", "--remove", "<q>.*?</q>", home=tmp_path)
    shown = orjson.loads(run("redact", "s", home=tmp_path).out.splitlines()[-1])["parts"]
    run("redact", "s", "-i", "--yes", home=tmp_path)
    view = fold(parse(lines_of((tmp_path / "sessions" / "s.jsonl").read_bytes())))
    assert view.messages[0].parts == shown


def test_a_fixture_is_about_nobody_and_the_same_every_time(tmp_path: Path) -> None:
    env = {"HOME": "/home/marguerite", "USER": "marguerite"}
    run(
        "append",
        "-s",
        "s",
        "-m",
        f"in /home/marguerite/work with {SECRETS['npm-token']}",
        home=tmp_path,
        env=env,
    )
    run("append", "-s", "s", "--call", "ls", "--call-id", "toolu_9", home=tmp_path, env=env)
    run("append", "-s", "s", "--result", "ls", "-m", "of marguerite", home=tmp_path, env=env)
    first, second = (run("fixture", "s", home=tmp_path, env=env) for _ in range(2))
    assert first.out == second.out
    assert b"marguerite" not in first.out
    assert b"npm_" not in first.out
    view = fold(parse(lines_of(first.out)))
    assert [m.kind for m in view.messages] == ["user", "codeh", "tool"]
    call, answer = view.messages[1].parts[0], view.messages[2].parts[0]
    assert call["functionCall"]["id"] == answer["functionResponse"]["id"] == "c1"


def test_a_fixture_has_nothing_that_names_anybody(tmp_path: Path) -> None:
    """Wherever it stands: times as numbers, the parent, ids nobody has, tools' words, other people's homes."""
    evil = "/home/marguerite/x and /Users/jane.doe/y, Marguerite"
    records: list[Any] = [
        {"type": "session", "version": 1, "id": "acme-2031", "created": 1767323045000, "cwd": "/home/marguerite/p",
         "parent": {"session": "acme-parent", "at": "deadbeef01"}},
        {"type": "message", "id": "deadbeef02", "ts": 1767323045678, "kind": "user", "role": "user", "key": "acme-key",
         "parts": [{"text": evil}], "source": "~marguerite"},
        {"type": "message", "id": "deadbeef03", "ts": "2031-05-06T07:08:09Z", "kind": "codeh", "role": "model",
         "parts": [{"functionCall": {"id": "toolu_9", "name": "f", "args": {"id": evil, "data": evil, "at": evil, "created": "noon"}}}]},
        {"type": "message", "id": "deadbeef04", "ts": None, "kind": "tool", "role": "user",
         "parts": [{"functionResponse": {"id": "toolu_9", "name": "f", "response": {"key": evil, "data": "AKIA" + "IOSFODNN7EXAMPLE"}}}]},
        {"type": "summary", "id": "deadbeef05", "createdAt": "2031-05-06T07:08:09Z", "summary": evil, "covers": ["deadbeef06"]},
    ]  # fmt: skip
    path = tmp_path / "sessions" / "acme-2031.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    env = {"HOME": "/home/marguerite", "USER": "", "LOGNAME": ""}
    found = run("fixture", "acme-2031", home=tmp_path, env=env)
    text = found.out.decode()
    for word in ("marguerite", "jane", "acme", "deadbeef", "toolu", "2031", "17673", "akia"):
        assert word not in text.lower(), word
    assert '"created":"noon"' in text  # a tool's word, not a time of ours
    elsewhere = run("fixture", "acme-2031", home=tmp_path, env={"HOME": "/nowhere", "USER": "nobody-here"})
    assert elsewhere.out.replace(b"Marguerite", b"user") == found.out


def test_what_a_tool_was_told_and_said_is_looked_at_whatever_its_keys() -> None:
    """`data`, `id` and `signature` are left alone only where they are what they are called."""
    key = SECRETS["aws-key-id"]
    for part in (
        {"functionCall": {"id": key, "name": "f", "args": {"data": key, "id": key, "signature": [key]}}},
        {"functionResponse": {"id": key, "name": "f", "response": {"data": key, "deep": {"id": key}}}},
    ):
        [(_, new)] = Redactor().value(part).items()
        assert new["id"] == key
        assert orjson.dumps(new).decode().count(key) == 1
    picture = {
        "functionResponse": {
            "name": "f",
            "response": {"image": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAEA" + key}},
        }
    }
    assert Redactor().value(picture) is picture


@pytest.mark.parametrize("form", ["contents", "exchanges", "persisted", "refs", "markdown", "html"])
def test_an_export_without_secrets_has_none_anywhere(form: str, tmp_path: Path) -> None:
    secret = SECRETS["npm-token"]
    says = [
        {"text": secret},
        {"text": secret, "thought": True},
        {"native": {"provider": "anthropic", "value": {"t": secret}}},
    ]
    call = {"functionCall": {"id": "c", "name": "f", "args": {secret: secret}}}
    records: list[Any] = [
        {"type": "session", "version": 1, "id": "s"}, {"type": "meta", "set": {"title": secret, "tags": [secret], "system": secret}},
        {"type": "message", "id": "a", "kind": "user", "role": "user", "parts": says[:1],
         "references": [{"number": 1, "id": "r", "title": secret, "url": secret, "text": secret}], "attached": [{"part": 0, "name": secret}]},
        {"type": "message", "id": "b", "kind": "codeh", "role": "model", "parts": [*says, call], "toolsUsed": [secret], "model": secret},
        {"type": "message", "id": "t", "kind": "tool", "role": "user",
         "parts": [{"functionResponse": {"id": "c", "name": "f", "response": {"output": secret}}}]},
        {"type": "message", "id": "e", "kind": "error", "parts": says[:1]}, {"type": "open", "id": "o", "kind": "codeh", "role": "model"},
        {"type": "delta", "of": "o", "parts": says[:1]}, {"type": "summary", "id": "S", "summary": secret, "covers": []},
    ]  # fmt: skip
    path = tmp_path / "sessions" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    found = run("export", "s", "--to", form, "--redact", home=tmp_path)
    assert found.code == 0
    assert secret.encode() not in found.out + found.err
    assert form == "refs" or b"[redacted:npm-token]" in found.out


def test_2026_11_22_a_secret_under_a_key_that_stands_twice_stayed_in_the_file(tmp_path: Path) -> None:
    secret = SECRETS["npm-token"]
    line = f'{{"type":"message","id":"a","kind":"user","role":"user","parts":[{{"text":"{secret}","text":"hi"}}]}}\n'
    spaced = b'{"type": "message", "id": "b", "kind": "user", "role": "user", "parts": [{"text": "hi"}]}\n'
    path = tmp_path / "sessions" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(line.encode() + spaced)
    for argv in (["redact", "s"], ["fixture", "s"], ["redact", "s", "-i", "--yes"]):
        assert secret.encode() not in run(*argv, home=tmp_path).out
    assert secret.encode() not in path.read_bytes()
    assert path.read_bytes().endswith(spaced)


@pytest.mark.parametrize("word", ["user", "message", "text", "2026", "s", "e", "codeh|model|parts", "."])
def test_2026_11_22_a_rule_of_ones_own_broke_the_records(word: str, tmp_path: Path) -> None:
    """It is about what is said, never about what makes a record one."""
    rules, tmp_path = tmp_path / "rules.json", tmp_path / "home"
    rules.write_bytes(orjson.dumps({"own": word}))
    run("append", "-s", "s", "-m", "a user's message, 2026", home=tmp_path)
    run("append", "-s", "s", "--call", "ls", "--args", '{"user":"text"}', "--call-id", "c", home=tmp_path)
    run("append", "-s", "s", "--result", "ls", "-m", "model", home=tmp_path)
    run("update", "-s", "s", ":1", "-m", "user", home=tmp_path)
    before = run("show", "s", "--jsonl", home=tmp_path).lines
    assert run("redact", "s", "-i", "--yes", "--rules", rules, home=tmp_path).code == 0
    after = run("show", "s", "--jsonl", home=tmp_path).lines
    assert [(m["id"], m["kind"]) for m in after] == [(m["id"], m["kind"]) for m in before]
    assert run("verify", "s", home=tmp_path).code == 0


@pytest.mark.parametrize("rule", ["", "x*", "(", "a|"])
def test_a_rule_that_cannot_be_one_is_refused(rule: str, tmp_path: Path) -> None:
    run("append", "-s", "s", "-m", "x", home=tmp_path)
    (tmp_path / "rules.json").write_bytes(orjson.dumps({"own": rule}))
    found = run("redact", "s", "--rules", tmp_path / "rules.json", home=tmp_path)
    assert (found.code, found.out) == (65, b"")
    assert b"rule own: " in found.err


def test_append_redacts_references_too(tmp_path: Path) -> None:
    secret = SECRETS["npm-token"]
    (tmp_path / "r").write_bytes(orjson.dumps([{"id": "1", "title": secret, "text": f"see {secret}"}]))
    run("append", "-s", "s", "--redact", "-m", "x", "--references", tmp_path / "r", home=tmp_path)
    stored = (tmp_path / "sessions" / "s.jsonl").read_bytes()
    assert stored.count(b"[redacted:npm-token]") == 2
    assert secret.encode() not in stored


def test_append_and_export_redact_on_the_way(tmp_path: Path) -> None:
    secret = SECRETS["groq-key"]
    run("append", "-s", "s", "--redact", "-m", secret, home=tmp_path)
    line = orjson.dumps({"role": "user", "parts": [{"text": secret}]}) + b"\n"
    run("append", "-s", "s", "--redact", "--jsonl", stdin=line, home=tmp_path)
    assert secret.encode() not in (tmp_path / "sessions" / "s.jsonl").read_bytes()
    run("append", "-s", "s", "-m", secret, home=tmp_path)
    for form in ("contents", "markdown"):
        assert secret.encode() in run("export", "s", "--to", form, home=tmp_path).out
        assert secret.encode() not in run("export", "s", "--to", form, "--redact", home=tmp_path).out


def test_a_secret_over_two_pieces_is_marked_once() -> None:
    pieces = ["it is password=hunt", "er2xyz9", "0 and no more"]
    assert Redactor().texts(pieces) == ["it is password=[redacted:assignment]", "", " and no more"]


def test_a_line_of_which_only_the_joined_texts_tell_is_looked_at() -> None:
    parts = ",".join(f'{{"text":"{text}"}}' for text in ("it is pa", "ssword: swo", "rdfish9"))
    line = f'{{"type":"message","id":"m","kind":"user","role":"user","parts":[{parts}]}}\n'.encode()
    assert [found for found, _ in Redactor().worth_a_look([line])] == [line]
