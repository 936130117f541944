"""Plots of time a step against the number of bodies, as SVG. Needs matplotlib."""

import engines
import results

TITLES = {"pile": "piles of spheres and boxes", "spheres": "piles of spheres", "humanoid": "humanoids",
          "stack": "stacks of boxes"}
COLOURS = ("#d62728", "#ff7f0e", "#e377c2", "#bcbd22", "#8c564b", "#ff9896", "#1f77b4", "#17becf", "#7f7f7f", "#9467bd",
           "#c5b0d5", "#2ca02c")


def plot_family(rows, family, phase, path):
    """Both axes logarithmic, the slope of every engine in the legend. Returns the number of curves."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "carom"  # same bytes from the same numbers
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4.2))
    curves = 0
    for colour, engine in zip(COLOURS, engines.ENGINES):
        counts, times = results.series(rows, family, engine, phase)
        if len(counts) < 2:
            continue
        slope = results.fit_slope(counts, times, 40 if counts[-1] > 100 else 0)
        label = f"{engine}: N^{slope:.2f}" if slope is not None else engine
        axes.loglog(counts, [us / 1000 for us in times], "o-", color=colour, label=label, markersize=4)
        curves += 1
    axes.set_xlabel("bodies" if family != "humanoid" else "humanoids")
    axes.set_ylabel("CPU time a step, ms")
    axes.set_title(f"{TITLES[family]}, {'at rest' if phase == 'rest' else 'falling and settling'}")
    axes.grid(True, which="both", linewidth=0.3)
    if curves:
        axes.legend(fontsize=8)
        figure.tight_layout()
        figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return curves


def plot_all(rows, folder, prefix=""):
    """Writes what has at least two sizes; returns the paths."""
    paths = []
    for family in TITLES:
        for phase in results.PHASES:
            path = folder / f"{prefix}{family}-{phase}.svg"
            if plot_family(rows, family, phase, path):
                paths.append(path)
    return paths
