#!/usr/bin/env python3
"""How near the derivatives of steps are to differences of steps, on any models: along random directions of
velocities and controls, every 60 steps under random controls. Needs the package carom.

    bench/derive/accuracy.py MODEL...
"""

import sys

import numpy as np

import carom

STATES, DIRECTIONS, APART, H = 6, 3, 60, 1e-5
NODES, WEIGHTS = (-2, -1, 1, 2), np.array((1, -8, 8, -1)) / 12


def step_along(sim, saved, dv, du, t):
    """Velocities after a step from a state moved by t along a direction, and in how many parts it was taken."""
    sim.restore(saved)
    sim.set_state(np.array(sim.q), np.array(sim.v) + t * dv)
    sim.ctrl[:] = sim.ctrl + t * du
    report = sim.step()
    return np.array(sim.v), report.substeps


def compare(sim, derivative, rng):
    """Relative errors along random directions at the present state."""
    saved, nv, errors = sim.save(), len(sim.v), []
    for _ in range(DIRECTIONS):
        dv, du = rng.normal(size=nv), rng.normal(size=len(sim.ctrl))
        ends = [step_along(sim, saved, dv, du, k * H) for k in NODES]
        if any(parts != 1 for _, parts in ends):
            continue
        expected = WEIGHTS @ np.array([v for v, _ in ends]) / H
        found = derivative.A[nv:2 * nv, nv:2 * nv] @ dv + derivative.B[nv:2 * nv] @ du
        errors.append(np.abs(found - expected).max() / np.abs(expected).max())
    sim.restore(saved)
    return errors


def look(path):
    """A line of the table."""
    rng, errors, flagged, held, refused = np.random.default_rng(0), [], 0, 0, ""
    sim = carom.Sim(carom.load(path), tolerance=1e-12, rest=0)
    for _ in range(STATES):
        for _ in range(APART):
            sim.ctrl[:] = 0.3 * rng.uniform(-1, 1, len(sim.ctrl))
            sim.step()
        try:
            derivative = sim.linearize()
        except carom.Error as error:
            refused = str(error)
            continue
        flagged, held = flagged + (derivative.num_kinks > 0), held + (derivative.num_held > 0)
        if derivative.num_kinks == 0:
            errors += compare(sim, derivative, rng)
    summary = f"median {np.median(errors):.1e}, most {max(errors):.1e}" if errors else "none compared"
    name = path.rsplit("/", 1)[-1]
    return f"{name:28s} {len(sim.v):3d} dofs, {len(errors):2d} directions: {summary}; {flagged} at kinks, {held} held {refused}"


for argument in sys.argv[1:]:
    try:
        print(look(argument), flush=True)
    except carom.Error as error:
        print(f"{argument}: {error}", flush=True)
