"""Many worlds of one model, stepped side by side."""

from __future__ import annotations

import time as _time
from dataclasses import dataclass
from typing import Any, Mapping, Unpack

import numpy as np

from ._lib import (
    Array,
    Error,
    Resource,
    _view,
    check,
    copy_structs,
    dtype_of,
    ffi,
    lib,
    owned,
    pointer_to,
    refuse,
    to_array,
    to_mapping,
    to_number,
    to_whole,
)
from ._model import Model
from ._parameter import WorldParameters, rows_of
from ._sim import SLICE, Sim, SimOptions, _model, make_sim_def


class Batch(Resource):
    """`n` worlds of one model: each takes the steps of a `Sim` alone, to the bit, for any number of threads.

        batch = carom.Batch(model, 4096, threads=8)
        batch.ctrl[:] = policy(batch.q, batch.v)
        batch.step(5)
        batch.reset(batch.q[:, 2] < 0.3)

    `time`, `q`, `v`, `ctrl` and `act` are arrays over the batch's own memory, to be read and written between
    steps: what is written into a world is set as by `Sim.set_state`, and its last impulses stay as guesses. A world
    in which a step fails stays as it was before it; `batch.failed` says so, and the others go on. Options are those
    of `Sim`; `threads` step worlds side by side. One thread at a time may use a batch."""

    _what = "batch"

    def __init__(self, model: Model, n: int, **options: Unpack[SimOptions]):
        definition = make_sim_def("Batch", options)
        count = to_whole("Batch: n", n, 1)
        made, error = ffi.new("carom_batch**"), ffi.new("carom_error*")
        check(lib.carom_batch_create(_model(model, "Batch"), count, definition, made, error), error)
        self._own: dict[int, Model] = {}  # models of worlds that have one of their own; lives as the batch
        super().__init__(owned(made[0], lib.carom_batch_destroy, model._ptr, self._own))
        self.model = model
        self.n = count
        self._sim_options: SimOptions = {**options, "threads": 1, "dt": self.dt}
        p, sizes = self._ptr, model.sizes
        self._views = {
            "time": _view(lib.carom_batch_times(p), (count,), p, True),
            "q": _view(lib.carom_batch_coordinates(p), (count, model.nq), p, True),
            "v": _view(lib.carom_batch_velocities(p), (count, model.nv), p, True),
            "ctrl": _view(lib.carom_batch_controls(p), (count, model.nu), p, True),
            "act": _view(lib.carom_batch_activations(p), (count, model.na), p, True),
            "readings": _view(lib.carom_batch_readings(p), (count, sizes["num_readings"]), p),
            "reports": _view(lib.carom_batch_reports(p), (count,), p, False, dtype_of("carom_step_report")),
        }

    def _array(self, name: str) -> Array:
        self._open
        return self._views[name]

    def _assign(self, name: str, value: Any) -> None:
        view = self._array(name)
        try:
            view[...] = to_array(name, value)
        except ValueError:
            raise refuse(f"{name} has shape {np.shape(value)}, must fit {view.shape}") from None

    @property
    def time(self) -> Array:
        """[n] s; a view, to be written between steps, as all next."""
        return self._array("time")

    @time.setter
    def time(self, value: Any) -> None:
        self._assign("time", value)

    @property
    def q(self) -> Array:
        """[n, nq] coordinates."""
        return self._array("q")

    @q.setter
    def q(self, value: Any) -> None:
        self._assign("q", value)

    @property
    def v(self) -> Array:
        """[n, nv] velocities."""
        return self._array("v")

    @v.setter
    def v(self, value: Any) -> None:
        self._assign("v", value)

    @property
    def ctrl(self) -> Array:
        """[n, nu] controls."""
        return self._array("ctrl")

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        self._assign("ctrl", value)

    @property
    def act(self) -> Array:
        """[n, na] activations."""
        return self._array("act")

    @act.setter
    def act(self, value: Any) -> None:
        self._assign("act", value)

    @property
    def readings(self) -> Array:
        """[n, readings] of all sensors at the end of the last step, or of the reset; a read-only view."""
        return self._array("readings")

    @property
    def sensors(self) -> dict[str, Array]:
        """[n, dim] of each named sensor, read-only views of `readings`."""
        readings = self.readings
        return {s.name: readings[:, s.address : s.address + s.dim] for s in self.model.sensors if s.name}

    @property
    def reports(self) -> Array:
        """[n] the report of each world's last step, a structured array with the fields of `StepReport`; a
        read-only view. `outcome` is a number, 0: done."""
        return self._array("reports")

    @property
    def failed(self) -> Array:
        """[n] whether the last step of a world has failed; such a world is as it was before that step."""
        return self.reports["outcome"] != lib.CAROM_STEP_DONE

    @property
    def dt(self) -> float:
        """s, of a step."""
        return lib.carom_batch_dt(self._open)

    def step(self, count: int = 1) -> None:
        """Takes steps in every world. A world in which one fails takes no more in this call. Ctrl-C ends many
        steps between two, with all worlds at the same time.

        Raises InvalidArgumentError where a number in the arrays is not finite; all worlds are then as before."""
        left = to_whole("step: count", count)
        at_once = 1
        while left > 0:
            now = min(left, at_once)
            begin = _time.perf_counter()
            self._call(lib.carom_batch_step, now)
            left -= now
            if left > 0:
                at_once = max(1, int(now * SLICE / max(_time.perf_counter() - begin, 1e-9)))

    def reset(
        self, mask: Any = None, *, q: Any = None, v: Any = None, keyframe: str | int | None = None
    ) -> None:
        """Puts worlds back to the start, with nothing of what steps carry: the reference configuration at rest, or
        a keyframe. mask [n] of bool: those that are meant; None: all. q, v: for those worlds, [nq] or [k, nq]."""
        index = -1 if keyframe is None else self.model.find_keyframe(keyframe)
        given = self._mask(mask)
        chosen = self._chosen(given)
        values = {
            name: self._rows(name, value, len(chosen))
            for name, value in (("q", q), ("v", v))
            if value is not None
        }
        self._call(
            lib.carom_batch_reset, ffi.NULL if given is None else ffi.from_buffer("bool[]", given), index
        )
        for name, array in values.items():
            self._views[name][chosen] = array

    def _mask(self, mask: Any) -> Array | None:
        """A mask of worlds, checked; None: all are meant."""
        if mask is None:
            return None
        try:
            given = np.ascontiguousarray(mask)
        except ValueError:
            raise refuse("mask is no array") from None
        if given.dtype != np.bool_ or given.shape != (self.n,):
            raise refuse(f"mask is {given.dtype} of shape {given.shape}, must be bool of shape ({self.n},)")
        return given

    def _chosen(self, mask: Array | None) -> Array:
        """Worlds of a mask that was checked."""
        return np.arange(self.n) if mask is None else np.flatnonzero(mask)

    def _rows(self, name: str, value: Any, count: int) -> Array:
        array, width = to_array(name, value), self._array(name).shape[1]
        if array.shape not in ((width,), (count, width)):
            raise refuse(f"{name} has shape {array.shape}, must have ({width},) or ({count}, {width})")
        return array

    # -- other numbers for each world

    @property
    def parameters(self) -> WorldParameters:
        """Parameters of the worlds by name (docs/parameters.md), [n, ...] each; may be set."""
        return WorldParameters(self)

    def set_parameters(self, values: Mapping[str, Any], mask: Any = None) -> None:
        """Other numbers for worlds: `batch.set_parameters({"body.box.mass": masses, "geom.floor.friction": 0.3})`.
        Each value is one for all worlds that are meant, or has one row for each of them. A world is then to the bit
        a simulation of `model.copy` with its values, goes on from where it is, awake, and is reset to the start of
        that model. Worlds with the same values share a model. mask [n] of bool: those that are meant; None: all.

        Raises NotFoundError with the nearest name, BadInputError and UnsupportedError for values, with the world;
        none is then set."""
        chosen = self._chosen(self._mask(mask)).tolist()
        rows = rows_of(self.model, to_mapping("set_parameters: values", values), len(chosen))
        made: dict[tuple[Any, ...], Model] = {}
        models = [self._vary(world, row, made) for world, row in zip(chosen, rows)]
        for world, model in zip(chosen, models):
            self._call(lib.carom_batch_set_model, world, model._ptr)
            self._own[world] = model

    def _vary(self, world: int, values: Mapping[str, Any], made: dict[tuple[Any, ...], Model]) -> Model:
        """The model of a world with other values; those that were made for other worlds serve again."""
        model = self.get_model(world)
        key = id(model), *(value.tobytes() for value in values.values())
        if key not in made:
            try:
                made[key] = model.copy(values)
            except Error as problem:
                raise type(problem)(f"world {world}: {problem}") from None
            _model(made[key], "Batch")
        return made[key]

    def get_model(self, world: int) -> Model:
        """The model of a world: the batch's, or with the numbers that `set_parameters` has given it."""
        return self._own.get(self._world(world), self.model)

    # -- one world

    def _world(self, world: object) -> int:
        number = to_whole("world", world)
        if number >= self.n:
            raise refuse(f"world is {number}, must be 0 to {self.n - 1}")
        return number

    def contacts(self, world: int) -> Array:
        """Contact points of a world's last step, structured as `Sim.contacts`."""
        count, index = ffi.new("int*"), self._world(world)
        pointer = self._acquire()
        try:
            contacts = lib.carom_batch_contacts(pointer, index, count)
            return copy_structs("carom_contact", contacts, count[0])
        finally:
            self._lock.release()

    def linearize(self, *, smoothing: float = 0) -> Linearizations:
        """Derivatives of the next step of every world, side by side; the worlds stay as they are (`Sim.linearize`,
        also for smoothing, m/s).

        Raises UnsupportedError for what has no derivative yet."""
        n, nx, nu = self.n, lib.carom_model_get_num_x(self.model._ptr), self.model.nu
        A, B = np.zeros((n, nx, nx)), np.zeros((n, nx, nu))
        kinks, held = np.zeros(n, np.intc), np.zeros(n, np.intc)
        out = ffi.new("carom_batch_linearization*")
        out.A, out.B = pointer_to(A.reshape(-1)), pointer_to(B.reshape(-1))
        out.num_kinks, out.num_held = ffi.from_buffer("int[]", kinks), ffi.from_buffer("int[]", held)
        out.smoothing = to_number("linearize: smoothing", smoothing)
        self._call(lib.carom_batch_linearize, out)
        return Linearizations(A, B, kinks, held)

    def get_world(self, world: int) -> Sim:
        """A simulation at the state of a world, that goes on with the world's bits."""
        index = self._world(world)
        sim = Sim(self.get_model(index), **self._sim_options)
        self._call(lib.carom_batch_get_world, index, sim._ptr)
        return sim

    def set_world(self, world: int, sim: Sim) -> None:
        """Brings a world to the state of a simulation of the world's model and options."""
        if not isinstance(sim, Sim):
            raise refuse(f"set_world: sim is of type {type(sim).__name__}, must be a carom.Sim")
        pointer = sim._acquire()
        try:
            self._call(lib.carom_batch_set_world, self._world(world), pointer)
        finally:
            sim._lock.release()

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        if self._ptr is None:
            return "<carom.Batch, closed>"
        return f"<carom.Batch of {self.n} worlds of {self.model.name!r}>"


@dataclass(frozen=True)
class Linearizations:
    """Derivatives of a step of n worlds, as `Linearization` has them."""

    A: Array  #: [n, 2 nv + na, 2 nv + na] d x1 / d x0; NaN where the world's step has none
    B: Array  #: [n, 2 nv + na, nu] d x1 / d u
    num_kinks: Array  #: [n]; -1: the step fails or is taken in parts, and has no derivative
    num_held: Array  #: [n] likewise


@dataclass
class Rollout:
    """Motions of n worlds."""

    q: Array  #: [n, steps + 1, nq] the start first
    v: Array  #: [n, steps + 1, nv]
    sensors: Array  #: [n, steps, readings] after each step
    failed: Array  #: [n] the step that has failed, from 0; -1: none. From there on the rows repeat the state before it

    def __repr__(self) -> str:
        n, steps = self.sensors.shape[:2]
        return f"<carom.Rollout of {n} worlds, {steps} steps, {int((self.failed >= 0).sum())} failed>"


def rollout(
    model: Model,
    q0: Any = None,
    v0: Any = None,
    ctrl: Any = None,
    *,
    steps: int | None = None,
    batch: Batch | None = None,
    **options: Unpack[SimOptions],
) -> Rollout:
    """Motions of n worlds under given controls, in one call.

    q0 [n, nq] and v0 [n, nv], or one row for all; None: the reference configuration, at rest. ctrl
    [n, steps, nu], or [steps, nu] for all; None: zero, for `steps` steps. batch: worlds to use again, in place of
    new ones; else options are those of `Batch`, `threads` among them."""
    _model(model, "rollout")
    controls = None if ctrl is None else to_array("ctrl", ctrl)
    if controls is not None and (controls.ndim not in (2, 3) or controls.shape[-1] != model.nu):
        raise refuse(
            f"ctrl has shape {controls.shape}, must have (n, steps, {model.nu}) or (steps, {model.nu})"
        )
    given = {"q0": q0, "v0": v0}
    rows = {name: to_array(name, value) for name, value in given.items() if value is not None}
    counts = [array.shape[0] for array in rows.values() if array.ndim == 2]
    counts += [controls.shape[0]] if controls is not None and controls.ndim == 3 else []
    n = max(counts, default=1) if batch is None else batch.n
    length = controls.shape[-2] if controls is not None else to_whole("steps", steps)
    if steps is not None and steps != length:
        raise refuse(f"steps is {steps}, but ctrl has {length}")
    for name, width in (("q0", model.nq), ("v0", model.nv)):
        if name in rows and rows[name].shape not in ((width,), (n, width)):
            raise refuse(f"{name} has shape {rows[name].shape}, must have ({width},) or ({n}, {width})")
    if controls is not None:
        if controls.ndim == 3 and controls.shape[0] != n:
            raise refuse(f"ctrl has shape {controls.shape}, must have ({n}, {length}, {model.nu})")
        controls = np.ascontiguousarray(np.broadcast_to(controls, (n, length, model.nu)))
    if batch is None:
        batch = Batch(model, n, **options)
    elif batch.model is not model:
        raise refuse("rollout: the batch is of another model")
    batch.reset(q=rows.get("q0"), v=rows.get("v0"))
    return _roll(batch, controls, length)


def _roll(batch: Batch, controls: Array | None, length: int) -> Rollout:
    model, n = batch.model, batch.n
    result = Rollout(
        np.zeros((n, length + 1, model.nq)),
        np.zeros((n, length + 1, model.nv)),
        np.zeros((n, length, model.sizes["num_readings"])),
        np.full(n, -1, np.int32),
    )
    c = ffi.new("carom_rollout*", {"num_steps": length})
    keep = [pointer_to(array) for array in (controls, result.q, result.v, result.sensors)]
    c.ctrl, c.q, c.v, c.readings = keep
    failed = ffi.from_buffer("int[]", result.failed)
    c.failed = failed
    at_once = 1
    while True:
        c.count = min(at_once, length - c.first)
        begin = _time.perf_counter()
        batch._call(lib.carom_batch_rollout, c)
        at_once = max(1, int(c.count * SLICE / max(_time.perf_counter() - begin, 1e-9)))
        c.first += c.count
        if c.first >= length:
            return result
