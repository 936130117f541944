"""Time a step of model files beside MuJoCo: those of ../shared/models and of packages that have some.

Each file runs in both engines as it is, with their defaults, from its reference configuration, controls at zero, for the
same simulated time, in processes of their own, in turn; the shorter of the repeats counts. Only models that both load and
step to the end of that time, or of the same budget, count in the ratios. Times are of the thread that steps, so that other
work on the machine counts less.

Called by scripts/bench --models; as a program of its own it times MuJoCo: models.py FILE DURATION BUDGET CHUNK"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PACKAGES = ("gymnasium", "dm_control", "robosuite", "metaworld")
DURATION = 2  # s, simulated
BUDGET = 6    # s of CPU time of a run
CHUNK = 10    # steps between two looks at the clock: a call from Python costs about as much as a small step
REPEATS = 3
MANY = 20     # dofs, from which on a model is large


# ---- the files ----------------------------------------------------------------------------------

def is_model(path):
    """Whether a file is a scene of its own: not what others include."""
    head = path.read_text(encoding="utf-8", errors="replace")
    return bool(re.search(r"<mujoco[\s>]", head)) and "<body" in head


def package_folder(name):
    spec = importlib.util.find_spec(name)
    return pathlib.Path(next(iter(spec.submodule_search_locations))) if spec else None


def list_shared(folder):
    """(name, file) of a folder like ../shared/models, where MuJoCo reads the format."""
    found = []
    for oracle in sorted(folder.glob("*/*/oracle.json")):
        path = oracle.parent / json.loads(oracle.read_text(encoding="utf-8"))["file"]
        if path.suffix in (".xml", ".urdf"):
            found.append((f"{oracle.parent.parent.name}/{oracle.parent.name}", path))
    return found


def list_package(name):
    folder = package_folder(name)
    if not folder:
        return []
    return [(f"{name}: {path.relative_to(folder)}", path) for path in sorted(folder.rglob("*.xml")) if is_model(path)]


# ---- runs ---------------------------------------------------------------------------------------

def time_mujoco(path, duration, budget, chunk):
    """Times in this process; the line that bench_peers_model prints, of MuJoCo."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    wanted, done, spent, chunks, contacts = round(duration / model.opt.timestep), 0, 0.0, [], 0
    while done < wanted and spent < budget:
        count = min(chunk, wanted - done)
        begin = time.thread_time()
        mujoco.mj_step(model, data, count)
        took = time.thread_time() - begin
        spent, done = spent + took, done + count
        chunks.append(took / count)
        contacts += data.ncon * count
    chunks.sort()
    kinds = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
    bad = sum(data.warning[int(kind)].number for kind in kinds)
    last = len(chunks) - 1
    return {"dofs": model.nv, "dt": model.opt.timestep, "steps": done, "complete": done == wanted, "failed": bad > 0,
            "us": 1e6 * spent / max(done, 1), "us_median": 1e6 * chunks[last // 2], "us_p90": 1e6 * chunks[int(0.9 * last)],
            "us_most": 1e6 * chunks[last], "contacts": contacts / max(done, 1),
            "rk4": int(model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4)}


def run_once(words, limit):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, env=environment, cwd=tempfile.gettempdir(),
                              check=False)
    except subprocess.TimeoutExpired:
        return {"note": f"not done in {limit:.0f} s"}
    if done.returncode < 0:
        return {"note": f"crashed, signal {-done.returncode}"}
    if done.returncode != 0:
        return {"note": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def shorter(a, b):
    return b if a is None or "us" in b and b["us"] < a.get("us", float("inf")) else a


def run_model(name, path, bench, repeats):
    """The row of one model."""
    words = {"carom": [str(bench)], "mujoco": [sys.executable, "-B", __file__]}
    best = {engine: None for engine in words}
    for _ in range(repeats):
        for engine, program in words.items():
            if best[engine] is None or "note" not in best[engine]:
                run = run_once([*program, str(path), str(DURATION), str(BUDGET), str(CHUNK)], 60 + 3 * BUDGET)
                best[engine] = shorter(best[engine], run)
        if any("note" in run for run in best.values()):
            break
    return make_row(name, best["carom"], best["mujoco"])


def make_row(name, ours, theirs):
    row = {"model": name, "note": ""}
    for engine, run in (("carom", ours), ("mujoco", theirs)):
        if "note" in run:
            row["note"] += f"{engine}: {run['note'][:200]} "
        for key in ("us", "us_median", "us_p90", "us_most", "contacts"):
            if key in run:
                row[f"{engine}_{key}"] = run[key]
    row |= {key: ours[key] for key in ("dofs", "steps", "loose", "repeated") if key in ours}
    if "us" in ours:
        row["failed"] = int(ours["failed"])
        row["complete"] = int(ours["complete"])
    row["rk4"] = theirs.get("rk4", 0)
    if "us" in theirs and theirs["failed"]:
        row["note"] += "mujoco: warned of bad values "
    if "us" in ours and "us" in theirs and not ours["failed"] and not theirs["failed"]:
        row["ratio"] = ours["us"] / theirs["us"]
    return row


def run(bench, shared, say, only=(), repeats=REPEATS):
    """Rows of all files; those that MuJoCo refuses are left out."""
    files = list_shared(shared)
    for package in PACKAGES:
        found = list_package(package)
        files += found
        if not found:
            say(f"SKIPPED: models of {package}, because the package is not installed")
    files = [(name, path) for name, path in files if not only or any(word in name for word in only)]
    say(f"{len(files)} model files")
    rows = []
    for name, path in files:
        row = run_model(name, path, bench, repeats)
        if "mujoco_us" in row:
            rows.append(row)
            say(describe(row))
    return rows


# ---- what came out ------------------------------------------------------------------------------

def describe(row):
    if "carom_us" not in row:
        return f"  {row['model']:60} {row['note'].strip()}"
    ratio = f"{row['ratio']:7.2f}" if "ratio" in row else "      -"
    failed = f", failed after {row['steps']} steps" if row["failed"] else ""
    return (f"  {row['model']:60} {int(row['dofs']):4d} dofs {row['carom_us']:9.1f} us {row['mujoco_us']:9.1f} us {ratio}  "
            f"most {row['carom_us_most']:8.0f} us, {int(row['loose'])} of {int(row['steps'])} above{failed}")


def share(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(p * len(values)))]


def summary_lines(rows):
    """Ratios of time over the models that both run, over the large ones, and what is above 3."""
    timed = [row for row in rows if "ratio" in row]
    lines = []
    groups = {"all models": timed, f"{MANY} dofs and more": [row for row in timed if row["dofs"] >= MANY],
              "without those that MuJoCo steps by Runge and Kutta's rule": [row for row in timed if not row["rk4"]]}
    for what, group in groups.items():
        if group:
            ratios = [row["ratio"] for row in group]
            lines.append(f"{what}: {len(group)}, time over MuJoCo's: median {share(ratios, 0.5):.2f}, "
                         f"p90 {share(ratios, 0.9):.2f}, most {max(ratios):.2f}")
    slow = sorted((row for row in timed if row["ratio"] > 3), key=lambda row: -row["ratio"])
    lines.append(f"above 3: {len(slow)}" + "".join(f"; {row['model']} {row['ratio']:.1f}" for row in slow[:30]))
    ran = [row for row in rows if "carom_us" in row]
    steps, loose = sum(row["steps"] for row in ran), sum(row["loose"] for row in ran)
    lines.append(f"{loose} of {steps} steps above the tolerance in {sum(row['loose'] > 0 for row in ran)} models, "
                 f"{sum(row['failed'] for row in ran)} models stop, {sum(row['repeated'] for row in ran)} steps in parts, "
                 f"{len(rows) - len(ran)} that MuJoCo reads are refused")
    return lines


if __name__ == "__main__":
    print(json.dumps(time_mujoco(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))))
