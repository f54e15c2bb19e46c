"""Secrets by vendors' forms, by names and by values; nothing else is taken for one."""

from random import Random

import orjson
import pytest

from codeh_history.filters.redact import values
from codeh_history.filters.redact.redactor import Redactor, names_a_secret
from codeh_history.filters.redact.rules import Rule
from codeh_history.filters.redact.vendors import RULES
from gitleaks_samples import FIRST, SECOND, fill
from secret_examples import SECRETS, installed
from secret_forms import FORMS, MORE
from secret_lines import FIFTH, HARMLESS, HARMLESS_MORE, SIXTH


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items(), ids=SECRETS)
@pytest.mark.parametrize("around", ["{}", "log: {} (seen)", "a\n{}\nb", '{{"x": "{}"}}'])
def test_a_secret_is_replaced(kind, secret, around):
    redactor = Redactor()
    text = redactor.text(around.format(secret))
    assert "[redacted:" in text
    assert secret.rsplit(maxsplit=1)[-1].strip('"') not in text
    assert sum(redactor.counts.values()) >= 1


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("levels", [1, 2])
def test_a_secret_is_replaced_in_json_in_a_text(secret, levels):
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


@pytest.mark.parametrize("around", ["{}", "x\n{}\ny", "I ran\n{}\nand it failed"])
def test_every_form_is_found(around):
    """The figures of docs/reliability.md."""
    left = {
        name: text
        for name, (text, secret) in FORMS.items()
        if secret in Redactor().text(around.format(text))
    }
    assert left == {}
    assert not [text for text, secret in MORE if secret in Redactor().text(around.format(text))]
    assert len(FORMS) > 350


@pytest.mark.parametrize(
    "lines",
    [[line for _, line in FIRST], [line for _, line in SECOND], FIFTH, SIXTH],
    ids=["gitleaks", "gitleaks again", "fifth", "sixth"],
)
def test_drawn_secrets_are_found(lines):
    """At most 3 % are missed, drawn without a digit by chance; `tests/bench/redaction.py` counts more."""
    missed = []
    for line in lines:
        for seed in (1, 29):
            text, pieces = fill(line, Random(f"{seed} {line}"))
            cleaned = Redactor().text(f"I ran\n{text}\nand it failed")
            missed += [line] if any(piece in cleaned for piece in pieces) else []
    assert len(missed) <= len(lines) * 2 * 0.03, missed


def test_every_gitleaks_rule_has_a_sample():
    assert len({rule for rule, _ in FIRST}) == 221  # all but PKCS #12 files
    assert {rule for rule, _ in SECOND} <= {rule for rule, _ in FIRST}


def test_lookalikes_are_kept():
    lines = HARMLESS + HARMLESS_MORE + HARMLESS_NAMES
    assert [line for line in lines if Redactor().text(line) != line] == []


@pytest.mark.parametrize("line", [
    "X_TOKEN=abcDEF123ghi.JKLmno456.pqrSTU789vwx", 'X_TOKEN="abcDEF123ghi.JKLmno456.pqrSTU789vwx"', "X_TOKEN='abcDEF123ghi.JKLmno456.pqrSTU789vwx'",
    "X_TOKEN%3DabcDEF123ghi", "password%3A+abcDEF123ghi", "--password-command 'echo abcDEF123ghi'", '--password-command "echo abcDEF123ghi"',
    'password = "abcDEF123ghi"', "password: abcDEF123ghi", 'client_id = "abcDEF123ghi45"', "Token: s.abcDEF123ghiJKLmno456pqr", "1234567890123456|abcDEF123ghiJKLmno456pqrSTU7",
])  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "ran `{}` again", '{{"output": "\\n{}\\n"}}'])
def test_secret_is_found_in_quoted_lines(line, around):
    text = around.format(orjson.dumps(line).decode()[1:-1] if "output" in around else line)
    assert "abcDEF123ghi" not in Redactor().text(text)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["stdlib", "purelib"])
def test_source_code_is_unchanged(where):
    """Five megabytes of what is installed, chosen by a hash of the names: at most 20 places."""
    redactor = Redactor()
    for text in installed(where):
        redactor.text(text)
    assert sum(redactor.counts.values()) <= 20, redactor.removed


def kinds(text):
    """What is found in a text, each with its kind."""
    kind_of = {}
    for rule in RULES:
        for span in rule.spans(text, text.lower()):
            kind_of.setdefault(text[span.start : span.end], span.kind)
    return kind_of


STARTS = sorted({rule.start for rule in RULES if isinstance(rule, Rule)})


@pytest.mark.parametrize("start", STARTS)
def test_prefix_alone_is_not_a_secret(start):
    for text in (start, f"{start}...", f"{start} and then", f"a word {start}word or two"):
        assert kinds(text) == {}, text


KEYS = {
    "anthropic-key": "sk-ant-api03-" + "aB3_" * 8, "openai-key": "sk-proj-" + "aB3d" * 8, "github-token": "ghp_" + "aB3d" * 9, "aws-key-id": "AKIA" + "A2B3C4D5" * 2,
    "google-key": "AIza" + "aB3_-" * 7, "stripe-key": "sk_live_" + "aB3d" * 6, "npm-token": "npm_" + "aB3d" * 9, "slack-token": "xoxb-" + "123-abc" * 3,
    "huggingface-token": "hf_" + "aB3d" * 8, "gitlab-token": "glpat-" + "aB3_" * 5, "password-hash": "$2b$12$" + "aB3d/" * 10 + "xyz", "sendgrid-key": "SG." + "aB3_" * 5 + "." + "aB3_" * 5,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "key"), KEYS.items())
def test_full_length_key_is_found_and_a_shorter_one_is_not(kind, key):
    assert kinds(f"x {key} y") == {key: kind}
    assert kinds(f"x {key[: len(key) // 3]} y") == {}


def test_key_after_a_vendor_name_has_that_kind():
    own = {rule_kind for text in SECRETS.values() for rule_kind in kinds(text).values()}
    assert own <= {*SECRETS} | {"password-hash", "jwt", "webhook"}


def test_hyphenated_words_are_not_a_key():
    assert kinds("sk-learn-is-a-library-for-machine-learning") == {}


HARMLESS_NAMES = [
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


@pytest.mark.parametrize(
    "words",
    [
        ["curl", "-s", "-u", "anna:onion99x", "https://x.example"],
        ["mysql", "-uroot", "-ponion99x"],
        ["docker", "login", "--password", "onion99x"],
        ["sshpass", "-p", "onion99x", "ssh", 'a "quoted" word'],
    ],
)
def test_secret_follows_a_flag_in_arguments(words):
    call = {"functionCall": {"name": "sh", "args": {"argv": words}}}
    line = {"type": "message", "id": "m", "kind": "codeh", "role": "model", "parts": [call]}
    new = Redactor().value(line)["parts"][0]["functionCall"]["args"]["argv"]
    assert "onion99x" not in str(new)
    assert [len(new), *new[:1]] == [len(words), *words[:1]]


SECRET = """
password passwd pwd passphrase secret token api_key apiKey API_KEY accessToken access-token db_password dbPassword DB_PASS clientSecret client-secret
pass userPass smtp_pass authorization Authorization password2 password_old tokenValue PASSWORD_PROD secretBase64 mysql_password my.password privateKey secret_key x-api-key
""".split()
NOT_SECRET = """
nextPageToken tokens key secretary page_token sort_key primaryKey public_key cache_key token_type passwords secrets compass keyboard monkey author
tokenizer passenger max_tokens partitionKey foreign_key publicKey idempotency_key secretName
""".split()


@pytest.mark.parametrize("key", SECRET)
def test_secret_key_names(key):
    assert names_a_secret(key)
    assert Redactor().value({key: "x"}) == {key: "[redacted:assignment]"}


@pytest.mark.parametrize("key", NOT_SECRET)
def test_ordinary_key_names(key):
    assert not names_a_secret(key)
    assert Redactor().value({key: "x"}) == {key: "x"}


TABLE = {  # what it says yes to, and no
    values.is_placeholder: (
        "none NULL required *** xxx your-token <token> ${TOKEN} {{token}} %s ... process.env.TOKEN https://x.y config.yaml [redacted:jwt] #ff00ff enter_it",
        "hunter2 onion99x s3cr3t correcthorse 12345678 pa**ss nonesuch a.b",
    ),
    values.is_secret_name: (
        "access_token apiKey password db.password x-api-key userPassword API_KEY client_secret",
        "hunter2 onion horse abc123 tokenizer",
    ),
    values.is_code: (
        "self.password a.b->c some_name accessToken !a.b std::x",
        "hunter2 onion a1.b2c3-d4 some_name1 correct-horse",
    ),
    values.is_label: ("HAS_TLSv1_3 scram-sha-256 a_b", "hunter2 onion abc-def 9a_b"),
    values.is_number: ("15 3.14 -1 12:30 2026-01-02 10kb 5ms 50% 1e9 8080/tcp", "a1 0x1f v1.0 1a2b"),
    values.is_camel_case: (
        "accessToken AccessToken someLongName",
        "access Access ACCESS hunter2 accessToken1",
    ),
    values.is_mixed: ("hunter2 a! 1a correct=horse", "onion 1234 !!! correct-horse"),
    values.is_message: ("Really? so: done. %s f( $", "hunter2 a.b x%y"),
}


@pytest.mark.parametrize("says", TABLE, ids=lambda says: says.__name__)
def test_classification_of_words(says):
    yes, no = TABLE[says]
    assert [word for word in yes.split() if not says(word)] == []
    assert [word for word in no.split() if says(word)] == []


@pytest.mark.parametrize(
    ("text", "prose", "of_a_phrase"),
    [
        ("enter the password", True, True), ("correct horse battery staple", False, False), ("it is required", True, True), ("who goes there?", True, True),
        ("a horse of the king", True, False), ("horse battery (staple", True, True), ("horse " * 200, True, True),
    ],
)  # fmt: skip
def test_prose_and_passphrases(text, *, prose, of_a_phrase):
    assert values.is_prose(text) is prose
    assert values.is_prose(text, is_phrase=True) is of_a_phrase


@pytest.mark.parametrize(
    ("value", "least", "drawn"),
    [
        ("a1b2c3d4e5f6a7b8", 16, True), ("a1b2c3d4e5f6a7b", 16, False), ("a1b2c3d4e5f6a7b", 15, True), ("abcdefghijklmnop", 16, False),
        ("1234567890123456", 16, False), ("a1b2 c3d4e5f6a7b8", 16, False), ("/a1b2c3d4e5f6a7b8", 16, False), ("http1a2b3c4d5e6f7", 16, False),
        ("~/a1b2c3d4e5f6a7b8", 16, False),
    ],
)  # fmt: skip
def test_random_values_are_long_and_mixed(value, least, *, drawn):
    assert values.is_random(value, least) is drawn


def test_placeholder_is_short():
    assert values.is_placeholder("your-" + "x" * 100)
    assert not values.is_placeholder("your-" + "x" * 200)
    assert values.is_placeholder("x" * 200 + "[redacted:jwt]")
    assert not values.is_secret_name("token_" * 40 + "token")
