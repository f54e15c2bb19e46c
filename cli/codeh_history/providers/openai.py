"""Shared by both OpenAI formats: content parts, ids, names, usage paths, and a request's array."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.lazy import Fields
from ..session.model import Any, Json, Part
from .array import Array
from .media import Media, media, parse_data_url
from .names import WORD, Alphabet, CallIds
from .parts import is_text, item_of, list_of, native, native_of, object_of, text_of, texts_of
from .request import Options
from .turns import EMPTY_MESSAGE

MAX_ID = 64
NAMES = Alphabet(WORD + "-", 64)
SYSTEM_ROLES = ("system", "developer")
IMAGES = frozenset(("image/png", "image/jpeg", "image/webp", "image/gif"))
_IMAGE_KINDS = ("image_url", "input_image")  # the types of images in either format
_OPEN_XML = "application/vnd.openxmlformats-officedocument."


def usage_paths(input: str, output: str) -> dict[str, str]:
    """The paths of the counts in either format's usage; see `usage.read`."""
    return {
        "input": input, "output": output, "cached": f"{input}_details.cached_tokens",
        "cacheWrite": f"{input}_details.cache_write_tokens",
        "reasoning": f"{output}_details.reasoning_tokens", "total": "total_tokens",
    }  # fmt: skip


def plain_text(content: object) -> str | None:
    """The text of a content that is a string or a list of only text parts; None for any other."""
    if isinstance(content, str):
        return content
    blocks = list_of(content)
    return "".join(texts_of(blocks)) if blocks and all(map(is_text, blocks)) else None


def _fit_id(id: str) -> str:
    """Return the id, or a hash of it if it is too long or has control characters."""
    if 0 < len(id) <= MAX_ID and id.isprintable():
        return id
    import hashlib

    return f"call_{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


class Content(Fields):
    """Converts parts to and from the content parts of one format.

    `text`, `image` and `file` are types of content parts; `nested`: their fields are in an object named
    like the type. `url` is the field of an image's address, `details` are its resolutions, `detail` the
    default one. `files` and `sounds` map the types of data that can be sent to extensions or names. `own`
    is the prefix of the types of content parts, `unknown` the name for data without a type.
    """

    provider: str
    text: str
    image: str
    url: str
    file: str
    nested: bool
    own: str
    unknown: str
    details: tuple[str, ...]
    detail: str | None
    files: Mapping[str, str]
    sounds: Mapping[str, str]

    def is_native(self, value: Any) -> bool:
        """Whether a native value of this provider is a content part."""
        kind = object_of(value).get("type")
        return isinstance(kind, str) and kind.startswith(self.own)

    def write(self, part: Part) -> Json | None:
        """Convert a part of a user message to a content part; None if the format has none for it."""
        item = item_of(part)
        if "text" in part:
            text = {"type": self.text, "text": part["text"]}
            return {**item, **text} if item.get("type") == self.text else text
        if "native" in part:
            value = native_of(part, self.provider)
            return value if self.is_native(value) else None
        file = media(part)
        block = self._media(file, item) if file is not None else None
        if block is None or item.get("type") != block["type"]:
            return block
        rest = {key: value for key, value in item.items() if key != "detail" or not self.nested}
        return {**rest, **block}

    def _media(self, file: Media, item: Json) -> Json | None:
        kind, url = item.get("type"), file.url
        if file.data is not None:
            url = f"data:{file.mime};base64,{file.data}"
        if file.mime in IMAGES or (file.url is not None and kind in _IMAGE_KINDS):
            detail = item.get("detail") if item.get("detail") in self.details else self.detail
            image = {self.url: url, **({"detail": detail} if detail else {})}
            return self._block(self.image, image) if url else None
        as_text = self.nested or file.mime.startswith("image/")  # SVG is refused as a file
        ending = self.files.get(file.mime) or ("" if as_text or not file.textual else "txt")
        if file.url is not None:
            accepted = not as_text and (ending or kind == self.file)
            return {"type": self.file, "file_url": file.url} if accepted else None
        if file.data is None:
            return None
        if file.mime in self.sounds:
            return self._block("input_audio", {"data": file.data, "format": self.sounds[file.mime]})
        if ending:  # the API requires a name with an extension
            return self._block(self.file, {"filename": file.name or f"file.{ending}", "file_data": url})
        text = file.labelled_text() if as_text else None
        return {"type": self.text, "text": text} if text is not None else None

    def _block(self, kind: str, fields: Json) -> Json:
        return {"type": kind, kind: fields} if self.nested else {"type": kind, **fields}

    def why_not(self, part: Part, *, by_model: bool = False) -> str:
        """Why media cannot be sent (`by_model`: in a model message); "" for other parts."""
        file = media(part)
        if file is None:
            return ""
        if file.data is None and file.url is None:
            return "no readable data, or an address that only its own provider can read"
        if by_model:
            return "a model's message takes only text"
        if file.data is None and self.nested:
            return "only images can be sent by URL"
        return f"{file.mime or self.unknown} cannot be sent"

    def read(self, block: Any) -> Any:
        """Convert a content part to a part; to a native one if `write` would not restore it."""
        plain: Any = self._plain(block) if isinstance(block, dict) else None
        if plain is not None:
            if self.write(plain) == block:
                return plain
            kind, (holder, _) = block["type"], self._media_of(block)
            content = (kind,) if self.nested else (self.url, "file_data", "file_url", "filename")
            rest = {key: value for key, value in block.items() if key not in ("text", *content)}
            detail = {"detail": holder["detail"]} if "detail" in holder else {}
            exact = {**plain, "item": {**rest, **detail}}
            written: Any = self.write(exact)  # type: ignore[arg-type]
            if written == block or (written and self._payload(written) == self._payload(block) is not None):
                return exact
        return native(self.provider, block)

    def _plain(self, block: Json) -> Json | None:
        kind, (holder, url) = block.get("type"), self._media_of(block)
        if kind in (self.text, "output_text") and isinstance(block.get("text"), str):
            return {"text": block["text"]}
        if kind == "input_audio":
            mimes = (mime for mime, name in self.sounds.items() if name == holder.get("format"))
            mime = next(mimes, None)
            return {"inlineData": {"mimeType": mime, "data": holder.get("data")}} if mime else None
        inline = parse_data_url(url)
        if inline is None:
            return {"fileData": {"fileUri": url}} if url and kind != "file" else None
        name = holder.get("filename")
        blob = {"mimeType": inline[0], "data": inline[1]}
        return {"inlineData": {**blob, "displayName": name} if isinstance(name, str) else blob}

    def _media_of(self, block: Json) -> tuple[Json, str]:
        """The object with a content part's media fields, and their URL, which may be a `data:` URL."""
        kind = block.get("type")
        holder = object_of(block.get(str(kind))) if self.nested else block
        url = holder.get(self.url) if kind == self.image else None
        if kind == self.file:
            url = holder.get("file_data") or (None if self.nested else holder.get("file_url"))
        return holder, text_of(url)

    def _payload(self, block: Json) -> object:
        """The content of inline media without name and spelling of the type; None for other blocks."""
        holder, url = self._media_of(block)
        inline = parse_data_url(url)
        return (block["type"], inline[1], holder.get("detail") or self.detail) if inline else None


CHAT = Content(
    provider="openai-chat", text="text", image="image_url", url="url", file="file", nested=True, own="",
    unknown="data of no known type", details=("auto", "low", "high"), detail=None,
    files={"application/pdf": "pdf"}, sounds={"audio/wav": "wav", "audio/mpeg": "mp3"},
)  # fmt: skip
RESPONSES = Content(
    provider="openai-responses", text="input_text", image="input_image", url="image_url", file="input_file",
    nested=False, own="input_", unknown="data", details=("auto", "low", "high", "original"), detail="auto",
    files={
        "application/pdf": "pdf", "application/rtf": "rtf", "application/msword": "doc",
        "application/vnd.ms-excel": "xls", "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.oasis.opendocument.text": "odt", f"{_OPEN_XML}wordprocessingml.document": "docx",
        f"{_OPEN_XML}spreadsheetml.sheet": "xlsx", f"{_OPEN_XML}presentationml.presentation": "pptx",
    },
    sounds={},
)  # fmt: skip


class OpenAIArray(Array):
    """The messages or items of a request in either format; `content` converts the content parts."""

    def __init__(self, options: Options, content: Content) -> None:
        super().__init__(content.provider, options)
        self.content = content
        self.ids = CallIds(str if self.faithful else _fit_id, faithful=self.faithful)

    def blocks(self, parts: list[Any], source: str) -> list[Json]:
        """A user message's content parts; media that cannot be sent is described, other parts are noted."""
        blocks: list[Json] = []
        for part in parts:
            block = self.content.write(part) if not part.get("thought") else None
            if block is not None:
                blocks.append(block)
            elif part.get("thought"):
                continue
            elif why := self.content.why_not(part):
                blocks.append({"type": self.content.text, "text": self.stub(part, why, source)})
            else:
                self.left_out(part, source)
        return blocks

    def user_content(self, blocks: list[Json]) -> Any:
        """The content of a user message: a string if it is a single text."""
        if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
            return blocks[0]["text"]
        return blocks or ([] if self.faithful else EMPTY_MESSAGE)

    def function_name(self, part: Part) -> str:
        name = str(part["functionCall"].get("name"))
        return name if self.faithful else NAMES.fit(name)


def custom_input(part: Part, type: str) -> str | None:
    """The input text of a call to a custom tool; None for the call of a function."""
    args: Any = part["functionCall"].get("args")
    if item_of(part).get("type") != type or not isinstance(args, dict):
        return None
    return args["input"] if isinstance(args.get("input"), str) else None
