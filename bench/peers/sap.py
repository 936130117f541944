"""Solving alone: Newton on the problems of ../shared/problems/sap, beside published figures. Pure but for what runs the
built benchmark."""

import re
import subprocess

import problems
import report

# Microseconds of a solve started at v0, to a relative momentum residual of 1e-6, k = 1e4, of the peers' own measurement
# on another machine (../shared/design/peers.md and the brief of the bench); not scaled.
PUBLISHED = {(10, "impact"): (557, None), (40, "impact"): (6464, None), (100, "impact"): (32306, None),
             (400, "impact"): (457277, 239000), (1000, "impact"): (3840000, 1985000),
             (10, "settled"): (101, 22), (40, "settled"): (552, 405), (100, "settled"): (3084, 2839),
             (400, "settled"): (28392, 16107)}
NAME = re.compile(r"pile_N(\d+)_(\w+)_(impact|settled)\.txt")


def parse_name(name):
    """Spheres, kind of contact and phase of a pile's file, or None."""
    match = NAME.fullmatch(name)
    return (int(match[1]), match[2], match[3]) if match else None


def find_files(folder):
    """The piles, small ones first."""
    return sorted((path for path in (folder / "sap").glob("*.txt") if parse_name(path.name)),
                  key=lambda path: (parse_name(path.name)[2], parse_name(path.name)))


def run(bench, files, limit):
    words = [str(bench), "0.5", "1e-6", *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=limit, check=True)
    return problems.parse_csv(done.stdout)


def solve_cell(rows, file, start, time="us"):
    for row in rows:
        if (row["file"], row["start"]) == (file, start):
            if row["status"] != "certified":
                return row["status"]
            if not row.get(time):
                return ""
            return f"{report.format_time(float(row[time]))} ({row['iterations']})"
    return ""


def published_cells(files, file):
    """What was published for a file's size and phase, beside soft contact where there is such a file."""
    count, contact, phase = parse_name(file)
    times = PUBLISHED.get((count, phase), (None, None))
    if contact != "soft" and file.replace(contact, "soft") in files:
        times = (None, None)
    return ["" if us is None else report.format_time(us) for us in times]


def table(rows):
    """Times and iterations of each pile from v* and from v0, and what was published."""
    lines, files = [], list(dict.fromkeys(row["file"] for row in rows))
    for file in files:
        count, contact, phase = parse_name(file)
        contacts = next(row["contacts"] for row in rows if row["file"] == file)
        lines.append([f"{count}, {phase}", contact, contacts, solve_cell(rows, file, "v*"),
                      solve_cell(rows, file, "v0"), solve_cell(rows, file, "v0", "us_measured"),
                      *published_cells(files, file)])
    return report.format_table(["spheres", "contact", "contacts", "from v*", "from v0", "from v0, measured",
                                "SAP, published", "ICF, published"], lines)
