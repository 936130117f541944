"""A quadruped learns to trot: iterative LQR through the contacts of its feet, from a pattern that lifts diagonal pairs
of legs by turns and leads nowhere. Usage: trot.py [PICTURE.svg]"""
import sys

import carom
import numpy as np
from ilqr import Solver, Task

SPEED, HEIGHT, PERIOD = 0.5, 0.32, 0.4  # m/s, m, s
STANCE = np.array([0.0, 0.65, -1.3])  # rad: roll, hip, knee
FEET = ("front_left", "front_right", "hind_left", "hind_right")
PHASES = np.array([0.0, 0.5, 0.5, 0.0])


def pattern(times):
    """[times, 12] angles of joints: legs of a diagonal pair are bent and straightened while the others stand."""
    lift = np.maximum(np.sin(2 * np.pi * (times[:, None] / PERIOD + PHASES)), 0)
    return (STANCE + lift[..., None] * np.array([0, 0.25, -0.5])).reshape(len(times), 12)


def make_task(model, steps, dt):
    times = dt * np.arange(steps + 1)
    q, v = np.tile(model.reference, (steps + 1, 1)), np.zeros((steps + 1, model.nv))
    q[:, 0], q[:, 2], q[:, 7:], v[:, 0] = SPEED * times, HEIGHT, pattern(times), SPEED
    weights = np.r_[20, 20, 50, 20, 20, 20, np.full(12, 0.5), 2, 2, 1, 0.5, 0.5, 0.5, np.full(12, 1e-4)]
    weights = np.tile(dt * weights, (steps + 1, 1))
    weights[-1] *= 10
    return Task(q, v, q[:-1, 7:], weights, np.full(12, 0.5 * dt))


def follow(model, plan, dt, push=(0, 0), uses_gains=True):
    """Where the plan leads when the trunk is pushed sideways and up at the start, m/s, and which feet stand."""
    sim, v = carom.Sim(model, dt=dt), plan.v[0].copy()
    v[1:3] += push
    sim.set_state(plan.q[0], v)
    feet, found = np.array([model.geoms.index(name) for name in FEET]), []
    low, high = np.array([actuator.control_range for actuator in model.actuators]).T
    for k, u in enumerate(plan.ctrl):
        away = np.concatenate([model.difference(plan.q[k], sim.q), sim.v - plan.v[k]])
        sim.ctrl[:] = np.clip(u + uses_gains * plan.gains[k] @ away, low, high)
        sim.step()
        found.append(np.isin(feet, np.r_[sim.contacts["geom1"], sim.contacts["geom2"]]))
    return np.array(sim.q), np.array(found)


def draw(plan, stands, dt, file):
    """Speed and height of the trunk over time, and which feet stand."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 1, sharex=True, layout="constrained", figsize=(6, 5))
    times = dt * np.arange(len(plan.q))
    axes[0].plot(times, plan.v[:, 0])
    axes[0].set(ylabel="speed (m/s)")
    axes[1].plot(times, plan.q[:, 2])
    axes[1].set(ylabel="height (m)")
    axes[2].imshow(stands.T, aspect="auto", cmap="Greys", extent=(0, times[-1], 4, 0), interpolation="nearest")
    axes[2].set(yticks=np.arange(4) + 0.5, yticklabels=FEET, xlabel="time (s), dark: the foot stands")
    figure.savefig(file)


def main():
    model, dt, steps = carom.load("samples/quadruped.xml"), 0.01, 120
    sim, start = carom.Sim(model, dt=dt), model.reference.copy()
    start[2], start[7:] = HEIGHT, np.tile(STANCE, 4)
    sim.set_state(start)
    sim.ctrl[:] = start[7:]
    sim.step(50)  # it stands
    task = make_task(model, steps, dt)
    solver = Solver(model, task, np.array(sim.q), np.array(sim.v), dt=dt, threads=2)
    plan = solver.solve(task.ctrl.copy(), iterations=40)
    stands = follow(model, plan, dt)[1]
    late = slice(round(PERIOD / dt), None)
    print(f"costs less than a twentieth of the start: {plan.costs[-1] < 0.05 * plan.costs[0]}")
    print(f"speed within 5 %: {abs(np.mean(plan.v[late, 0]) / SPEED - 1) < 0.05}")
    print(f"height within 2 cm: {np.abs(plan.q[late, 2] - HEIGHT).max() < 0.02}")
    both = [np.mean(stands[late, i] == stands[late, j]) for i, j in ((0, 3), (1, 2))]
    other = np.mean(~stands[late, :2], axis=0)
    print(f"diagonal feet stand and swing together: {min(both) > 0.8}; each swings: {0.2 < other.min()}")
    ends = [follow(model, plan, dt, push=(0.3, 0.2), uses_gains=uses)[0] for uses in (True, False)]
    off = [np.linalg.norm(model.difference(plan.q[-1], end)[:6]) for end in ends]
    print(f"pushed, it comes back by the plan's gains, and not without: {off[0] < 0.3 * off[1]}")
    if len(sys.argv) > 1:
        draw(plan, stands, dt, sys.argv[1])


if __name__ == "__main__":
    main()
