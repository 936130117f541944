"""Runs `carom run` on one file of a corpus and says what became of it."""
import json
import math
import re
import resource
import subprocess
import time

# What may become of a file, worst first.
CLASSES = ("crashed", "timed out", "stopped", "explosion", "unexplained energy", "refused", "incomplete", "above", "clean")
MEMORY = 6 << 30    # bytes that a run may take
UNEXPLAINED = 0.05  # of the energy that was exchanged; the energy watch itself keeps 0.04 of a larger number
ROUND_OFF = 1e-6    # J that count as nothing, and a thousandth of that share of the energies themselves
EXPLOSION = 1e-3    # J that an explosion gains at least: below, something rocks at rest
# Sentences about a file that the model names and that is nowhere: the model is not complete.
MISSING = re.compile(r"no such file|not found|there is no (model|package|file)|cannot be (found|opened)|does not exist", re.I)


def bound_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def start(command, limit, place=None):
    """Exit code (None: out of time), output, last line of what went wrong, and seconds of a program run in the folder `place`."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, check=False, cwd=place, preexec_fn=bound_memory)
    except subprocess.TimeoutExpired:
        return None, "", "", limit
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
    return done.returncode, done.stdout.decode("utf-8", "replace"), lines[-1], time.monotonic() - begin


def name_kind(sentence):
    """A sentence without what belongs to its file alone: places, names and numbers."""
    text = re.sub(r"^carom: ", "", sentence)
    text = re.sub(r"^[^']*?\.\w+:\d+: ", "", text)
    text = re.sub(r"'[^']*'", "'…'", text)
    text = re.sub(r"\S*/\S+", "PATH", text)
    text = re.sub(r"(?<![\w.])[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(?![\w])", "N", text)
    return re.sub(r"N( N)+", "N…", text)[:160]


def exchanged(run):
    """J that a run turned over, as its summary tells: what it began with, changes, losses and work."""
    energy = run["energy"]
    first, last = energy["start"], energy["end"]
    changes = sum(abs(last[kind] - first[kind]) for kind in ("potential", "elastic"))
    return first["kinetic"] + last["kinetic"] + changes + abs(energy["dissipated"]) + abs(energy["actuator_work"])


def judge(run):
    """The class of a run that wrote its summary."""
    numbers = [*run["final"]["q"], *run["final"]["v"], *run["energy"]["end"].values(), run["energy"]["dissipated"]]
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in numbers):
        return "explosion", "a number is not finite"
    gain, turned = run["energy"]["unexplained_sum"], exchanged(run)
    said = f"{gain:.3g} J of {turned:.3g} J unexplained" if gain is not None else "a gain without end"
    floor = ROUND_OFF * (1 + 1e-3 * abs(run["energy"]["start"]["potential"]))
    if gain is None or gain > turned / 2 + EXPLOSION:
        return "explosion", said
    if run["stop_reason"] != "completed":
        return "stopped", f"at {run['time']:.3g} s: {run['stop_reason']}"
    if gain > UNEXPLAINED * turned + floor:
        return "unexplained energy", said
    if run["steps_above_tolerance"]:
        return "above", f"{run['steps_above_tolerance']} of {run['steps']} steps, residual {run['residual'] or math.inf:.2g}"
    return "clean", ""


def find_floor(notes):
    """Height of the floor that was added, None where none was."""
    match = re.search(r"a floor at z = (\S+) is added", "\n".join(notes))
    return float(match[1].rstrip(",")) if match else None


def summarise(record, run):
    """What the table needs of a summary."""
    record["steps"], record["above"] = run["steps"], run["steps_above_tolerance"]
    record["off_coulomb"], record["repeated"] = run.get("steps_off_coulomb", 0), run.get("repeated_steps", 0)
    record["residual"], record["unexplained"] = run["residual"], run["energy"]["unexplained_sum"]
    record["exchanged"], record["penetration"] = exchanged(run), run.get("penetration")
    record["microseconds"] = 1e6 * run["wall_time"] / max(1, run["steps"])
    record["contacts"], record["nv"] = run["contacts"]["mean"], len(run["final"]["v"])
    record["floor"] = find_floor(run["ignored"])


def run_file(program, path, duration, limit, extra=()):
    """A record of one run: class, what, kind of a refusal, and the numbers of the summary."""
    command = [program, "run", str(path), "--duration", str(duration), "--floor", "--json", *extra]
    code, output, last, seconds = start(command, limit)
    record = {"class": None, "what": last, "seconds": round(seconds, 3)}
    if code is None:
        record.update({"class": "timed out", "what": f"not done after {limit:g} s"})
    elif code == 2:
        record.update({"class": "incomplete" if MISSING.search(last) else "refused", "kind": name_kind(last)})
    elif code not in (0, 3):
        record.update({"class": "crashed", "what": f"exit code {code}: {last}"[:300]})
    else:
        run = json.loads(output)
        summarise(record, run)
        record["class"], record["what"] = judge(run)
    return record
