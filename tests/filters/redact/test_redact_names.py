"""What is called a secret is one, however the name is spelled; what is called otherwise is none."""

import pytest

from codeh_history.filters.redact import Redactor

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


SPELLINGS = {
    "API_KEY=abc123def": "abc123def", "export OPENAI_API_KEY=foo-bar-baz": "foo-bar-baz", "DB_PASS=hunter2x": "hunter2x",
    "STRIPE_KEY=abcdef": "abcdef", "authToken=abcdef-1234": "abcdef-1234", "apiKey: 'abcdef'": "abcdef", "GITHUB_TOKEN: abcdefgh": "abcdefgh",
    "https://user:p@ss@host/x": "p@ss", "redis://:secret1@host:6379/0": "secret1", "?access_token=abc1234&x=1": "abc1234",
    'curl -H "Authorization: Bearer abcd1234"': "abcd1234", "curl -H 'x-api-key: abcd1234'": "abcd1234",
    "Proxy-Authorization: Basic QWxhZGRpbg==": "QWxhZGRpbg==", "--api-key abcdef12": "abcdef12", "--token=abcdef12": "abcdef12",
}  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), SPELLINGS.items(), ids=SPELLINGS)
def test_however_it_is_spelled(text, secret):
    assert secret not in Redactor().text(text)


@pytest.mark.parametrize(
    "words",
    [
        ["curl", "-s", "-u", "anna:onion99x", "https://x.example"],
        ["mysql", "-uroot", "-ponion99x"],
        ["docker", "login", "--password", "onion99x"],
        ["sshpass", "-p", "onion99x", "ssh", 'a "quoted" word'],
    ],
)
def test_a_word_of_a_call_tells_that_the_next_is_a_secret(words):
    call = {"functionCall": {"name": "sh", "args": {"argv": words}}}
    line = {"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": [call]}
    new = Redactor().value(line)["parts"][0]["functionCall"]["args"]["argv"]
    assert "onion99x" not in str(new)
    assert [len(new), *new[:1]] == [len(words), *words[:1]]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text):
    redactor = Redactor()
    assert redactor.text(text) == text
    assert not redactor.counts


@pytest.mark.parametrize(
    "key", ["api_key", "apiKey", "accessToken", "db_password", "Authorization", "client-secret"]
)
def test_a_key_named_like_a_secret_gives_its_value_away(key):
    assert Redactor().value({key: "x"}) == {key: "[redacted:assignment]"}


@pytest.mark.parametrize("key", ["nextPageToken", "tokens", "key", "secretary", "page_token"])
def test_a_key_named_otherwise_does_not(key):
    assert Redactor().value({key: "x"}) == {key: "x"}
