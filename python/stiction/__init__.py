"""Stiction: mechanics with contact that proves its answers.

    >>> import stiction
    >>> answer = stiction.lcp([[2, 1], [1, 2]], [-5, -6])
    >>> answer.verify().accepted
    True
"""

from . import analyze
from ._env import ArgumentError, Error, FileError, InputError, InternalError, SizeError, TimeLimitError
from ._moving import Recording, Run, command
from ._record import text as _text
from ._stiction import lib as _lib
from .beds import Bed
from .cones import Cone, classify
from .documents import Document, Scene, load, parse, robot, scenes
from .navigation import Navigation
from .optimize import VI, Bound, Flow, Model, Root, Sample, Stochastic, bound, fit, flow, ncp, root, vi
from .paths import Path, converge
from .problems import AVI, L1, LCP, MLCP, QP, Answer, Contact, Problem, avi, contact, l1, lcp, mlcp, qp, relay
from .pushes import Push
from .systems import Defined, System
from .worlds import Body, Joint, World

__version__ = _text(_lib.sti_version())

__all__ = [
    "AVI", "Answer", "ArgumentError", "Bed", "Body", "Bound", "Cone", "Contact", "Defined", "Document", "Error", "FileError", "Flow",
    "InputError", "InternalError", "Joint", "L1", "LCP", "MLCP", "Model", "Navigation", "Path", "Problem", "Push", "QP", "Recording",
    "Root", "Run", "Sample", "Scene", "SizeError", "Stochastic", "System", "TimeLimitError", "VI", "World", "analyze", "avi", "bound",
    "classify", "command", "contact", "converge", "fit", "flow", "l1", "lcp", "load", "mlcp", "ncp", "parse", "qp", "relay", "robot", "root",
    "scenes", "vi",
]
