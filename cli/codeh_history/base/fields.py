"""Values of named fields that are never changed in place."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_: object) -> object:
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Fields:
    """What a frozen dataclass is, without the milliseconds that making one takes."""

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def but(self, **given: Any) -> Self:
        """The same, some of it otherwise."""
        return type(self)(**(vars(self) | given))
