"""The environment that calls work in, and their failures as exceptions."""

from __future__ import annotations

import threading
import weakref
from typing import Any, Callable, Optional

from ._stiction import ffi, lib


class Error(Exception):
    """Whatever the library reports; see its kinds below.

    >>> import stiction
    >>> issubclass(stiction.InputError, stiction.Error) and issubclass(stiction.InputError, ValueError)
    True
    """


class InputError(Error, ValueError):
    """Bad input. `file`, `field` and `value` are what the message names; None: it names none.

    >>> import stiction
    >>> try:
    ...     stiction.parse({"kind": "lcp", "M": [[1, 2]], "q": [1]})
    ... except stiction.InputError as error:
    ...     print(error.field, "|", error.value)
    M | 1 x 2
    """

    def __init__(self, text: str, file: Optional[str] = None) -> None:
        super().__init__(text)
        rest = text
        self.file = file if file is not None and text.startswith(file + ": ") else None
        if self.file is not None:
            rest = text[len(self.file) + 2:]
        parts = rest.split(": ")
        self.field: Optional[str] = parts[0] if len(parts) > 1 else None
        self.value: Optional[str] = parts[1] if len(parts) > 2 else None


class ArgumentError(Error, ValueError):
    """An argument that does not fit the others.

    >>> import stiction
    >>> try:
    ...     stiction.lcp([[float("nan")]], [1])
    ... except stiction.ArgumentError as error:
    ...     print("M" in str(error))
    True
    """


class SizeError(Error, ValueError):
    """Too large for this method.

    >>> import stiction
    >>> issubclass(stiction.SizeError, ValueError)
    True
    """


class FileError(Error, OSError):
    """Reading or writing failed.

    >>> import stiction
    >>> try:
    ...     stiction.load("nowhere.json")
    ... except OSError as error:
    ...     print(type(error).__name__)
    FileError
    """


class InternalError(Error, RuntimeError):
    """A failure of the library itself: please report it.

    >>> import stiction
    >>> issubclass(stiction.InternalError, RuntimeError)
    True
    """


class TimeLimitError(Error, TimeoutError):
    """A time limit was reached before there was anything to show.

    >>> import stiction
    >>> issubclass(stiction.TimeLimitError, TimeoutError)
    True
    """


_KINDS = {
    lib.STI_ERR_ARGUMENT: ArgumentError,
    lib.STI_ERR_SIZE: SizeError,
    lib.STI_ERR_IO: FileError,
    lib.STI_ERR_INTERNAL: InternalError,
    lib.STI_ERR_TIME: TimeLimitError,
}


class Handle:
    """Something of the library that is destroyed when the last user of the handle is gone, and before `keep` is.

    The order holds in cycles too, which the collector takes apart in any order: a finalizer's arguments are no part of
    them.
    """

    __slots__ = ("c", "__weakref__")

    def __init__(self, c: Any, destroy: Callable[[Any], Any], *keep: Any) -> None:
        self.c = c
        weakref.finalize(self, _destroy, c, destroy, keep).atexit = False


def _destroy(c: Any, destroy: Callable[[Any], Any], keep: tuple) -> None:
    destroy(c)


class Env(Handle):
    """Memory, the last error, and workers. One for each thread, and one for each object that steps."""

    __slots__ = ()

    def __init__(self, workers: int = 1) -> None:
        definition = ffi.new("sti_env_def*", lib.sti_env_def_default())
        definition.workers = workers
        out = ffi.new("sti_env**")
        if lib.sti_env_create(definition, out) != lib.STI_OK:
            raise MemoryError("stiction: no memory for an environment")
        super().__init__(out[0], lib.sti_env_destroy)

    def check(self, status: int, file: Optional[str] = None) -> None:
        if status == lib.STI_OK:
            return
        text = ffi.string(lib.sti_env_error(self.c).text).decode("utf-8", "replace") or ffi.string(lib.sti_status_text(status)).decode()
        if status == lib.STI_ERR_MEMORY:
            raise MemoryError(text)
        if status == lib.STI_ERR_INPUT:
            raise InputError(text, file)
        raise _KINDS[status](text)

    def own(self, pointer: Any, destroy: Callable[[Any], Any], *keep: Any) -> Handle:
        """What the library made; `keep` outlives it, and so does this environment."""
        return Handle(pointer, destroy, self, *keep)

    def own_with_env(self, pointer: Any, destroy: Callable[[Any, Any], Any]) -> Handle:
        """The same where the environment is given back too."""
        env = self.c
        return Handle(pointer, lambda p: destroy(env, p), self)

    def new(self, struct: str, clear: Callable[[Any, Any], Any]) -> Handle:
        """A new struct whose contents are cleared at the end."""
        return self.own_with_env(ffi.new(struct + "*"), clear)


_local = threading.local()


def env() -> Env:
    """The environment of this thread."""
    found = getattr(_local, "env", None)
    if found is None:
        found = _local.env = Env()
    return found
