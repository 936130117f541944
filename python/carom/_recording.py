"""Recordings in HDF5: written beside a simulation, read, shown."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, Iterator

import numpy as np

from . import _structs
from ._files import FILES
from ._lib import (
    Array,
    Filler,
    Resource,
    check,
    copy_structs,
    ffi,
    lib,
    missing,
    owned,
    pointer_to,
    refuse,
    to_number,
    to_path,
    to_whole,
    word_value,
)
from ._model import Parts
from ._sim import Sim, StepReport


def _close_recording(pointer: Any) -> None:
    with FILES:
        lib.carom_recording_close(pointer)


def _closer(lock: threading.Lock) -> Callable[[Any], None]:
    """What closes a recorder that nobody has closed. It reads the simulation for the last frame: where that is in
    use at the moment, the frames that wait for their chunk are lost."""

    def close(pointer: Any) -> None:
        if lock.acquire(False):
            try:
                with FILES:
                    lib.carom_recorder_close(pointer, ffi.NULL)
            finally:
                lock.release()

    return close


class Recorder(Resource):
    """Records a simulation into an HDF5 file.

        with carom.Recorder(sim, "out.h5", rate=100) as recorder:
            recorder.step(1000)

    rate: frames per simulated second; 0: every step. An existing file is replaced. Between steps anything may be
    done with the simulation; steps that `recorder.step` does not take are `recorder.append(report)`."""

    _what = "recorder"

    def __init__(
        self,
        sim: Sim,
        path: str | os.PathLike[str],
        *,
        rate: float = 0,
        scene: str | None = None,
        options: str | None = None,
    ):
        if not isinstance(sim, Sim):
            raise refuse(f"Recorder: sim is of type {type(sim).__name__}, must be a carom.Sim")
        definition = ffi.new("carom_recorder_def*", lib.carom_recorder_def_default())
        filler = Filler("Recorder")
        filler.fill(definition, "carom_recorder_def", {"rate": rate, "scene": scene, "options": options})
        made, error = ffi.new("carom_recorder**"), ffi.new("carom_error*")
        name = to_path("Recorder: path", path)
        pointer = sim._acquire()
        try:
            with FILES:
                check(lib.carom_recorder_create(pointer, name, definition, made, error), error)
        finally:
            sim._lock.release()
        # Lost without close(), it is closed all the same; the simulation lives until then.
        super().__init__(owned(made[0], _closer(sim._lock), sim._ptr))
        self.sim = sim

    def step(self, count: int = 1) -> StepReport:
        """As `Sim.step`, with every step recorded."""
        pointer = self._acquire()
        try:
            with FILES:
                return self.sim._steps(to_whole("step: count", count), pointer)
        finally:
            self._lock.release()

    def append(self, report: StepReport) -> None:
        """Takes the state after a step of which this is the report."""
        if not isinstance(report, StepReport):
            raise refuse(f"append: report is of type {type(report).__name__}, must be a step's report")
        self._touch(lib.carom_recorder_append, report._c, float("nan"))

    def flush(self) -> None:
        """Writes the frames that wait for their chunk to fill."""
        self._touch(lib.carom_recorder_flush)

    def _touch(self, function: Any, *arguments: Any) -> None:
        """Calls what reads the simulation, too, which no other thread may use meanwhile."""
        self.sim._acquire()
        try:
            with FILES:
                self._call(function, *arguments)
        finally:
            self.sim._lock.release()

    def __len__(self) -> int:
        return self._ask(lib.carom_recorder_count)

    def close(self) -> None:
        """Writes what is left and closes the file."""
        if self._ptr is None:
            return
        pointer = self._acquire()
        try:
            self._ptr = None
            with FILES, self.sim._lock:
                error = ffi.new("carom_error*")
                ffi.gc(pointer, None)
                check(lib.carom_recorder_close(pointer, error), error)
        finally:
            self._lock.release()


class Recording(Resource):
    """A recording: what `carom run -o` or a `Recorder` has written, also while it is being written.

    `recording.time` [n], `.q` [n, nq], `.v` [n, nv], `.poses` [n, bodies, 7], `.energy` [n, 4] and so on are arrays
    of all frames; `recording[i]` is one frame, with its contacts."""

    _what = "recording"

    def __init__(self, path: str | os.PathLike[str]):
        made, error = ffi.new("carom_recording**"), ffi.new("carom_error*")
        self.path = to_path("Recording: path", path)
        with FILES:
            check(lib.carom_recording_open(self.path, ffi.NULL, made, error), error)
        super().__init__(owned(made[0], _close_recording))
        self._cache: dict[str, Array] = {}

    @property
    def info(self) -> _structs.RecordingInfo:
        """What it holds: numbers of parts, dt, rate, versions."""
        with FILES:
            return _structs.RecordingInfo(self._ask(lib.carom_recording_get_info), self._ptr)

    def refresh(self) -> None:
        """Looks for frames that were written since."""
        with FILES:
            self._call(lib.carom_recording_refresh)
        self._cache.clear()

    def __len__(self) -> int:
        return self.info.num_frames

    def __getitem__(self, index: int) -> Frame:
        number, count = to_whole("frame", index, -(2**31)), len(self)
        if not -count <= number < count:
            raise IndexError(f"frame {number} of a recording of {count}")
        frame = ffi.new("carom_frame*")
        with FILES:
            self._call(lib.carom_recording_read, number % count, frame)
            return Frame(frame, self.info)

    def __iter__(self) -> Iterator[Frame]:
        return (self[i] for i in range(len(self)))

    def _all(self, name: str) -> Array:
        if name not in self._cache:
            if len(self) == 0:
                return np.zeros(0)
            values = [getattr(frame, name) for frame in self]
            if values[0] is None:
                raise missing("array of this recording", name, [])
            array = np.array(values)
            array.flags.writeable = False
            self._cache[name] = array
        return self._cache[name]

    @property
    def time(self) -> Array:
        """[n] s."""
        times = np.zeros(len(self))
        if len(times):
            with FILES:
                self._call(lib.carom_recording_read_times, 0, len(times), pointer_to(times))
        return times

    @property
    def q(self) -> Array:
        """[n, nq] coordinates."""
        return self._all("q")

    @property
    def v(self) -> Array:
        """[n, nv] velocities."""
        return self._all("v")

    @property
    def ctrl(self) -> Array:
        """[n, nu] controls."""
        return self._all("ctrl")

    @property
    def act(self) -> Array:
        """[n, na] activations."""
        return self._all("act")

    @property
    def poses(self) -> Array:
        """[n, bodies, 7] position of the frame's origin, m, and quaternion w x y z."""
        return self._all("poses")

    @property
    def energy(self) -> Array:
        """[n, 4] J: kinetic, potential, elastic; dissipated since the start."""
        return self._all("energy")

    @property
    def sensors(self) -> Array:
        """[n, readings] of all sensors."""
        return self._all("sensors")

    def _parts(self, kind: str, count: int, struct: Any) -> Parts[Any]:
        get = getattr(lib, f"carom_recording_get_{kind}")

        def read(index: int) -> Any:
            return struct(self._ask(get, index), self._ptr)

        def find(name: bytes) -> int:
            names = [part.name for part in parts]
            text = name.decode("utf-8", "surrogateescape")
            return names.index(text) if text in names else -1

        parts: Parts[Any] = Parts(kind, count, read, find)
        return parts

    @property
    def bodies(self) -> Parts[_structs.Body]:
        """Bodies of the recorded model."""
        info = self.info
        return self._parts("body", info.num_bodies if info.has_parts else 0, _structs.Body)

    @property
    def joints(self) -> Parts[_structs.Joint]:
        """Joints of the recorded model."""
        return self._parts("joint", self.info.num_joints, _structs.Joint)

    @property
    def geoms(self) -> Parts[_structs.Geom]:
        """Geometries of the recorded model."""
        return self._parts("geom", self.info.num_geoms, _structs.Geom)

    @property
    def actuators(self) -> Parts[_structs.Actuator]:
        """Actuators of the recorded model."""
        return self._parts("actuator", self.info.num_actuators, _structs.Actuator)

    @property
    def sensor_parts(self) -> Parts[_structs.Sensor]:
        """Sensors of the recorded model: units, and the columns of `sensors` that are theirs."""
        return self._parts("sensor", self.info.num_sensors, _structs.Sensor)

    def plot(self, *names: str) -> Any:
        """A matplotlib figure of quantities over time, an axis for each unit: "q", "v", "ctrl", "energy" and
        "sensors"; none named: "energy"."""
        from ._plot import plot

        return plot(self, names or ("energy",))

    def write_html(self, path: str | os.PathLike[str], *, rate: float = 60) -> _structs.HtmlReport:
        """Writes the page that shows it in any browser; rate: frames per simulated second, at most; 0: all."""
        definition = ffi.new("carom_html_def*", lib.carom_html_def_default())
        definition.rate = to_number("write_html: rate", rate)
        report = ffi.new("carom_html_report*")
        with FILES:
            self._call(lib.carom_html_write, to_path("write_html: path", path), definition, report)
        return _structs.HtmlReport(report)

    def convert(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        rate: float = 0,
        start: float = float("-inf"),
        end: float = float("inf"),
    ) -> _structs.ConvertReport:
        """Writes it in another format: "csv", "pvd", "vtkhdf", "glb" or "gltf"; None: by the ending of the path."""
        name = to_path("convert: path", path)
        ending = os.path.splitext(os.fsdecode(name))[1].lstrip(".").lower()
        definition = ffi.new("carom_convert_def*", lib.carom_convert_def_default())
        definition.format = word_value("carom_convert_format", ending if format is None else format)
        definition.rate = to_number("convert: rate", rate)
        setattr(definition, "from", to_number("convert: start", start))
        definition.until = to_number("convert: end", end)
        report = ffi.new("carom_convert_report*")
        with FILES:
            self._call(lib.carom_convert_recording, name, definition, report)
        return _structs.ConvertReport(report)

    def html(self, *, rate: float = 60) -> str:
        """The page as text."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.write_html(path, rate=rate)
            with open(path, encoding="utf-8") as page:
                return page.read()

    def show(self, path: str | os.PathLike[str] | None = None) -> str:
        """Opens the page in a browser; it is written to `path`, or to a file of its own. Returns its name."""
        import tempfile
        import webbrowser

        if path is None:
            handle, name = tempfile.mkstemp(".html", "carom_")
            os.close(handle)
        else:
            name = os.fspath(path)
        self.write_html(name)
        webbrowser.open("file://" + os.path.abspath(name))
        return name

    def _repr_html_(self) -> str | None:
        """None, so that the text is shown, where it is closed."""
        return None if self._ptr is None else frame_page(self.html())

    def __repr__(self) -> str:
        return (
            "<carom.Recording, closed>" if self._ptr is None else f"<carom.Recording of {len(self)} frames>"
        )


def frame_page(page: str) -> str:
    """A page inside of another, as notebooks show it."""
    import html

    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="600" style="border:0"></iframe>'


class Frame:
    """One frame of a recording; arrays of its own. Figures of steps are those since the frame before.

    time s; q [nq], v [nv], ctrl [nu], act [na]; poses [bodies, 7]; energy [4] J; com [3] m, momentum [6]; sensors;
    reactions [attachments, 6]; contacts, structured as `Sim.contacts`; areas as `Sim.areas`; steps, iterations,
    residual and the like.
    What the recording does not hold is None."""

    def __init__(self, frame: Any, info: _structs.RecordingInfo):
        sizes = {
            "q": (info.num_q,),
            "v": (info.num_v,),
            "ctrl": (info.num_ctrl,),
            "act": (info.num_act,),
            "poses": (info.num_bodies, 7),
            "energy": (4,),
            "com": (3,),
            "momentum": (6,),
            "sensors": (info.num_readings,),
            "reactions": (info.num_attachments, 6),
        }
        for name, field in ffi.typeof("carom_frame").fields:
            value = getattr(frame, name)
            if name in sizes:
                count = int(np.prod(sizes[name]))
                value = (
                    None
                    if value == ffi.NULL
                    else np.frombuffer(ffi.buffer(value, 8 * count) if count else b"").copy()
                )
                value = value if value is None else value.reshape(sizes[name])
            elif field.type.kind != "primitive":
                continue
            setattr(self, name, value)
        self.contacts = copy_structs("carom_contact", frame.contacts, frame.num_contacts)
        self.areas = copy_structs("carom_pressure_triangle", frame.triangles, frame.num_triangles)["corner"]

    def __repr__(self) -> str:
        return f"<carom.Frame at {self.time:.6g} s, {len(self.contacts)} contacts>"  # type: ignore[attr-defined]
