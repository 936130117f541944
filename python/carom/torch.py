"""Steps as functions of PyTorch, with exact derivatives (`pip install torch`).

    from carom.torch import step_function
    step = step_function(model)
    q1, v1, act1 = step(q0, v0, act0, ctrl)
    v1.sum().backward()
"""

from __future__ import annotations

from typing import Any, Callable, Unpack

import numpy as np
import torch

from ._lib import refuse
from ._model import Model
from ._sim import SimOptions
from ._step_function import StepFunction


def step_function(model: Model, **options: Unpack[SimOptions]) -> Callable[..., Any]:
    """A step as a function (q [nq], v [nv], act [na], ctrl [nu]) -> (q, v, act) of tensors of float64 on the CPU. It
    starts from the state alone, so that it depends on nothing else; options are those of `Sim`. Its reverse derivative
    is `Sim.vjp`: exact, by one transposed solve; there is none of that derivative."""
    plain = StepFunction(model, **options)
    sizes = {"q": model.nq, "v": model.nv, "act": model.na, "ctrl": model.nu}

    def to_array(name: str, tensor: Any) -> Any:
        if tensor.dtype != torch.float64 or tensor.device.type != "cpu" or tensor.shape != (sizes[name],):
            raise refuse(
                f"step_function: {name} is {tensor.dtype} of shape {tuple(tensor.shape)} on {tensor.device}, must be"
                f" torch.float64 of shape ({sizes[name]},) on cpu"
            )
        return tensor.detach().numpy()

    class Step(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, *at: Any) -> Any:
            out = plain.take(*(to_array(name, tensor) for name, tensor in zip(sizes, at)))
            new = tuple(torch.from_numpy(a) for a in out)
            ctx.save_for_backward(*at, new[0])
            return new

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, *cotangents: Any) -> Any:
            kept = (tensor.detach().numpy() for tensor in ctx.saved_tensors)
            found = plain.pull(*kept, *(np.asarray(tensor) for tensor in cotangents))
            return tuple(torch.from_numpy(np.ascontiguousarray(a)) for a in found)

    def step(q: Any, v: Any, act: Any, ctrl: Any) -> Any:
        return Step.apply(q, v, act, ctrl)

    return step
