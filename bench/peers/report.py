"""Markdown of the results: all tables, and the two of docs/benchmarks.md, between two marks of it. Pure functions but
for the last."""

import textwrap

import engines
import results

BEGIN = "<!-- what follows is written by scripts/bench -->"
END = "<!-- end of what scripts/bench writes -->"
TITLES = {"fall": "Falling and settling", "rest": "At rest", "equal": "At rest, to the same residual",
          "near": "At rest, peers to a hundred times the residual"}
CERTIFIED = "carom compliant"  # every row regularised, so that the gap is a bound
OURS = (CERTIFIED, "carom coulomb compliant", "carom", "carom euler", "carom coulomb euler")
HELPED = "†"  # in a table of times
SHOWN = ("carom", CERTIFIED, "carom coulomb compliant", "mujoco newton", "mujoco cg", "drake sap")  # on the page
EVEN = 1.1  # ratios nearer to one than this are no difference on a shared machine


def ordered(rows, key):
    """Values of a column; engines in their own order, others as they come."""
    values = list(dict.fromkeys(row[key] for row in rows))
    return [e for e in engines.ENGINES if e in values] if key == "engine" else values


def format_time(us):
    """Three digits, in microseconds, milliseconds or seconds."""
    if us >= 1e6:
        return f"{us / 1e6:.3g} s"
    if us >= 1000:
        return f"{us / 1000:.3g} ms"
    return f"{us:.3g} µs"


def format_residual(value):
    return "below 1e-12" if value < 1e-12 else f"{value:.0e}"


def format_residuals(row):
    """The median, and the largest in brackets."""
    return f"{format_residual(row['residual'])} ({format_residual(row['residual_most'])})"


def format_table(header, lines):
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return out + ["| " + " | ".join(line) + " |" for line in lines]


def cell(rows, scene, engine, phase):
    row = results.find(rows, scene, engine, phase)
    if row:
        return format_time(row["us"]) + (f" {HELPED}" if phase == "rest" and is_helped(rows, scene, engine) else "")
    tried = [row for row in rows if (row["scene"], row["engine"], row["phase"]) == (scene, engine, phase)]
    return "out of time" if tried else ""


def is_helped(rows, scene, engine):
    """Whether a faster solver of the same engine brought the scene to where the second phase begins."""
    return any(row["phase"] == "fall" and "us" in row and not row["complete"]
               for row in rows if (row["scene"], row["engine"]) == (scene, engine))


def time_table(rows, phase, shown=engines.ENGINES):
    names, scenes = [e for e in ordered(rows, "engine") if e in shown], ordered(rows, "scene")
    lines = [[scene, *(cell(rows, scene, engine, phase) for engine in names)] for scene in scenes]
    return format_table(["scene", *names], lines)


def time_section(rows, phase, shown=engines.ENGINES):
    table = time_table(rows, phase, shown)
    text = [f"### {TITLES[phase]}: CPU time a step", "", *table, ""]
    if any(HELPED in line for line in table):
        text += [f"{HELPED} The fall was out of time: a faster solver of the same engine went on with it, and left the "
                 "pile as its own friction holds it.", ""]
    return text


def to_residual_table(rows, phase):
    """Peers at rest to a residual, beside ours: time, how many times ours, what was left and what it took."""
    found = [row for row in rows if row["phase"] == phase]
    peers, lines = ordered(found, "engine"), []
    for scene in ordered(found, "scene"):
        own = results.find(rows, scene, CERTIFIED, "rest")
        cells = [f"{format_time(own['us'])}: {format_residuals(own)}" if own else ""]
        lines.append([scene, *cells, *(to_residual_cell(rows, scene, peer, phase) for peer in peers)])
    return format_table(["scene", CERTIFIED, *peers], lines) if lines else []


def to_residual_cell(rows, scene, peer, phase):
    row = results.find(rows, scene, peer, phase)
    ratio = results.residual_ratio(rows, scene, peer, phase, CERTIFIED)
    if not row:
        return ""
    times = f", **{ratio:.1f}×**" if ratio else ""
    return f"{format_time(row['us'])}{times}: {format_residuals(row)}, {row['note']}"


def residual_table(rows):
    """Contact points at the end and the median residual at rest with the largest; where the engine certifies its steps
    by the gap, the bound on the relative error of the velocities likewise."""
    names = [e for e in ordered(rows, "engine") if any(row["engine"] == e and "residual" in row for row in rows)]
    lines = []
    for scene in ordered(rows, "scene"):
        line = [scene]
        for engine in names:
            row = results.find(rows, scene, engine, "rest")
            if row and "residual" in row:
                text = f"{row['contacts']}: {format_residuals(row)}"
                if engine == CERTIFIED and "error_bound" in row:
                    bound, bound_most = format_residual(row["error_bound"]), format_residual(row["error_bound_most"])
                    text += f"; bound {bound} ({bound_most})"
                line.append(text)
            else:
                line.append("")
        lines.append(line)
    return format_table(["scene", *names], lines)


def memory_table(rows):
    """The most memory resident at the end of each pile from 400 bodies on."""
    names = [e for e in ordered(rows, "engine") if any(row["engine"] == e and "memory" in row for row in rows)]
    lines = []
    for scene in ordered([row for row in rows if row["family"] in ("pile", "spheres") and row["count"] >= 400], "scene"):
        found = {row["engine"]: row["memory"] for row in rows if row["scene"] == scene and "memory" in row}
        lines.append([scene, *(f"{found[e]:.0f} MiB" if e in found else "" for e in names)])
    return format_table(["scene", *names], lines) if lines else []


def verdict_line(rows, ours, peer, phase):
    """On which scenes one of ours is faster, about even and slower than a peer, with the ratios; or None."""
    found = [(scene, results.ratio(rows, scene, peer, phase, ours)) for scene in ordered(rows, "scene")]
    found = [(scene, value) for scene, value in found if value]
    groups = (("faster", [f"{s} ({v:.1f}×)" for s, v in found if v > EVEN]),
              ("about even", [s for s, v in found if 1 / EVEN <= v <= EVEN]),
              ("slower", [f"{s} ({1 / v:.1f}×)" for s, v in found if v < 1 / EVEN]))
    parts = [f"**{word}** on {', '.join(names)}" for word, names in groups if names]
    return f"- {TITLES[phase]}, {ours} beside {peer}: {'; '.join(parts)}." if parts else None


def verdict_lines(rows):
    """Sentences for each of ours, the one that is like the peers first, and each peer."""
    peers = [engine for engine in ordered(rows, "engine") if not engine.startswith("carom")]
    lines = [verdict_line(rows, ours, peer, phase) for ours in OURS for phase in results.PHASES for peer in peers]
    return [line for line in lines if line]


def slope_lines(rows):
    lines = []
    for family in ("pile", "spheres", "humanoid", "stack"):
        parts = []
        for engine in ordered(rows, "engine"):
            counts, times = results.series(rows, family, engine, "rest")
            slope = results.fit_slope(counts, times, 40 if family in ("pile", "spheres") else 0)
            if slope is not None:
                parts.append(f"{engine} {slope:.2f}")
        if parts:
            lines.append(f"- {family}: {', '.join(parts)}")
    return lines


def notes_lines(rows):
    """What was left out or cut short, loudly."""
    notes = dict.fromkeys(f"- {row['scene']}, {row['engine']}: {row['note']}"
                          for row in rows if row.get("note") and row["phase"] not in results.TO_RESIDUAL)
    cut = [f"- {row['scene']}, {row['engine']}: {TITLES[row['phase']].lower()} cut after {row['steps']} steps"
           for row in rows if "us" in row and not row["complete"]]
    return [*notes, *cut]


EXTRAS = {
    "problems": ("FCLIB problems",
                 "Problems that each solver solves, cold, to the tolerance by Carom's measure, and in brackets those in "
                 "which it takes at most twice the time of the fastest. Siconos has no convex friction."),
    "sap": ("Solving alone",
            "Newton on the piles of spheres of `../shared/problems/sap`, certified to 1e-6: time and, in brackets, "
            "iterations, from v* and from v0; measured: with every figure of the report. Published: figures of Drake's solvers from v0, measured on another "
            "machine and not scaled, no part of this run; they are of `soft` contact, and where there is no such "
            "problem here they stand beside `nr1`, which is stiffer."),
    "threads": ("Threads", "Wall clock a step of *carom compliant*, means over a phase."),
    "soft": ("Soft bodies beside Drake",
             "CPU time a step, median over a run, dt 5 ms, and how far the far upper corner is down "
             "(`docs/benchmarks.md`)."),
}


def extra_sections(extras):
    """extras: lines of a table by the names of EXTRAS."""
    return [line for name, (title, text) in EXTRAS.items() if extras.get(name)
            for line in (f"### {title}", "", text, "", *extras[name], "")]


def wrap(lines):
    """Markdown with its prose in lines of at most 100 characters; tables stay as they are."""
    out = []
    for line in lines:
        indent = "  " if line.startswith("- ") else ""
        out += [line] if not line or line[0] in "|#" else textwrap.wrap(
            line, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(out)


def source_line(rows):
    dates, loads = sorted({row["date"] for row in rows}), [row["load"] for row in rows]
    versions = {row["engine"].split()[0]: row["version"] for row in rows if row.get("version")}
    return (f"Measured on {' and '.join(dates)}, {rows[0]['machine']}; load of the machine (1 minute) between "
            f"{min(loads):.1f} and {max(loads):.1f} while it was measured. "
            + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".")


def make_summary(rows):
    """What stands in docs/benchmarks.md."""
    return wrap([source_line(rows), "", *time_section(rows, "rest", SHOWN), *time_section(rows, "fall", SHOWN)])


def make_report(rows, extras=None):
    """All generated sections; extras: see extra_sections."""
    text = [source_line(rows), "", "### What is faster, what is slower", "",
            "*carom compliant* solves problems like the peers', *carom* harder ones, *carom coulomb compliant* such as are "
            "between them; *euler*: with the peers' scheme (`docs/benchmarks.md`).",
            "", *verdict_lines(rows), ""]
    for phase in ("rest", "fall"):
        text += time_section(rows, phase)
    for phase in reversed(results.TO_RESIDUAL):
        table, most = to_residual_table(rows, phase), engines.RESIDUALS[phase]
        if table:
            text += [f"### {TITLES[phase]}", "", "Peers with the tolerance of their own, a power of ten, from "
                     f"which on {engines.SAMPLES} steps leave a residual of at most {most:.0e}; ours are certified to "
                     f"{engines.RESIDUALS['equal']:.0e}: CPU time a step, how many times ours, median residual (largest) "
                     "over the phase and the tolerance. Empty where no tolerance brings it there, or the phase at rest "
                     "was cut.", "", *table, ""]
    text += ["### Residual at rest", "", "Contact points at the end: median residual (largest).", "",
             *residual_table(rows), "", "### Growth", "",
             "Exponent of time against number of bodies at rest (piles from 40 on):", "",
             *slope_lines(rows), ""]
    memory = memory_table(rows)
    if memory:
        text += ["### Memory", "", "The most that was resident: of Carom's process, of peers less what Python and they "
                 "had before the scene was loaded.", "", *memory, ""]
    text += extra_sections(extras or {})
    notes = notes_lines(rows)
    if notes:
        text += ["### Cut short", "", *notes, ""]
    return wrap(text)


def insert(document, generated, begin=BEGIN, end=END):
    """The document with what lies between the marks replaced."""
    head, rest = document.split(begin, 1)
    tail = rest.split(end, 1)[1]
    return f"{head}{begin}\n\n{generated.strip()}\n\n{end}{tail}"


def write_documents(page, tables, rows, extras):
    """page: docs/benchmarks.md; tables: a file of its own for all of them."""
    page.write_text(insert(page.read_text(encoding="utf-8"), make_summary(rows)), encoding="utf-8")
    tables.write_text(f"# All tables\n\nWritten by `scripts/bench`; `docs/benchmarks.md` says what is measured and how."
                      f"\n\n{make_report(rows, extras).strip()}\n", encoding="utf-8")
