"""Steps as functions of JAX: its own check of gradients, under jit and vmap."""

import numpy as np
import pytest

import carom

jax = pytest.importorskip("jax", reason="SKIPPED: jax is not installed")

BALL = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 1" friction="0.5"/>
<body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1" friction="0.5"/></body>
<body pos="2 0 1"><joint type="ball"/><geom type="box" size="0.1 0.05 0.2" pos="0 0 -0.3"/>
<body pos="0 0 -0.6"><joint name="hinge" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
</body></body></worldbody><actuator>
<general joint="hinge" dyntype="filter" dynprm="0.1" gainprm="2"/></actuator></mujoco>"""


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def state():
    model = carom.loads(BALL)
    sim = carom.Sim(model)
    rng = np.random.default_rng(1)
    v = 0.3 * rng.normal(size=model.nv)
    v[:6] = 2, 0.3, 0, 0.1, 0.2, 0.3  # the ball slides
    sim.set_state(v=v)
    sim.step(2)
    return model, np.array(sim.q), np.array(sim.v), np.array([0.4]), np.array([0.7])


def test_gradients(state):
    from jax.test_util import check_grads

    from carom.jax import step_function

    model, *at = state
    check_grads(step_function(model, tolerance=1e-12), at, order=1, modes=["rev"], atol=1e-6, rtol=1e-6, eps=1e-5)


def test_jit_and_vmap(state):
    from carom.jax import step_function

    model, q, v, act, ctrl = state
    step = step_function(model, tolerance=1e-10)

    def loss(u):
        x = q, v, act
        for _ in range(3):
            x = step(*x, u)
        return x[1] @ jax.numpy.arange(len(v))

    value, gradient = jax.jit(jax.value_and_grad(loss))(ctrl)
    assert value == loss(ctrl)
    many = jax.vmap(jax.grad(loss))(np.stack([ctrl, 2 * ctrl]))
    assert np.array_equal(many[0], gradient)


def test_refusal(state):
    from carom.jax import step_function

    jax.config.update("jax_enable_x64", False)
    with pytest.raises(carom.InvalidArgumentError, match="jax_enable_x64"):
        step_function(state[0])
