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
import models
import problems
import report
import results
import sap
import scaling
import scenes
import soft

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = {"mujoco": "mujoco", "drake": "drake"}
LONG_RUN = 4  # s of wall clock from which on a run is not repeated
SHORT_RUN = 2  # below which it is made five times, else three
TABLES = {"problems": problems.summary_table, "sap": sap.table, "threads": scaling.table,
          "soft": soft.table}  # beside the scenes


def say(text):
    print(text, flush=True)


def parse(arguments=None):
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Times Carom beside its peers.")
    parser.add_argument("--quick", action="store_true", help="small scenes only, once, in well under a minute")
    parser.add_argument("--long", action="store_true", help="all sizes, with more time for each run")
    parser.add_argument("--huge", action="store_true", help="a pile of 3000 too, of Carom alone")
    parser.add_argument("--scenes", nargs="+", default=[], metavar="NAME",
                        help="scenes or families: pile, humanoid22 ..., or problems, sap, threads, soft")
    parser.add_argument("--models", nargs="*", metavar="WORD",
                        help="model files beside MuJoCo, and nothing else: all, or those whose names hold a word")
    parser.add_argument("--no-peers", action="store_true", help="Carom alone")
    parser.add_argument("--publish", action="store_true",
                        help="selected scenes take the place of theirs in what is published")
    parser.add_argument("--minutes", type=float, default=0,
                        help="stop before the next scene after this time (20; --long: 40)")
    parser.add_argument("--report", action="store_true", help="write tables and plots anew from the last results")
    parser.add_argument("--problems", default="../shared/problems", metavar="FOLDER",
                        help="FCLIB files (../shared/problems)")
    parser.add_argument("--built", default="build/release/bench", help=argparse.SUPPRESS)
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


def find_version(engine, package):
    """Version of a package as the engine's interpreter has it, or None."""
    words = [engines.get_python(engine), "-c", f"import importlib.metadata as m; print(m.version('{package}'))"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def find_engines(with_peers):
    """Engines that are there, with their versions; says which are not."""
    found = {engine: carom_version() for engine in engines.CAROM}
    if not with_peers:
        return found
    for engine in engines.ENGINES[len(engines.CAROM):]:
        package = PACKAGES[engine.split()[0]]
        version = find_version(engine, package)
        if version:
            found[engine] = version
        else:
            say(f"SKIPPED: {engine}, because the package {package} is not installed")
    return found


def built(options, name):
    return ROOT / options.built / name


def get_limit(budget):
    """Wall clock for a run, s: two phases and what goes uncounted, on a machine with other work."""
    return 120 + 6 * budget


def count_repeats(took):
    """Runs of an engine whose first took so many seconds: the shorter, the more a busy moment would count."""
    return 1 if took > LONG_RUN else 3 if took > SHORT_RUN else 5


def run_scene(scene, found, options, folder):
    """The rows of one scene: engines in turn, three or five times where runs are short."""
    path = folder / f"{scene.name}.xml"
    path.write_text(scenes.get_text(scene), encoding="utf-8")
    runs = {engine: [] for engine in found if engines.supports(engine, scene)}
    for repeat in range(1 if options.quick else 5):
        for engine, done in runs.items():
            if repeat > 0 and (repeat >= count_repeats(done[0]["took"]) or "note" in done[0]):
                continue
            begin = time.monotonic()
            budget = engines.get_budget(engine, scene, options.long)
            done.append(engines.run(engine, scene, path, budget, built(options, "bench_peers_steps"),
                                    get_limit(budget)))
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
            if row["engine"] == report.CERTIFIED and "error_bound" in row:
                residual += f", bound {row['error_bound']:.0e} (most {row['error_bound_most']:.0e})"
            cut = "" if row["complete"] else f", cut after {row['steps']} steps"
            say(f"  {row['engine']:18} {row['phase']:5}  {report.format_time(row['us']):>9}  "
                f"{row.get('contacts', 0)} contacts{residual}{cut}")
        else:
            say(f"  {row['engine']:18} {row['phase']:5}  no result: {row['note'] or 'not reached'}")


def run_all(options, found):
    level = 0 if options.quick else 3 if options.huge else 2 if options.long else 1
    wanted = scenes.select(scenes.list_scenes(), [name for name in options.scenes if name not in TABLES], level)
    minutes = options.minutes or (40 if options.long else 20)
    begin, rows = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        for scene in sorted(wanted, key=lambda scene: (scene.level, scene.count)):
            if time.monotonic() - begin > 60 * minutes:
                say(f"SKIPPED: {scene.name}, because {minutes:g} minutes are over (--minutes)")
                continue
            say(scene.name)
            made = run_scene(scene, found, options, pathlib.Path(folder))
            print_scene(made)
            rows += made
    order = {scene.name: k for k, scene in enumerate(scenes.list_scenes())}
    return sorted(rows, key=lambda row: order[row["scene"]])


def is_wanted(options, name):
    """Whether one of TABLES is to be made."""
    return name in options.scenes if options.scenes else not options.quick


def run_law(options, words, files, name):
    """The rows of a benchmark on the files, of those that are complete."""
    say(f"{len(files)} FCLIB problems, {name}")
    rows, complete = problems.run(words, files, 600 if options.long else 120)
    if not rows:
        say(f"SKIPPED: {name}, because there is no result")
    if complete or not rows:
        return rows
    say(f"SKIPPED: {name} from {rows[-1]['file']} on, because the time is over (--long)")
    return problems.drop_last_file(rows)


def run_problems(options):
    """Rows of the solvers on the FCLIB files."""
    files, large = problems.find_files((ROOT / options.problems).resolve(), options.long)
    if not files:
        say("SKIPPED: FCLIB problems, because there are none (--problems FOLDER)")
        return []
    for path in large:
        say(f"SKIPPED: {path.name}, which is large (--long)")
    rows = []
    for law in problems.LAWS:
        rows += run_law(options, [built(options, "bench_problems_solve"), "0.05", law], files, f"{law} friction")
    siconos = built(options, "bench_peers_siconos")
    if options.no_peers:
        return rows
    if not siconos.exists():
        say("SKIPPED: Siconos, because it is not installed (Debian: apt-get install libsiconos-numerics-dev)")
        return rows
    return rows + run_law(options, [siconos, "0.05"], files, "Siconos")


def run_sap(options):
    files = sap.find_files((ROOT / options.problems).resolve())
    if not files:
        say("SKIPPED: solving alone, because there are no problems in the folder sap (--problems FOLDER)")
        return []
    say(f"{len(files)} problems of piles, solving alone")
    return sap.run(built(options, "bench_problems_sap"), files, 300)


def run_threads(options):
    if (os.cpu_count() or 1) < max(scaling.THREADS):
        say(f"SKIPPED: threads, because there is one core and not {max(scaling.THREADS)}")
        return []
    say("threads")
    with tempfile.TemporaryDirectory() as folder:
        return scaling.run(built(options, "bench_peers_steps"), pathlib.Path(folder), 60, get_limit(60))


def run_soft(options):
    versions = {"carom": carom_version()}
    if not options.no_peers:
        try:
            versions["drake"] = importlib.metadata.version("drake")
        except importlib.metadata.PackageNotFoundError:
            say("SKIPPED: Drake's deformable bodies, because the package drake is not installed")
    say("soft bodies")
    with tempfile.TemporaryDirectory() as folder:
        common = {"date": datetime.date.today().isoformat(), "machine": machine_name()}
        return soft.run(common, built(options, "bench_peers_soft"), versions, pathlib.Path(folder), 300)


def run_models(options, folder):
    """Model files beside MuJoCo, a table of their own."""
    rows = models.run(built(options, "bench_peers_model"), ROOT / "../shared/models", say, options.models,
                      1 if options.quick else models.REPEATS)
    print("\n".join(models.summary_lines(rows)))
    name = "partial-models.csv" if options.models or options.quick else "models.csv"
    problems.write_csv(folder / name, rows)
    say(f"results in {folder.relative_to(ROOT)}/{name}")


def run_extras(options):
    """Rows of what is beside the scenes, by the names of TABLES."""
    runs = {"problems": run_problems, "sap": run_sap, "threads": run_threads, "soft": run_soft}
    return {name: run(options) if is_wanted(options, name) else [] for name, run in runs.items()}


def make_tables(extras):
    return {name: TABLES[name](rows) for name, rows in extras.items() if rows}


def plot(rows, solves, folder, prefix):
    try:
        import plots

        plots.plot_all(rows, folder, prefix)
        for law in problems.LAWS:
            problems.plot_profiles(solves, law, folder / f"{prefix}profile-{law}.svg")
    except ImportError:
        say("SKIPPED: plots, because the package matplotlib is not installed")


def add_published(rows, extras, folder):
    """The published rows with new ones in the place of those of the same scenes."""
    renewed = {row["scene"] for row in rows}
    if (folder / "steps.csv").exists():
        rows = [row for row in results.read_csv(folder / "steps.csv") if row["scene"] not in renewed] + rows
    published = read_extras(folder)
    order = {scene.name: k for k, scene in enumerate(scenes.list_scenes())}
    return (sorted(rows, key=lambda row: order[row["scene"]]),
            {name: extras.get(name) or published[name] for name in TABLES})


def read_extras(folder):
    paths = {name: folder / f"{name}.csv" for name in TABLES}
    return {name: problems.read_csv(path) if path.exists() else [] for name, path in paths.items()}


def write(rows, extras, folder, partial):
    """Whole runs renew the published table; others leave their results beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    prefix = "partial-" if partial else ""
    if rows:
        results.write_csv(folder / f"{prefix}steps.csv", rows)
        rows = results.read_csv(folder / f"{prefix}steps.csv")
    for name, found in extras.items():
        if found:
            problems.write_csv(folder / f"{prefix}{name}.csv", found)
    plot(rows, extras.get("problems", []), folder, prefix)
    if not partial:
        report.write_documents(ROOT / "docs" / "benchmarks.md", folder / "tables.md", rows, make_tables(extras))
    say(f"results in {folder.relative_to(ROOT)}/{prefix}*.csv" + ("" if partial else ", tables.md, docs/benchmarks.md"))


def main(arguments=None):
    options = parse(arguments)
    folder = ROOT / "bench" / "results"
    if options.report:
        write(results.read_csv(folder / "steps.csv"), read_extras(folder), folder, False)
        return
    say(f"{machine_name()}; load {os.getloadavg()[0]:.1f}")
    if options.models is not None:
        run_models(options, folder)
        return
    only_extras = options.scenes and set(options.scenes) <= set(TABLES)
    rows = [] if only_extras else run_all(options, find_engines(not options.no_peers))
    extras = run_extras(options)
    print("\n".join([*report.verdict_lines(rows), *report.extra_sections(make_tables(extras))]))
    if options.publish:
        rows, extras = add_published(rows, extras, folder)
    partial = options.quick or bool(options.scenes) or options.no_peers
    write(rows, extras, folder, partial and not options.publish)


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(f"bench: {error}")
