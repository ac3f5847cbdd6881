"""Many spheres in a vessel: read and set their state, step, ask whether they jam."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from ._env import Env, InputError
from ._moving import Moving, Recording, Turn, bytes_of, checked, png
from ._record import Record, fill, record, row_type
from ._stiction import ffi, lib
from .problems import Answer, Contact

if TYPE_CHECKING:
    from . import _structs as S
    from .documents import Document

_ROW = row_type("sti_bed_contact")


def _doubles(array: np.ndarray) -> Any:
    return ffi.cast("double*", array.ctypes.data)


class Bed(Moving):
    """Grains in motion, from a scene with a bed (a document, a file, a dictionary, or the name of one that comes
    along).

    Options are those of `sti_bed_options` (law, solver, tol, ..), all others parameters of the scene (count=100);
    `workers` share a step, and do not change its bits.

    >>> import stiction
    >>> bed = stiction.Bed({"kind": "scene", "bed": {"layout": "pebble-bed", "count": 40}, "time": 1})
    >>> report = bed.step()
    >>> report.solved, len(bed), bed.x.shape, bed.contacts.dtype.names[:4]
    (True, 40, (40, 3), ('a', 'b', 'n', 'gap'))
    """

    def __init__(self, scene: Union["Document", str, os.PathLike, dict], workers: int = 1, **options: Any) -> None:
        from .documents import started
        self.document, options = started(scene, "sti_bed_options", options)
        inside = lib.sti_bed_scene_of(self.document._c)
        if inside == ffi.NULL:
            raise TypeError(f"{self.document!r}: a scene of grains is expected; stiction.load(..).start() makes what fits")
        self._scene = ffi.new("sti_bed_scene*", inside[0])  # a plain value
        self._options, self._keep = dict(options), []  # type: dict, list
        fill(ffi.addressof(self._scene, "step"), options, self._keep)
        self._env = Env(workers)
        self._workers = workers
        self._lock = Turn()
        self.end = float(self._scene.time)
        self._grains = self._env.new("sti_grains", lib.sti_grains_clear)
        self._env.check(lib.sti_bed_scene_grains(self._env.c, self._scene, self._grains.c), self.document.name)
        out = ffi.new("sti_bed**")
        self._env.check(lib.sti_bed_create(self._env.c, self._grains.c, ffi.addressof(self._scene, "step"), out), self.document.name)
        self._take(out[0])
        self._flow: Any = None
        self._fallen = False  # grains of the last step may have to come in again
        if self._scene.bed.recirculate:
            self._flow = self._recirculate()

    def _take(self, c: Any) -> None:
        self._handle = self._env.own(c, lib.sti_bed_destroy)
        self._c = self._handle.c

    def _recirculate(self, state: Optional[bytes] = None) -> Any:
        """Grains that have fallen through the opening come in again within the cylinder."""
        out, radius = ffi.new("sti_recirculation**"), float(self.radius.max())
        if state is not None:
            self._env.check(lib.sti_recirculation_load_state(self._env.c, self._c, state, len(state), out))
        else:
            walls = [self._grains.c.walls[k] for k in range(self._grains.c.wall_count)]
            inner = min((wall.radius for wall in walls if wall.kind == lib.STI_WALL_CYLINDER), default=np.inf)
            self._env.check(lib.sti_recirculation_create(self._env.c, self._c, -2 * radius, inner - 1.1 * radius, self._scene.bed.seed, out))
        return self._env.own_with_env(out[0], lib.sti_recirculation_destroy)

    def step(self) -> "S.BedReport":
        """One step, without the GIL; what it did and how well: `solved`, `residual`, `contacts`, `kinetic`, `balance`,
        .."""
        report = ffi.new("sti_bed_report*")
        with self._lock:
            if self._fallen:
                self._env.check(lib.sti_recirculation_apply(self._flow.c, self._c, ffi.NULL))
            self._fallen = False
            self._env.check(lib.sti_bed_step(self._c, report))
            self._fallen = self._flow is not None
        return record(report)

    @property
    def flow(self) -> Optional[Record]:
        """Of a bed whose grains come in again: how many `left` so far, and their times of residence."""
        if self._flow is None:
            return None
        return Record(ffi.new("sti_outflow*", lib.sti_recirculation_outflow(self._flow.c)))

    def __len__(self) -> int:
        return int(lib.sti_bed_count(self._c))

    @property
    def time(self) -> float:
        return float(lib.sti_bed_time(self._c))

    @property
    def state(self) -> dict:
        """Copies of x, v and w: centres, velocities, angular velocities (count, 3)."""
        arrays = [np.empty((len(self), 3)) for _ in range(3)]
        with self._lock:
            lib.sti_bed_get(self._c, *map(_doubles, arrays))
        return dict(zip("xvw", arrays))

    @property
    def x(self) -> np.ndarray:
        return self.state["x"]

    @property
    def radius(self) -> np.ndarray:
        return Record(self._grains.c, self._grains).radius

    @property
    def mass(self) -> np.ndarray:
        return Record(self._grains.c, self._grains).mass

    def set(self, x: Any = None, v: Any = None, w: Any = None) -> None:
        """Grains elsewhere, or at other speeds; what is None stays."""
        state = self.state
        for name, value in (("x", x), ("v", v), ("w", w)):
            if value is not None:
                state[name] = np.ascontiguousarray(value, dtype=np.float64)
            if state[name].shape != (len(self), 3):
                raise InputError(f"{name}: shape {state[name].shape}: ({len(self)}, 3) is expected")
        with self._lock:
            self._env.check(lib.sti_bed_set(self._c, *map(_doubles, state.values())))

    @property
    def contacts(self) -> np.ndarray:
        """Of the last step, a row each: a, b (below 0: wall -1 - b), n, gap, offset, r, lift."""
        with self._lock:
            rows = np.zeros(lib.sti_bed_contact_count(self._c), dtype=_ROW)
            if len(rows):
                lib.sti_bed_contacts(self._c, ffi.cast("sti_bed_contact*", rows.ctypes.data))
        return rows

    def problem(self) -> Contact:
        """The last step as a problem of contact; its `answer` is that of the step."""
        posed = self._env.new("sti_bed_problem", lib.sti_bed_problem_clear)
        self._env.check(lib.sti_bed_problem_make(self._env.c, self._c, posed.c))
        problem = Contact._of(ffi.addressof(posed.c, "problem"), posed)
        problem.answer = Answer(problem, ffi.addressof(posed.c, "answer"), posed)
        return problem

    def jamming(self, **options: Any) -> "S.BedJamming":
        """Can the contacts that touch press on each other without any load? `pointed`, `freed`, `groups`, and forces or
        motions that prove it."""
        chosen = ffi.new("sti_jamming_options*", lib.sti_jamming_options_default())
        fill(chosen, options, self._keep)
        found = self._env.new("sti_bed_jamming", lib.sti_bed_jamming_clear)
        self._env.check(lib.sti_bed_jamming_analyze(self._env.c, self._c, chosen, found.c))
        return record(found.c, found, {"n": len(self)})

    def packing(self) -> "S.Packing":
        """How densely the grains fill their vessel: `mean_height`, `top`, `all`, `bottom`."""
        out, x = ffi.new("sti_packing*"), self.x
        self._env.check(lib.sti_grains_packing(self._env.c, self._grains.c, _doubles(x), out))
        return record(out)

    def picture(self, path: Union[None, str, os.PathLike] = None, width: int = 800, color: Any = None) -> bytes:
        """The bed cut open, as PNG; also written to `path`. `color`: a number from 0 to 1 for each grain, pale to red;
        None: by height."""
        x, image = self.x, self._env.new("sti_image", lib.sti_image_clear)
        height = x[:, 2]
        value = (height - height.min()) / max(float(np.ptp(height)), 1e-300) if color is None else np.asarray(color, dtype=float)
        if value.shape != (len(self),):
            raise InputError(f"color: shape {value.shape}: {len(self)} numbers are expected")
        rgb = ffi.new("unsigned char[]", 3 * max(len(self), 1))
        for i, number in enumerate(value.tolist()):
            lib.sti_color_of_value(number, rgb + 3 * i)
        view = ffi.new("sti_bed_view*", lib.sti_bed_view_default())
        view.width = width
        self._env.check(lib.sti_draw_bed(self._env.c, self._grains.c, _doubles(x), rgb, view, image.c))
        if path is not None:
            self._env.check(lib.sti_image_save(self._env.c, image.c, os.fspath(path).encode()))
        return png(self._env, image)

    def _repr_png_(self) -> bytes:
        return self.picture()

    # ---- runs

    def _length(self) -> float:
        return float(self._scene.step.h)

    def _frame_bytes(self) -> float:
        return 400.0 * len(self)

    def _frames(self, steps: float) -> float:
        return max(2, min(100, 1e9 / self._frame_bytes()))

    def _record(self, path: str) -> Recording:
        where, bed, out = self._env, self._c, ffi.new("sti_bed_record**")
        where.check(lib.sti_bed_record_create(where.c, path.encode(), self._grains.c, self._text().encode(), ffi.NULL, 0, out))
        record, made = out[0], [0]

        def frame() -> int:
            return int(lib.sti_bed_record_frame(record, bed, made[0]))

        def step(report: Any) -> int:
            made[0] = report.step
            return int(lib.sti_bed_record_step(record, report))
        recording = Recording(where, record, lib.sti_bed_record_destroy, step, frame, lib.sti_bed_record_commit, self._handle, self._grains)
        where.check(frame())
        return recording

    def _verify_recording(self, path: str, tol: float) -> Any:
        where, found, out = self._env, self._env.new("sti_recorded_bed", lib.sti_recorded_bed_clear), ffi.new("sti_bed_verification*")
        options = ffi.new("sti_bed_verify_options*", lib.sti_bed_verify_options_default())
        step = self._scene.step
        options.tol, options.step_tol, options.law, options.recover = tol, step.tol if step.tol > 0 else options.step_tol, step.law, step.recover
        where.check(lib.sti_recorded_bed_load(where.c, path.encode(), found.c), path)
        where.check(lib.sti_verify_recorded_bed(where.c, found.c, options, out), path)
        return checked(out, lib.sti_bed_check_name, lib.STI_BED_CHECK_COUNT)

    def _text(self) -> str:
        out = ffi.new("char**")
        self._env.check(lib.sti_bed_scene_json(self._env.c, self._scene, out))
        try:
            return ffi.string(out[0]).decode()
        finally:
            lib.sti_env_free(self._env.c, out[0])

    # ---- copies, bit for bit

    def save(self) -> bytes:
        with self._lock:
            bed = bytes_of(self._env, lambda out, size: lib.sti_bed_save_state(self._c, out, size))
            if self._flow is None:
                return bed
            flow = bytes_of(self._env, lambda out, size: lib.sti_recirculation_save_state(self._flow.c, out, size))
        return len(bed).to_bytes(8, "little") + bytes([self._fallen]) + bed + flow

    def restore(self, state: bytes) -> None:
        """Back to a saved state; further steps have the same bits as then, for any number of workers."""
        flow, fallen = None, False
        if self._flow is not None:
            size, fallen = int.from_bytes(state[:8], "little"), bool(state[8:9] == b"\1")
            state, flow = state[9:9 + size], state[9 + size:]
        out = ffi.new("sti_bed**")
        with self._lock:
            self._env.check(lib.sti_bed_load_state(self._env.c, state, len(state), out))
            self._take(out[0])
            if flow is not None:
                self._flow, self._fallen = self._recirculate(flow), fallen

    def copy(self) -> "Bed":
        other = Bed(self.document, self._workers, **self._options)
        other.restore(self.save())
        return other

    def __reduce__(self) -> tuple:
        return _restored, (self._text(), self.document.name, self._workers, self._options, self.save())

    def __repr__(self) -> str:
        return f"<bed: {len(self)} grains, t = {self.time:.6g}>"


def _restored(scene: str, name: str, workers: int, options: dict, state: bytes) -> Bed:
    from .documents import parse
    bed = Bed(parse(scene, name), workers, **options)
    bed.restore(state)
    return bed
