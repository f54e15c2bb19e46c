"""Anthropic's request body (`POST /v1/messages`).

A user's message is never joined with the next (the API does that), so that no later message changes an
earlier one's bytes; a model's messages in a row are one, for no request goes out between them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message
from ..answers import arguments
from ..array import Array
from ..base import Options, Request
from ..media import media
from ..names import CallIds
from ..parts import object_of
from ..turns import CONTINUATION, EMPTY_MESSAGE, Turn, described
from . import NAME, around, blocks

NOTED = "(noted)"  # after a system message the API wants the model to speak


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; nothing in its array depends on what follows it."""
    work = _Conversation(options)
    work.fill(messages, summaries)
    work.end()
    return work.request(around.body(options, work.array, work.notes, called=work.called))


class _Conversation(Array):
    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options)
        self.options = options
        self.ids = CallIds(blocks.IDS.fit, faithful=options.faithful)  # unique since the last answer
        self.answered = True  # whether a turn that is no model's came after them
        self.thinking = False  # whether the model's message at the end has thinking in it
        self.called = False  # whether there is any call

    def add_text(self, role: str, parts: list[Any], id: str) -> None:
        """A message that is one text, most of a long history."""
        text = parts[0]["text"]
        if role == "model":
            self._begin()
            if not text.isspace():
                self._emit("assistant", [{"type": "text", "text": text}], [id])
            return
        self._asked()
        text = EMPTY_MESSAGE if text.isspace() else text
        self._emit("user", [{"type": "text", "text": text}], [id])

    def _begin(self) -> None:
        """Begin a model's message."""
        self.ids.reset()
        self.answered = False

    def _emit(self, role: str, content: list[Any], sources: list[str]) -> None:
        last = self.array[-1]["role"] if self.array else ""
        if role == "assistant" and last == role:
            before = self.array[-1]["content"]
            if self.trace:
                held = [*(self.sources[-1] if before else ()), *(sources if content else ())]
                self.sources[-1] = held or self.sources[-1]
            before += content
            return
        if not self.faithful:
            if role == "assistant" and not last:
                self._emit("user", [{"type": "text", "text": CONTINUATION}], [""])
            elif role == "user" and last == "system":
                self._emit("assistant", [{"type": "text", "text": NOTED}], [""])
        self.add({"role": role, "content": content}, sources)

    # -- a user's -----------------------------------------------------------------------------------

    def add_user_turn(self, turn: Turn) -> None:
        self._asked()
        content = [block for part in turn.parts for block in self._of_user(part, turn)]
        if turn.item.get("role") == "system":
            self._system(content, turn.id)
            return
        if not content and not self.faithful:
            content = [{"type": "text", "text": EMPTY_MESSAGE}]
        self._emit("user", content, [turn.id] * (len(content) or 1))

    def _system(self, content: list[Any], id: str) -> None:
        """A system message between the others, where the model takes it and it stands after a user's.

        Else its text goes as a user's.
        """
        after = self.array[-1]["role"] if self.array else "assistant"
        fits = all(block["type"] == "text" or block["type"].startswith("tool_") for block in content)
        if blocks.takes_system(self.model) and after != "assistant" and fits:
            if content:
                self._emit("system", content, [id] * len(content))
            return
        texts = [block for block in content if block["type"] in ("text", "image", "document")]
        if texts:
            self._emit("user", texts, [id] * len(texts))
        elif after == "assistant":
            self._emit("user", [{"type": "text", "text": EMPTY_MESSAGE}], [id])

    def _of_user(self, part: Any, turn: Turn) -> list[Any]:
        new: list[Any] = []
        if isinstance(part.get("text"), str):
            if self._sent(part["text"]):
                new.append({"type": "text", "text": part["text"]})
        elif media(part) is None:
            return self._other(part, turn)
        if media(part) is not None:
            new.append(self._media(part, turn))
        return new

    def _media(self, part: Any, turn: Turn) -> Json:
        block = blocks.media_block(part)
        if isinstance(block, str):
            self.note(turn, f"media is sent as a text about it: {block}")
            return {"type": "text", "text": described(part, block)}
        return block

    def _other(self, part: Any, turn: Turn) -> list[Any]:
        """A native block, what code execution said as text, or nothing."""
        native = object_of(part.get("native"))
        block = blocks.native_block(part, turn.role)
        if block is not None and (turn.role == "user" or turn.made_by(NAME, self.model)):
            return [block]
        code, result = object_of(part.get("executableCode")), object_of(part.get("codeExecutionResult"))
        for text, language in ((code.get("code"), code.get("language")), (result.get("output"), "")):
            if blocks.says(text):
                return [{"type": "text", "text": f"```{str(language or '').lower()}\n{text}\n```"}]
        if part and not self.faithful:
            kind = object_of(native.get("value")).get("type") if native else ", ".join(sorted(part))
            owner = f"only {native.get('provider')} knows" if native else "Anthropic does not know"
            self.note(turn, f"a part that {owner} ({kind or 'native'}) is left out")
        return []

    def _sent(self, text: str) -> bool:
        return self.faithful or blocks.says(text)

    # -- a model's ----------------------------------------------------------------------------------

    def add_model_turn(self, turn: Turn) -> None:
        if self.answered:
            self._begin()
        ids = iter(self.ids.calls(turn))
        self.called = self.called or bool(turn.calls)
        content: list[Any] = []
        for part in turn.parts:
            id = next(ids) if "functionCall" in part else ""
            if len(part) == 1 and (id or "text" in part):  # nearly all
                if id:
                    content.append(self._call(part, id))
                elif self._sent(part["text"]):
                    content.append({"type": "text", "text": part["text"]})
                continue
            new = self._of_model(part, id, turn, own=turn.made_by(NAME, self.model))
            self.thinking = self.thinking or any(block["type"] in blocks.THINKING for block in new)
            content += new
        if content or self.faithful:
            self._emit("assistant", content, [turn.id] * (len(content) or 1))

    def _of_model(self, part: Any, id: str, turn: Turn, *, own: bool) -> list[Any]:
        text = part.get("text")
        if part.get("thought"):
            signature = part.get("thoughtSignature")
            if own and isinstance(text, str) and isinstance(signature, str) and signature:
                return [{"type": "thinking", "thinking": text, "signature": signature}]
            return []
        new: list[Any] = []
        if isinstance(text, str):
            if self._sent(text):
                cited = {"citations": part["citations"]} if own and part.get("citations") else {}
                new.append({"type": "text", "text": text, **cited})
        elif media(part) is not None:
            why = "a model's message holds no media"
            self.note(turn, f"media is sent as a text about it: {why}")
            new.append({"type": "text", "text": described(part, why)})
        elif not id:
            return self._other(part, turn)
        if id:
            new.append(self._call(part, id, object_of(part.get("item")) if own else {}))
        return new

    def _call(self, part: Any, id: str, item: Json | None = None) -> Json:
        name = blocks.NAMES.fit(part["functionCall"].get("name") or "tool")
        call = {"type": "tool_use", "id": id, "name": name, "input": arguments(part)}
        if item:
            call.update((key, item[key]) for key in ("caller", "toolset_name") if key in item)
        return call

    def add_results(self, turn: Turn) -> None:
        """All results of a model's turn in one message, nothing before them."""
        self._asked()
        content: list[Any] = []
        for part, id in zip(turn.parts, self.ids.results(turn), strict=True):
            block, whys = blocks.result_block(part, id)
            content.append(block)
            for why in whys:
                self.note(turn, f"media in a tool's result is sent as a text about it: {why}")
        self._emit("user", content, turn.sources if self.trace else [])

    # -- the end of a message -----------------------------------------------------------------------

    def _asked(self) -> None:
        """A user's turn begins: the model's message before it is finished."""
        if self.thinking:
            self._spoken()
        self.answered, self.thinking = True, False

    def _spoken(self, *, last: bool = False) -> None:
        """Finish a model's message: no thinking at its end, nor whitespace at the end of a request.

        "The final block in an assistant message cannot be `thinking`", and with thinking disabled one "in
        the final position cannot contain `thinking`" at all.
        """
        if not self.array or self.array[-1]["role"] != "assistant" or self.faithful:
            return
        content = self.array[-1]["content"]
        off = object_of(self.options.settings.get("thinking")).get("type", "disabled") == "disabled"
        end = len(content)
        while end and content[end - 1].get("type") in blocks.THINKING:
            end -= 1
        keep = [n for n in range(end) if not (last and off and content[n].get("type") in blocks.THINKING)]
        self.array[-1]["content"] = [content[n] for n in keep]
        if self.trace:
            self.sources[-1] = [self.sources[-1][n] for n in keep]
        if not keep:
            self.array.pop()
            if self.trace:
                self.sources.pop()
        elif last and content[keep[-1]].get("type") == "text":
            text = content[keep[-1]]
            self.array[-1]["content"][-1] = {**text, "text": text["text"].rstrip()}

    def end(self) -> None:
        if not self.answered:
            self._spoken(last=True)
