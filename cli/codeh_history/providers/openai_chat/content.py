"""Parts ↔ the content parts of a Chat Completions message, one at a time."""

from __future__ import annotations

from ...session.model import Any, Json, Part
from ..media import Media, media, parse_data_url
from ..openai import IMAGE_KINDS, IMAGES, item_of
from ..turns import Turn
from . import NAME

AUDIO = {"audio/wav": "wav", "audio/mpeg": "mp3"}
REASONING = ("reasoning_content", "reasoning", "reasoning_details")  # as compatible hosts name it
_MIMES = {format: mime for mime, format in AUDIO.items()}


def written(part: Part) -> Json | None:
    """The content part that says this in a user's message; None where the format has none.

    Images png, jpeg, webp and gif, inline or by URL; PDF and wav and mp3 sound inline; text files as text.
    """
    item = item_of(part)
    if "text" in part:
        text = {"type": "text", "text": part["text"]}
        return {**item, **text} if item.get("type") == "text" else text
    if "native" in part:
        value = part["native"].get("value")
        own = part["native"].get("provider") == NAME and isinstance(value, dict) and "type" in value
        return value if own else None
    found = media(part)
    block = _media(found, item) if found is not None else None
    if block is None or item.get("type") != block["type"]:
        return block
    return {**{key: value for key, value in item.items() if key != "detail"}, **block}


def _media(found: Media, item: Json) -> Json | None:
    if found.url is not None:
        return _image(found.url, item) if found.mime in IMAGES or item.get("type") in IMAGE_KINDS else None
    if found.data is None:
        return None
    if found.mime in IMAGES:
        return _image(found.data_url, item)
    if found.mime in AUDIO:
        return {"type": "input_audio", "input_audio": {"data": found.data, "format": AUDIO[found.mime]}}
    if found.mime == "application/pdf":
        file = {"filename": found.name or "file.pdf", "file_data": found.data_url}
        return {"type": "file", "file": file}
    text = found.text() if found.textual else None
    named = f"[File {found.name or 'without a name'}, {found.mime}]"
    return None if text is None else {"type": "text", "text": f"{named}\n{text}"}


def _image(url: str, item: Json) -> Json:
    image = {"url": url}
    if item.get("detail") in ("auto", "low", "high"):
        image["detail"] = item["detail"]
    return {"type": "image_url", "image_url": image}


def unwritten(part: Part, *, by_model: bool = False) -> str:
    """Why media cannot be sent, "" for a part that is none; a model's message takes none at all."""
    found = media(part)
    if found is None:
        return ""
    if found.data is None and found.url is None:
        return "no readable data, or an address that only its own provider can read"
    if by_model:
        return "a model's message takes only text"
    if found.data is None:
        return "only images can be sent by URL"
    return f"{found.mime or 'data of no known type'} cannot be sent"


def read_part(block: Any) -> Any:
    """The inverse of `written`: in our own terms where writing it gives the same again, else `native`."""
    plain: Any = _plain(block)
    if plain is not None:
        if written(plain) == block:
            return plain
        kept = {**plain, "item": _beside(block)}
        again = written(kept)  # type: ignore[arg-type]
        if again == block or _payload(again) == _payload(block) is not None:
            return kept
    return {"native": {"provider": NAME, "value": block}}


def _plain(block: Any) -> Json | None:
    if not isinstance(block, dict):
        return None
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return {"text": block["text"]}
    inner = block.get(kind) if isinstance(kind, str) else None
    if not isinstance(inner, dict):
        return None
    if kind == "input_audio" and inner.get("format") in ("wav", "mp3"):
        return {"inlineData": {"mimeType": _MIMES[inner["format"]], "data": inner.get("data")}}
    url = inner.get("url") if kind == "image_url" else inner.get("file_data")
    inline = parse_data_url(url) if isinstance(url, str) else None
    if inline is not None:
        name = inner.get("filename")
        blob = {"mimeType": inline[0], "data": inline[1]}
        return {"inlineData": {**blob, "displayName": name} if isinstance(name, str) else blob}
    return {"fileData": {"fileUri": url}} if kind == "image_url" and isinstance(url, str) else None


def _beside(block: Json) -> Json:
    """What a content part says beside its content."""
    kind = block["type"]
    item = {key: value for key, value in block.items() if key not in ("type", "text", kind)}
    if isinstance(block.get(kind), dict) and "detail" in block[kind]:
        item["detail"] = block[kind]["detail"]
    return {"type": kind, **item}


def _payload(block: Any) -> object:
    """The content of inline media, however its type is spelled and whatever it is called."""
    for kind, name in (("image_url", "url"), ("file", "file_data")):
        inner = block.get(kind) if isinstance(block, dict) else None
        url = inner.get(name) if isinstance(inner, dict) else None
        inline = parse_data_url(url) if isinstance(url, str) else None
        if inline is not None and isinstance(inner, dict):
            return (kind, inline[1], inner.get("detail"))
    return None


def joined(content: object) -> str | None:
    """The text of a content that is text, or a list of nothing but text parts; None for any other."""
    if isinstance(content, str):
        return content
    texts = [
        block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        for block in (content if isinstance(content, list) and content else [None])
    ]
    return "".join(str(text) for text in texts) if all(isinstance(text, str) for text in texts) else None


class Speech:
    """What a model's turn says besides its calls: texts, refusals, and thoughts that may go back."""

    def __init__(self, turn: Turn, model: str | None, *, own: bool) -> None:
        self.own = own
        self.same = own and turn.made_by(NAME, model)
        self.items = turn.message is not None and turn.message.provider == "openai-responses"
        self.blocks: list[Json] = []
        self.apart: list[bool] = []  # for each block, whether it begins anew
        self.last: tuple[int, object] = (-2, None)  # the place of the last text, and its message item
        self.thoughts: Json = {}

    def text(self, part: Part, place: int) -> None:
        """Add the text at this place among the turn's parts."""
        refusal = self.own and dict(part).get("refusal")
        kind = "refusal" if refusal else "text"
        id = item_of(part).get("id")
        self.blocks.append({"type": kind, kind: part["text"]})
        self.apart.append(self.last[0] != place - 1 or (self.items and (not id or id != self.last[1])))
        self.last = (place, id)

    def thought(self, part: Part) -> None:
        """Give a thought back under the name it came by, to the model family that thought it.

        The API itself has no place for thoughts and refuses names that it does not know; the hosts that
        have one want it back (DeepSeek: with every turn that called a tool).
        """
        item = item_of(part)
        name = item.get("field")
        if self.same and isinstance(name, str) and name in REASONING:
            text = self.thoughts.get(name, "") + str(part.get("text", ""))
            self.thoughts[name] = item.get("value", text)

    def native(self, part: Part, place: int) -> bool:
        """Take a field of this format's own message; whether it was known."""
        native = part.get("native")
        value = native.get("value") if native is not None and native.get("provider") == NAME else None
        if not self.own or not isinstance(value, dict):
            return False
        audio = value.get("audio")
        if isinstance(audio, dict) and isinstance(audio.get("transcript"), str):
            self.text({"text": audio["transcript"]}, place)  # the sound itself expires at the provider
        elif self.same and "reasoning_details" in value:
            self.thoughts["reasoning_details"] = value["reasoning_details"]
        return "audio" in value or "reasoning_details" in value or "annotations" in value

    def content(self) -> Any:
        """One string where the format allows it.

        Neighbouring texts are one text; a blank line stands where a call or a thought was in between, or
        where another message item begins. Several texts of this format's own stay apart.
        """
        if not self.blocks:
            return ""
        if any(block["type"] == "refusal" for block in self.blocks) or (self.own and len(self.blocks) > 1):
            return self.blocks
        spoken = ""
        for block, apart in zip(self.blocks, self.apart, strict=True):
            spoken += ("\n\n" if apart and spoken and block["text"] else "") + block["text"]
        return spoken
