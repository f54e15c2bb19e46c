"""A message that a program writes: on disk as it grows, by few writes."""

import asyncio
import time

import pytest

from codeh_history import BadData
from support import lines


def records(session):
    with open(session.path, "rb") as file:
        return [record["type"] for record in lines(file.read())]


def test_what_was_written_is_a_message(session):
    with session.stream("model") as stream:
        for chunk in ("Ray", b"lei", "gh \U0001f308".encode()[:5], "gh \U0001f308".encode()[5:]):
            stream.write(chunk)
    assert session.messages[-1]["parts"] == [{"text": "Rayleigh \U0001f308"}]
    assert session.messages[-1]["id"] == stream.id
    with pytest.raises(ValueError, match="ended"):
        stream.write("more")


def test_an_exception_leaves_it_pending(session):
    with pytest.raises(ZeroDivisionError), session.stream("model") as stream:  # noqa: PT012
        stream.write("half an ")
        stream.write("answer")
        raise ZeroDivisionError
    assert session.items[-1]["committed"] is None
    assert session.items[-1]["pending"]["parts"] == [{"text": "half an answer"}]
    assert session.items[-1]["pending"]["aborted"] == "ZeroDivisionError"
    assert session.commit(stream.id) == stream.id


def test_others_see_it_grow_though_nothing_more_is_written(session):
    with session.stream("model") as stream:
        stream.write("one ")
        assert session.items[-1]["pending"]["parts"] == [{"text": "one "}]
        stream.write("two")
        give_up = time.monotonic() + 10
        while session.items[-1]["pending"]["parts"] != [{"text": "one two"}]:
            assert time.monotonic() < give_up
            time.sleep(0.01)


def test_there_is_a_write_for_4_kib_and_none_for_less(session):
    with session.stream("model") as stream:
        stream._streaming.flush_seconds = 60
        for _ in range(3000):
            stream.write("four")
    assert records(session).count("delta") == 1 + (3000 * 4 - 4) // 4096


def test_nothing_but_blanks_is_no_message(session):
    with pytest.raises(BadData), session.stream("model") as stream:
        stream.write(" \n")
    assert session.messages == []


def test_what_is_handed_on_is_written(session):
    with session.stream("model") as stream:
        assert list(stream.through(iter(["a", "b"]))) == ["a", "b"]

    async def chunks():
        for chunk in "cd":
            yield chunk

    async def talk():
        async with session.stream("model") as stream:
            return [chunk async for chunk in stream.athrough(chunks())]

    assert asyncio.run(talk()) == ["c", "d"]
    assert [message["parts"] for message in session.messages] == [[{"text": "ab"}], [{"text": "cd"}]]
