"""Derivatives of steps, and of trajectories by a tape (docs/derivatives.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from . import _parameter
from ._lib import Array, ffi, lib, owned, pointer_to, refuse, to_array, to_number, to_whole

if TYPE_CHECKING:
    from ._sim import Sim, StepReport


class _Parameters:
    """The carom_parameters of names, and which numbers of theta each has."""

    def __init__(self, sim: Sim, names: Sequence[str]):
        if isinstance(names, str):
            names = [names]
        description = lib.carom_model_get_description(sim.model._ptr)
        self.array = ffi.new("carom_parameter[]", max(len(names), 1))
        self.count = len(names)
        self.slices: dict[str, slice] = {}
        at = 0
        for i, name in enumerate(names):
            self.array[i] = _parameter.find(description, name)[0]
            self.slices[name] = slice(at, at + self.array[i].count)
            at += self.array[i].count
        self.size = at


@dataclass(frozen=True)
class Linearization:
    """The derivative of a step: x1 = (q, v, act) after it over x0 = (q, v, act) before it, the controls u and the
    parameters theta. Configurations count by tangents, in the coordinates of velocities (docs/derivatives.md)."""

    A: Array  #: [2 nv + na, 2 nv + na] d x1 / d x0
    B: Array  #: [2 nv + na, nu] d x1 / d u
    C: Array  #: [2 nv + na, numbers of the parameters] d x1 / d theta
    parameters: Mapping[str, slice]  #: columns of C by the parameters' names
    num_kinks: int  #: constraints at which derivatives to either side differ
    nearest_kink: float  #: relative; inf: none
    kink_speed: float  #: m/s, by which a constraint's velocity would have to change for it
    num_held: int  #: what is held though it would move; exact where this is 0


def linearize(sim: Sim, parameters: Sequence[str] = (), smoothing: float = 0) -> Linearization:
    """Of the step that a simulation would take next."""
    named = _Parameters(sim, parameters)
    n, nu = lib.carom_model_get_num_x(sim.model._ptr), len(sim.ctrl)
    A, B, C = np.zeros((n, n)), np.zeros((n, nu)), np.zeros((n, named.size))
    out = ffi.new("carom_linearization*")
    out.A, out.B, out.C = (pointer_to(M.reshape(-1)) for M in (A, B, C))
    out.parameters, out.num_parameters = named.array, named.count
    out.smoothing = to_number("linearize: smoothing", smoothing)
    sim._call(lib.carom_sim_linearize, out)
    return Linearization(A, B, C, named.slices, out.num_kinks, out.nearest_kink, out.kink_speed, out.num_held)


_ENERGIES = {"energy.kinetic": "CAROM_READING_KINETIC", "energy.potential": "CAROM_READING_POTENTIAL"}


@dataclass(frozen=True)
class Jacobian:
    """How quantities move with others, block by block: `J["sensor.imu", "v"]`."""

    blocks: Mapping[tuple[str, str], Array]  #: [numbers of the one, of the other] by both names
    num_kinks: int  #: of the step; constraints at which derivatives to either side differ
    num_held: int  #: of the step; what is held though it would move; exact where this is 0

    def __getitem__(self, names: tuple[str, str]) -> Array:
        return self.blocks[names]

    def __iter__(self) -> Any:
        return iter(self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)


def _state_slices(sim: Sim) -> dict[str, slice]:
    nv, n = len(sim.v), lib.carom_model_get_num_x(sim.model._ptr)
    return {"q": slice(0, nv), "v": slice(nv, 2 * nv), "act": slice(2 * nv, n)}


def _find_reading(sim: Sim, name: str) -> int:
    if name in _ENERGIES:
        return int(getattr(lib, _ENERGIES[name]))
    kind, _, rest = name.partition(".")
    if kind != "sensor" or not rest:
        raise refuse(f"jacobian: there is no {name!r}; of may be q, v, act, sensor.NAME, {', '.join(_ENERGIES)}")
    return sim.model.sensors.index(int(rest) if rest.isdigit() else rest)


def _differentiate_readings(sim: Sim, of: list[str], named: _Parameters, after: bool, smoothing: float) -> Any:
    """Rows by name, the matrix over x, controls and theta side by side, kinks and what is held."""
    indices = [_find_reading(sim, name) for name in of]
    rows, at = {}, 0
    for name, index in zip(of, indices):
        count = lib.carom_model_count_readings(sim.model._ptr, ffi.new("int[]", [index]), 1)
        rows[name], at = slice(at, at + count), at + count
    x = np.zeros((at, lib.carom_model_get_num_x(sim.model._ptr)))
    u, theta = np.zeros((at, len(sim.ctrl))), np.zeros((at, named.size))
    out = ffi.new("carom_reading_derivatives*")
    kept = ffi.new("int[]", indices)
    out.of, out.num_of, out.after_step, out.smoothing = kept, len(of), after, smoothing
    out.x, out.u, out.theta = (pointer_to(M.reshape(-1)) for M in (x, u, theta))
    out.parameters, out.num_parameters = named.array, named.count
    sim._call(lib.carom_sim_differentiate_readings, out)
    return rows, np.hstack([x, u, theta]), out.num_kinks, out.num_held


def jacobian(
    sim: Sim, of: str | Sequence[str], wrt: str | Sequence[str], after_step: bool, smoothing: float
) -> Jacobian:
    """Of states, sensors and energies over state, controls and parameters."""
    wanted, by = [of] if isinstance(of, str) else list(of), [wrt] if isinstance(wrt, str) else list(wrt)
    states = _state_slices(sim)
    named = _Parameters(sim, [name for name in by if name not in states and name != "ctrl"])
    n, nu = lib.carom_model_get_num_x(sim.model._ptr), len(sim.ctrl)
    columns = {**states, "ctrl": slice(n, n + nu)}
    columns.update({k: slice(n + nu + s.start, n + nu + s.stop) for k, s in named.slices.items()})
    own, read = [name for name in wanted if name in states], [name for name in wanted if name not in states]
    if own and not after_step:
        raise refuse(f"jacobian: {own[0]} is the state itself, which only a step moves: after_step=True")
    speed, blocks, kinks, held = to_number("jacobian: smoothing", smoothing), {}, 0, 0
    if own:
        d = linearize(sim, list(named.slices), speed)
        whole, kinks, held = np.hstack([d.A, d.B, d.C]), d.num_kinks, d.num_held
        blocks.update({(a, b): whole[states[a], columns[b]] for a in own for b in by})
    if read:
        rows, whole, kinks, held = _differentiate_readings(sim, read, named, after_step, speed)
        blocks.update({(a, b): whole[rows[a], columns[b]] for a in read for b in by})
    return Jacobian(blocks, kinks, held)


@dataclass(frozen=True)
class Gradient:
    """What a cotangent of a state makes of what led to it."""

    x0: Array  #: [2 nv + na] of the state before, by tangents of q, v and act
    ctrl: Array  #: [nu] of the controls; of a tape [steps, nu]
    theta: Array  #: numbers of the parameters, one after the other
    parameters: Mapping[str, slice]  #: entries of theta by the parameters' names
    num_kinks: int  #: constraints at which derivatives to either side differ; of a tape their sum
    nearest_kink: float  #: relative; inf: none
    kink_speed: float  #: m/s, by which a constraint's velocity would have to change for it
    num_held: int  #: what is held though it would move; exact where this is 0

    def __getitem__(self, name: str) -> Array:
        """The entries of theta of a parameter."""
        return self.theta[self.parameters[name]]


def _pull(sim: Sim, x1: Array, named: _Parameters, smoothing: float) -> Gradient:
    n, nu = len(x1), len(sim.ctrl)
    x0, u, theta = np.zeros(n), np.zeros(nu), np.zeros(named.size)
    out = ffi.new("carom_vjp*")
    out.x0, out.u, out.theta = pointer_to(x0), pointer_to(u), pointer_to(theta)
    out.parameters, out.num_parameters, out.smoothing = named.array, named.count, smoothing
    sim._call(lib.carom_sim_compute_vjp, pointer_to(x1), out)
    return _gradient(x0, u, theta, named, out)


def _gradient(x0: Array, ctrl: Array, theta: Array, named: _Parameters, out: Any) -> Gradient:
    kinks = out.num_kinks, out.nearest_kink, out.kink_speed, out.num_held
    return Gradient(x0, ctrl, theta, named.slices, *kinks)


def vjp(sim: Sim, x1: Any, parameters: Sequence[str] = (), smoothing: float = 0) -> Gradient:
    """A cotangent of the state after the next step, pulled back through it."""
    n = lib.carom_model_get_num_x(sim.model._ptr)
    speed = to_number("vjp: smoothing", smoothing)
    return _pull(sim, to_array("vjp: x1", x1, (n,)), _Parameters(sim, parameters), speed)


@dataclass(frozen=True)
class Sensitivity:
    """A trajectory, and how its states move with parameters."""

    q: Array  #: [steps + 1, nq] the start first
    v: Array  #: [steps + 1, nv]
    dq: Array  #: [steps + 1, nv, numbers of the parameters] tangents of q
    dv: Array  #: [steps + 1, nv, numbers of the parameters]
    parameters: Mapping[str, slice]  #: the last axis by the parameters' names
    num_kinks: int  #: of all steps together; derivatives to either side differ there
    num_held: int  #: likewise; exact where this is 0


def sensitivity(sim: Sim, parameters: Sequence[str], steps: int, ctrl: Any = None) -> Sensitivity:
    """Takes steps, and carries the states' derivatives over parameters along, dx' = A dx + C."""
    count, nv = to_whole("sensitivity: steps", steps), len(sim.v)
    controls = None if ctrl is None else to_array("sensitivity: ctrl", ctrl, (count, len(sim.ctrl)))
    numbers = _Parameters(sim, parameters).size
    q, v = np.zeros((count + 1, len(sim.q))), np.zeros((count + 1, nv))
    x = np.zeros((count + 1, lib.carom_model_get_num_x(sim.model._ptr), numbers))
    kinks = held = 0
    slices: Mapping[str, slice] = {}
    for k in range(count + 1):
        q[k], v[k] = sim.q, sim.v
        if k == count:
            break
        if controls is not None:
            sim.ctrl[:] = controls[k]
        d = linearize(sim, parameters)
        x[k + 1] = d.A @ x[k] + d.C
        kinks, held, slices = kinks + d.num_kinks, held + d.num_held, d.parameters
        sim.step()
    return Sensitivity(q, v, x[:, :nv], x[:, nv : 2 * nv], slices, kinks, held)


class Tape:
    """Steps of a simulation that can be gone back: it keeps states, and derivatives are made on the way back.

        tape = carom.Tape(sim, parameters=["body.box.mass"])
        for u in controls:
            tape.step(u)
        gradient = tape.pullback(x_end)  # of a loss over the last state
        gradient["body.box.mass"], gradient.ctrl, gradient.x0

    Of every `keep`-th step the state is kept; steps between are taken again on the way back, to the same bits. With
    keep = the root of the number of steps, memory and time are balanced.
    """

    def __init__(self, sim: Sim, parameters: Sequence[str] = (), keep: int = 1, *, smoothing: float = 0):
        self.sim = sim
        self._named = _Parameters(sim, parameters)
        definition = ffi.new("carom_tape_def*")
        definition.parameters, definition.num_parameters = self._named.array, self._named.count
        definition.keep = to_whole("Tape: keep", keep, 1)
        definition.smoothing = to_number("Tape: smoothing", smoothing)
        made = ffi.new("carom_tape**")
        sim._call(lib.carom_tape_create, definition, made)
        self._tape = owned(made[0], lib.carom_tape_destroy, sim._ptr)

    def __len__(self) -> int:
        return int(lib.carom_tape_get_num_steps(self._tape))

    @property
    def num_x(self) -> int:
        """Numbers of a tangent state, 2 nv + na."""
        return int(lib.carom_model_get_num_x(self.sim.model._ptr))

    def step(self, ctrl: Any = None) -> StepReport:
        """Takes a step, under these controls [nu] from now on where they are given."""
        if ctrl is not None:
            self.sim.ctrl[:] = ctrl
        return self.sim._step_by(lambda _, *more: lib.carom_tape_step(self._tape, *more))

    def pullback(self, end: Any, running: Callable[[int], Any] | Any = None) -> Gradient:
        """The gradient of a loss over the trajectory.

        end: its derivative over the last state [2 nv + na]; running: over the states before the steps, [steps, 2 nv +
        na] or a function of the step's number (None: zero). The simulation stands at the end of the tape again
        afterwards."""
        n, steps = self.num_x, len(self)
        if callable(running):
            given = [running(k) for k in range(steps)]
            running = np.array([np.zeros(n) if row is None else row for row in given]).reshape(steps, n)
        more = np.zeros((steps, n)) if running is None else to_array("pullback: running", running, (steps, n))
        last = to_array("pullback: end", end, (n,))
        x0, ctrl, theta = np.zeros(n), np.zeros((steps, len(self.sim.ctrl))), np.zeros(self._named.size)
        out = ffi.new("carom_vjp*")
        out.x0, out.u, out.theta = (pointer_to(a.reshape(-1)) for a in (x0, ctrl, theta))
        arguments = pointer_to(last), pointer_to(more.reshape(-1)), out
        self.sim._call(lambda _, *rest: lib.carom_tape_pull_back(self._tape, *rest), *arguments)
        return _gradient(x0, ctrl, theta, self._named, out)
