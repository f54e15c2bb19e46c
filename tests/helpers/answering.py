"""Models that are functions of the program."""

import asyncio

import orjson

ANSWER = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": "Rayleigh."}]}, "finishReason": "STOP"}]
}
EVENTS = [
    b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Ray"}]}}]}\r\n\r\n',
    b'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"leigh."}]},"finishReason":"STOP"}]}\r\n\r\n',
]


class Model:
    """Answers, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def __call__(self, body):
        self.asked.append(orjson.loads(body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def wait(self, body):
        await asyncio.sleep(0)
        return self(body)

    async def pieces(self, body):
        for piece in self(body):
            await asyncio.sleep(0)
            yield piece
