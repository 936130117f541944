"""One run of one scene by one engine, in this process (Carom: in one of its own); prints one line of JSON.

usage: engines.py ENGINE SCENE_NAME SCENE_FILE BUDGET [BENCH_STEPS]

A run has two phases, `fall` and `rest`, each at most BUDGET seconds of CPU time. Where an engine does not complete the
first, a faster solver of the same engine does, uncounted, and the first steps of the second do not count either, so
that it starts warm. MuJoCo goes on with two more at rest: `near`, to a residual of 1e-4, and `equal`, to that which
Carom's steps are certified to.
Times are of the calling thread; no engine is given other threads. memory: MiB, the most that was resident; of peers
less what there was before the scene was loaded, as Python is not theirs.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import time

import scenes

WARM_UP = 10
SAMPLES = 5  # of the residual, over the second phase
RESIDUALS = {"near": 1e-4, "equal": 1e-6}  # of MuJoCo's phases after the second; the last is Carom's tolerance
LEAST_TOLERANCE = 1e-18  # of MuJoCo's measure, that is tried
MOST_ITERATIONS = 10000  # of MuJoCo in those
MUJOCO = {"mujoco newton": ("mjSOL_NEWTON", "mjCONE_ELLIPTIC"),
          "mujoco pyramidal": ("mjSOL_NEWTON", "mjCONE_PYRAMIDAL"),
          "mujoco cg": ("mjSOL_CG", "mjCONE_ELLIPTIC"),
          "mujoco 3.12 newton": ("mjSOL_NEWTON", "mjCONE_ELLIPTIC"),
          "mujoco 3.12 cg": ("mjSOL_CG", "mjCONE_ELLIPTIC")}
CAROM = {"carom": "coulomb", "carom compliant": "compliant", "carom euler": "euler",
         "carom coulomb compliant": "coulomb-compliant", "carom coulomb euler": "coulomb-euler",
         "carom convex": "convex"}
ENGINES = (*CAROM, *MUJOCO, "drake sap")
OLDER = "mujoco 3.12"  # the release of which the first figures beside ours are; in an environment of its own
OLDER_PYTHON = pathlib.Path(__file__).resolve().parents[2] / "build" / "bench-venv-mujoco-3.12" / "bin" / "python"
MOST = {"carom": 60, "mujoco newton": 15, "mujoco pyramidal": 15,
        "mujoco 3.12 newton": 15}  # s, what would be cut in any case


def supports(engine, scene):
    """Drake only gets scenes of spheres: its point contact makes one point of two boxes' faces. What would only be out
    of time is left out: rigid convex contact and Drake from 200 bodies on, MuJoCo's Newton at 1000. Its older release
    gets the piles of boxes and spheres, our symplectic Euler the robots, whose free motion depends on the scheme, and
    Coulomb friction with the peers' regularisation the piles, where that makes a difference."""
    if engine == "drake sap":
        return scene.family == "spheres" and scene.count <= 100
    if engine.endswith(" euler"):
        return scene.family in ("humanoid", "arm")
    if engine == "carom coulomb compliant" and scene.family not in ("pile", "spheres"):
        return False
    if scene.level == 3:
        return engine == "carom compliant"
    if engine.startswith(OLDER) and scene.family != "pile":
        return False
    most = {"carom convex": 100, "mujoco newton": 400, "mujoco pyramidal": 400, "mujoco 3.12 newton": 400}
    return scene.count <= most.get(engine, scene.count)


def get_budget(engine, scene, long):
    """CPU time of a phase, s: what engines of convex problems need to complete it on a slow core; no more than MOST."""
    enough = min(15 + 0.09 * scene.count, MOST.get(engine, math.inf))
    return 3 * enough if long else enough


def get_chunk(scene):
    """Steps between two looks at the clocks, which take as much as a twentieth of the shortest steps."""
    return 10 if scene.count <= 10 else 1


def steps_of(scene):
    return round(scene.fall / scene.dt), round(scene.rest / scene.dt)


def measure(steps, budget, step, chunk=1):
    """Calls step(n) until `steps` are done or the budget is spent. threads: CPU time of the process over that of the
    thread that is timed, which tells whether an engine works beside it."""
    spent, most, done = 0.0, 0.0, 0
    begin_process, begin_thread = time.process_time(), time.thread_time()
    while done < steps and spent < budget:
        count = min(chunk, steps - done)
        begin = time.thread_time()
        step(count)
        took = time.thread_time() - begin
        spent, most, done = spent + took, max(most, took / count), done + count
    return {"us": 1e6 * spent / max(done, 1), "us_most": 1e6 * most, "steps": done, "complete": done == steps,
            "threads": (time.process_time() - begin_process) / max(time.thread_time() - begin_thread, 1e-9)}


def read_memory(key):
    """VmRSS or VmHWM of this process, MiB; 0 where the system does not tell."""
    try:
        lines = pathlib.Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{key}:")), 0.0)


# ---- Carom --------------------------------------------------------------------------------------

def run_carom(engine, scene, path, budget, bench):
    words = [bench, path, scene.dt, scene.fall, scene.rest, budget, CAROM[engine], scene.keyframe, 1, get_chunk(scene)]
    os.execv(bench, [str(word) for word in words])


# ---- MuJoCo -------------------------------------------------------------------------------------

def set_solver(mujoco, model, engine):
    solver, cone = MUJOCO[engine]
    model.opt.solver, model.opt.cone = getattr(mujoco.mjtSolver, solver), getattr(mujoco.mjtCone, cone)


def run_mujoco(engine, scene, path, budget, _):
    import mujoco

    before = read_memory("VmRSS")
    model = mujoco.MjModel.from_xml_path(path)
    model.opt.timestep = scene.dt
    data = mujoco.MjData(model)
    if scene.keyframe >= 0:
        mujoco.mj_resetDataKeyframe(model, data, scene.keyframe)
    fall_steps, rest_steps = steps_of(scene)
    chunk = get_chunk(scene)

    def step(count):
        mujoco.mj_step(model, data, count)

    set_solver(mujoco, model, engine)
    fall = measure(fall_steps, budget, step, chunk) | {"contacts": data.ncon}
    if not fall["complete"]:
        set_solver(mujoco, model, "mujoco cg")
        step(fall_steps - fall["steps"])
        set_solver(mujoco, model, engine)
    measure(WARM_UP, budget, step)
    fall["memory"] = read_memory("VmHWM") - before  # the residual below takes its own
    return {"fall": fall} | rest_mujoco(mujoco, model, data, rest_steps, budget, step, chunk, fall["memory"])


def rest_mujoco(mujoco, model, data, steps, budget, step, chunk, memory):
    """The second phase and, where that was complete and a tolerance is found, those to a given residual."""

    from residual import mujoco_residual

    def residual():
        return mujoco_residual(mujoco, model, data)

    def measure_rest():
        return measure_with_residuals(steps, budget, step, residual, chunk) | {"contacts": data.ncon, "memory": memory}

    def get_worst(tolerance):
        model.opt.tolerance, model.opt.iterations = tolerance, MOST_ITERATIONS
        return measure_with_residuals(SAMPLES, budget, step, residual)["residual_most"]

    found, tolerance = {"rest": measure_rest()}, model.opt.tolerance
    for phase, most in RESIDUALS.items() if found["rest"]["complete"] else ():
        tolerance = seek_tolerance(get_worst, tolerance, most)
        if not tolerance:
            break
        found[phase] = measure_rest() | {"note": f"tolerance {tolerance:.0e}"}
    return found


def measure_with_residuals(steps, budget, step, residual, chunk=1):
    """Measures in parts, after each of which residual() is asked, not timed: their median and the largest."""
    parts, residuals = [], []
    for k in range(SAMPLES):
        count = steps * (k + 1) // SAMPLES - steps * k // SAMPLES
        parts.append(measure(count, budget / SAMPLES, step, chunk))
        residuals.append(residual())
    return join(parts) | {"residual": sorted(residuals)[SAMPLES // 2], "residual_most": max(residuals)}


def seek_tolerance(get_worst, tolerance, most):
    """The first of `tolerance`, a tenth of it, ... for which get_worst(tolerance), a residual, is at most `most`; or None."""
    while tolerance >= LEAST_TOLERANCE:
        if get_worst(tolerance) <= most:
            return tolerance
        tolerance /= 10
    return None


def join(parts):
    """Parts of a phase as one."""
    steps = sum(part["steps"] for part in parts)
    return {"us": sum(part["us"] * part["steps"] for part in parts) / max(steps, 1),
            "us_most": max(part["us_most"] for part in parts), "steps": steps,
            "complete": all(part["complete"] for part in parts), "threads": max(part["threads"] for part in parts)}


# ---- Drake --------------------------------------------------------------------------------------

def build_drake(scene):
    """The bodies of a pile of spheres as a plant with discrete SAP contact, point contact, default compliance."""
    from pydrake.geometry import Box, HalfSpace, Sphere
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import (AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction,
                                         DiscreteContactApproximation)
    from pydrake.multibody.tree import SpatialInertia
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, scene.dt)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    plant.set_contact_model(ContactModel.kPoint)
    friction = CoulombFriction(scenes.FRICTION, scenes.FRICTION)
    world = plant.world_body()
    plant.RegisterCollisionGeometry(world, RigidTransform(), HalfSpace(), "ground", friction)
    for i, (centre, half) in enumerate(scenes.wall_boxes(scene.bin)):
        shape = Box(*(2 * side for side in half))
        plant.RegisterCollisionGeometry(world, RigidTransform(list(centre)), shape, f"wall{i}", friction)
    inertia = SpatialInertia.SolidSphereWithDensity(scenes.DENSITY, scenes.HALF)
    bodies = []
    for i, body in enumerate(scene.bodies):
        link = plant.AddRigidBody(f"sphere{i}", inertia)
        plant.RegisterCollisionGeometry(link, RigidTransform(), Sphere(scenes.HALF), f"sphere{i}", friction)
        bodies.append((link, RigidTransform(list(body.position))))
    plant.Finalize()
    for link, pose in bodies:
        plant.SetDefaultFreeBodyPose(link, pose)
    return plant, builder.Build()


def run_drake(_, scene, __, budget, ___):
    from pydrake.systems.analysis import Simulator

    before = read_memory("VmRSS")
    plant, diagram = build_drake(scene)
    simulator = Simulator(diagram)
    simulator.Initialize()
    fall_steps, rest_steps = steps_of(scene)
    done = 0

    def step(count):
        nonlocal done
        done += count
        simulator.AdvanceTo((done + 0.5) * scene.dt)

    def contacts():
        context = plant.GetMyContextFromRoot(simulator.get_context())
        return plant.get_contact_results_output_port().Eval(context).num_point_pair_contacts()

    fall = measure(fall_steps, budget, step)
    fall["contacts"] = contacts()
    result = {"fall": fall}
    if fall["complete"]:
        measure(WARM_UP, budget, step)
        result["rest"] = measure(rest_steps, budget, step)
        result["rest"]["contacts"] = contacts()
    for phase in result.values():
        phase["memory"] = read_memory("VmHWM") - before
    return result


# ---- a run --------------------------------------------------------------------------------------

def get_python(engine):
    """The interpreter that has the engine's package."""
    return str(OLDER_PYTHON) if engine.startswith(OLDER) else sys.executable


def run(engine, scene, path, budget, bench, limit):
    """The result of a run in a process of its own, or why there is none. limit: s of wall clock."""
    words = [get_python(engine), "-B", __file__, engine, scene.name, str(path), str(budget), str(bench)]
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return {"note": f"not done in {limit:.0f} s"}
    if done.returncode != 0:
        return {"note": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main(engine, name, path, budget, bench=""):
    scene = next(scene for scene in scenes.list_scenes() if scene.name == name)
    runner = run_carom if engine in CAROM else run_mujoco if engine in MUJOCO else run_drake
    print(json.dumps(runner(engine, scene, path, float(budget), pathlib.Path(bench))))


if __name__ == "__main__":
    main(*sys.argv[1:])
