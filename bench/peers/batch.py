"""Steps a second of many worlds: carom.rollout beside mujoco.rollout, the same model files, dt and random controls.

Each engine runs in processes of its own, in turn; the least time of the repeats counts. MuJoCo runs with its defaults,
as the file has them; Carom once with the peers' contacts (convex friction, sigma 1e-3, beta 1) and once with its own
defaults. Both write states and sensors of every step. CPU time a step counts beside wall clock: it means something on
a machine that others use, too.

usage: batch.py [--worlds N] [--steps N] [--threads N] [--repeats N] [--publish]; called by scripts/bench --batch.
--publish writes the table into docs/benchmarks.md.
As a program of its own it times one engine: batch.py ENGINE FILE WORLDS STEPS THREADS, and prints a line of JSON."""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import time

import bench
import models
import report

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN = "<!-- what follows is written by scripts/bench --batch -->"
END = "<!-- end of what scripts/bench --batch writes -->"
ENGINES = {"mujoco": None, "carom compliant": {"friction": "convex", "sigma": 1e-3, "beta": 1}, "carom": {}}
WARM_UP = 20  # steps of each world that are not timed


def list_files():
    """(name, file) of the models."""
    shared = ROOT.parent / "shared" / "models" / "mjcf"
    gym, suite = models.package_folder("gymnasium"), models.package_folder("dm_control")
    found = [("humanoid of dm_control", shared / "dmc_humanoid" / "humanoid.xml"),
             ("ant of Gymnasium", gym and gym / "envs" / "mujoco" / "assets" / "ant.xml"),
             ("humanoid of Gymnasium", gym and gym / "envs" / "mujoco" / "assets" / "humanoid.xml"),
             ("half-cheetah of Gymnasium", gym and gym / "envs" / "mujoco" / "assets" / "half_cheetah.xml"),
             ("cart-pole of dm_control", suite and suite / "suite" / "cartpole.xml")]
    for name, path in found:
        if not path or not path.exists():
            print(f"SKIPPED: {name}, because its file is not installed")
    return [(name, path) for name, path in found if path and path.exists()]


# ---- one run ------------------------------------------------------------------------------------

def make_controls(ranges, worlds, steps):
    """Uniform within their ranges, which are -1 to 1 where there are none."""
    import numpy as np

    low, high = np.where(np.isfinite(ranges), ranges, [-1.0, 1.0]).T
    return np.random.default_rng(0).uniform(low, high, (worlds, steps, len(ranges)))


def prepare_mujoco(path, worlds, threads):
    """(dofs, what takes steps under controls [worlds, steps, nu], of a range for each)."""
    import mujoco
    import mujoco.rollout
    import numpy as np

    model = mujoco.MjModel.from_xml_path(path)
    data = [mujoco.MjData(model) for _ in range(threads)]
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data[0], state, kind)
    start = np.tile(state, (worlds, 1))
    pool = mujoco.rollout.Rollout(nthread=threads if threads > 1 else 0)
    ranges = np.where(model.actuator_ctrllimited[:, None] == 1, model.actuator_ctrlrange, [-np.inf, np.inf])
    return model.nv, ranges, lambda ctrl: pool.rollout(model, data, start, ctrl) and 0


def prepare_carom(path, worlds, threads, options):
    """The same; the steps give the number of worlds that have failed."""
    import carom
    import numpy as np

    model = carom.load(path, permissive=True)
    batch = carom.Batch(model, worlds, threads=threads, **options)
    ranges = np.array([actuator.control_range for actuator in model.actuators])
    return model.nv, ranges, lambda ctrl: int((carom.rollout(model, ctrl=ctrl, batch=batch).failed >= 0).sum())


def time_engine(engine, path, worlds, steps, threads):
    arguments = (path, worlds, threads)
    prepared = prepare_mujoco(*arguments) if engine == "mujoco" else prepare_carom(*arguments, ENGINES[engine])
    dofs, ranges, roll = prepared
    ctrl = make_controls(ranges, worlds, steps)
    roll(ctrl[:, :WARM_UP].copy())
    wall, cpu = time.perf_counter(), time.process_time()
    failed = roll(ctrl)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"dofs": dofs, "wall": wall / worlds / steps, "cpu": cpu / worlds / steps, "failed": failed}


# ---- all runs -----------------------------------------------------------------------------------

def run(engine, path, worlds, steps, threads):
    command = [sys.executable, "-B", __file__, engine, path, worlds, steps, threads]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800)
    if done.returncode:
        raise ValueError(f"{engine} on {path}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(path, options):
    """By (engine, threads) the least times of the repeats, which take turns."""
    best = {}
    for _ in range(options.repeats):
        for threads in sorted({1, options.threads}):
            for engine in ENGINES:
                found = run(engine, path, options.worlds, options.steps, threads)
                last = best.setdefault((engine, threads), found)
                best[engine, threads] = {key: min(last[key], found[key]) for key in found}
    return best


def line_of(name, best, threads):
    """A row of the table."""
    peer = best["mujoco", threads]
    cells = [f"{name}, {peer['dofs']} dofs", f"{1e-3 / peer['wall']:.3g}", f"{1e6 * peer['cpu']:.3g}"]
    for engine in list(ENGINES)[1:]:
        mine = best[engine, threads]
        failed = f" ({mine['failed']} failed)" if mine["failed"] else ""
        cells += [f"{1e-3 / mine['wall']:.3g}{failed}", f"{1e6 * mine['cpu']:.3g}",
                  f"{peer['wall'] / mine['wall']:.2f}, {peer['cpu'] / mine['cpu']:.2f}"]
    one, many = best["carom", 1], best["carom", threads]
    cells.append(f"{one['wall'] / many['wall']:.2f}, {threads * one['cpu'] / many['cpu']:.2f}")
    return "| " + " | ".join(cells) + " |"


def table(rows, options, loads):
    versions = f"carom {bench.carom_version()}, mujoco {importlib.metadata.version('mujoco')}"
    heads = ["model", "mujoco.rollout", "µs", "carom compliant", "µs", "ratios", "carom", "µs", "ratios",
             f"{options.threads} threads over 1"]
    head = textwrap.fill(
        f"Measured on {datetime.date.today()}, {bench.machine_name()}; load of the machine (1 minute) between "
        f"{min(loads):.1f} and {max(loads):.1f}. {versions}; {options.worlds} worlds, {options.steps} steps, "
        f"{options.threads} threads, the least of {options.repeats} runs. Thousand steps a second by the wall, µs of "
        "CPU time a step, how many times MuJoCo's rate is Carom's, by the wall and by CPU time, and what "
        f"{options.threads} threads gain over one, by the wall and, as cores of one's own would give, by CPU time.",
        100, break_long_words=False, break_on_hyphens=False)
    return "\n".join([head, "", "| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("worlds", 256), ("steps", 200), ("threads", 2), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--publish", action="store_true")
    options = parser.parse_args()
    rows, loads = [], [os.getloadavg()[0]]
    for name, path in list_files():
        rows.append(line_of(name, measure(path, options), options.threads))
        print(rows[-1], flush=True)
        loads.append(os.getloadavg()[0])
    text = table(rows, options, loads)
    print(text)
    if options.publish:
        page = ROOT / "docs" / "benchmarks.md"
        page.write_text(report.insert(page.read_text(encoding="utf-8"), text, BEGIN, END), encoding="utf-8")


if __name__ == "__main__":
    try:
        if len(sys.argv) == 6 and sys.argv[1] in ENGINES:
            print(json.dumps(time_engine(*sys.argv[1:3], *map(int, sys.argv[3:]))))
        else:
            main()
    except ValueError as error:
        sys.exit(f"batch: {error}")
