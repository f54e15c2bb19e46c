"""The keys by which counts are remembered."""

from codeh_history.tokens.memory import keys_of


def test_a_key_is_of_a_text_and_a_vocabulary():
    keys = keys_of("o200k_base", [b"a", b"b", memoryview(b"a")])
    assert [len(key) for key in keys] == [16] * 3
    assert keys[0] == keys[2] != keys[1]
    assert keys_of("cl100k_base", [b"a"]) != keys[:1]
