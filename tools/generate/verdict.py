"""Runs `carom run` on one scene and says what is wrong with what it did."""
import csv
import json
import math
import subprocess
import tempfile
import time

from world import GRAVITY, numbers

GAIN = 0.05       # of the energy exchanged so far, that a run may gain without a reason,
EXPLICIT = 0.26   # and by explicit Euler, which gains in every step and is let do so up to a quarter (docs/theory.md)
ROUND_OFF = 1e-7  # of the energies themselves: numbers in a scene have eight digits

# What may be wrong, worst first.
FAULTS = ("crashed", "too slow", "refused", "stopped", "not finite", "gains energy", "sinks through", "above tolerance")


class Result:
    """One run: steps, those above the tolerance, those that were taken in parts, seconds, J gained for no reason, a list
    of (fault, what)."""

    def __init__(self):
        self.steps = self.loose = self.repeated = 0
        self.seconds = self.gain = 0.0
        self.faults = []

    @property
    def worst(self):
        """The worst fault; None where there is none."""
        names = [fault for fault, _ in self.faults]
        return min(names, key=FAULTS.index) if names else None

    def add(self, fault, text):
        self.faults.append((fault, text))


def energies(path):
    """J at every row of a table; infinite where a number is none."""
    with open(path, encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows)
        columns = [header.index(name) for name in ("kinetic", "potential", "elastic")]
        kinds = [[float(row[c]) for c in columns] for row in rows]
    return [row if all(map(math.isfinite, row)) else [math.inf] * 3 for row in kinds]


def stagger(rows):
    """Rows of a run by symplectic Euler, whose velocities are those of half a step before its positions: what the rule
    conserves is kinetic energy with the mean of the others at the start and at the end of a step (docs/theory.md). Before
    the start they change as in the first step."""
    if len(rows) < 2:
        return rows
    before = [2 * x - y for x, y in zip(rows[0], rows[1])]
    return [[row[0], *((x + y) / 2 for x, y in zip(last[1:], row[1:]))] for last, row in zip([before, *rows], rows)]


def find_allowance(scene, run):
    """J; the explicit rule lifts what falls by g dt t / 2, an error of first order that it is known for."""
    lift = GRAVITY * scene.world.dt * run["time"] / 2 if run["scheme"] == "explicit" else 0
    return scene.world.allowance() + scene.world.mass * GRAVITY * lift


def judge_energy(result, rows, allowance, least=0.0, share=GAIN):
    """Energy above that of the start, beyond the allowance and a share of the kinetic energy and of the changes of the
    others until then, which count as `least` (J) where they are smaller."""
    start, exchanged, worst = sum(rows[0]), max(rows[0][0], least), 0.0
    for row in rows:
        changes = sum(abs(x - y) for x, y in zip(row[1:], rows[0][1:]))
        exchanged = max(exchanged, row[0], changes)
        gain = sum(row) - start - allowance
        if not math.isfinite(gain):
            result.gain = math.inf
            return
        round_off = ROUND_OFF * (abs(start) + sum(map(abs, row)))
        if gain > share * exchanged + round_off and gain > worst:
            worst = gain
    result.gain = worst


def judge_summary(result, run, scene):
    result.steps, result.loose = run["steps"], run["steps_above_tolerance"]
    is_done = run["stop_reason"] == "completed"
    if not is_done:
        result.add("stopped", f"step {run['steps'] + 1}: {run['stop_reason']}")
    if run.get("held_steps"):
        result.add("stopped", f"{run['held_steps']} steps were held")
    result.repeated = run.get("repeated_steps", run["failed_steps"] - (not is_done))
    values = run["final"]["q"] + run["final"]["v"]
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in values):
        result.add("not finite", "in the last state")
    elif scene.world.has_floor:
        for z, radius in scene.world.free:
            if run["final"]["q"][z] < -radius:
                result.add("sinks through", f"a body is {numbers(-run['final']['q'][z])} m below the floor")
                break


def add_last_faults(result, run):
    if result.gain > 0:
        result.add("gains energy", f"{result.gain:.3g} J")
    if result.loose:
        residual = math.nan if run["residual"] is None else run["residual"]  # JSON has no infinite numbers
        result.add("above tolerance", f"{result.loose} of {result.steps} steps, residual {residual:.2g}")


def run_scene(program, scene, folder, steps, limit):
    """The result of a scene that is written into `folder` and stopped after `limit` seconds."""
    result = Result()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        table = f"{place}/table.csv"
        duration = numbers(steps * scene.world.dt)
        command = [program, "run", *scene.write(folder), "--duration", duration, "--json", "--csv", table]
        begin = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            result.seconds = limit
            result.add("too slow", f"not done after {limit:g} s")
            return result
        result.seconds = time.monotonic() - begin
        last = (done.stderr.strip().splitlines() or [""])[-1]
        if done.returncode < 0 or done.returncode not in (0, 2, 3):
            result.add("crashed", f"exit code {done.returncode}: {last[:200]}")
        elif done.returncode == 2:
            result.add("refused", last[:300])
        else:
            run = json.loads(done.stdout)
            judge_summary(result, run, scene)
            # What a step of free fall exchanges is the measure of what rests.
            fall = scene.world.mass * (GRAVITY * scene.world.dt) ** 2
            rows = energies(table)
            share = EXPLICIT if run["scheme"] == "explicit" else GAIN
            rows = stagger(rows) if run["scheme"] == "symplectic" else rows
            judge_energy(result, rows, find_allowance(scene, run), fall, share)
            add_last_faults(result, run)
    return result
