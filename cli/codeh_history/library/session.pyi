# Written by `make generate` from the methods and the verbs' options (tests/library/api.py); do not edit.
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self, TypeAlias, overload

from ..session.view import View
from .stream import Answer, Filtered, Stream

Json: TypeAlias = dict[str, Any]
Texts: TypeAlias = str | Sequence[str]
File: TypeAlias = str | PathLike[str]
Amount: TypeAlias = int | str

class Model(Protocol):  # an object of a provider's client: a pydantic model
    def model_dump_json(self, *, by_alias: bool, exclude_none: bool) -> str: ...

Response: TypeAlias = bytes | str | Mapping[str, Any] | Iterable[bytes | str] | Model
Value: TypeAlias = str | Mapping[str, Any] | Sequence[Any] | float | bool | None
Told: TypeAlias = Callable[[str], object]
Remover: TypeAlias = str | Callable[[str], str]
AsyncRemover: TypeAlias = Callable[[str], Awaitable[str]]

class Session:
    @classmethod
    def open(
        cls,
        id_or_path: File,
        create: bool = False,
        home: File | None = None,
    ) -> Self: ...
    @property
    def id(self) -> str: ...
    @property
    def path(self) -> str: ...
    def close(
        self,
    ) -> None: ...
    def __enter__(
        self,
    ) -> Self: ...
    def __exit__(
        self,
        kind: object,
        error: object,
        trace: object,
    ) -> None: ...
    def append(
        self,
        message: Texts = (),
        *,
        file: File | Sequence[File] | None = ...,
        attach: File | Sequence[File] | None = ...,
        role: str | None = ...,
        kind: str | None = ...,
        call: str | Sequence[str] | None = ...,
        args: Mapping[str, Any] | str | Sequence[Mapping[str, Any] | str] | None = ...,
        call_id: str | Sequence[str] | None = ...,
        result: str | None = ...,
        failed: bool | None = ...,
        references: File | Sequence[Json] | None = ...,
        exchange: File | Json | None = ...,
        key: str | None = ...,
        pin: bool | None = ...,
        pending: bool | None = ...,
        redact: bool | None = ...,
        max_items: int | None = ...,
    ) -> str: ...
    def extend(
        self,
        messages: Iterable[Json],
        *,
        redact: bool = False,
    ) -> list[str]: ...
    @overload
    def append_response(
        self,
        response: AsyncIterable[bytes | str] | Awaitable[Response],
        from_: str = "auto",
        *,
        max_bytes: Amount | None = None,
        echo: Told | None = None,
    ) -> Awaitable[str]: ...
    @overload
    def append_response(
        self,
        response: Response,
        from_: str = "auto",
        *,
        max_bytes: Amount | None = None,
        echo: Told | None = None,
    ) -> str: ...
    def stream(
        self,
        role: str | None = None,
        *,
        kind: str | None = None,
        max_bytes: Amount | None = None,
    ) -> Stream: ...
    @overload
    def ask(
        self,
        message: Texts = (),
        *,
        via: Callable[[bytes], Awaitable[Response | AsyncIterable[bytes | str]]]
        | Callable[[bytes], AsyncIterable[bytes | str]],
        echo: Told | None = None,
        file: File | Sequence[File] | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        system: File | None = ...,
        tools: PathLike[str] | str | Sequence[Json] | Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: File | None = ...,
        system_template: File | None = ...,
        rendered_user: File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: Remover | Sequence[Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: Amount | None = ...,
        max_chars: Amount | None = ...,
        max_items: Amount | None = ...,
        keep_last: Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        attach: File | Sequence[File] | None = ...,
        compact_via: str | None = ...,
        max_bytes: Amount | None = ...,
        key: str | None = ...,
        profile: str | None = ...,
    ) -> Awaitable[Answer]: ...
    @overload
    def ask(
        self,
        message: Texts = (),
        *,
        via: str | Callable[[bytes], Response] | None = None,
        echo: Told | None = None,
        file: File | Sequence[File] | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        system: File | None = ...,
        tools: PathLike[str] | str | Sequence[Json] | Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: File | None = ...,
        system_template: File | None = ...,
        rendered_user: File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: Remover | Sequence[Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: Amount | None = ...,
        max_chars: Amount | None = ...,
        max_items: Amount | None = ...,
        keep_last: Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        attach: File | Sequence[File] | None = ...,
        compact_via: str | None = ...,
        max_bytes: Amount | None = ...,
        key: str | None = ...,
        profile: str | None = ...,
    ) -> Answer: ...
    @overload
    def calls(
        self,
        via: Callable[[Json], Awaitable[Value]],
        *,
        allow_missing: bool | None = ...,
        max_bytes: Amount | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> Awaitable[list[Json]]: ...
    @overload
    def calls(
        self,
        via: str | Callable[[Json], Value] | None = None,
        *,
        allow_missing: bool | None = ...,
        max_bytes: Amount | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> list[Json]: ...
    def undo(
        self,
        id: str | None = None,
        *,
        turn: bool = False,
    ) -> list[tuple[str, str]]: ...
    def update(
        self,
        id: str,
        message: Texts = (),
        *,
        file: File | Sequence[File] | None = ...,
        append: bool | None = ...,
        pending: bool | None = ...,
        commit: bool | None = ...,
    ) -> str: ...
    def commit(
        self,
        id: str | None = None,
    ) -> str | None: ...
    def clear(
        self,
    ) -> str: ...
    def set(
        self,
        settings: Json,
    ) -> None: ...
    @overload
    def curate(
        self,
        *,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: AsyncRemover | Sequence[AsyncRemover],
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        in_place: bool | None = ...,
        allow_missing: bool | None = ...,
        strict: bool | None = ...,
    ) -> Awaitable[Filtered]: ...
    @overload
    def curate(
        self,
        *,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: Remover | Sequence[Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        in_place: bool | None = ...,
        allow_missing: bool | None = ...,
        strict: bool | None = ...,
    ) -> Filtered: ...
    def compact(
        self,
        budget: Amount | None = None,
        *,
        max_chars: Amount | None = ...,
        max_items: Amount | None = ...,
        keep_last: Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        system: File | None = ...,
        tools: PathLike[str] | str | Sequence[Json] | Json | None = ...,
        via: str | None = ...,
        plan: bool | None = ...,
        apply: File | Json | None = ...,
        in_place: bool | None = ...,
        allow_missing: bool | None = ...,
        strict: bool | None = ...,
    ) -> Filtered: ...
    def repair(
        self,
        *,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: Remover | Sequence[Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        in_place: bool | None = ...,
        allow_missing: bool | None = ...,
        strict: bool | None = ...,
    ) -> Filtered: ...
    @overload
    def summarize(
        self,
        via: Callable[[str], Awaitable[str]] | Callable[[bytes], Awaitable[Response]],
        *,
        max_conversations: int | None = ...,
        min_batch: int | None = ...,
        due_over: Amount | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        timeout: float | None = ...,
        budget: Amount | None = ...,
        max_source: Amount | None = ...,
        prompt: File | None = ...,
        gate: bool | None = ...,
        counter: str | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> Awaitable[Json | None]: ...
    @overload
    def summarize(
        self,
        via: str | Callable[[str], str] | Callable[[bytes], Response] | None = None,
        *,
        max_conversations: int | None = ...,
        min_batch: int | None = ...,
        due_over: Amount | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        timeout: float | None = ...,
        budget: Amount | None = ...,
        max_source: Amount | None = ...,
        prompt: File | None = ...,
        gate: bool | None = ...,
        counter: str | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> Json | None: ...
    @property
    def messages(self) -> list[Json]: ...
    @property
    def items(self) -> list[Json]: ...
    @property
    def settings(self) -> Json: ...
    @property
    def view(self) -> View: ...
    @overload
    def payload(
        self,
        to: str | None = None,
        *,
        model: str | None = ...,
        system: File | None = ...,
        tools: PathLike[str] | str | Sequence[Json] | Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        pretty: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: File | None = ...,
        system_template: File | None = ...,
        rendered_user: File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: AsyncRemover | Sequence[AsyncRemover],
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: Amount | None = ...,
        max_chars: Amount | None = ...,
        max_items: Amount | None = ...,
        keep_last: Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> Awaitable[bytes]: ...
    @overload
    def payload(
        self,
        to: str | None = None,
        *,
        model: str | None = ...,
        system: File | None = ...,
        tools: PathLike[str] | str | Sequence[Json] | Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        pretty: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: File | None = ...,
        system_template: File | None = ...,
        rendered_user: File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: Remover | Sequence[Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: Amount | None = ...,
        max_chars: Amount | None = ...,
        max_items: Amount | None = ...,
        keep_last: Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> bytes: ...
    def export(
        self,
        to: str | None = None,
        *,
        bundle: File | None = ...,
        encrypt_to: str | Sequence[str] | None = ...,
        last: int | None = ...,
        workspace: str | None = ...,
        cwd: str | None = ...,
        title: str | None = ...,
        output: File | None = ...,
        install: bool | None = ...,
        program: str | None = ...,
        from_dir: str | None = ...,
        redact: bool | None = ...,
        allow_missing: bool | None = ...,
        strict: bool | None = ...,
        role: str | None = ...,
        since: str | None = ...,
        range: str | None = ...,
    ) -> bytes: ...
    def fork(
        self,
        at: str | None = None,
        into: str | None = None,
    ) -> Self: ...
