"""What stands after a name like `password`: a secret, or code and prose."""

import pytest

from codeh_history.filters.redact import values

TABLE = {  # what it says yes to, and no
    values.nothing: (
        "none NULL required *** xxx your-token <token> ${TOKEN} {{token}} %s ... process.env.TOKEN https://x.y config.yaml [redacted:jwt] #ff00ff enter_it",
        "hunter2 onion99x s3cr3t correcthorse 12345678 pa**ss nonesuch a.b",
    ),
    values.a_name: (
        "access_token apiKey password db.password x-api-key userPassword API_KEY client_secret",
        "hunter2 onion horse abc123 tokenizer",
    ),
    values.code: (
        "self.password a.b->c some_name accessToken !a.b std::x",
        "hunter2 onion a1.b2c3-d4 some_name1 correct-horse",
    ),
    values.label: ("HAS_TLSv1_3 scram-sha-256 a_b", "hunter2 onion abc-def 9a_b"),
    values.number: ("15 3.14 -1 12:30 2026-01-02 10kb 5ms 50% 1e9 8080/tcp", "a1 0x1f v1.0 1a2b"),
    values.camel: ("accessToken AccessToken someLongName", "access Access ACCESS hunter2 accessToken1"),
    values.mixed: ("hunter2 a! 1a correct=horse", "onion 1234 !!! correct-horse"),
    values.message: ("Really? so: done. %s f( $", "hunter2 a.b x%y"),
}


@pytest.mark.parametrize("says", TABLE, ids=lambda says: says.__name__)
def test_what_a_word_is(says):
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
def test_several_words_are_prose_or_a_phrase(text, *, prose, of_a_phrase):
    assert values.sentence(text) is prose
    assert values.sentence(text, a_phrase=True) is of_a_phrase


@pytest.mark.parametrize(
    ("value", "least", "drawn"),
    [
        ("a1b2c3d4e5f6a7b8", 16, True), ("a1b2c3d4e5f6a7b", 16, False), ("a1b2c3d4e5f6a7b", 15, True), ("abcdefghijklmnop", 16, False),
        ("1234567890123456", 16, False), ("a1b2 c3d4e5f6a7b8", 16, False), ("/a1b2c3d4e5f6a7b8", 16, False), ("http1a2b3c4d5e6f7", 16, False),
        ("~/a1b2c3d4e5f6a7b8", 16, False),
    ],
)  # fmt: skip
def test_what_a_machine_drew_is_long_and_of_letters_and_digits(value, least, *, drawn):
    assert values.random(value, least) is drawn


def test_what_is_too_long_to_stand_for_something_else_is_a_value():
    assert values.nothing("your-" + "x" * 100)
    assert not values.nothing("your-" + "x" * 200)
    assert values.nothing("x" * 200 + "[redacted:jwt]")
    assert not values.a_name("token_" * 40 + "token")
