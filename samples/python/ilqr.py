"""Iterative LQR through contact, by exact derivatives of steps: a cart swings its pole up. `trot.py` and `lift.py`
use the same loop.

Sources: Li and Todorov, ICINCO 2004; bounds on controls by projected Newton, and the schedule of the regularisation:
Tassa, Mansard and Todorov, ICRA 2014. All candidates of a line search are worlds of one batch, and so are all steps
of a trajectory when it is linearised."""
from dataclasses import dataclass

import carom
import numpy as np

SHARES = 0.5 ** np.arange(10)  # of the way to the minimum of the quadratic model


@dataclass
class Task:
    """Half the squares of how far states are from where they shall be, as tangents, and controls likewise."""

    q: np.ndarray  # [steps + 1, nq]
    v: np.ndarray  # [steps + 1, nv]
    ctrl: np.ndarray  # [steps, nu]
    state_weights: np.ndarray  # [steps + 1, 2 nv]
    ctrl_weights: np.ndarray  # [nu]


@dataclass
class Plan:
    """A trajectory, how it answers to disturbances, and what it costs."""

    q: np.ndarray  # [steps + 1, nq]
    v: np.ndarray  # [steps + 1, nv]
    ctrl: np.ndarray  # [steps, nu]
    gains: np.ndarray  # [steps, nu, 2 nv]
    costs: list  # of each iteration


def solve_box(H, g, low, high, x):
    """The x in [low, high] of least x·Hx/2 + g·x, and which of it are free, by projected Newton."""
    for _ in range(30):
        slope = g + H @ x
        free = ~(((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0)))
        if np.abs(slope[free]).max(initial=0) <= 1e-9 * (1 + np.abs(g).max()):
            break
        step, share = np.zeros_like(x), 1.0
        step[free] = -np.linalg.solve(H[np.ix_(free, free)], slope[free])
        value = x @ (0.5 * H @ x + g)
        while share > 1e-6:
            new = np.clip(x + share * step, low, high)
            if new @ (0.5 * H @ new + g) - value <= 0.1 * slope @ (new - x):
                break
            share *= 0.5
        x = new
    return x, free


class Solver:
    """iLQR of a task from a state."""

    def __init__(self, model, task, q0, v0, **options):
        self.model, self.task, self.start = model, task, (q0, v0)
        steps, nu = task.ctrl.shape
        self.low, self.high = np.array([actuator.control_range for actuator in model.actuators]).T
        self.steps, self.nu = steps, nu
        self.tries = carom.Batch(model, len(SHARES), **options)
        self.line = carom.Batch(model, steps, **options)
        self.smoothing = 0.0  # m/s, of derivatives
        self.weight = 1e-6  # of the regularisation, relative

    def errors(self, q, v, k):
        """[..., 2 nv] of states at steps k from where they shall be."""
        return np.concatenate([self.model.difference(self.task.q[k], q), v - self.task.v[k]], axis=-1)

    def cost(self, q, v, ctrl):
        """[worlds] of trajectories, infinite where a step has failed."""
        e = self.errors(q, v, slice(None))
        u = ctrl - self.task.ctrl
        states = (self.task.state_weights * e**2).sum((-1, -2))
        return 0.5 * (states + (self.task.ctrl_weights * u**2).sum((-1, -2)))

    def roll(self, plan, changes):
        """All shares of the changes, side by side, each under the plan's gains."""
        b, n = self.tries, len(SHARES)
        b.reset(q=self.start[0], v=self.start[1])
        q, v = np.empty((n, *plan.q.shape)), np.empty((n, *plan.v.shape))
        ctrl, failed = np.empty((n, *plan.ctrl.shape)), np.zeros(n, bool)
        q[:, 0], v[:, 0] = b.q, b.v
        for k in range(self.steps):
            away = np.concatenate([self.model.difference(plan.q[k], b.q), b.v - plan.v[k]], axis=-1)
            wanted = plan.ctrl[k] + SHARES[:, None] * changes[k] + away @ plan.gains[k].T
            ctrl[:, k] = b.ctrl[:] = np.clip(wanted, self.low, self.high)
            b.step()
            failed |= b.failed
            q[:, k + 1], v[:, k + 1] = b.q, b.v
        return q, v, ctrl, np.where(failed, np.inf, self.cost(q, v, ctrl))

    def linearize(self, plan):
        """A and B of every step; a step without a derivative takes that of the one before."""
        self.line.q, self.line.v, self.line.ctrl = plan.q[:-1], plan.v[:-1], plan.ctrl
        d = self.line.linearize(smoothing=self.smoothing)
        for k in np.flatnonzero(d.num_kinks < 0):
            d.A[k], d.B[k] = d.A[k - 1], d.B[k - 1]
        return d.A, d.B

    def go_back(self, plan, A, B):
        """Changes and gains of all steps, and what the model says is gained: slope and curvature."""
        task = self.task
        e = self.errors(plan.q, plan.v, slice(None))
        gradient, hessian = task.state_weights[-1] * e[-1], np.diag(task.state_weights[-1])
        changes, gains, slope, curvature = np.empty_like(plan.ctrl), np.empty_like(plan.gains), 0.0, 0.0
        for k in reversed(range(self.steps)):
            of_x = task.state_weights[k] * e[k] + A[k].T @ gradient
            of_u = task.ctrl_weights * (plan.ctrl[k] - task.ctrl[k]) + B[k].T @ gradient
            xx = np.diag(task.state_weights[k]) + A[k].T @ hessian @ A[k]
            uu, ux = np.diag(task.ctrl_weights) + B[k].T @ hessian @ B[k], B[k].T @ hessian @ A[k]
            damped = uu + self.weight * np.trace(uu) / self.nu * np.eye(self.nu)
            low, high = self.low - plan.ctrl[k], self.high - plan.ctrl[k]
            d, free = solve_box(damped, of_u, low, high, np.clip(np.zeros(self.nu), low, high))
            K = np.zeros((self.nu, len(of_x)))
            K[free] = -np.linalg.solve(damped[np.ix_(free, free)], ux[free])
            gradient = of_x + K.T @ (uu @ d + of_u) + ux.T @ d
            hessian = xx + K.T @ uu @ K + K.T @ ux + ux.T @ K
            hessian = 0.5 * (hessian + hessian.T)
            slope, curvature = slope + d @ of_u, curvature + d @ uu @ d
            changes[k], gains[k] = d, K
        return changes, gains, slope, curvature

    def solve(self, ctrl, iterations=50, tolerance=1e-3):
        """From first controls, until an iteration gains less than the tolerance, relative."""
        nx = 2 * self.model.nv
        shape = (self.steps + 1, self.model.nq), (self.steps + 1, self.model.nv)
        plan = Plan(*map(np.zeros, shape), ctrl, np.zeros((self.steps, self.nu, nx)), [])
        plan.q[:] = self.start[0]
        q, v, ctrl, cost = self.roll(plan, np.zeros_like(ctrl))
        plan = Plan(q[0], v[0], ctrl[0], plan.gains, [cost[0]])
        for _ in range(iterations):
            A, B = self.linearize(plan)
            while self.weight < 1e6:
                changes, gains, slope, curvature = self.go_back(plan, A, B)
                q, v, ctrl, cost = self.roll(Plan(plan.q, plan.v, plan.ctrl, gains, []), changes)
                best = int(np.argmin(cost))
                promised = -(SHARES[best] * slope + SHARES[best] ** 2 / 2 * curvature)
                if plan.costs[-1] - cost[best] > 1e-3 * promised:
                    break
                self.weight = max(10 * self.weight, 1e-6)
            else:
                break
            gained = plan.costs[-1] - cost[best]
            plan = Plan(q[best], v[best], ctrl[best], gains, [*plan.costs, cost[best]])
            self.weight *= 0.2 if SHARES[best] >= 0.5 else 1
            if gained < tolerance * cost[best]:
                break
        return plan


def swing_up():
    """A pole that hangs, and a force on its cart of 20 N at most."""
    model, steps = carom.load("samples/cart_pole.xml"), 100
    weights = np.zeros((steps + 1, 4))
    weights[-1] = 100, 100, 10, 10
    task = Task(np.zeros((steps + 1, 2)), np.zeros((steps + 1, 2)), np.zeros((steps, 1)), weights, np.array([1e-4]))
    solver = Solver(model, task, [0, np.pi], [0, 0], dt=0.02, tolerance=1e-9)
    plan = solver.solve(np.zeros((steps, 1)), iterations=200)
    x = np.concatenate([plan.q[-1], plan.v[-1]])
    print(f"after 2 s the pole stands: {np.abs(x[1]) < 0.02 and np.abs(x[2:]).max() < 0.1}")
    print(f"within a force of 20 N, which it takes: {19.9 < np.abs(plan.ctrl).max() <= 20}")


if __name__ == "__main__":
    swing_up()
