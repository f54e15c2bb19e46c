"""Lines of requests, however they come."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.serve.lines import Lines, TooLong


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=6), st.data())
def test_lines_are_those_that_came_however_they_came(parts: list[bytes], data: st.DataObject) -> None:
    whole, lines, found = b"\n".join(parts), Lines(8), list[bytes | None]()

    def take(line: bytes | None) -> bool:
        if line is not None:
            found.append(line)
        return line is not None

    def next_is_there() -> bool:
        try:
            return take(lines.next())
        except TooLong:
            found.append(None)
            return True

    while whole:
        cut = data.draw(st.integers(1, len(whole)))
        lines.add(whole[:cut])
        whole = whole[cut:]
        while next_is_there():
            pass
    try:
        take(lines.last())
    except TooLong:
        found.append(None)
    expected = [line if len(line) <= 8 else None for line in parts]
    assert found == (expected[:-1] if expected and expected[-1] == b"" else expected)
    assert lines.number == len(found)
