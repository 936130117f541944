"""A block on a floor, pushed so that it stands a metre away after a second: 100 forces by exact gradients."""
import carom
import numpy as np
from scipy.optimize import minimize

model = carom.loads("""<mujoco><option timestep="0.01"/><worldbody>
<geom name="floor" type="plane" size="5 5 1" friction="0.3"/>
<body name="block" pos="0 0 0.1"><joint name="x" type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
<geom type="box" size="0.1 0.1 0.1" mass="2" friction="0.3"/></body></worldbody>
<actuator><motor name="push" joint="x"/></actuator></mujoco>""")
sim, steps, effort = carom.Sim(model, tolerance=1e-9), 100, 1e-8
sim.set_state(v=[0.5, 0])
start = sim.save()


def loss(forces):
    """How far the block is from its goal, and how much it was pushed; with the gradient over the forces."""
    sim.restore(start)
    tape = carom.Tape(sim, keep=10)
    for force in forces:
        tape.step([force])
    miss, speed = sim.q[0] - 1, sim.v[0]
    value = miss**2 + speed**2 + effort * forces @ forces
    gradient = tape.pullback([2 * miss, 0, 2 * speed, 0]).ctrl[:, 0]
    return value, gradient + 2 * effort * forces


found = minimize(loss, np.full(steps, 6.0), jac=True, method="L-BFGS-B", options={"gtol": 1e-7})
loss(found.x)
print(f"goal within a millimetre: {abs(sim.q[0] - 1) < 1e-3}, speed below 3 mm/s: {abs(sim.v[0]) < 3e-3}")
print(f"in fewer than 100 runs: {found.nfev < 100}")
differences = [(loss(found.x + h)[0] - loss(found.x - h)[0]) / 2e-3 for h in 1e-3 * np.eye(steps)[[10, 50]]]
exact = loss(found.x)[1][[10, 50]]
print(f"the gradient is that of differences to 1e-7: {np.allclose(differences, exact, rtol=0, atol=1e-7)}")
