"""Derivatives on the central path: closed forms, their limits, and that nothing is lost between both."""

import numpy as np
import pytest

import carom

STOP = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body><joint name="x" type="slide" axis="1 0 0"
range="-1 1"/><geom size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor joint="x"/></actuator></mujoco>"""

BLOCK = """<mujoco><option timestep="0.01"/><worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.5"/>
<body name="block" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2" friction="0.5"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("smoothing", [1e-3, 0.1, 1])
def test_limit(smoothing):
    """m (v - v*) = gamma and gamma (v - v_hat) = m e² have the root v - v_hat = (d + sqrt(d² + 4 e²)) / 2 of
    d = v* - v_hat, whose slope over v* is (1 + d / sqrt(d² + 4 e²)) / 2."""
    model = carom.loads(STOP)
    sim = carom.Sim(model, tolerance=1e-12)
    sim.set_state(q=[1 - 1e-3], v=[0.2])
    v_hat, dt, m = 1e-3 / 0.01, 0.01, 2
    for d in (-8 * smoothing, 0, 8 * smoothing):  # beyond ten times the speed what is open is left out
        sim.ctrl[0] = m / dt * (v_hat - 0.2 - d)
        slope = (1 + d / np.hypot(d, 2 * smoothing)) / 2
        assert sim.linearize(smoothing=smoothing).B[1, 0] == pytest.approx(dt / m * slope, rel=1e-6)


@pytest.mark.parametrize("patch_error", [0.1, 0.02])
@pytest.mark.parametrize("smoothing", [0.01, 0.1])
def test_area(smoothing, patch_error):
    """Of a cube's face, along its normal: the products add up, to 4 e² sum w / W by the weights w, whatever the number of
    points, with W = 1 / m + r² / I of those r off the middle of the cube."""
    lift = '<actuator><motor site="s" gear="0 0 1 0 0 0"/></actuator></mujoco>'
    cube = BLOCK.replace("</body>", '<site name="s"/></body>').replace("</mujoco>", lift)
    sim = carom.Sim(carom.loads(cube), tolerance=1e-12, patches="area", patch_error=patch_error)
    sim.step(5)
    m, a, area = 2, 0.1, sim.contacts["area"]
    scales = 1 / m + ((sim.contacts["position"] - [0, 0, a]) ** 2).sum(1) / (m * a**2 * 2 / 3)
    assert area.sum() == pytest.approx(4 * a**2)
    kappa = 4 * smoothing**2 * (area / area.sum() / scales).sum()
    for d in (-8 * smoothing, 0, 8 * smoothing):
        sim.ctrl[0] = m * (9.81 + d / 0.01)
        slope = (1 + d / np.sqrt(d**2 + 4 * kappa / m)) / 2
        assert sim.linearize(smoothing=smoothing).B[8, 0] == pytest.approx(0.01 / m * slope, rel=1e-5)


@pytest.mark.parametrize("friction", ["coulomb", "convex"])
def test_goes_to_the_step(friction):
    """A block that sticks, and a ball that slides (where it is redundant, Coulomb's impulses are not unique, nor is what
    they do to a slide): as the speed falls the derivative becomes the step's, with its square, or with the speed that is
    taken off De Saxcé's term."""
    ball = BLOCK.replace('type="box" size="0.1 0.1 0.1"', 'size="0.1"')
    for text, v in ((BLOCK, np.zeros(6)), (ball, [0.5, 0.2, 0, 0.1, 0, 0.3])):
        sim = carom.Sim(carom.loads(text), tolerance=1e-12, friction=friction)
        sim.step(5)
        sim.set_state(v=v)
        exact = sim.linearize(["geom.floor.friction"])
        errors = []
        for smoothing in (1e-3, 1e-4):
            d = sim.linearize(["geom.floor.friction"], smoothing=smoothing)
            errors.append(max(np.abs(d.A - exact.A).max(), np.abs(d.C - exact.C).max()))
        assert errors[1] < 1e-2 and errors[1] < (0.15 if friction == "coulomb" else 0.015) * errors[0]


def test_adjoint_and_refusals():
    model = carom.loads(BLOCK)
    sim = carom.Sim(model, tolerance=1e-12)
    sim.step(5)
    sim.set_state(v=[0.1, 0.05, 0, 0, 0, 0.2])
    names, x1 = ["geom.floor.friction", "body.block.mass"], np.cos(np.arange(12))
    d, g = sim.linearize(names, smoothing=0.01), sim.vjp(x1, names, smoothing=0.01)
    assert np.allclose(g.x0, x1 @ d.A, atol=1e-10) and np.allclose(g.theta, x1 @ d.C, atol=1e-10)
    with pytest.raises(carom.InvalidArgumentError, match="smoothing is -1"):
        sim.linearize(smoothing=-1)


def test_integral():
    """Between two forces far from the kink the mean of the smoothed slope is what the step itself does."""
    model = carom.loads(STOP)
    sim = carom.Sim(model, tolerance=1e-12)
    sim.set_state(q=[1 - 1e-3])
    forces, v = np.linspace(-200, 200, 4001), []
    slopes = [sim.linearize(smoothing=0.01).B[1, 0] for sim.ctrl[0] in forces]
    saved = sim.save()
    for force in (-200, 200):
        sim.restore(saved)
        sim.ctrl[0] = force
        sim.step()
        v.append(sim.v[0])
    assert np.trapezoid(slopes, forces) == pytest.approx(v[1] - v[0], rel=1e-3)


def test_redundant_contacts():
    """Rigid points under a box, whose impulses are not unique: velocities have their derivative, and a box that is
    pushed moves with none of them."""
    model = carom.loads(BLOCK)
    sim = carom.Sim(model, tolerance=1e-12)
    sim.step(5)
    assert len(sim.contacts) == 7  # corners, and three within
    d = sim.linearize(["body.block.mass", "geom.floor.friction"])
    # By R times the mean mobility 2 / m, under a push at a height of a it turns by 3 / a as much.
    least_yield = 1.01 * 3e-8 * 2 * 3 / 0.1
    assert np.isfinite(d.A).all() and np.abs(d.A[6:, 6:]).max() < least_yield  # it sticks
    smooth = sim.linearize(smoothing=1e-5)
    assert np.abs(smooth.A[6:, 6:]).max() < 1e-3


def test_contacts_stay():
    """What the last step reports is still there after a linearisation, and the next steps have the same bits."""
    model = carom.loads(BLOCK)
    sims = [carom.Sim(model) for _ in range(2)]
    for sim in sims:
        sim.step(5)
    before = sims[0].contacts
    sims[0].linearize()
    sims[0].linearize(smoothing=0.1)
    assert len(before) == 7 and np.array_equal(before, sims[0].contacts)
    for sim in sims:
        sim.step(20)
    assert sims[0].save() == sims[1].save()
