"""Stiction: mechanics with contact that proves its answers.

    >>> import stiction
    >>> answer = stiction.lcp([[2, 1], [1, 2]], [-5, -6])
    >>> answer.verify().accepted
    True
"""

from . import analyze
from ._env import ArgumentError, Error, FileError, InputError, InternalError, SizeError, TimeLimitError
from ._record import text as _text
from ._stiction import lib as _lib
from .cones import Cone, classify
from .documents import Document, load, parse, scenes
from .problems import L1, LCP, MLCP, QP, Answer, Contact, Problem, contact, l1, lcp, mlcp, qp
from .worlds import Body, Joint, Recording, World

__version__ = _text(_lib.sti_version())

__all__ = ["Answer", "ArgumentError", "Body", "Cone", "Contact", "Document", "Error", "FileError", "InputError", "InternalError", "Joint", "L1",
           "LCP", "MLCP", "Problem", "QP", "Recording", "SizeError", "TimeLimitError", "World", "analyze", "classify", "contact", "l1", "lcp", "load", "mlcp",
           "parse", "qp", "scenes"]
