"""The tables of a run over a corpus, in Markdown."""
import collections
import statistics

import trial

AGREES = 1e-8
FORMATS = ("MJCF", "URDF", "SDF")
HEADS = {"clean": "clean", "above": "steps above the tolerance", "unexplained energy": "unexplained energy",
         "explosion": "explosion",
         "stopped": "stopped", "timed out": "out of time", "crashed": "crashed", "refused": "refused",
         "incomplete": "refused, names a file that is nowhere"}


def row(*cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def table(head, rows):
    return [row(*head), "|" + "---|" * len(head), *(row(*cells) for cells in rows), ""]


def counts(record):
    """Whether a file counts: it is none of those that are left out, and MuJoCo does not refuse it."""
    return not record.get("left_out")


def worst_difference(record):
    """The quantity that differs most, and by how much."""
    found = record["differences"]
    if "eval" in found:
        return "eval", float("inf")
    return max(found.items(), key=lambda item: item[1])


def classes_table(records):
    rows = []
    for name in (*FORMATS, "all"):
        found = [r for r in records if name in (r["format"], "all")]
        by_class = collections.Counter(r["class"] for r in found)
        share = 100 * (len(found) - by_class["refused"]) / max(1, len(found))
        rows.append((f"{name}, {len(found)}", *(by_class[key] for key in HEADS), f"{share:.1f} %"))
    return table(("files", *HEADS.values(), "not refused, or for what is not there"), rows)


def steps_lines(records):
    ran = [r for r in records if r.get("steps")]
    steps, above = sum(r["steps"] for r in ran), sum(r["above"] for r in ran)
    repeated, off = sum(r["repeated"] for r in ran), sum(r["off_coulomb"] for r in ran)
    return [f"{steps} steps of {len(ran)} files; above the tolerance {above} ({above / max(1, steps):.1e} of all), "
            f"more than 1e-3 from Coulomb's law {off}, repeated {repeated}.", ""]


def left_out_lines(everything):
    reasons = collections.Counter(r["left_out"] for r in everything if r.get("left_out"))
    lines = [f"{len(everything)} files have the root of a model; {sum(reasons.values())} of them do not count: "
             + ", ".join(f"{count} {reason}" for reason, count in reasons.most_common()) + ".", ""]
    refused = [r for r in everything if r.get("left_out") == "MuJoCo refuses them"]
    bad = collections.Counter(r["class"] for r in refused)
    if refused:
        lines += ["Of those that MuJoCo refuses here: " + ", ".join(f"{n} {key}" for key, n in bad.most_common()) + ".", ""]
    return lines


def kinds_table(records, which, count=60):
    """Refusals by kind, with a file of each."""
    kinds = collections.defaultdict(list)
    for r in records:
        if r["class"] == which:
            kinds[r["kind"]].append(r)
    order = sorted(kinds.items(), key=lambda item: -len(item[1]))
    rows = [(len(found), " ".join(sorted({r["format"] for r in found})), kind, found[0]["file"]) for kind, found in order[:count]]
    return table(("files", "format", "kind", "one of them"), rows)


def worst_table(records, count=40):
    """Files by their class, the worst first, then by the share of steps above the tolerance."""
    bad = [r for r in records if r["class"] not in ("clean", "refused", "incomplete")]
    bad.sort(key=lambda r: (trial.CLASSES.index(r["class"]), -r.get("above", 0) / max(1, r.get("steps", 0))))
    return table(("file", "class", "what"), [(r["file"], HEADS[r["class"]], r["what"][:140]) for r in bad[:count]])


def values_lines(records, count=40):
    compared = [r for r in records if r.get("differences")]
    if not compared:
        return []
    worst = sorted(((*worst_difference(r), r["file"]) for r in compared), key=lambda item: -item[1])
    agree, close = (sum(error <= bound for _, error, _ in worst) for bound in (AGREES, 1e-6))
    lines = [f"{len(compared)} files have values to compare with MuJoCo: {agree} agree to 1e-8, {close} to 1e-6.", ""]
    return lines + table(("file", "quantity", "relative difference"),
                         [(name, kind, f"{error:.2g}") for kind, error, name in worst if error > AGREES][:count])


def times_lines(records):
    """Ratios of the time of a step, ours to MuJoCo's."""
    both = [r for r in records if r.get("microseconds") and r.get("mujoco", {}).get("microseconds")]
    lines = []
    for least in (0, 20):
        ratios = sorted(r["microseconds"] / r["mujoco"]["microseconds"] for r in both if r["nv"] >= least and r["nv"])
        if len(ratios) > 1:
            most = statistics.quantiles(ratios, n=10)[-1]
            lines.append(f"Time a step beside MuJoCo, {len(ratios)} files with {max(1, least)} dofs and more: median "
                         f"{statistics.median(ratios):.2f}, nine in ten below {most:.2f}, largest {ratios[-1]:.0f}.")
    slow = sorted(both, key=lambda r: -r["microseconds"] / r["mujoco"]["microseconds"])[:15]
    rows = [(r["file"], r["nv"], f"{r['contacts']:.0f}", f"{r['microseconds']:.0f}",
             f"{r['mujoco']['microseconds']:.0f}") for r in slow]
    return [*lines, "", *table(("slowest beside MuJoCo", "dofs", "contacts", "ours, µs", "MuJoCo, µs"), rows)] if lines else []


def write(everything):
    """All of it, as a text."""
    records = [r for r in everything if counts(r)]
    lines = ["## Files", "", *left_out_lines(everything), *classes_table(records), *steps_lines(records),
             "## Refused, by kind", "", *kinds_table(records, "refused"),
             "## Refused, since a file that is named is nowhere", "", *kinds_table(records, "incomplete", 15),
             "## The worst", "", *worst_table(records)]
    values, times = values_lines(records), times_lines(records)
    return "\n".join(lines + (["## Values", "", *values] if values else []) + (["## Time", "", *times] if times else []))
