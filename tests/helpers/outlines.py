"""What a conversation says that has an outline: prompts with an answer, calls with what came of them."""

from typing import Any

Records = list[dict[str, Any]]


def say(text):
    answer = {"kind": "codeh", "role": "model", "parts": [{"text": "Understood, I will keep to that."}]}
    return [{"kind": "user", "role": "user", "parts": [{"text": text}]}, answer]


def call(number, name, args, response):
    id = f"planted{name}{number}"
    asked = {"functionCall": {"id": id, "name": name, "args": args}}
    answer = {"functionResponse": {"id": id, "name": name, "response": response}}
    return [
        {"kind": "codeh", "role": "model", "parts": [asked]},
        {"kind": "tool", "role": "user", "parts": [answer]},
    ]
