"""How a file begins, and what tells from that whose it is."""

from codeh_history.programs.protocol import Head


def test_a_database_is_known_by_its_tables_and_columns():
    head = Head(b"", (), tables={"one": frozenset({"a", "b"}), "two": frozenset()})
    assert head.has({})
    assert head.has({"one": ("b",), "two": ()})
    assert not head.has({"one": ("c",)})
    assert not head.has({"three": ("a",)})
    assert head.has({"three": ()})  # it asks for nothing of it
