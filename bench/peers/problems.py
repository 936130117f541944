"""Contact problems of FCLIB files: Carom's solvers and those of Siconos, performance profiles (Dolan and More 2002).

The profile of a solver at t is the share of the problems that it solves in at most t times what the fastest solver of
the same problem takes. Solved means certified to the tolerance by Carom's measure, whoever solved it. Pure but for what
runs the built benchmarks.
"""

import csv
import os
import subprocess

TOLERANCES = ("1e-4", "1e-8", "1e-12")
LAWS = ("convex", "coulomb")
LARGE = 1 << 20  # bytes of a file from which on it is left to --long


def find_files(folder, everything):
    """Problem files of a folder, and those left out because they are large."""
    files = sorted(folder.glob("*.hdf5"))
    large = [] if everything else [path for path in files if path.stat().st_size > LARGE]
    return [path for path in files if path not in large], large


def run(words, files, limit):
    """Rows of the solves that were done within `limit` seconds of wall clock, and whether all were. words: a benchmark
    and what comes before tolerances and files."""
    words = [*map(str, words), ",".join(TOLERANCES), *map(str, files)]
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env=environment) as process:
        try:
            text, complete = process.communicate(timeout=limit)[0], True
        except subprocess.TimeoutExpired:
            process.kill()
            text, complete = process.communicate()[0], False
    return parse_csv(text if text.endswith("\n") else text[:text.rfind("\n") + 1]), complete


def parse_csv(text):
    """Rows of a benchmark's output, without what a library may have printed between them."""
    lines = text.splitlines()
    header = next((line for line in lines if line.startswith("file,")), "")
    return list(csv.DictReader([header, *(line for line in lines
                                          if line.count(",") == header.count(",") and line != header)]))


def drop_last_file(rows):
    """Without the file that was under way when the time was over."""
    return [row for row in rows if row["file"] != rows[-1]["file"]]


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def choose(rows, law, tolerance):
    return [row for row in rows if row["friction"] == law and float(row["tolerance"]) == float(tolerance)]


def performance_ratios(rows):
    """For every solver its times over the least of the same problem, sorted, of those that it solves; and the number
    of problems."""
    times = {}
    for row in rows:
        times.setdefault(row["file"], {})
        if row["status"] == "certified":
            times[row["file"]][row["solver"]] = float(row["us"])
    ratios = {row["solver"]: [] for row in rows}
    for solved in times.values():
        for solver, time in solved.items():
            ratios[solver].append(time / min(solved.values()))
    return {solver: sorted(values) for solver, values in ratios.items()}, len(times)


def summary_table(rows):
    """Problems solved, and those in which the solver was the fastest or within twice the time of the fastest."""
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    lines = ["| friction, tolerance | problems | " + " | ".join(solvers) + " |", "|" + "---|" * (len(solvers) + 2)]
    for law in LAWS:
        for tolerance in TOLERANCES:
            ratios, count = performance_ratios(choose(rows, law, tolerance))
            cells = [f"{len(ratios[s])} ({sum(r <= 2 for r in ratios[s])})" if s in ratios else "" for s in solvers]
            if ratios:
                lines.append(f"| {law}, {tolerance} | {count} | " + " | ".join(cells) + " |")
    return lines


def plot_profiles(rows, law, path):
    """The three tolerances side by side. Returns false where there is nothing to show."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "carom"
    from matplotlib import pyplot

    if not choose(rows, law, TOLERANCES[0]):
        return False
    figure, axes = pyplot.subplots(1, len(TOLERANCES), figsize=(10, 3.4), sharey=True)
    for axis, tolerance in zip(axes, TOLERANCES):
        ratios, count = performance_ratios(choose(rows, law, tolerance))
        for solver, values in ratios.items():
            style = "--" if solver.startswith("siconos") else "-"
            shares = [k / count for k in range(len(values) + 1)]
            axis.step([1, *values, 1e4], [*shares, shares[-1]], where="post", label=solver, linestyle=style)
        axis.set_xscale("log")
        axis.set_xlim(1, 1e4)
        axis.set_title(f"{law} friction, {tolerance}", fontsize=9)
        axis.set_xlabel("time over the fastest solver's")
        axis.grid(True, linewidth=0.3)
    axes[0].set_ylabel("share of problems solved")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True
