"""Steps as functions of JAX, with exact derivatives (`pip install jax`).

    from carom.jax import step_function
    step = step_function(model)
    q1, v1, act1 = step(q0, v0, act0, ctrl)
    jax.grad(lambda u: step(q0, v0, act0, u)[1].sum())(ctrl)
"""

from __future__ import annotations

from typing import Any, Callable, Unpack

import jax
import numpy as np

from ._lib import refuse
from ._model import Model
from ._sim import Sim, SimOptions


class _Quaternions:
    """Between cotangents of coordinates and of their tangents: q' = q (0, w) / 2."""

    def __init__(self, model: Model):
        self.nq, self.nv = model.nq, model.nv
        self.turns, plain = [], []
        for joint in model.joints:
            q, v = joint.q_start, joint.v_start
            moved = {"free": 3, "ball": 0}.get(joint.type, 1)
            plain += [(q + i, v + i) for i in range(moved)]
            if joint.type in ("free", "ball"):
                self.turns.append((q + moved, v + moved))
        self.q, self.v = np.array(plain, int).reshape(-1, 2).T

    @staticmethod
    def _columns(q: Any) -> Any:
        """[4, 3]: q (0, e_i) of a unit quaternion."""
        w, x, y, z = q / np.linalg.norm(q)
        return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])

    def to_tangent(self, q: Any, cotangent: Any) -> Any:
        out = np.zeros(self.nv)
        out[self.v] = cotangent[self.q]
        for at, to in self.turns:
            out[to : to + 3] = 0.5 * self._columns(q[at : at + 4]).T @ cotangent[at : at + 4]
        return out

    def from_tangent(self, q: Any, tangent: Any) -> Any:
        out = np.zeros(self.nq)
        out[self.q] = tangent[self.v]
        for at, to in self.turns:
            size = np.linalg.norm(q[at : at + 4])
            out[at : at + 4] = 2 / size * self._columns(q[at : at + 4]) @ tangent[to : to + 3]
        return out


def step_function(model: Model, **options: Unpack[SimOptions]) -> Callable[..., Any]:
    """A step as a function (q [nq], v [nv], act [na], ctrl [nu]) -> (q, v, act), to be used under `jax.grad`,
    `jax.jit` and `jax.vmap` (world after world). Every step starts from the state alone, so that it depends on
    nothing else; options are those of `Sim`. Needs jax_enable_x64. Its reverse derivative is `Sim.vjp`: exact, by
    one transposed solve."""
    if not jax.config.read("jax_enable_x64"):
        raise refuse("step_function: jax counts in single precision; set jax_enable_x64 first")
    if model.nq != sum({"free": 7, "ball": 4}.get(joint.type, 1) for joint in model.joints):
        raise refuse("step_function: mocap and soft bodies have coordinates that it does not know")
    sim, map_ = Sim(model, **options), _Quaternions(model)
    shapes = tuple(jax.ShapeDtypeStruct((n,), np.float64) for n in (model.nq, model.nv, model.na))
    inputs = (*shapes, jax.ShapeDtypeStruct((model.nu,), np.float64))

    def place(q: Any, v: Any, act: Any, ctrl: Any) -> None:
        sim.forget()
        sim.set_state(np.asarray(q), np.asarray(v), time=0)
        sim.act[:], sim.ctrl[:] = np.asarray(act), np.asarray(ctrl)

    def take(*at: Any) -> Any:
        place(*at)
        sim.step()
        return np.array(sim.q), np.array(sim.v), np.array(sim.act)

    def pull(q: Any, v: Any, act: Any, ctrl: Any, q1: Any, to_q1: Any, to_v1: Any, to_act1: Any) -> Any:
        place(q, v, act, ctrl)
        x1 = np.concatenate([map_.to_tangent(np.asarray(q1), np.asarray(to_q1)), to_v1, to_act1])
        found = sim.vjp(x1)
        nv = model.nv
        to_q = map_.from_tangent(np.asarray(q), found.x0[:nv])
        return to_q, found.x0[nv : 2 * nv], found.x0[2 * nv :], found.ctrl

    @jax.custom_vjp
    def step(q: Any, v: Any, act: Any, ctrl: Any) -> Any:
        return jax.pure_callback(take, shapes, q, v, act, ctrl, vmap_method="sequential")

    def forward(*at: Any) -> Any:
        out = step(*at)
        return out, (*at, out[0])

    def backward(kept: Any, cotangents: Any) -> Any:
        return jax.pure_callback(pull, inputs, *kept, *cotangents, vmap_method="sequential")

    step.defvjp(forward, backward)
    return step
