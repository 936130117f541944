"""Steps as functions of PyTorch: its own check of gradients, and a loss over some steps."""

import numpy as np
import pytest

import carom

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed")

BALL = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 1" friction="0.5"/>
<body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1" friction="0.5"/></body>
<body pos="2 0 1"><joint type="ball"/><geom type="box" size="0.1 0.05 0.2" pos="0 0 -0.3"/>
<body pos="0 0 -0.6"><joint name="hinge" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
</body></body></worldbody><actuator>
<general joint="hinge" dyntype="filter" dynprm="0.1" gainprm="2"/></actuator></mujoco>"""


@pytest.fixture
def state():
    model = carom.loads(BALL)
    sim = carom.Sim(model)
    v = 0.3 * np.random.default_rng(1).normal(size=model.nv)
    v[:6] = 2, 0.3, 0, 0.1, 0.2, 0.3  # the ball slides
    sim.set_state(v=v)
    sim.step(2)
    at = np.array(sim.q), np.array(sim.v), np.array([0.4]), np.array([0.7])
    return model, *(torch.from_numpy(a).requires_grad_() for a in at)


def test_gradients(state):
    from carom.torch import step_function

    model, *at = state
    assert torch.autograd.gradcheck(step_function(model, tolerance=1e-12), at, eps=1e-5, atol=1e-6, rtol=1e-6)


def test_several_steps(state):
    from carom.torch import step_function

    model, *x, ctrl = state
    step = step_function(model, tolerance=1e-12)
    weights = torch.arange(model.nv, dtype=torch.float64)

    def loss(u):
        now = x
        for _ in range(3):
            now = step(*now, u)
        return now[1] @ weights

    loss(ctrl).backward()
    with torch.no_grad():
        slope = (loss(ctrl + 1e-4) - loss(ctrl - 1e-4)) / 2e-4
    assert float(ctrl.grad[0]) == pytest.approx(float(slope), rel=1e-6)


def test_refusal(state):
    from carom.torch import step_function

    model, q, v, act, ctrl = state
    with pytest.raises(carom.InvalidArgumentError, match=r"v is torch.float32 of shape \(10,\)"):
        step_function(model)(q, v.float(), act, ctrl)
