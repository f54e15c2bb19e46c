"""The content parts of both OpenAI formats: what they share of writing and reading them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..session.model import Any, Json, Part
from .media import Media, media, parse_data_url
from .parts import item_of

IMAGES = frozenset(("image/png", "image/jpeg", "image/webp", "image/gif"))
IMAGE_KINDS = ("image_url", "input_image")  # what either format calls an image


class Content:
    """Our parts ↔ the content parts of one format, one at a time.

    `text` is the type of a text, `texts` are those that are read. `urls` names, for each type of media, the
    fields that may hold its URL. With `nested` these stand in an object under the name of the type.
    `unknown` is what data of no type is called; `details` are the resolutions of images, one the default.
    """

    provider: str
    text: str
    texts: Sequence[str]
    urls: Mapping[str, Sequence[str]]
    nested: bool
    unknown: str
    details: Sequence[str]
    detail: str | None

    def media(self, held: Media, item: Json) -> Json | None:
        """The content part for media; None where the format has none."""
        raise NotImplementedError

    def is_native(self, value: Any) -> bool:
        """Whether a native value of this provider stands inside a message."""
        raise NotImplementedError

    def write(self, part: Part) -> Json | None:
        """The content part that says this in a user's message; None where the format has none."""
        item = item_of(part)
        if "text" in part:
            text = {"type": self.text, "text": part["text"]}
            return {**item, **text} if item.get("type") == self.text else text
        if "native" in part:
            value = part["native"].get("value")
            own = part["native"].get("provider") == self.provider and self.is_native(value)
            return value if own else None
        held = media(part)
        block = self.media(held, item) if held is not None else None
        if block is None or item.get("type") != block["type"]:
            return block
        skipped = ("detail",) if self.nested else ()
        return {**{key: value for key, value in item.items() if key not in skipped}, **block}

    def why_not(self, part: Part, *, by_model: bool = False) -> str:
        """Why media cannot be sent, "" for a part that is none; a model's message takes none at all."""
        held = media(part)
        if held is None:
            return ""
        if held.data is None and held.url is None:
            return "no readable data, or an address that only its own provider can read"
        if by_model:
            return "a model's message takes only text"
        if held.data is None and self.nested:
            return "only images can be sent by URL"
        return f"{held.mime or self.unknown} cannot be sent"

    def read(self, block: Any) -> Any:
        """The inverse of `write`: in our own terms where writing it gives the same again, else `native`."""
        plain: Any = self._plain(block) if isinstance(block, dict) else None
        if plain is not None:
            if self.write(plain) == block:
                return plain
            kept = {**plain, "item": self._beside(block)}
            again: Any = self.write(kept)  # type: ignore[arg-type]
            if again == block or (again and self._payload(again) == self._payload(block) is not None):
                return kept
        return {"native": {"provider": self.provider, "value": block}}

    def read_sound(self, holder: Json) -> Json | None:  # noqa: ARG002
        """The part for a sound; None where the format has none."""
        return None

    def _plain(self, block: Json) -> Json | None:
        kind, holder = block.get("type"), self._holder(block)
        if kind in self.texts and isinstance(block.get("text"), str):
            return {"text": block["text"]}
        if kind == "input_audio":
            return self.read_sound(holder)
        url = next(filter(None, map(holder.get, self.urls.get(str(kind), ()))), None)
        if not isinstance(url, str):
            return None
        inline = parse_data_url(url)
        if inline is None:
            return {"fileData": {"fileUri": url}} if kind != "file" else None
        name = holder.get("filename")
        blob = {"mimeType": inline[0], "data": inline[1]}
        return {"inlineData": {**blob, "displayName": name} if isinstance(name, str) else blob}

    def _holder(self, block: Json) -> Json:
        """The object that holds what media there is."""
        held = block.get(str(block.get("type"))) if self.nested else block
        return held if isinstance(held, dict) else {}

    def _beside(self, block: Json) -> Json:
        """What a content part says beside its content."""
        kind = block["type"]
        content = (kind,) if self.nested else ("image_url", "file_data", "file_url", "filename")
        item = {key: value for key, value in block.items() if key not in ("text", "type", *content)}
        if self.nested and "detail" in self._holder(block):
            item["detail"] = block[kind]["detail"]
        return {"type": kind, **item}

    def _payload(self, block: Json) -> object:
        """The content of inline media, however its type is spelled and whatever it is called."""
        holder = self._holder(block)
        url = holder.get(next(iter(self.urls.get(block["type"], ())), ""))
        inline = parse_data_url(url) if isinstance(url, str) else None
        return (block["type"], inline[1], holder.get("detail") or self.detail) if inline else None
