"""The fake provider's responses, in any format.

A response is a text, or a call of a declared tool if the last message is the user's and mentions a tool,
the weather or the tool's name.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

KNOWN = (
    (
        r"sunset",
        "At sunset the light takes a longer way through the air: the blue is scattered out, red remains.",
    ),
    (r"sky", "Because air scatters blue light more than red light (Rayleigh scattering)."),
    (r"\b(hi|hello)\b", "Hello! How can I help you?"),
)
ARGUMENTS = {
    "city": "Paris",
    "location": "Paris",
    "place": "Paris",
    "country": "France",
    "path": "README.md",
}


@dataclass
class Request:
    """The relevant fields of a request."""

    model: str
    text: str = ""  # of the last message, when it is the user's
    results: list[str] = field(default_factory=list)  # in the last message
    tools: list[tuple[str, Json]] = field(default_factory=list)  # name and schema
    usage: bool = True  # whether a stream ends with usage
    size: int = 0


@dataclass
class Answer:
    """A response, independent of any provider; `id` is unique on the server."""

    request: Request
    id: str
    text: str = ""
    call: tuple[str, Json] | None = None

    @property
    def counts(self):
        text = json.dumps(self.call[1]) if self.call else self.text
        return self.request.size // 4 + 1, len(text) // 4 + 1


def answer(request, id):
    """A plausible response, always the same for the same request."""
    named = [tool for tool in request.tools if tool[0].lower() in request.text.lower()]
    if request.results:
        return Answer(request, id, f"The tool says: {'; '.join(request.results)}.")
    if named or (request.tools and re.search(r"tool|weather", request.text, re.IGNORECASE)):
        name, schema = (named or request.tools)[0]
        return Answer(request, id, call=(name, arguments(schema)))
    for pattern, text in KNOWN:
        if re.search(pattern, request.text, re.IGNORECASE):
            return Answer(request, id, text)
    return Answer(
        request,
        id,
        f"You said {len(request.text.split())} words: “{request.text[:60]}”. No model is behind this.",
    )


def arguments(schema):
    """Arguments that match a tool's schema."""
    properties = schema.get("properties") or {}
    required = schema.get("required") or list(properties)
    return {name: value_of(name, properties.get(name) or {}) for name in required}


def value_of(name, schema):
    kind = str(schema.get("type", "string")).lower()
    if schema.get("enum"):
        return schema["enum"][0]
    if kind == "object":
        return arguments(schema)
    plain = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "null": None}
    return plain.get(kind, ARGUMENTS.get(name, name))


def pieces(text):
    """A text in pieces of a few words, as a model streams it."""
    return re.findall(r"(?:\S+\s*){1,3}", text) or [text]


def texts(content):
    """The text of a message's content in any of the formats."""
    if isinstance(content, str):
        return content
    return "\n".join(item["text"] for item in content or () if isinstance(item, dict) and "text" in item)
