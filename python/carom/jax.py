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
from ._sim import SimOptions
from ._step_function import StepFunction


def step_function(model: Model, **options: Unpack[SimOptions]) -> Callable[..., Any]:
    """A step as a function (q [nq], v [nv], act [na], ctrl [nu]) -> (q, v, act), to be used under `jax.grad`,
    `jax.jit` and `jax.vmap` (world after world). Every step starts from the state alone, so that it depends on
    nothing else; options are those of `Sim`. Needs jax_enable_x64. Its reverse derivative is `Sim.vjp`: exact, by
    one transposed solve."""
    if not jax.config.read("jax_enable_x64"):
        raise refuse("step_function: jax counts in single precision; set jax_enable_x64 first")
    plain = StepFunction(model, **options)
    shapes = tuple(jax.ShapeDtypeStruct((n,), np.float64) for n in (model.nq, model.nv, model.na))
    inputs = (*shapes, jax.ShapeDtypeStruct((model.nu,), np.float64))

    @jax.custom_vjp
    def step(q: Any, v: Any, act: Any, ctrl: Any) -> Any:
        return jax.pure_callback(plain.take, shapes, q, v, act, ctrl, vmap_method="sequential")

    def forward(*at: Any) -> Any:
        out = step(*at)
        return out, (*at, out[0])

    def backward(kept: Any, cotangents: Any) -> Any:
        return jax.pure_callback(plain.pull, inputs, *kept, *cotangents, vmap_method="sequential")

    step.defvjp(forward, backward)
    return step
