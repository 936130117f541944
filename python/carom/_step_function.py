"""A step as a function of the state and the controls alone, with its reverse derivative: what carom.jax and
carom.torch wrap."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from ._lib import Array
from ._model import Model
from ._sim import Sim, SimOptions


class StepFunction:
    """(q [nq], v [nv], act [na], ctrl [nu]) -> (q, v, act). Every step starts from the state alone."""

    def __init__(self, model: Model, **options: Unpack[SimOptions]):
        self.model, self.sim, self.map = model, Sim(model, **options), model._tangents

    def _place(self, q: Any, v: Any, act: Any, ctrl: Any) -> None:
        self.sim.forget()
        self.sim.set_state(np.asarray(q), np.asarray(v), time=0)
        self.sim.act[:], self.sim.ctrl[:] = np.asarray(act), np.asarray(ctrl)

    def take(self, *at: Any) -> tuple[Array, Array, Array]:
        """The new state."""
        self._place(*at)
        self.sim.step()
        return np.array(self.sim.q), np.array(self.sim.v), np.array(self.sim.act)

    def pull(self, q: Any, v: Any, act: Any, ctrl: Any, q1: Any, to_q1: Any, to_v1: Any, to_act1: Any) -> Any:
        """What cotangents of the new state make of those of q, v, act and ctrl."""
        self._place(q, v, act, ctrl)
        nv, to_q = self.model.nv, self.map.to_tangent(np.asarray(q1), np.asarray(to_q1))
        found = self.sim.vjp(np.concatenate([to_q, to_v1, to_act1]))
        x0 = found.x0
        return self.map.from_tangent(np.asarray(q), x0[:nv]), x0[nv : 2 * nv], x0[2 * nv :], found.ctrl
