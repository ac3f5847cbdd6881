"""What all that moves has in common: steps up to a time, a recording, the run as a page, copies bit for bit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, TypeVar, Union, overload

import numpy as np

from ._env import Env, FileError, InputError
from ._record import Record, text
from ._stiction import ffi, lib

if TYPE_CHECKING:
    from .documents import Document

M = TypeVar("M", bound="Moving")
# Frames that a run keeps to show itself: at most so many, and so many bytes.
FRAMES, BYTES = 600, 64e6


def command() -> Optional[str]:
    """The command that comes with the package, or the installed one; None: there is none.

    >>> import stiction
    >>> stiction.command() is None or stiction.command().endswith("stiction")
    True
    """
    own = Path(__file__).resolve().parent / "bin" / "stiction"
    return str(own) if os.access(own, os.X_OK) else shutil.which("stiction")


class Turn:
    """One thread after the other. A function that a step calls may not come back to what is stepping: that is an error,
    not a wait."""

    def __init__(self) -> None:
        self._lock, self._holder = threading.Lock(), 0

    def __enter__(self) -> None:
        if self._holder == threading.get_ident():
            raise RuntimeError("it is in the middle of a step, which called this")
        self._lock.acquire()
        self._holder = threading.get_ident()

    def __exit__(self, *error: Any) -> None:
        self._holder = 0
        self._lock.release()


class Recording:
    """An HDF5 file of a run that grows; whole on the disk at every commit (docs/runs.md). run() makes one.

    >>> import os, stiction, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = stiction.World("arm-grasp").run(0.05, record=os.path.join(folder, "trajectory.h5"))
    ...     os.path.getsize(os.path.join(folder, "trajectory.h5")) > 1000
    True
    """

    def __init__(self, env: Env, c: Any, destroy: Any, step: Callable[[Any], int], frame: Callable[[], int], commit: Any,
                 *keep: Any) -> None:
        self._env, self._handle, self._step, self._frame, self._commit = env, env.own(c, destroy, *keep), step, frame, commit

    def add(self, report: Record, frame: bool = True) -> None:
        """A step that was made; and the state after it."""
        self._env.check(self._step(report._c))
        if frame:
            self._env.check(self._frame())

    def commit(self, sync: bool = False) -> None:
        self._env.check(self._commit(self._handle.c, sync))


_RECORD_TYPES = {"f8": lib.STI_RECORD_DOUBLE, "i4": lib.STI_RECORD_INT, "i8": lib.STI_RECORD_LONG}


class Rows(Recording):
    """The same where named numbers are all that a step is: one row each, or of those in `many` any number of rows."""

    def __init__(self, env: Env, path: str, texts: dict, row: Callable[[Optional[Record]], dict], many: Sequence[str] = ()) -> None:
        out = ffi.new("sti_recording**")
        env.check(lib.sti_recording_create(env.c, path.encode(), out))
        super().__init__(env, out[0], lib.sti_recording_destroy, lambda c: lib.STI_OK, lambda: lib.STI_OK, lib.sti_recording_commit)
        self._row, self._many, self._series = row, many, {}  # type: Callable[[Optional[Record]], dict], Sequence[str], dict
        first = row(None)
        for name, value in first.items():
            shape = np.shape(value)[name in many:]
            definition, number, keep = ffi.new("sti_series_def*"), ffi.new("int*"), ffi.new("char[]", name.encode())
            definition.name, definition.type = keep, _RECORD_TYPES[np.asarray(value).dtype.str[1:]]
            definition.items = shape[0] if len(shape) == 2 else 0
            definition.columns = shape[-1] if shape else 0
            env.check(lib.sti_recording_series(out[0], definition, number))
            self._series[name] = number[0]
        for name, value in texts.items():
            env.check(lib.sti_recording_put_text(out[0], name.encode(), value.encode()))
        self._put(first)

    def _put(self, row: dict) -> None:
        for name, value in row.items():
            array = np.ascontiguousarray(value)
            rows = len(array) if name in self._many else 1
            self._env.check(lib.sti_recording_append(self._handle.c, self._series[name], rows, ffi.cast("void*", array.ctypes.data)))

    def add(self, report: Record, frame: bool = True) -> None:
        self._put(self._row(report))


def checked(out: Any, name: Callable[[int], Any], count: int) -> Any:
    """What a check of a recording found, with `checks` by their names."""
    found = Record(out)
    vars(found)["checks"] = {text(name(k)): Record(ffi.addressof(out.check, k), out) for k in range(count)}
    return found


def put_scene(env: Env, path: str, document: "Document", **numbers: int) -> None:
    """The scene of a recording and its settings, beside it in the fields of a checkpoint, where the page and the
    verifier look for them."""
    if os.path.basename(path) != "trajectory.h5":
        return
    source, out = document._source or document.text().encode(), ffi.new("sti_store**")
    env.check(lib.sti_store_create(env.c, out))
    store = env.own(out[0], lib.sti_store_destroy)
    lib.sti_store_put_bytes(store.c, b"document", source, len(source))
    lib.sti_store_put_text(store.c, b"settings", document.settings.encode())
    for name, value in numbers.items():
        lib.sti_store_put_integers(store.c, f"options.{name}".encode(), ffi.new("int64_t*", value), 1)
    env.check(lib.sti_store_save(store.c, os.path.join(os.path.dirname(path), "checkpoint.h5").encode()))


def page_of(words: list, out: Path, option: str, path: Union[None, str, os.PathLike],
            folder: Optional[Path] = None) -> str:
    """The page that the command makes: its text, also written to `path`."""
    program = command()
    if program is None:
        raise FileError("stiction: the command is not installed, and it makes the page")
    # the sanitizer that a test preloads into Python is not for another program
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    made = subprocess.run([program, *words, option, str(out)], capture_output=True, text=True, cwd=folder, env=environment, check=False)
    if not out.exists():
        raise FileError(made.stderr.strip() or "stiction: no page")
    text = out.read_text("utf-8")
    if path is not None:
        Path(path).write_text(text, "utf-8")
    return text


class Run(Sequence):
    """The reports of a run, one by one or as columns: run[0].residual, run.residual. In a notebook it shows itself: it
    plays.

    >>> import stiction
    >>> run = stiction.World("arm-grasp").run(0.05)
    >>> len(run), run.solved.all(), bool((run.residual < 1e-8).all())
    (5, True, True)
    """

    def __init__(self, title: str, reports: list, folder: Optional[Path], note: str, verify: Any) -> None:
        self.title, self.reports, self.folder, self.note, self._verify = title, reports, folder, note, verify

    @overload
    def __getitem__(self, i: int) -> Any: ...

    @overload
    def __getitem__(self, i: slice) -> list: ...

    def __getitem__(self, i: Union[int, slice]) -> Any:
        return self.reports[i]

    def __len__(self) -> int:
        return len(self.reports)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self.reports:
            getattr(self.reports[0], name)
        return np.array([getattr(report, name) for report in self.reports])

    def __reduce__(self) -> tuple:
        """Without its recording: pickled are the reports."""
        return Run, (self.title, self.reports, None, self.note, None)

    def verify(self, tol: float = 1e-6) -> Any:
        """The recording, checked by code that shares nothing with the steps: `accepted`, `checks` by name."""
        if self.folder is None:
            raise ValueError("verify: there is no recording: record=False, or a copy")
        return self._verify(str(self.folder / "trajectory.h5" if self.folder.is_dir() else self.folder), tol)

    def page(self, path: Union[None, str, os.PathLike] = None) -> str:
        """The run as one HTML file that opens without a network (docs/page.md): its text, also written to `path`."""
        if self.folder is None:
            raise ValueError("page: there is no recording: record=False, or a copy")
        with tempfile.TemporaryDirectory() as room:
            return page_of(["view", self.folder.name], Path(room, "page.html"), "--out", path, self.folder.parent)

    def _repr_html_(self) -> str:
        try:
            page = self.page().replace("</body>", "<script>addEventListener('load', () => window.stiction.play(true))</script>\n</body>")
        except (FileError, ValueError) as error:
            return self._table(str(error))
        frame = '<iframe srcdoc="{}" style="width: 100%; height: 560px; border: 0" title="{}" allow="fullscreen"></iframe>'
        return frame.format(escape(page), escape(self.title)) + (f"<p>{escape(self.note)}</p>" if self.note else "")

    def _table(self, why: str) -> str:
        rows = []
        for name in ("time", "residual", "kinetic", "contacts"):
            column = np.asarray(getattr(self, name, ()))
            if column.size and column.dtype.kind in "fi":
                rows.append(f"<tr><th>{name}</th><td>{column[0]:.6g}</td><td>{column[-1]:.6g}</td><td>{column.max():.6g}</td></tr>")
        head = "<tr><th></th><th>first</th><th>last</th><th>largest</th></tr>"
        return f"<table><caption>{escape(self.title)}: {len(self)} steps</caption>{head}{''.join(rows)}</table><p>{escape(why)}</p>"

    def __repr__(self) -> str:
        return f"<run of {self.title}: {len(self)} steps>"


class Moving:
    """Base of what steps: worlds, beds, systems, pushes, vehicles."""

    document: "Document"
    end: float

    def step(self) -> Any:
        raise NotImplementedError

    @property
    def time(self) -> float:
        raise NotImplementedError

    def _went(self, report: Record) -> bool:
        """False: the step was not made, or there will be no other."""
        return True

    def _title(self) -> str:
        return re.sub(r"[^\w.]+", "-", Path(self.document.name).stem).strip("-") or "run"

    def _record(self, path: str) -> Recording:
        raise NotImplementedError

    def _frame_bytes(self) -> float:
        raise NotImplementedError

    def _length(self) -> float:
        raise NotImplementedError

    @property
    def h(self) -> float:
        """Length of a step."""
        return self._length()

    def _frames(self, steps: float) -> float:
        """How many a recording of so many steps gets when nobody says."""
        return steps

    def run(self: M, time: Optional[float] = None, control: Optional[Callable[[M], Any]] = None,
            record: Union[None, bool, str, os.PathLike] = None, frame: Optional[float] = None) -> Run:
        """Steps up to `time` (None: the end of the document). control(self) is called before each, to read, drive and
        push.

        `record`: an HDF5 file, with a state every `frame` seconds (None: after each step; of beds 100 in all). None:
        some are kept until the run is forgotten, so that it can show itself; False: nothing is."""
        until = (self.end if time is None else float(time)) - 1e-9 * self._length()
        if not np.isfinite(until):
            raise InputError(f"time: {time}: a number is expected")
        steps = max((until - self.time) / self._length(), 1)
        if frame is not None and not frame > 0:
            raise InputError(f"frame: {frame}: a time between two states is expected")
        stride = np.ceil(steps / self._frames(steps)) if frame is None else round(frame / self._length())
        room, folder, note, recording = "", None, "", None
        if record is None:
            stride = max(stride, np.ceil(steps / FRAMES), np.ceil(steps * self._frame_bytes() / BYTES))
            room = tempfile.mkdtemp(prefix="stiction-")
            folder, note = Path(room, self._title()), f"One of {int(stride)} steps is shown." if stride > 1 else ""
            folder.mkdir()
            recording = self._record(str(folder / "trajectory.h5"))
        elif record is not False:
            folder = Path(os.fspath(record)).resolve()  # type: ignore[arg-type]
            recording = self._record(str(folder))
        stride = max(int(stride), 1)
        reports: list = []
        run = Run(self._title(), reports, folder, note, self._verify_recording)
        if room:
            weakref.finalize(run, shutil.rmtree, room, ignore_errors=True)
        try:
            while self.time < until:
                if control is not None:
                    control(self)
                reports.append(self.step())
                went = self._went(reports[-1])
                if recording is not None and went:
                    recording.add(reports[-1], len(reports) % stride == 0)
                if not went:
                    break
        finally:
            if recording is not None:
                recording.commit()
        return run

    def _verify_recording(self, path: str, tol: float) -> Any:
        raise TypeError(f"{self!r}: there is no independent check of a recording of this; of pushes, verify() checks each step")

    # ---- copies, bit for bit

    def save(self) -> bytes:
        """All that later steps depend on."""
        raise NotImplementedError

    def copy(self: M) -> M:
        """Another one in the same state, bit for bit."""
        raise NotImplementedError

    def __copy__(self: M) -> M:
        return self.copy()

    def __deepcopy__(self: M, memo: dict) -> M:
        return self.copy()


def bytes_of(env: Env, call: Callable[[Any, Any], int]) -> bytes:
    """What the library hands over as bytes."""
    out, size = ffi.new("void**"), ffi.new("size_t*")
    env.check(call(out, size))
    try:
        return bytes(ffi.buffer(out[0], size[0]))
    finally:
        lib.sti_env_free(env.c, out[0])


def png(env: Env, image: Any) -> bytes:
    """An image as PNG."""
    return bytes_of(env, lambda out, size: lib.sti_image_png(env.c, image.c, out, size))
