"""What a `Session` knows, and how its methods come to the verbs."""

from __future__ import annotations

import os

from ..base.errors import NotFound
from .env import Call
from .options import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..base.env import Env
    from ..session.model import Json
    from ..session.view import View
    from ..store.resolve import Target


class Opened:
    """A session that was found: the environment it was found in, what it is called there, and its file."""

    __slots__ = ("create", "environ", "name", "path")

    def __init__(self, environ: dict[str, str], name: str, *, create: bool) -> None:
        from ..store import resolve
        from ..store.paths import SERVER, is_path

        if (is_path(name) or "/" in name) and not name.startswith(SERVER):
            name = os.path.abspath(name)
        with Call(environ) as call:
            target = (resolve.for_writing if create else resolve.for_reading)(call, name)
        self.environ = environ
        self.name = name if "/" in name else target.id
        self.create = create
        self.path = target.path
        if not create:
            self.check()

    @property
    def there(self) -> bool:
        from ..store.paths import exists

        return exists(self.path)

    def check(self) -> None:
        """NotFound where there is no session, and none is to be begun."""
        if not self.create and not self.there:
            from ..store.paths import hint

            raise NotFound(f"{self.path}: no such session{hint(self.path)}")

    def call(self, stdin: bytes = b"") -> Call:
        """The outside world of one call."""
        self.check()
        return Call(self.environ, stdin)

    @property
    def target(self) -> Target:
        from ..store.resolve import Target

        return Target(self.path, "library")

    def run(self, verb: str, options: Json, **fixed: Any) -> Call:
        """Run a verb; what it printed is in the call."""
        from ..commands import module_of

        module = module_of(verb)
        with self.call() as call:
            module.run(call, read(module.Options, options, session=self.name, **fixed))
            return call

    def look(self, env: Env, target: Target, data: bytes | None = None, **how: Any) -> View:
        """The session's view, as `views.view.view_of` gives it."""
        from ..views.view import view_of

        if data is None and self.create and not self.there:
            data = b""
        return view_of(env, target, data, **how)


def own(value: Json) -> Json:
    """A copy that the caller may change."""
    import orjson

    copy: Json = orjson.loads(orjson.dumps(value))
    return copy
