"""Identification: what a model was made with is found again from noisy data."""

import carom
import numpy as np
import pytest
from carom import _identify

pytest.importorskip("scipy.optimize")

ARM = """
<mujoco><option timestep=".005"/><worldbody>
  <body name="upper"><joint name="shoulder" axis="0 1 0" damping=".3"/>
    <inertial pos="0 0 -.2" mass="2" diaginertia=".03 .03 .005"/>
    <body name="lower" pos="0 0 -.4"><joint name="elbow" axis="1 0 0" damping=".1"/>
      <joint name="twist" axis="0 0 1" damping=".1"/>
      <inertial pos=".02 .01 -.15" mass="1" fullinertia=".012 .01 .004 .001 .0005 .0008"/>
    </body></body></worldbody>
  <actuator><motor joint="shoulder"/><motor joint="elbow"/><motor joint="twist"/></actuator>
</mujoco>"""
SIGMA = 1e-3


@pytest.fixture(scope="module")
def data():
    """A model, controls, and measured positions with noise of 1 mrad."""
    model, rng = carom.loads(ARM), np.random.default_rng(1)
    ctrl = np.repeat(rng.normal(0, [6, 3, 1], (12, 3)), 25, axis=0)
    truth = carom.rollout(model, ctrl=ctrl).q[0]
    return model, ctrl, truth + rng.normal(0, SIGMA, truth.shape)


def fit(data, wrong, parameters, **options):
    model, ctrl, measured = data

    def residual(model):
        return (carom.rollout(model, ctrl=ctrl).q[0] - measured) / SIGMA

    return carom.identify(model.copy(wrong), parameters, residual, **options)


def check(data, found):
    """Every number within 2.5 half-widths of its interval of 95 %, five standard deviations, and noise is left."""
    for name, value in found.values.items():
        true = data[0].parameters[name].value
        half = (np.asarray(found.high[name]) - found.low[name]) / 2
        assert (np.abs(value - true) <= 2.5 * half).all(), (name, value, true, half)
        assert np.allclose(found.model.parameters[name].value, value)
    assert 0.9 < np.sqrt(np.mean(found.residual**2)) < 1.1  # what is left is the noise


def test_dampings_and_a_mass(data):
    wrong = {"joint.shoulder.damping": 0.1, "joint.elbow.damping": 0.5, "body.lower.mass": 1.5}
    spans = {name: carom.span(0.01, 3, log=True) for name in wrong}
    found = fit(data, wrong, spans)
    check(data, found)
    assert (found.high["body.lower.mass"] - found.low["body.lower.mass"]) < 0.05


def test_inertia_of_a_body(data):
    wrong = {"body.lower.mass": 1.3, "body.lower.com": [0, 0, -0.1], "body.lower.inertia": [0.02, 0.02, 0.01, 0, 0, 0]}
    found = fit(data, wrong, {"joint.elbow.damping": carom.span(0.01, 1)}, inertials=["lower"])
    check(data, found)


def test_joint_friction():
    """Dry friction of two joints, from a motion that it stops now and then."""
    true = {"joint.shoulder.friction_loss": 0.6, "joint.elbow.friction_loss": 0.2}
    model, rng = carom.loads(ARM).copy(true), np.random.default_rng(2)
    ctrl = np.repeat(rng.normal(0, [6, 3, 1], (12, 3)), 25, axis=0)
    truth = carom.rollout(model, ctrl=ctrl).q[0]
    data = model, ctrl, truth + rng.normal(0, SIGMA, truth.shape)
    found = fit(data, {name: 0.4 for name in true}, {name: carom.span(0.05, 2, log=True) for name in true})
    check(data, found)
    assert all(found.high[name] - found.low[name] < 0.02 for name in true)


def test_inertia_and_joint_friction_together():
    """Mass, centre, inertia and the friction of its joints, of one motion: eleven and two numbers."""
    true = {"joint.elbow.friction_loss": 0.15, "joint.twist.friction_loss": 0.05}
    model, rng = carom.loads(ARM).copy(true), np.random.default_rng(4)
    ctrl = np.repeat(rng.normal(0, [6, 3, 1], (16, 3)), 25, axis=0)
    truth = carom.rollout(model, ctrl=ctrl).q[0]
    data = model, ctrl, truth + rng.normal(0, SIGMA, truth.shape)
    wrong = {"body.lower.mass": 1.2, "body.lower.com": [0.01, 0, -0.13],
             "body.lower.inertia": [0.015, 0.013, 0.006, 0, 0, 0], **dict.fromkeys(true, 0.1)}  # fmt: skip
    spans = {"joint.elbow.damping": carom.span(0.01, 1), **{name: carom.span(0.01, 1, log=True) for name in true}}
    found = fit(data, wrong, spans, inertials=["lower"])
    check(data, found)


def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 60 fits to other noise some 57; fewer than 50 come of chance once in a thousand."""
    model = carom.loads(ARM)
    ctrl = np.repeat(np.random.default_rng(3).normal(0, [6, 3, 1], (4, 3)), 25, axis=0)
    truth, name = carom.rollout(model, ctrl=ctrl).q[0], "joint.elbow.damping"
    errors = []
    for seed in range(60):
        data = model, ctrl, truth + np.random.default_rng(seed).normal(0, SIGMA, truth.shape)
        found = fit(data, {}, {name: carom.span(0.01, 1)})
        errors.append((found.values[name] - 0.1) / ((found.high[name] - found.low[name]) / 2))
    assert 50 <= np.sum(np.abs(errors) <= 1) <= 60
    assert 0.8 < 1.96 * np.sqrt(np.mean(np.square(errors))) < 1.25  # and are not wider than that


def test_log_cholesky_is_a_map_onto_physical_bodies():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.normal(size=10)
        mass, com, inertia = _identify.from_log_cholesky(x)
        assert np.allclose(_identify.to_log_cholesky(mass, com, inertia), x)
        moments = np.sort(np.linalg.eigvalsh(inertia[np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])]))
        assert mass > 0 and moments[0] > 0 and moments[0] + moments[1] > moments[2]


def test_what_is_refused(data):
    model = data[0]
    for parameters, sentence in [
        ({}, "must name at least one"),
        ({"joint.elbow.damping": 1}, "must be carom.span"),
        ({"joint.elbw.damping": carom.span(1, 2)}, "the nearest is 'elbow'"),
        ({"model.gravity": carom.span(1, 2)}, "has several numbers"),
        ({"joint.elbow.damping": carom.span(1, 2)}, "1 measurements for 1 unknowns"),
    ]:
        with pytest.raises(carom.InvalidArgumentError, match=sentence):
            carom.identify(model, parameters, lambda model: 0.0)
    spans = {"joint.elbow.damping": carom.span(1, 2)}
    with pytest.raises(carom.InvalidArgumentError, match="residual is inf at the model's values, must be finite"):
        carom.identify(model, spans, lambda model: [0, np.inf, 1])
    sizes = iter(range(3, 99))
    with pytest.raises(carom.InvalidArgumentError, match=r"has shape \(3,\) and then \(4,\)"):
        carom.identify(model, spans, lambda model: np.zeros(next(sizes)))
