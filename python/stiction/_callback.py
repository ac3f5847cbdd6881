"""Functions of Python that the library calls: what they raise comes out of the call that led to them."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._env import Env
from ._stiction import ffi, lib


class Caller:
    """A function for the library, and what it raised last."""

    def __init__(self, function: Optional[Callable] = None) -> None:
        self.function, self.raised = function, None  # type: Optional[Callable], Optional[BaseException]
        self.handle = ffi.new_handle(self)
        self.keep: list = []

    def check(self, where: Env, status: int, file: Optional[str] = None) -> None:
        """As Env.check, but what the function raised comes first."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised
        where.check(status, file)

    def call(self, failed: Any, *arguments: Any) -> Any:
        if self.raised is not None:
            return failed
        try:
            assert self.function is not None
            return self.function(*arguments)
        except BaseException as error:  # nothing may pass through C
            self.raised = error
            return failed


def _caller(user: Any) -> Caller:
    return ffi.from_handle(user)  # type: ignore[no-any-return]


@ffi.def_extern()  # type: ignore[misc]
def stiction_python_evaluate(user: Any, t: float, q: Any, v: Any, out: Any) -> bool:
    return _caller(user).call(False, t, q, v, out) is not False


@ffi.def_extern()  # type: ignore[misc]
def stiction_python_residuals(user: Any, x: Any, r: Any) -> int:
    return lib.STI_ERR_INPUT if _caller(user).call(False, x, r) is False else lib.STI_OK  # type: ignore[no-any-return]


@ffi.def_extern()  # type: ignore[misc]
def stiction_python_watch(user: Any, tries: int, nearest: float) -> bool:
    return bool(_caller(user).call(False, tries, nearest))
