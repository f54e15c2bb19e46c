"""The fields of Gemini's contents: the keys of a part, in camel and snake case, and its media types."""

from __future__ import annotations

from ...base.lazy import Pattern
from ...session.model import Any
from ..names import LETTERS, WORD, Alphabet

SKIP_SIGNATURE = "skip_thought_signature_validator"  # Google's placeholder for a missing signature

DATA = frozenset((
    "text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode",
    "codeExecutionResult", "toolCall", "toolResponse",
))  # fmt: skip
BESIDE = frozenset((
    "thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata", "audioTranscription",
    "mediaProcessing", "speechMetadata", "documentMetadata", "spreadsheetMetadata", "audioMetadata",
))  # fmt: skip
CALL = frozenset(("id", "name", "args", "partialArgs", "willContinue"))
RESPONSE = frozenset(("id", "name", "response", "parts", "willContinue", "scheduling"))

NAMES = Alphabet(WORD + ".:-", 128, first=LETTERS + "_")

_IMAGES = {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "image/bmp"}
_SIGNATURE = Pattern(r"[A-Za-z0-9+/_-]+={0,2}")
_GENERATION = Pattern(r"gemini-(\d+)")
_OBJECTS = {"inlineData", "fileData", "functionCall", "functionResponse", "videoMetadata"}
_FIELD = Pattern(r"_([a-z])")


def takes(mime: str) -> bool:
    """Whether Gemini accepts media of this normalised type; it refuses GIF and SVG."""
    kind = mime.split("/", 1)[0]
    return kind in ("audio", "video", "text") or mime == "application/pdf" or mime in _IMAGES


def is_signature(value: object) -> bool:
    """Whether this may be a thought signature: base64 of either alphabet."""
    return isinstance(value, str) and _SIGNATURE.fullmatch(value) is not None


def generation(model: str | None) -> int | None:
    """The generation of a Gemini model, 3 for an alias of the latest; None if unknown."""
    name = (model or "").rsplit("/", 1)[-1].lower()
    match = _GENERATION.match(name)
    if match:
        return int(match[1])
    return 3 if name.startswith("gemini-") and name.endswith("latest") else None


def camel(key: str) -> str:
    """Convert a key to camel case; the API accepts both `function_call` and `functionCall`."""
    return str(_FIELD.sub(lambda match: match[1].upper(), key))


def camelled(value: Any) -> Any:
    """Convert an object's own keys to camel case, and drop null fields; anything else stays unchanged."""
    if isinstance(value, dict) and ("_" in "".join(value) or None in value.values()):
        return {camel(key): item for key, item in value.items() if item is not None}
    return value


def part(value: Any) -> Any:
    """Convert the keys of a part to camel case."""
    value = camelled(value)
    if not isinstance(value, dict):
        return value
    for key in value.keys() & _OBJECTS:
        field = camelled(value[key])
        if key == "functionResponse" and isinstance(field, dict) and isinstance(field.get("parts"), list):
            field = {**field, "parts": [part(item) for item in field["parts"]]}
        if field is not value[key]:
            value = {**value, key: field}
    return value
