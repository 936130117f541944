"""Derivatives of a step beside MuJoCo's differences (mjd_transitionFD, which has no parameters), accuracy beside time.
Usage: scripts/bench --derivatives [MODEL.xml...]; without models the dm_control ones of ../shared/models

States of runs under random controls, the same controls for both. Time is CPU time a call, the least of some, beside that
of a step. Accuracy: A's velocity columns along random directions against differences of each engine's own steps, of the
fourth order and the best of three lengths; relative, median over states (Carom's steps solved to 1e-12 for it, states at
kinks and where something is held aside). Drake is not among them yet."""
import pathlib
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ["dmc_humanoid/humanoid", "dmc_cheetah/cheetah", "dmc_quadruped/quadruped", "dmc_walker/walker", "gym_ant/ant"]
STATES, APART, REPEATS = 8, 40, 5
NODES, WEIGHTS, LENGTHS = (-2, -1, 1, 2), np.array((1, -8, 8, -1)) / 12, (1e-3, 1e-4, 1e-5)


def least_time(call, repeats=REPEATS):
    """Least CPU time of a call, us."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(20):
            call()
        times.append((time.process_time() - began) / 20)
    return 1e6 * min(times)


def differences(step, direction):
    """The derivative of `step(t)` by the pair of lengths that agrees best."""
    found = [WEIGHTS @ np.array([step(n * h * direction) for n in NODES]) / h for h in LENGTHS]
    apart = [np.abs(a - b).max() for a, b in zip(found, found[1:])]
    return found[1 + int(np.argmin(apart))]


def relative(found, expected):
    return np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-12)


def measure_carom(path, rng):
    import carom

    model = carom.load(str(path))
    sim, exact = carom.Sim(model), carom.Sim(model, tolerance=1e-12, rest=0)
    steps, times, errors, nv = [], [], [], model.nv
    for _ in range(STATES):
        for _ in range(APART):
            sim.ctrl[:] = 0.3 * rng.uniform(-1, 1, len(sim.ctrl))
            sim.step()
        saved = sim.save()
        times.append(least_time(sim.linearize))
        steps.append(least_time(lambda: (sim.restore(saved), sim.step()), 3))
        sim.restore(saved)
        exact.forget()
        exact.set_state(sim.q, sim.v)
        exact.act[:], exact.ctrl[:] = sim.act, sim.ctrl
        d, kept, v = exact.linearize(), exact.save(), np.array(exact.v)
        if d.num_kinks or d.num_held:
            continue

        def step(dv):
            exact.restore(kept)
            exact.set_state(v=v + dv)
            exact.step()
            return np.array(exact.v)

        direction = rng.normal(size=nv)
        errors.append(relative(d.A[nv : 2 * nv, nv : 2 * nv] @ direction, differences(step, direction)))
    return [("Carom, exact", np.median(steps), np.median(times), np.median(errors) if errors else np.nan, len(errors))]


def measure_mujoco(path, rng):
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data, other = mujoco.MjData(model), mujoco.MjData(model)
    nv, na, nu = model.nv, model.na, model.nu
    A, B = np.zeros((2 * nv + na, 2 * nv + na)), np.zeros((2 * nv + na, nu))
    rows = {True: ([], []), False: ([], [])}
    steps = []
    for _ in range(STATES):
        for _ in range(APART):
            data.ctrl[:] = 0.3 * rng.uniform(-1, 1, nu)
            mujoco.mj_step(model, data)

        def step(dv):
            other.qpos[:], other.qvel[:], other.act[:], other.ctrl[:] = data.qpos, data.qvel + dv, data.act, data.ctrl
            other.qacc_warmstart[:] = data.qacc_warmstart
            mujoco.mj_step(model, other)
            return np.array(other.qvel)

        direction = rng.normal(size=nv)
        expected = differences(step, direction)
        steps.append(least_time(lambda: step(0), 3))
        for centred, (times, errors) in rows.items():
            call = lambda: mujoco.mjd_transitionFD(model, data, 1e-6, centred, A, B, None, None)  # noqa: E731
            times.append(least_time(call, 3))
            errors.append(relative(A[nv : 2 * nv, nv : 2 * nv] @ direction, expected))
    names = {True: "MuJoCo, centred", False: "MuJoCo, one-sided"}
    return [(names[k], np.median(steps), np.median(t), np.median(e), len(e)) for k, (t, e) in rows.items()]


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]]
    paths = paths or [ROOT.parent / "shared/models/mjcf" / f"{name}.xml" for name in MODELS]
    print("| model | derivatives | step, µs | A and B, µs | in steps | error | states |\n|---|---|---|---|---|---|---|")
    for path in paths:
        if not path.exists():
            print(f"SKIPPED: {path}, which is not there", file=sys.stderr)
            continue
        for measure in (measure_carom, measure_mujoco):
            try:
                lines = measure(path, np.random.default_rng(0))
            except Exception as error:  # what an engine lacks, or does not take
                print(f"SKIPPED: {path.stem}, {measure.__name__.removeprefix('measure_')}: {error}", file=sys.stderr)
                continue
            for name, step, took, error, states in lines:
                print(f"| {path.stem} | {name} | {step:.0f} | {took:.0f} | {took / step:.1f} | {error:.0e} | {states} |", flush=True)


if __name__ == "__main__":
    main()
