"""The caller's async functions run in the caller's own loop, and a cancelled job leaves what it has in order."""

import asyncio
import contextvars
import threading

import pytest

from codeh_history.library.asking import in_thread, is_async


async def coroutine():
    return 1


async def generator():
    yield 1


class Called:
    async def __call__(self):
        return 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [(coroutine, True), (generator, True), (generator(), True), (Called(), True), (len, False), ([1], False), (b"x", False), (lambda: 1, False)],
)  # fmt: skip
def test_async_functions_are_detected(value, *, expected):
    assert is_async(value) == expected


def test_work_runs_in_a_thread_and_awaitables_in_the_loop():
    var = contextvars.ContextVar("var")

    async def main():
        var.set("here")
        loop_thread = threading.get_ident()

        async def answer(text):
            await asyncio.sleep(0)
            return text.upper(), threading.get_ident() == loop_thread

        def job(bridge):
            assert threading.get_ident() != loop_thread
            return bridge.blocking(answer)("hi"), var.get()

        return await in_thread(job)

    assert asyncio.run(main()) == (("HI", True), "here")


@pytest.mark.parametrize("made", ["plain", "awaited", "iterated", "both"])
def test_whatever_is_made_is_had_piece_by_piece(made):
    async def numbers():
        for number in range(3):
            await asyncio.sleep(0)
            yield number

    async def later():
        return numbers() if made == "both" else [0, 1, 2]

    def of():
        return {"plain": lambda: [0, 1, 2], "awaited": later, "iterated": numbers, "both": later}[made]()

    async def main():
        return await in_thread(lambda bridge: list(bridge.result_of(of())))

    assert asyncio.run(main()) == [0, 1, 2]


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("y")])
def test_what_either_raises_comes_out(error):
    async def fails():
        raise error

    def raises(_):
        raise error

    for job in (raises, lambda bridge: bridge.blocking(fails)()):
        with pytest.raises(type(error)) as caught:
            asyncio.run(in_thread(job))
        assert caught.value is error


def test_a_cancelled_job_is_waited_for_and_what_it_waits_for_is_ended():
    done = []

    async def endless():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            done.append("ended")
            raise

    def job(bridge):
        try:
            bridge.blocking(endless)()
        finally:
            try:
                bridge.blocking(endless)()  # whatever would be waited for is ended too
            finally:
                done.append("left in order")

    async def main():
        task = asyncio.ensure_future(in_thread(job))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert "left in order" in done

    asyncio.run(main())
    assert "ended" in done
