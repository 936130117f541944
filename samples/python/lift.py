"""A gripper learns to lift a box: iterative LQR through contact, from a guess that moves the hand and grips too weakly.
There the box stands whatever the grip is, so that exact derivatives are zero; smoothed ones lead off the floor, and exact
ones finish. Usage: lift.py [PICTURE.svg]"""
import sys

import carom
import numpy as np
from ilqr import Solver, Task

HEIGHT = 0.15  # m, that the box shall be lifted by
GUESS = [4.0, 3.0, 3.0]  # N: lift, left, right; it takes 4.1 each to hold the box
SMOOTHING = 0.1  # m/s


def make_task(model, steps, dt):
    q, weights = np.tile(model.reference, (steps + 1, 1)), np.zeros((steps + 1, 2 * model.nv))
    box, share = model.joints[3], np.linspace(0, 1, steps + 1)
    rise = HEIGHT * share**2 * (3 - 2 * share)
    q[:, 0], q[:, box.q_start + 2] = rise, q[:, box.q_start + 2] + rise
    weights[:, 0] = 3 * dt
    weights[:, box.v_start : box.v_start + 6] = dt * np.array([1e3, 1e3, 1e3, 1, 1, 1])
    weights[-1] *= 20
    weights[-1, model.nv :] = 1
    return Task(q, np.zeros((steps + 1, model.nv)), np.tile(GUESS, (steps, 1)), weights, np.full(3, 1e-4 * dt))


def draw(model, plan, dt, file):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, sharex=True, layout="constrained", figsize=(6, 4))
    times, box = dt * np.arange(len(plan.q)), model.joints[3]
    axes[0].plot(times, plan.q[:, 0], label="hand")
    axes[0].plot(times, plan.q[:, box.q_start + 2] - 0.03, label="box")
    axes[0].set(ylabel="height (m)")
    axes[1].plot(times[:-1], plan.ctrl[:, 1], label="grip of a finger")
    rising = np.diff(plan.v[:, box.v_start + 2]) / dt
    axes[1].plot(times[:-1], 0.5 * (9.81 + rising) / 2 / 0.6, "k:", label="m (g + a) / 2 μ")
    axes[1].set(ylabel="force (N)", xlabel="time (s)", ylim=(0, 10))
    for axis in axes:
        axis.legend()
    figure.savefig(file)


def main():
    model, dt, steps = carom.load("samples/gripper.xml"), 0.01, 80
    task, box = make_task(model, steps, dt), model.joints[3].q_start
    solver = Solver(model, task, model.reference, np.zeros(model.nv), dt=dt, threads=2)
    stuck = solver.solve(task.ctrl.copy())
    print(f"by exact derivatives alone the box stays on the floor: {abs(stuck.q[-1, box + 2] - 0.03) < 1e-3}")
    solver.smoothing = SMOOTHING
    plan = solver.solve(task.ctrl.copy())
    solver.smoothing = 0
    plan = solver.solve(plan.ctrl)
    miss = np.abs(plan.q[-1, box : box + 3] - task.q[-1, box : box + 3]).max()
    print(f"by smoothed ones first it is lifted, within 2 mm: {miss < 2e-3}")
    least = 0.5 * 9.81 / 2 / 0.6
    print(f"it is held as friction asks for, at {least:.1f} N: {abs(plan.ctrl[20:, 1].mean() / least - 1) < 0.1}")
    if len(sys.argv) > 1:
        draw(model, plan, dt, sys.argv[1])


if __name__ == "__main__":
    main()
