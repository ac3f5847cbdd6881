"""Files of any kind, and the same as dictionaries."""

from __future__ import annotations

import difflib
import json
import os
import re
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._env import Env, FileError, InputError
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
            return Bed(self, **options) if lib.sti_bed_scene_of(self._c) != ffi.NULL else World(self, **options)
        if self.kind not in _MOVES:
            raise TypeError(f"{self!r}: a scene, {', '.join(_MOVES)} is expected")
        return _MOVES[self.kind](self, **options)

    def world(self, **options: Any) -> World:
        """The bodies of a scene, at their start."""
        return World(self, **options)

    def bed(self, **options: Any) -> Bed:
        """The grains of a scene, at their start."""
        return Bed(self, **options)

    def _written(self) -> Optional[bytes]:
        """The text it is from; None: from a file of another format."""
        if self._source is None:
            try:
                self._source = Path(self.name).read_bytes()
                self._source.decode()
            except (OSError, UnicodeDecodeError):
                self._source = None
        return self._source

    def __reduce__(self) -> tuple:
        if self.kind == "scene":
            grains = lib.sti_bed_scene_of(self._c) != ffi.NULL  # whose text has the settings in it
            return _read_again, (self.text().encode(), self.name, "" if grains else self.settings, isinstance(self, Scene))
        if self._written() is None:
            raise TypeError(f"{self!r}: it goes nowhere without its file, which is no text")
        return _read_again, (self._source, self.name, self.settings, False)

    def __repr__(self) -> str:
        return f"<{self.kind}: {self.name}>"


def _read_again(source: bytes, name: str, settings: str, scene: bool) -> Document:
    document = restored(source, name, settings)
    return Scene(document) if scene else document


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
        bed, world = lib.sti_bed_scene_of(self._c), lib.sti_world_scene_of(self._c)
        return text((bed if bed != ffi.NULL else world).description)

    @property
    def parameters(self) -> dict:
        """Of bodies: those of its formulas. Of grains: those of the layout."""
        bed, world = lib.sti_bed_scene_of(self._c), lib.sti_world_scene_of(self._c)
        if bed != ffi.NULL:
            return Record(ffi.addressof(bed, "bed"), self._handle)._scalars()
        return {text(world.parameter_names[k]): float(world.parameters[k]) for k in range(world.parameter_count)}

    @property
    def time(self) -> float:
        """Where its runs end."""
        bed, world = lib.sti_bed_scene_of(self._c), lib.sti_world_scene_of(self._c)
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
    return kind._of(of(document._c), document._handle, document) if kind is not None else document


def read(path: Union[str, os.PathLike]) -> Document:
    """A file, or a scene of the package by its name, as a document."""
    name = os.fspath(path)
    if not os.path.exists(name) or (os.path.isdir(name) and (SCENES / f"{name}.json").exists()):  # a run in a folder of its name
        if (SCENES / f"{name}.json").exists():
            name = os.fspath(SCENES / f"{name}.json")
        elif "." not in name and os.sep not in name:
            near = difflib.get_close_matches(name, scenes(), 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise FileError(f"{name}: no such file, and no scene of that name (stiction.scenes() has them all){meant}")
    if name.endswith(".urdf") and os.path.isfile(name):
        return robot(name)
    where, out = Env(), ffi.new("sti_document**")
    where.check(lib.sti_document_load(where.c, name.encode(), out), name)
    return Document(where, out[0], name)


def _packages(content: str, trees: Sequence[str]) -> list:
    """Folders below these that are packages of ROS which a robot names, as in cli/robot_packages.c."""
    wanted = set(re.findall(r"(?:://|\$\(find )([^/\\)\"'<>]+)[/\\)]", content))
    found = []
    for tree in trees:
        level = [os.path.realpath(tree)] if wanted and os.path.isdir(tree) else []
        for _ in range(9):
            below: list = []
            for folder in level:
                file = Path(folder, "package.xml")
                said = re.search(r"<name>\s*([^\s<]+)", file.read_text("utf-8", "replace")) if file.is_file() else None
                if os.path.basename(folder) in wanted or (said is not None and said.group(1) in wanted):
                    found.append(folder)
                if not file.is_file() and len(below) < 20000:
                    try:
                        below += sorted(one.path for one in os.scandir(folder) if one.is_dir() and not one.name.startswith("."))
                    except OSError:
                        continue
            level = below
    return found


def robot(path: Union[str, os.PathLike], ground: bool = False, floating: bool = False, height: Union[None, float, str] = None,
          mu: Optional[float] = None, pose: Optional[str] = None, joints: Optional[Mapping[str, Any]] = None,
          motors: Optional[Mapping[str, Mapping]] = None, springs: Optional[Mapping[str, Mapping]] = None,
          friction: Optional[Mapping[str, Any]] = None, folders: Sequence[Union[str, os.PathLike]] = (), collide: Optional[str] = None,
          show: Optional[str] = None, decompose: Optional[float] = None, strict: bool = False, time: float = 10,
          h: Optional[float] = None) -> "Scene":
    """A robot from URDF as a scene (docs/urdf.md): on a plane at z = 0 (`ground`), with a root that moves (`floating`),
    `height` "auto" or of the root, friction `mu`, `joints` where they start; `folders`: where meshes and packages are
    looked for, besides those above the file, of ROS_PACKAGE_PATH and of AMENT_PREFIX_PATH.

    >>> import stiction
    >>> arm = stiction.robot(stiction.documents.SCENES / "arm.urdf", ground=True, mu=0.8, joints={"elbow": 0.5})
    >>> world = arm.start()
    >>> world.joints["elbow"].coordinate, "ground" in world.bodies
    (0.5, True)
    """
    name = os.fspath(path)
    try:
        content = Path(name).read_bytes().decode("utf-8", "replace").replace("\ufffd", "?")  # as the command reads it
    except OSError as error:
        raise FileError(f"{name}: {error.strerror}") from None
    trees = [*(os.fspath(one) for one in folders), *filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(":"))]
    paths = [*trees, *(os.path.join(one, "share") for one in os.environ.get("AMENT_PREFIX_PATH", "").split(":") if one)]
    here = Path(name).resolve().parent
    said = {"text": content, "folders": [os.path.realpath(one) for one in paths if os.path.isdir(one)] + [str(one) for one in (here, *here.parents)] + _packages(content, trees),
           "fixed": False if floating else None, "strict": strict or None, "material": "surface" if mu is not None else None, "height": height,
           "pose": pose, "joints": joints, "motors": motors, "springs": springs, "friction": friction, "collide": collide, "show": show,
           "decompose": decompose}
    scene: dict = {"kind": "scene", "description": os.path.basename(name), "dimension": 3, "time": time, "bodies": [],
                   "urdf": [{key: value for key, value in said.items() if value is not None}]}
    if mu is not None:
        scene["materials"] = {"surface": {"mu": mu}}
    if h is not None:
        scene["step"] = {"h": h}
    if ground:
        scene["bodies"].append({"name": "ground", "fixed": True, "shape": {"type": "halfspace", "normal": [0, 0, 1]},
                                **({"material": "surface"} if mu is not None else {})})
    return Scene(_parsed(scene, name))


def started(scene: Any, struct: str, options: dict) -> tuple:
    """The document of what moves, and what of `options` are options of that struct. The others are parameters of the
    scene, as in load(), or of the file of a robot what robot() takes."""
    known = {name for name, _ in ffi.typeof(struct).fields}
    own = {name: value for name, value in options.items() if name in known}
    others = {name: value for name, value in options.items() if name not in known}
    try:
        return with_parameters(scene, others), own
    except InputError as error:
        if ": no such parameter" not in str(error):
            raise
        raise InputError(f"{error}; options besides are {', '.join(sorted(known))}", error.file) from None


def with_parameters(scene: Any, others: dict) -> Document:
    """The document of what moves, with other values for parameters; one that is given is not changed."""
    if others and isinstance(scene, (str, os.PathLike)) and os.fspath(scene).endswith(".urdf"):
        taken = {name: others.pop(name) for name in list(others) if name in robot.__annotations__}
        given: Document = robot(scene, **taken)
    else:
        given = document(scene)
        given = given.again() if given is scene and others else given
    return given.set(**others)


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
