"""Runs the scenes with every engine that is there, one after the other, and writes what they took.

Called by scripts/bench, which says what the options mean.
"""

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import engines
import problems
import report
import results
import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = {"mujoco": "mujoco", "drake": "drake"}
LONG_RUN = 4  # s of wall clock from which on a run is not repeated


def say(text):
    print(text, flush=True)


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Times Carom beside its peers.")
    parser.add_argument("--quick", action="store_true", help="small scenes only, once, in well under a minute")
    parser.add_argument("--long", action="store_true", help="all sizes, with more time for each run")
    parser.add_argument("--huge", action="store_true", help="piles of 3000 too, of Carom alone")
    parser.add_argument("--scenes", nargs="+", default=[], metavar="NAME",
                        help="scenes or families: pile, humanoid22 ..., or problems")
    parser.add_argument("--no-peers", action="store_true", help="Carom alone")
    parser.add_argument("--publish", action="store_true",
                        help="selected scenes take the place of theirs in what is published")
    parser.add_argument("--minutes", type=float, default=0,
                        help="stop before the next scene after this time (10; --long: 90)")
    parser.add_argument("--report", action="store_true", help="write tables and plots anew from the last results")
    parser.add_argument("--problems", default="../shared/problems", metavar="FOLDER",
                        help="FCLIB files (../shared/problems)")
    parser.add_argument("--steps", default="build/release/bench/bench_peers_steps", help=argparse.SUPPRESS)
    parser.add_argument("--solves", default="build/release/bench/bench_problems_solve", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def machine_name():
    """Model of the processor and number of cores; no host name."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{model}, {os.cpu_count()} cores"


def carom_version():
    commit = subprocess.run(["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True, check=False)
    return commit.stdout.strip() or "unknown"


def find_engines(with_peers):
    """Engines that are there, with their versions; says which are not."""
    found = {engine: carom_version() for engine in engines.CAROM}
    if not with_peers:
        return found
    for engine in engines.ENGINES[len(engines.CAROM):]:
        package = PACKAGES[engine.split()[0]]
        try:
            found[engine] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            say(f"SKIPPED: {engine}, because the package {package} is not installed")
    return found


def run_scene(scene, found, options, folder):
    """The rows of one scene: engines in turn, three times where runs are short."""
    path = folder / f"{scene.name}.xml"
    path.write_text(scenes.get_text(scene), encoding="utf-8")
    budget, limit = (30, 900) if options.long else (6, 100 if scene.count < 400 else 240)
    runs = {engine: [] for engine in found if engines.supports(engine, scene)}
    for repeat in range(1 if options.quick else 3):
        for engine, done in runs.items():
            if repeat > 0 and (done[0]["took"] > LONG_RUN or "note" in done[0]):
                continue
            begin = time.monotonic()
            done.append(engines.run(engine, scene, path, budget, ROOT / options.steps, limit))
            done[-1]["took"] = time.monotonic() - begin
    common = {"date": datetime.date.today().isoformat(), "machine": machine_name(), "load": os.getloadavg()[0]}
    rows = []
    for engine, done in runs.items():
        rows += results.make_rows(common, scene, engine, found[engine], done)
    return rows


def print_scene(rows):
    for row in rows:
        if "us" in row:
            residual = ""
            if "residual" in row:
                residual = f", residual {row['residual']:.0e} (most {row['residual_most']:.0e})"
            cut = "" if row["complete"] else f", cut after {row['steps']} steps"
            say(f"  {row['engine']:17} {row['phase']}  {report.format_time(row['us']):>9}  "
                f"{row.get('contacts', 0)} contacts{residual}{cut}")
        else:
            say(f"  {row['engine']:17} {row['phase']}  no result: {row['note'] or 'not reached'}")


def run_all(options, found):
    level = 0 if options.quick else 3 if options.huge else 2 if options.long else 1
    wanted = scenes.select(scenes.list_scenes(), [name for name in options.scenes if name != "problems"], level)
    minutes = options.minutes or (90 if options.long else 10)
    begin, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        for scene in sorted(wanted, key=lambda scene: (scene.level, scene.count)):
            if time.monotonic() - begin > 60 * minutes:
                say(f"SKIPPED: {scene.name}, because {minutes:g} minutes are over (--minutes)")
                continue
            say(scene.name)
            rows += run_scene(scene, found, options, pathlib.Path(folder))
            print_scene(rows[-2 * len([e for e in found if engines.supports(e, scene)]):])
    order = {scene.name: k for k, scene in enumerate(scenes.list_scenes())}
    return sorted(rows, key=lambda row: order[row["scene"]])


def run_problems(options):
    """Rows of the solvers on the FCLIB files."""
    folder = (ROOT / options.problems).resolve()
    if options.quick or (options.scenes and "problems" not in options.scenes):
        return []
    files, large = problems.find_files(folder, options.long)
    if not files:
        say("SKIPPED: FCLIB problems, because there are none (--problems FOLDER)")
        return []
    for path in large:
        say(f"SKIPPED: {path.name}, which is large (--long)")
    rows = []
    for law in problems.LAWS:
        say(f"{len(files)} FCLIB problems, {law} friction")
        done, complete = problems.run(ROOT / options.solves, files, law, 3600 if options.long else 120)
        rows += done
        if not complete:
            last = done[-1]["file"] if done else files[0].name
            rows = [row for row in rows if row["friction"] != law or row["file"] != last]
            say(f"SKIPPED: {law} friction from {last} on, because the time is over (--long)")
    return rows


def plot(rows, solves, folder, prefix):
    try:
        import plots

        plots.plot_all(rows, folder, prefix)
        for law in problems.LAWS:
            problems.plot_profiles(solves, law, folder / f"{prefix}profile-{law}.svg")
    except ImportError:
        say("SKIPPED: plots, because the package matplotlib is not installed")


def add_published(rows, solves, folder):
    """The published rows with new ones in the place of those of the same scenes."""
    renewed = {row["scene"] for row in rows}
    if (folder / "steps.csv").exists():
        rows = [row for row in results.read_csv(folder / "steps.csv") if row["scene"] not in renewed] + rows
    if not solves and (folder / "problems.csv").exists():
        solves = problems.read_csv(folder / "problems.csv")
    order = {scene.name: k for k, scene in enumerate(scenes.list_scenes())}
    return sorted(rows, key=lambda row: order[row["scene"]]), solves


def write(rows, solves, folder, partial):
    """Whole runs renew the published table; others leave their results beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    prefix = "partial-" if partial else ""
    if rows:
        results.write_csv(folder / f"{prefix}steps.csv", rows)
        rows = results.read_csv(folder / f"{prefix}steps.csv")
    if solves:
        problems.write_csv(folder / f"{prefix}problems.csv", solves)
    plot(rows, solves, folder, prefix)
    if not partial:
        report.update_document(ROOT / "docs" / "benchmarks.md", rows, problems.summary_table(solves) if solves else [])
    say(f"results in {(folder / f'{prefix}steps.csv').relative_to(ROOT)}" + ("" if partial else ", docs/benchmarks.md"))


def main(arguments=None):
    options = parse(arguments)
    folder = ROOT / "bench" / "results"
    if options.report:
        solves = folder / "problems.csv"
        write(results.read_csv(folder / "steps.csv"), problems.read_csv(solves) if solves.exists() else [], folder,
              False)
        return
    say(f"{machine_name()}; load {os.getloadavg()[0]:.1f}")
    rows = [] if options.scenes == ["problems"] else run_all(options, find_engines(not options.no_peers))
    solves = run_problems(options)
    print("\n".join(report.verdict_lines(rows) + (problems.summary_table(solves) if solves else [])))
    if options.publish:
        rows, solves = add_published(rows, solves, folder)
    partial = options.quick or bool(options.scenes) or options.no_peers
    write(rows, solves, folder, partial and not options.publish)


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"bench: {error}")
