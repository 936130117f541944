"""Compares what `carom eval` says of an MJCF file with what MuJoCo says of it."""
import json
import math
import pathlib
import tempfile

import trial

WORKER = pathlib.Path(__file__).resolve().parent / "mujoco_values.py"
LEAST = 1e-12  # of a scale: zero against zero agrees


def ask_mujoco(python, path, duration, height, limit):
    """What MuJoCo makes of a file: see mujoco_values.py; `failed` where it gave no answer."""
    floor = "none" if height is None else repr(height)
    with tempfile.TemporaryDirectory() as place:  # it writes a log where it runs
        code, output, last, _ = trial.start([python, str(WORKER), str(path), str(duration), floor], limit, place)
    if code == 0:
        return json.loads(output.strip().splitlines()[-1])
    return {"failed": "out of time" if code is None else last[:300] or f"exit code {code}"}


def largest(values):
    return max((abs(x) for x in values), default=0.0)


def relative(ours, theirs, scale):
    """Largest difference over the scale; infinite where lengths differ or a number is none."""
    if len(ours) != len(theirs) or not all(isinstance(x, (int, float)) for x in ours):
        return math.inf
    return max((abs(a - b) for a, b in zip(ours, theirs)), default=0.0) / max(scale, LEAST)


def compare_masses(ours, theirs):
    """By name where both name all bodies once, else in their order; relative to the largest."""
    masses = {body["name"]: body["mass"] for body in ours["bodies"]}
    pairs = list(zip(theirs["names"], theirs["masses"]))
    if len(masses) == len(pairs) and all(name in masses for name, _ in pairs):
        mine = [masses[name] for name, _ in pairs]
    else:
        mine = [body["mass"] for body in ours["bodies"]]
    return relative(mine, theirs["masses"], largest(theirs["masses"]))


def compare_mass_matrix(ours, theirs):
    """Entries over the root of the product of their diagonals, so that small links count as large ones."""
    if len(ours) != len(theirs):
        return math.inf
    roots = [math.sqrt(max(row[i], LEAST)) for i, row in enumerate(theirs)]
    return max((abs(a - b) / (roots[i] * roots[j]) for i, (mine, row) in enumerate(zip(ours, theirs))
                for j, (a, b) in enumerate(zip(mine, row))), default=0.0)


def compare(ours, theirs):
    """Differences by quantity: forces relative to the largest of all of them, the rest each by itself."""
    forces = ("bias", "passive", "actuation")
    scale = max(largest(theirs[kind]) for kind in forces)
    found = {"masses": compare_masses(ours, theirs),
             "mass matrix": compare_mass_matrix(ours["mass_matrix"], theirs["mass_matrix"])}
    found.update({kind: relative(ours[kind], theirs[kind], scale) for kind in forces})
    found["accelerations"] = relative(ours["qacc_actuated"], theirs["qacc_actuated"], largest(theirs["qacc_actuated"]))
    return found


def compare_file(options, path, record):
    """Adds to the record of a file what MuJoCo says: `mujoco`, and `differences` where both have values."""
    theirs = ask_mujoco(options.mujoco, path, options.duration, record.get("floor"), options.timeout)
    values = theirs.pop("values", None)
    record["mujoco"] = theirs
    if values is None or "steps" not in record:
        return
    code, output, last, _ = trial.start([options.carom, "eval", str(path), *options.carom_options], options.timeout)
    if code != 0:
        record["differences"] = {"eval": last[:300] or f"exit code {code}"}
        return
    record["differences"] = {kind: float(f"{error:.3g}") for kind, error in compare(json.loads(output), values).items()}
