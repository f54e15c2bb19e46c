# Written by `make generate` from the methods and the verbs' options (tests/library/api.py); do not edit.
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self, TypeAlias, overload

from .base.errors import (
    BadData,
    BudgetUnreachable,
    HistoryError,
    InputOutput,
    NegativeAnswer,
    NotFound,
    ProviderRefused,
    SummarizerFailed,
    TryAgain,
    Usage,
)
from .library.stream import Answer, Filtered, Stream
from .session.view import View

__version__: str
__all__ = [
    "Answer",
    "BadData",
    "BudgetUnreachable",
    "Filtered",
    "HistoryError",
    "InputOutput",
    "NegativeAnswer",
    "NotFound",
    "ProviderRefused",
    "Session",
    "Stream",
    "SummarizerFailed",
    "TryAgain",
    "Usage",
    "__version__",
]

_Json: TypeAlias = dict[str, Any]
_Texts: TypeAlias = str | Sequence[str]
_File: TypeAlias = str | PathLike[str]
_Amount: TypeAlias = int | str

class _Model(Protocol):  # an object of a provider's client: a pydantic model
    def model_dump_json(self, *, by_alias: bool, exclude_none: bool) -> str: ...

_Response: TypeAlias = bytes | str | Mapping[str, Any] | Iterable[bytes | str] | _Model
_Value: TypeAlias = str | Mapping[str, Any] | Sequence[Any] | float | bool | None
_Told: TypeAlias = Callable[[str], object]
_Remover: TypeAlias = str | Callable[[str], str]
_AsyncRemover: TypeAlias = Callable[[str], Awaitable[str]]

class Session:
    @classmethod
    def open(
        cls,
        id_or_path: _File,
        create: bool = False,
        home: _File | None = None,
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
        message: _Texts = (),
        *,
        file: _File | Sequence[_File] | None = ...,
        attach: _File | Sequence[_File] | None = ...,
        role: str | None = ...,
        kind: str | None = ...,
        call: str | Sequence[str] | None = ...,
        args: Mapping[str, Any] | str | Sequence[Mapping[str, Any] | str] | None = ...,
        call_id: str | Sequence[str] | None = ...,
        result: str | None = ...,
        failed: bool | None = ...,
        references: _File | Sequence[_Json] | None = ...,
        exchange: _File | _Json | None = ...,
        key: str | None = ...,
        pin: bool | None = ...,
        pending: bool | None = ...,
        redact: bool | None = ...,
        max_items: int | None = ...,
    ) -> str: ...
    def extend(
        self,
        messages: Iterable[_Json],
        *,
        redact: bool = False,
    ) -> list[str]: ...
    @overload
    def append_response(
        self,
        response: AsyncIterable[bytes | str] | Awaitable[_Response],
        from_: str = "auto",
        *,
        max_bytes: _Amount | None = None,
        echo: _Told | None = None,
    ) -> Awaitable[str]: ...
    @overload
    def append_response(
        self,
        response: _Response,
        from_: str = "auto",
        *,
        max_bytes: _Amount | None = None,
        echo: _Told | None = None,
    ) -> str: ...
    def stream(
        self,
        role: str | None = None,
        *,
        kind: str | None = None,
        max_bytes: _Amount | None = None,
    ) -> Stream: ...
    @overload
    def ask(
        self,
        message: _Texts = (),
        *,
        via: Callable[[bytes], Awaitable[_Response | AsyncIterable[bytes | str]]]
        | Callable[[bytes], AsyncIterable[bytes | str]],
        echo: _Told | None = None,
        file: _File | Sequence[_File] | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        system: _File | None = ...,
        tools: PathLike[str] | str | Sequence[_Json] | _Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: _File | None = ...,
        system_template: _File | None = ...,
        rendered_user: _File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: _Remover | Sequence[_Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: _Amount | None = ...,
        max_chars: _Amount | None = ...,
        max_items: _Amount | None = ...,
        keep_last: _Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        attach: _File | Sequence[_File] | None = ...,
        compact_via: str | None = ...,
        max_bytes: _Amount | None = ...,
        key: str | None = ...,
        profile: str | None = ...,
    ) -> Awaitable[Answer]: ...
    @overload
    def ask(
        self,
        message: _Texts = (),
        *,
        via: str | Callable[[bytes], _Response] | None = None,
        echo: _Told | None = None,
        file: _File | Sequence[_File] | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        system: _File | None = ...,
        tools: PathLike[str] | str | Sequence[_Json] | _Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: _File | None = ...,
        system_template: _File | None = ...,
        rendered_user: _File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: _Remover | Sequence[_Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: _Amount | None = ...,
        max_chars: _Amount | None = ...,
        max_items: _Amount | None = ...,
        keep_last: _Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        attach: _File | Sequence[_File] | None = ...,
        compact_via: str | None = ...,
        max_bytes: _Amount | None = ...,
        key: str | None = ...,
        profile: str | None = ...,
    ) -> Answer: ...
    @overload
    def calls(
        self,
        via: Callable[[_Json], Awaitable[_Value]],
        *,
        allow_missing: bool | None = ...,
        max_bytes: _Amount | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> Awaitable[list[_Json]]: ...
    @overload
    def calls(
        self,
        via: str | Callable[[_Json], _Value] | None = None,
        *,
        allow_missing: bool | None = ...,
        max_bytes: _Amount | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> list[_Json]: ...
    def undo(
        self,
        id: str | None = None,
        *,
        turn: bool = False,
    ) -> list[tuple[str, str]]: ...
    def update(
        self,
        id: str,
        message: _Texts = (),
        *,
        file: _File | Sequence[_File] | None = ...,
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
        settings: _Json,
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
        remove_cmd: _AsyncRemover | Sequence[_AsyncRemover],
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
        remove_cmd: _Remover | Sequence[_Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        in_place: bool | None = ...,
        allow_missing: bool | None = ...,
        strict: bool | None = ...,
    ) -> Filtered: ...
    def compact(
        self,
        budget: _Amount | None = None,
        *,
        max_chars: _Amount | None = ...,
        max_items: _Amount | None = ...,
        keep_last: _Amount | None = ...,
        policy: str | None = ...,
        counter: str | None = ...,
        calibrated: bool | None = ...,
        upload_share: float | None = ...,
        history_share: float | None = ...,
        system: _File | None = ...,
        tools: PathLike[str] | str | Sequence[_Json] | _Json | None = ...,
        via: str | None = ...,
        plan: bool | None = ...,
        apply: _File | _Json | None = ...,
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
        remove_cmd: _Remover | Sequence[_Remover] | None = ...,
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
        via: Callable[[str], Awaitable[str]] | Callable[[bytes], Awaitable[_Response]],
        *,
        max_conversations: int | None = ...,
        min_batch: int | None = ...,
        due_over: _Amount | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        timeout: float | None = ...,
        budget: _Amount | None = ...,
        max_source: _Amount | None = ...,
        prompt: _File | None = ...,
        gate: bool | None = ...,
        counter: str | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> Awaitable[_Json | None]: ...
    @overload
    def summarize(
        self,
        via: str | Callable[[str], str] | Callable[[bytes], _Response] | None = None,
        *,
        max_conversations: int | None = ...,
        min_batch: int | None = ...,
        due_over: _Amount | None = ...,
        to: str | None = ...,
        model: str | None = ...,
        timeout: float | None = ...,
        budget: _Amount | None = ...,
        max_source: _Amount | None = ...,
        prompt: _File | None = ...,
        gate: bool | None = ...,
        counter: str | None = ...,
        profile: str | None = ...,
        strict: bool | None = ...,
    ) -> _Json | None: ...
    @property
    def messages(self) -> list[_Json]: ...
    @property
    def items(self) -> list[_Json]: ...
    @property
    def settings(self) -> _Json: ...
    @property
    def view(self) -> View: ...
    @overload
    def payload(
        self,
        to: str | None = None,
        *,
        model: str | None = ...,
        system: _File | None = ...,
        tools: PathLike[str] | str | Sequence[_Json] | _Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        pretty: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: _File | None = ...,
        system_template: _File | None = ...,
        rendered_user: _File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: _AsyncRemover | Sequence[_AsyncRemover],
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: _Amount | None = ...,
        max_chars: _Amount | None = ...,
        max_items: _Amount | None = ...,
        keep_last: _Amount | None = ...,
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
        system: _File | None = ...,
        tools: PathLike[str] | str | Sequence[_Json] | _Json | None = ...,
        set: Mapping[str, Any] | str | Sequence[str] | None = ...,
        max_tokens: int | None = ...,
        stream: bool | None = ...,
        raw: bool | None = ...,
        prefill: bool | None = ...,
        pretty: bool | None = ...,
        cache: bool | None = ...,
        context: bool | None = ...,
        persist: bool | None = ...,
        user_template: _File | None = ...,
        system_template: _File | None = ...,
        rendered_user: _File | None = ...,
        var: Mapping[str, Any] | str | Sequence[str] | None = ...,
        allow_missing: bool | None = ...,
        only: str | Sequence[str] | None = ...,
        skip: str | Sequence[str] | None = ...,
        ide_marker: str | Sequence[str] | None = ...,
        keep_system: str | Sequence[str] | None = ...,
        remove: str | Sequence[str] | None = ...,
        remove_cmd: _Remover | Sequence[_Remover] | None = ...,
        thoughts: str | None = ...,
        unanswered: str | None = ...,
        timeout: float | None = ...,
        budget: _Amount | None = ...,
        max_chars: _Amount | None = ...,
        max_items: _Amount | None = ...,
        keep_last: _Amount | None = ...,
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
        bundle: _File | None = ...,
        encrypt_to: str | Sequence[str] | None = ...,
        last: int | None = ...,
        workspace: str | None = ...,
        cwd: str | None = ...,
        title: str | None = ...,
        output: _File | None = ...,
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
