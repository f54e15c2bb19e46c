"""Names that say that a secret follows: `db_password`, `apiKey`; not `sort_key`, `nextPageToken`."""

import pytest

from codeh_history.filters.redact.redactor import says_secret

SECRET = """
password passwd pwd passphrase secret token api_key apiKey API_KEY accessToken access-token db_password dbPassword DB_PASS clientSecret client-secret
pass userPass smtp_pass authorization Authorization password2 password_old tokenValue PASSWORD_PROD secretBase64 mysql_password my.password privateKey secret_key x-api-key
""".split()
HARMLESS = """
nextPageToken tokens key secretary page_token sort_key primaryKey public_key cache_key token_type passwords secrets compass keyboard monkey author
tokenizer passenger max_tokens partitionKey foreign_key publicKey idempotency_key secretName
""".split()


@pytest.mark.parametrize("key", SECRET)
def test_a_key_that_is_called_like_a_secret_has_one(key):
    assert says_secret(key)


@pytest.mark.parametrize("key", HARMLESS)
def test_a_key_that_is_called_otherwise_has_none(key):
    assert not says_secret(key)
