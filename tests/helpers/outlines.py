"""What a conversation says that has an outline: prompts with an answer, calls with what came of them."""

from __future__ import annotations

from typing import Any

Records = list[dict[str, Any]]


def say(text: str) -> Records:
    answer = {"kind": "codeh", "role": "model", "parts": [{"text": "Understood, I will keep to that."}]}
    return [{"kind": "user", "role": "user", "parts": [{"text": text}]}, answer]


def call(number: int, name: str, args: dict[str, Any], response: dict[str, Any]) -> Records:
    id = f"planted{name}{number}"
    asked = {"functionCall": {"id": id, "name": name, "args": args}}
    answer = {"functionResponse": {"id": id, "name": name, "response": response}}
    return [
        {"kind": "codeh", "role": "model", "parts": [asked]},
        {"kind": "tool", "role": "user", "parts": [answer]},
    ]
