"""Rows of results: one per scene, engine and phase. Reads and writes CSV, takes minima, fits slopes."""

import csv
import math

PHASES = ("fall", "rest")
TO_RESIDUAL = ("near", "equal")  # at rest, to residuals that all are compared at; where a run has them
FIELDS = ("date", "machine", "load", "engine", "version", "scene", "family", "count", "phase", "us", "us_most", "steps",
          "complete", "iterations", "relaxed", "contacts", "residual", "residual_most", "error_bound", "error_bound_most", "memory", "threads",
          "repeats", "note")
NUMBERS = ("load", "us", "us_most", "iterations", "residual", "residual_most", "error_bound", "error_bound_most", "memory", "threads")
INTEGERS = ("count", "steps", "relaxed", "contacts", "repeats")


def keep_least(runs):
    """Of repeated runs of one engine, each phase with the least time."""
    best = {}
    for phase in (*PHASES, *TO_RESIDUAL):
        found = [run[phase] for run in runs if phase in run and run[phase]["steps"] > 0]
        if found:
            best[phase] = min(found, key=lambda result: result["us"])
    notes = [run["note"] for run in runs if "note" in run]
    if notes and not best:
        best["note"] = notes[0]
    return best


def make_rows(common, scene, engine, version, runs):
    """The rows of one engine on one scene; a run without a result gives rows with a note."""
    best = keep_least(runs)
    rows = []
    for phase in (*PHASES, *(phase for phase in TO_RESIDUAL if phase in best)):
        row = dict(common, engine=engine, version=version, scene=scene.name, family=scene.family, count=scene.count,
                   phase=phase, repeats=len(runs), note=best.get("note", ""), complete=False)
        row.update(best.get(phase, {}))
        rows.append(row)
    return rows


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, restval="", extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value
                             for key, value in row.items()})


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [parse_row(row) for row in csv.DictReader(file)]


def parse_row(row):
    out = {key: value for key, value in row.items() if value != ""}
    for key in NUMBERS:
        if key in out:
            out[key] = float(out[key])
    for key in INTEGERS:
        if key in out:
            out[key] = int(out[key])
    out["complete"] = row["complete"] == "True"
    return out


def is_counted(row):
    """A mean over part of a fall says nothing about the whole; at rest every step is like the others."""
    return "us" in row and (row["phase"] != "fall" or row["complete"])


def find(rows, scene, engine, phase):
    """The row with a time that counts, or None."""
    for row in rows:
        if (row["scene"], row["engine"], row["phase"]) == (scene, engine, phase) and is_counted(row):
            return row
    return None


def residual_ratio(rows, scene, engine, phase, ours):
    """Time of a peer to the residual of a phase, over ours at rest, or None."""
    peer, own = find(rows, scene, engine, phase), find(rows, scene, ours, "rest")
    return peer["us"] / own["us"] if peer and own else None


def series(rows, family, engine, phase, field="us"):
    """Counts and values of a family, in order of size."""
    points = sorted((row["count"], row[field]) for row in rows
                    if (row["family"], row["engine"], row["phase"]) == (family, engine, phase) and is_counted(row)
                    and field in row)
    return [point[0] for point in points], [point[1] for point in points]


def fit_slope(counts, values, least=0):
    """Exponent of the power law through the points from `least` on; None with fewer than two."""
    points = [(math.log(c), math.log(v)) for c, v in zip(counts, values) if c >= least and v > 0]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def ratio(rows, scene, engine, phase, ours="carom"):
    """Time of a peer over ours, or None."""
    peer, own = find(rows, scene, engine, phase), find(rows, scene, ours, phase)
    return peer["us"] / own["us"] if peer and own else None
