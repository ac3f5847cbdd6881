"""Files of any kind, and the same as dictionaries."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from ._env import Env
from ._record import Record, text
from ._stiction import ffi, lib
from .beds import Bed
from .cones import Cone
from .navigation import Navigation
from .optimize import VI, Bound, Model, Root, Sample, Stochastic
from .problems import AVI, L1, LCP, MLCP, QP, Contact
from .pushes import Push
from .systems import System
from .worlds import World

SCENES = Path(__file__).with_name("scenes")

# What a document holds, by its kind: how to ask for it, and the class of what comes out.
_HOLDS: dict = {
    "lcp": (lib.sti_lcp_of, LCP),
    "mlcp": (lib.sti_mlcp_of, MLCP),
    "qp": (lib.sti_qp_of, QP),
    "l1": (lib.sti_l1_of, L1),
    "contact": (lib.sti_contact_problem_of, Contact),
    "avi": (lib.sti_avi_of, AVI),
    "relay": (lib.sti_avi_of, AVI),
    "vi": (lib.sti_vi_of, VI),
    "ncp": (lib.sti_vi_of, VI),
    "root": (lib.sti_root_problem_of, Root),
    "bound": (lib.sti_bound_problem_of, Bound),
    "stochastic": (lib.sti_stochastic_of, Stochastic),
}
_MOVES: dict = {"system": System, "manipulation": Push, "navigation": Navigation}


class Document:
    """A file that was read: `kind`, and what is inside. Scenes, systems and models take other parameters with set().

    >>> import stiction
    >>> system = stiction.load("stick-slip", mu=0.5)
    >>> system.kind, system.start().parameters["mu"]
    ('system', 0.5)
    """

    def __init__(self, where: Env, pointer: Any, name: str, source: Optional[bytes] = None) -> None:
        self._env = where
        self._source = source
        self._handle = where.own(pointer, lib.sti_document_destroy)
        self._c = self._handle.c
        self.name = name
        self.settings = ""
        self._lent = False  # a world looks into it

    @property
    def kind(self) -> str:
        return text(lib.sti_kind_text(lib.sti_document_kind(self._c)))

    def set(self, **parameters: Any) -> "Document":
        """Other values for parameters; "step.h" and the like by `**{"step.h": 0.01}`."""
        settings = ",".join(f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}" for name, value in parameters.items())
        if settings:
            if self._lent:
                raise RuntimeError(f"{self.name}: a world was made from it; load it again for other parameters")
            self._env.check(lib.sti_document_set(self._c, settings.encode()), self.name)
            self.settings = ",".join(filter(None, (self.settings, settings)))
        return self

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Written whole or not at all; .json, or .hdf5 where the kind has that."""
        self._env.check(lib.sti_document_save(self._env.c, self._c, os.fspath(path).encode()))

    def text(self) -> str:
        """A scene as text that reads back as the same elsewhere."""
        out = ffi.new("char**")
        self._env.check(lib.sti_document_text(self._env.c, self._c, out))
        try:
            return text(out[0])
        finally:
            lib.sti_env_free(self._env.c, out[0])

    def again(self) -> "Document":
        """The same once more, which shares nothing with this one; of what is written as text."""
        if self._source is None:
            self._source = Path(self.name).read_bytes()
        return restored(self._source, self.name, self.settings)

    def start(self, **options: Any) -> Any:
        """What moves in it, at its start: a World, Bed, System, Push or Navigation, with options of that."""
        if self.kind == "scene":
            return Bed(self, **options) if lib.sti_scene_of(self._c) != ffi.NULL else World(self, **options)
        if self.kind not in _MOVES:
            raise TypeError(f"{self!r}: a scene, {', '.join(_MOVES)} is expected")
        return _MOVES[self.kind](self, **options)

    def world(self, **options: Any) -> World:
        """The bodies of a scene, at their start."""
        return World(self, **options)

    def bed(self, **options: Any) -> Bed:
        """The grains of a scene, at their start."""
        return Bed(self, **options)

    def __repr__(self) -> str:
        return f"<{self.kind}: {self.name}>"


class Scene(Document):
    """A scene of bodies or grains: `parameters`, `description`; start() makes the World or Bed that it is.

    >>> import stiction
    >>> arch = stiction.Scene("arch", mu=0.3)
    >>> arch.parameters["mu"], len(arch.start().bodies) > 3
    (0.3, True)
    """

    def __init__(self, of: Union[str, os.PathLike, dict, Document], **parameters: Any) -> None:
        given = document(of)
        if given.kind != "scene":
            raise TypeError(f"{given!r}: a scene is expected")
        vars(self).update(vars(given))
        self.set(**parameters)

    @property
    def description(self) -> str:
        bed, world = lib.sti_scene_of(self._c), lib.sti_world_scene_of(self._c)
        return text((bed if bed != ffi.NULL else world).description)

    @property
    def parameters(self) -> dict:
        """Of bodies: those of its formulas. Of grains: those of the layout."""
        bed, world = lib.sti_scene_of(self._c), lib.sti_world_scene_of(self._c)
        if bed != ffi.NULL:
            return Record(ffi.addressof(bed, "bed"), self._handle)._scalars()
        return {text(world.parameter_names[k]): float(world.parameters[k]) for k in range(world.parameter_count)}

    @property
    def time(self) -> float:
        """Where its runs end."""
        bed, world = lib.sti_scene_of(self._c), lib.sti_world_scene_of(self._c)
        return float((bed if bed != ffi.NULL else world).time)

    @property
    def robots(self) -> list:
        """What was read from URDF, with remarks on all that was not taken as it stands."""
        world = lib.sti_world_scene_of(self._c)
        return [Record(world.robots + k, self._handle) for k in range(world.robot_count)] if world != ffi.NULL else []


def scenes() -> list:
    """Names of the scenes that come with the package.

    >>> import stiction
    >>> "arm-grasp" in stiction.scenes()
    True
    """
    return sorted(path.stem for path in SCENES.glob("*.json"))


def _inside(document: Document) -> Any:
    if document.kind == "scene":
        return Scene(document)
    if document.kind == "cone":
        return Cone._posed(lib.sti_cone_input_of(document._c), document._handle)
    if document.kind == "model":
        return Model(document)
    if document.kind == "stochastic" and lib.sti_stochastic_is_sampled(document._c):
        return Sample(document)
    of, kind = _HOLDS.get(document.kind, (None, None))
    return kind(of(document._c), document._handle) if kind is not None else document


def read(path: Union[str, os.PathLike]) -> Document:
    """A file, or a scene of the package by its name, as a document."""
    name = os.fspath(path)
    if not os.path.exists(name) and (SCENES / f"{name}.json").exists():
        name = os.fspath(SCENES / f"{name}.json")
    where, out = Env(), ffi.new("sti_document**")
    where.check(lib.sti_document_load(where.c, name.encode(), out), name)
    return Document(where, out[0], name)


def load(path: Union[str, os.PathLike], **parameters: Any) -> Any:
    """What a file of any kind holds: a problem to solve, or a document (scene, system, ..), with other parameters.

    >>> import stiction
    >>> stiction.load("arm-grasp", mu=0.5).kind
    'scene'
    """
    return _inside(read(path).set(**parameters))


def document(of: Any) -> Document:
    """A document, a file, the name of a scene that comes along, or a dictionary, as a document."""
    if isinstance(of, Document):
        return of
    return _parsed(of, "dict") if isinstance(of, dict) else read(of)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return str(value)


def parse(content: Any, name: str = "dict", **parameters: Any) -> Any:
    """The same from a dictionary as in a file (numpy arrays are taken too; fractions stay exact), or from its text.

    >>> import stiction
    >>> from fractions import Fraction
    >>> stiction.parse({"kind": "lcp", "M": [[3]], "q": [Fraction(-2, 3)]}).solve().z_exact[0]
    Fraction(2, 9)
    """
    return _inside(_parsed(content, name).set(**parameters))


def restored(source: bytes, name: str, settings: str) -> Document:
    """The document of a text, with settings as Document.settings has them."""
    document = _parsed(source.decode(), name)
    if settings:
        document._env.check(lib.sti_document_set(document._c, settings.encode()), name)
        document.settings = settings
    return document


def _parsed(content: Any, name: str) -> Document:
    data = (content if isinstance(content, str) else json.dumps(content, default=_plain)).encode()
    where, out = Env(), ffi.new("sti_document**")
    where.check(lib.sti_document_parse(where.c, data, len(data), name.encode(), out), name)
    return Document(where, out[0], name, data)
