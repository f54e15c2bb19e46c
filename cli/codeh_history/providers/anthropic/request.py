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
from ..parts import item_of, object_of
from ..turns import CONTINUATION, EMPTY_MESSAGE, Turn, described
from . import NAME, around, blocks

NOTED = "(noted)"  # after a system message the API wants the model to speak


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; nothing in its array depends on what follows it."""
    work = _Conversation(options)
    work.fill(messages, summaries)
    if not work.answered:
        work.finish(last=True)
    return work.request(around.body(work, called=work.called))


class _Conversation(Array):
    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options)
        self.ids = CallIds(blocks.IDS.fit, faithful=options.faithful)  # unique since the last answer
        self.answered = True  # whether a turn that is no model's came after them
        self.thinking = False  # whether the model's message at the end has thinking in it
        self.called = False  # whether there is any call

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
                self._emit("user", [_text(CONTINUATION)], [""])
            elif role == "user" and last == "system":
                self._emit("assistant", [_text(NOTED)], [""])
        self.add({"role": role, "content": content}, sources)

    # -- the user's side ----------------------------------------------------------------------------

    def add_user_turn(self, turn: Turn) -> None:
        self._begin_user()
        content = [block for part in turn.parts for block in self._blocks(part, turn, own=True)]
        if turn.item.get("role") == "system":
            self._system(content, turn.id)
            return
        if not content and not self.faithful:
            content = [_text(EMPTY_MESSAGE)]
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
        if texts or after == "assistant":
            texts = texts or [_text(EMPTY_MESSAGE)]
            self._emit("user", texts, [id] * len(texts))

    def add_results(self, turn: Turn) -> None:
        """All results of a model's turn in one message, nothing before them."""
        self._begin_user()
        content: list[Any] = []
        for part, id in zip(turn.parts, self.ids.results(turn), strict=True):
            block, whys = blocks.result_block(part, id)
            content.append(block)
            for why in whys:
                self.note(turn, f"media in a tool's result is sent as a text about it: {why}")
        self._emit("user", content, turn.sources if self.trace else [])

    # -- the model's side ---------------------------------------------------------------------------

    def add_model_turn(self, turn: Turn) -> None:
        if self.answered:
            self.ids.reset()
            self.answered = False
        ids = self.ids.calls(turn)
        own = turn.made_by(NAME, self.model)
        self.called = self.called or bool(turn.calls)
        if turn.opening is None:
            content = self._content(turn, ids, own=own)
        else:
            content = [_text(turn.opening)] if turn.opening and self._sends(turn.opening) else []
            for call, id in zip(turn.calls, ids, strict=True):
                content.append(_call(turn.parts[call.part], id, own=own))
        if content or self.faithful:
            self._emit("assistant", content, [turn.id] * (len(content) or 1))

    def _content(self, turn: Turn, call_ids: list[str], *, own: bool) -> list[Any]:
        """The blocks of a model's turn."""
        content: list[Any] = []
        ids = iter(call_ids)
        for part in turn.parts:
            id = next(ids) if "functionCall" in part else ""
            if part.get("thought"):
                new = _thinking(part) if own else []
                self.thinking = self.thinking or bool(new)
            else:
                new = self._blocks(part, turn, own=own, called=id != "")
                new += [_call(part, id, own=own)] if id else []
            content += new
        return content

    def _sends(self, text: str) -> bool:
        return self.faithful or blocks.says(text)

    def _begin_user(self) -> None:
        """A user's turn begins: the model's message before it is finished."""
        if self.thinking:
            self.finish()
        self.answered, self.thinking = True, False

    def finish(self, *, last: bool = False) -> None:
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
        message = self.array.pop()
        sources = self.sources.pop() if self.trace else []
        if not keep:
            return
        kept = [content[n] for n in keep]
        if last and kept[-1].get("type") == "text":
            kept[-1] = {**kept[-1], "text": kept[-1]["text"].rstrip()}
        self.add({**message, "content": kept}, [sources[n] for n in keep] if self.trace else [])

    # -- parts --------------------------------------------------------------------------------------

    def _blocks(self, part: Any, turn: Turn, *, own: bool, called: bool = False) -> list[Any]:
        """The blocks for a part besides its call: text, media, a native one, or nothing."""
        new: list[Any] = []
        user, text = turn.role == "user", part.get("text")
        if isinstance(text, str):
            if self._sends(text):
                cited = own and not user and part.get("citations")
                new.append({**_text(text), "citations": cited} if cited else _text(text))
            if not user:
                return new
        if media(part) is not None:
            block = blocks.media_block(part) if user else "a model's message holds no media"
            if isinstance(block, str):
                self.note(turn, f"media is sent as a text about it: {block}")
                block = _text(described(part, block))
            new.append(block)
        elif not isinstance(text, str) and not called:
            return self._other(part, turn, own=own)
        return new

    def _other(self, part: Any, turn: Turn, *, own: bool) -> list[Any]:
        """A native block, what code execution said as text, or nothing."""
        native = object_of(part.get("native"))
        block = blocks.native_block(part, turn.role)
        if block is not None and own:
            self.thinking = self.thinking or block["type"] in blocks.THINKING
            return [block]
        code, result = object_of(part.get("executableCode")), object_of(part.get("codeExecutionResult"))
        for text, language in ((code.get("code"), code.get("language")), (result.get("output"), "")):
            if blocks.says(text):
                return [_text(f"```{str(language or '').lower()}\n{text}\n```")]
        if part and not self.faithful:
            kind = object_of(native.get("value")).get("type") if native else ", ".join(sorted(part))
            owner = f"only {native.get('provider')} knows" if native else "Anthropic does not know"
            self.note(turn, f"a part that {owner} ({kind or 'native'}) is left out")
        return []


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _thinking(part: Any) -> list[Any]:
    text, signature = part.get("text"), part.get("thoughtSignature")
    if not isinstance(text, str) or not isinstance(signature, str) or not signature:
        return []
    return [{"type": "thinking", "thinking": text, "signature": signature}]


def _call(part: Any, id: str, *, own: bool) -> Json:
    name = blocks.NAMES.fit(part["functionCall"].get("name") or "tool")
    call = {"type": "tool_use", "id": id, "name": name, "input": arguments(part)}
    if own and len(part) > 1:
        item = item_of(part)
        call.update((key, item[key]) for key in ("caller", "toolset_name") if key in item)
    return call
