"""What is measured of a motion gives the model's numbers back: an arm that a motor swings and a block that it pushes.
Four of them are fitted twice, by exact derivatives of the steps and by central differences of whole runs.
Usage: identify.py [--times]"""
import sys
import time

import carom
import numpy as np

MODEL = """<mujoco><option timestep="0.004"/><worldbody>
<geom name="floor" type="plane" size="9 9 1" friction="0.2"/>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03" mass="1" contype="0" conaffinity="0"/>
<body name="fore" pos="0 0 -0.4"><joint name="elbow" axis="0 1 0" damping="0.05"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03" mass="0.5" contype="0" conaffinity="0"/></body></body>
<body name="block" pos="2 0 0.1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
<geom name="block" type="box" size="0.1 0.1 0.1" mass="2" friction="0.1"/></body></worldbody>
<actuator><motor name="swing" joint="shoulder"/><motor name="push" joint="elbow"/></actuator></mujoco>"""
TRUTH = {"body.fore.mass": 0.7, "joint.shoulder.damping": 0.3, "joint.elbow.damping": 0.12, "geom.floor.friction": 0.3}
RANGES = {
    "body.fore.mass": carom.span(0.1, 2),
    "joint.shoulder.damping": carom.span(0.01, 1),
    "joint.elbow.damping": carom.span(0.01, 1),
    "geom.floor.friction": carom.span(0.11, 1),
}
STEPS, NOISE = 200, 1e-4
CONTROLS = np.stack([2 * np.sin(0.03 * np.arange(STEPS)), np.cos(0.05 * np.arange(STEPS))], axis=1)
V0 = [0.5, 0, 1.5, 0]
START = carom.loads(MODEL)


def begin(model):
    sim = carom.Sim(model, tolerance=1e-10, rest=0)
    sim.set_state(v=V0)
    return sim


def follow(model):
    """Angles of the arm and the block's place, [steps, 3]."""
    sim, q = begin(model), []
    for control in CONTROLS:
        sim.ctrl[:] = control
        sim.step()
        q.append(sim.q[:3].copy())
    return np.array(q)


measured = follow(START.copy(TRUTH)) + NOISE * np.random.default_rng(0).normal(size=(STEPS, 3))


def residual(model):
    return (follow(model) - measured) / NOISE


def jacobian(model, names):
    found = begin(model).sensitivity(names, STEPS, CONTROLS)
    return found.dq[1:, :3].reshape(3 * STEPS, -1) / NOISE


carom.identify(START, RANGES, residual, jacobian=jacobian, max_nfev=1)  # what is loaded once
fits, times = [], []
for exact in (jacobian, None):
    began = time.process_time()
    fits.append(carom.identify(START, RANGES, residual, jacobian=exact))
    times.append(time.process_time() - began)
for name, true in TRUTH.items():
    inside = all(fit.low[name] <= true <= fit.high[name] for fit in fits)
    print(f"{name}: {fits[0].values[name]:.3f}, within the interval of 95 % by either: {inside}")
same = max(abs(fits[0].values[name] / fits[1].values[name] - 1) for name in TRUTH)
print(f"both ways lead to the same, to 1e-5: {same < 1e-5}")
if "--times" in sys.argv:
    print(f"exact derivatives took {times[0]:.2f} s, differences {times[1]:.2f} s", file=sys.stderr)
