"""Derivatives of a step beside MuJoCo's differences (mjd_transitionFD, which has no parameters) and beside Drake's scalar
automatic differentiation, accuracy beside time.
Usage: scripts/bench --derivatives [MODEL.xml...]; without models the dm_control ones of ../shared/models, and some of them
with spheres in place of their shapes (spheres.py)

States of runs under random controls, the same controls for both. Time is CPU time a call, the least of some, beside that
of a step. Accuracy: A's velocity columns along random directions against differences of each engine's own steps, of the
fourth order and the best of three lengths; relative, median over states (Carom's steps solved to 1e-12 for it, states at
kinks and where something is held aside).

Drake's is one discrete update of a MultibodyPlant<AutoDiffXd>, by all of (q, v, u) together, a quaternion by its four
numbers. With that scalar it has no contact of a capsule or a box with a plane, nor of meshes, so that it takes models of
spheres alone. Two of its solvers stand beside each other: its default one (convex, lagged friction), which stops at a
tolerance, and TAMSI. States are those of Drake's own run."""
import logging
import pathlib
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = ["dmc_humanoid/humanoid", "dmc_cheetah/cheetah", "dmc_quadruped/quadruped", "dmc_walker/walker", "gym_ant/ant"]
SPHERES = ["dmc_humanoid/humanoid", "gym_ant/ant", "dmc_cheetah/cheetah"]
STATES, APART, REPEATS = 8, 40, 5
NODES, WEIGHTS, LENGTHS = (-2, -1, 1, 2), np.array((1, -8, 8, -1)) / 12, (1e-3, 1e-4, 1e-5)


def least_time(call, repeats=REPEATS, calls=20):
    """Least CPU time of a call, us."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        for _ in range(calls):
            call()
        times.append((time.process_time() - began) / calls)
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


# ---- Drake -----------------------------------------------------------------------------------------


class Plant:
    """A plant with its scene, and the same in dual numbers; bodies touch the world alone."""

    def __init__(self, path, solver):
        import pydrake.all as drake

        logging.getLogger("drake").setLevel(logging.ERROR)
        self.drake, text = drake, path.read_text()
        dt = float(text.split('timestep="')[1].split('"')[0])
        builder = drake.DiagramBuilder()
        self.plant, scene = drake.AddMultibodyPlantSceneGraph(builder, dt)
        self.plant.SetUseSampledOutputPorts(False)
        self.plant.set_discrete_contact_approximation(getattr(drake.DiscreteContactApproximation, solver))
        drake.Parser(self.plant).AddModels(str(path))
        self.plant.Finalize()
        bodies = [self.plant.get_body(drake.BodyIndex(i)) for i in range(1, self.plant.num_bodies())]
        own = drake.GeometrySet([g for body in bodies for g in self.plant.GetCollisionGeometriesForBody(body)])
        scene.collision_filter_manager().Apply(drake.CollisionFilterDeclaration().ExcludeWithin(own))
        self.diagram = builder.Build()
        self.dual_diagram = self.diagram.ToAutoDiffXd()
        self.dual = self.dual_diagram.GetSubsystemByName(self.plant.get_name())
        self.roots = self.diagram.CreateDefaultContext(), self.dual_diagram.CreateDefaultContext()
        self.context = self.plant.GetMyContextFromRoot(self.roots[0])
        self.dual_context = self.dual.GetMyContextFromRoot(self.roots[1])
        self.nq, self.nv, self.nu = self.plant.num_positions(), self.plant.num_velocities(), self.plant.num_actuators()

    @staticmethod
    def update(plant, context, x, u):
        plant.SetPositionsAndVelocities(context, x)
        plant.get_actuation_input_port().FixValue(context, u)
        return plant.EvalUniquePeriodicDiscreteUpdate(context).get_vector(0)

    def step(self, x, u):
        return np.array(self.update(self.plant, self.context, x, u).CopyToVector())

    def find_dual(self, x, u):
        """A call of the step in dual numbers, and its derivative."""
        w = np.asarray(self.drake.InitializeAutoDiff(np.concatenate([x, u]))).reshape(-1)
        n = len(x)
        call = lambda: self.update(self.dual, self.dual_context, w[:n], w[n:])  # noqa: E731
        return call, self.drake.ExtractGradient(call().CopyToVector())


def measure_solver(path, rng, solver):
    plant = Plant(path, solver)
    nq, nv = plant.nq, plant.nv
    gear = np.array([float(part.split('"')[0]) for part in path.read_text().split('gear="')[1:]])
    x, steps, times, errors = plant.plant.GetPositionsAndVelocities(plant.context), [], [], []
    for _ in range(STATES):
        for _ in range(APART):
            u = 0.3 * gear * rng.uniform(-1, 1, plant.nu)
            x = plant.step(x, u)
        call, gradient = plant.find_dual(x, u)
        times.append(least_time(call, 3, 5))
        steps.append(least_time(lambda: plant.step(x, u), 3))
        direction = rng.normal(size=nv)
        step = lambda dv: plant.step(np.concatenate([x[:nq], x[nq:] + dv]), u)[nq:]  # noqa: E731
        errors.append(relative(gradient[nq:, nq : nq + nv] @ direction, differences(step, direction)))
    return np.median(steps), np.median(times), np.median(errors), len(errors)


def measure_drake(path, rng):
    names = {"kLagged": "Drake, AutoDiffXd, default", "kTamsi": "Drake, AutoDiffXd, TAMSI"}
    return [(name, *measure_solver(path, rng, solver)) for solver, name in names.items()]


def find_drake():
    try:
        import pydrake.multibody.plant  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: Drake, which cannot be imported ({error}): build/bench-venv/bin/pip install drake, whose newest wheels "
              "may ask for a newer Python", file=sys.stderr)
        return []
    return [measure_drake]


def find_spheres(folder):
    """Models of spheres, for all three engines."""
    paths = [ROOT.parent / "shared/models/mjcf" / f"{name}.xml" for name in SPHERES]
    try:
        import spheres
    except ImportError as error:
        print(f"SKIPPED: models of spheres, because MuJoCo cannot be imported ({error})", file=sys.stderr)
        return []
    return [spheres.write_model(path, folder) for path in paths if path.exists()]


# ---- The table -------------------------------------------------------------------------------------


def print_model(path, measures):
    if not path.exists():
        print(f"SKIPPED: {path}, which is not there", file=sys.stderr)
        return
    for measure in measures:
        try:
            lines = measure(path, np.random.default_rng(0))
        except Exception as error:  # what an engine lacks, or does not take
            print(f"SKIPPED: {path.stem}, {measure.__name__.removeprefix('measure_')}: {error}", file=sys.stderr)
            continue
        for name, step, took, error, states in lines:
            print(f"| {path.stem} | {name} | {step:.0f} | {took:.0f} | {took / step:.1f} | {error:.0e} | {states} |", flush=True)


def main():
    named = [pathlib.Path(name) for name in sys.argv[1:]]
    paths = named or [ROOT.parent / "shared/models/mjcf" / f"{name}.xml" for name in MODELS]
    both = [measure_carom, measure_mujoco]
    print("| model | derivatives | step, µs | A and B, µs | in steps | error | states |\n|---|---|---|---|---|---|---|")
    for path in paths:
        print_model(path, both)
    with tempfile.TemporaryDirectory() as folder:
        models = [] if named else find_spheres(pathlib.Path(folder))
        measures = both + find_drake() if models else both
        for path in models:
            print_model(path, measures)


if __name__ == "__main__":
    main()
