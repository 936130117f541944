"""Derivatives of steps, and of trajectories by a tape (docs/derivatives.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from . import _parameter
from ._lib import Array, ffi, lib, pointer_to, refuse, to_array, to_whole

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
    num_held: int  #: what is held though it would move; exact where this is 0


def linearize(sim: Sim, parameters: Sequence[str] = ()) -> Linearization:
    """Of the step that a simulation would take next."""
    named = _Parameters(sim, parameters)
    n, nu = lib.carom_model_get_num_x(sim.model._ptr), len(sim.ctrl)
    A, B, C = np.zeros((n, n)), np.zeros((n, nu)), np.zeros((n, named.size))
    out = ffi.new("carom_linearization*")
    out.A, out.B, out.C = (pointer_to(M.reshape(-1)) for M in (A, B, C))
    out.parameters, out.num_parameters = named.array, named.count
    sim._call(lib.carom_sim_linearize, out)
    return Linearization(A, B, C, named.slices, out.num_kinks, out.nearest_kink, out.num_held)


@dataclass(frozen=True)
class Gradient:
    """What a cotangent of a state makes of what led to it."""

    x0: Array  #: [2 nv + na] of the state before, by tangents of q, v and act
    ctrl: Array  #: [nu] of the controls; of a tape [steps, nu]
    theta: Array  #: numbers of the parameters, one after the other
    parameters: Mapping[str, slice]  #: entries of theta by the parameters' names
    num_kinks: int  #: constraints at which derivatives to either side differ; of a tape their sum
    nearest_kink: float  #: relative; inf: none
    num_held: int  #: what is held though it would move; exact where this is 0

    def __getitem__(self, name: str) -> Array:
        """The entries of theta of a parameter."""
        return self.theta[self.parameters[name]]


def _pull(sim: Sim, x1: Array, named: _Parameters) -> Gradient:
    n, nu = len(x1), len(sim.ctrl)
    x0, u, theta = np.zeros(n), np.zeros(nu), np.zeros(named.size)
    out = ffi.new("carom_vjp*")
    out.x0, out.u, out.theta = pointer_to(x0), pointer_to(u), pointer_to(theta)
    out.parameters, out.num_parameters = named.array, named.count
    sim._call(lib.carom_sim_compute_vjp, pointer_to(x1), out)
    return Gradient(x0, u, theta, named.slices, out.num_kinks, out.nearest_kink, out.num_held)


def vjp(sim: Sim, x1: Any, parameters: Sequence[str] = ()) -> Gradient:
    """A cotangent of the state after the next step, pulled back through it."""
    n = lib.carom_model_get_num_x(sim.model._ptr)
    return _pull(sim, to_array("vjp: x1", x1, (n,)), _Parameters(sim, parameters))


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

    def __init__(self, sim: Sim, parameters: Sequence[str] = (), keep: int = 1):
        self.sim = sim
        self._named = _Parameters(sim, parameters)
        self._keep = to_whole("Tape: keep", keep)
        if self._keep < 1:
            raise refuse(f"Tape: keep is {keep}, must be at least 1")
        self._saved: list[bytes] = []
        self._ctrl: list[Array] = []

    def __len__(self) -> int:
        return len(self._ctrl)

    @property
    def num_x(self) -> int:
        """Numbers of a tangent state, 2 nv + na."""
        return int(lib.carom_model_get_num_x(self.sim.model._ptr))

    def step(self, ctrl: Any = None) -> StepReport:
        """Takes a step, under these controls [nu] from now on where they are given."""
        if ctrl is not None:
            self.sim.ctrl[:] = ctrl
        if len(self) % self._keep == 0:
            self._saved.append(self.sim.save())
        self._ctrl.append(np.array(self.sim.ctrl))
        return self.sim.step()

    def _segment(self, index: int) -> list[bytes]:
        """States before the steps of a segment, taken again from its first."""
        first = index * self._keep
        states = [self._saved[index]]
        self.sim.restore(states[0])
        for k in range(first, min(first + self._keep, len(self)) - 1):
            self.sim.ctrl[:] = self._ctrl[k]
            self.sim.step()
            states.append(self.sim.save())
        return states

    def pullback(self, end: Any, running: Callable[[int], Any] | None = None) -> Gradient:
        """The gradient of a loss over the trajectory.

        end: its derivative over the last state [2 nv + na]; running(k): over the state before step k (None: zero).
        The simulation stands at the end of the tape again afterwards."""
        n = self.num_x
        x = np.array(to_array("pullback: end", end, (n,)))
        last, ctrl = self.sim.save(), np.zeros((len(self), len(self.sim.ctrl)))
        theta, kinks, nearest, held = np.zeros(self._named.size), 0, np.inf, 0
        try:
            for index in reversed(range(len(self._saved))):
                states = self._segment(index)
                for k in reversed(range(len(states))):
                    at = index * self._keep + k
                    self.sim.restore(states[k])
                    self.sim.ctrl[:] = self._ctrl[at]
                    one = _pull(self.sim, x, self._named)
                    x, ctrl[at] = one.x0, one.ctrl
                    theta += one.theta
                    kinks, held = kinks + one.num_kinks, held + one.num_held
                    nearest = min(nearest, one.nearest_kink)
                    more = running(at) if running else None
                    if more is not None:
                        x = x + to_array("pullback: running", more, (n,))
        finally:
            self.sim.restore(last)
        return Gradient(x, ctrl, theta, self._named.slices, kinks, nearest, held)
