"""What a second thread gains: wall clock a step of Carom on scenes of many islands and of one. Pure but for what runs
the built benchmark."""

import json
import subprocess

import report
import results
import scenes

SCENES = ("humanoid100", "pile400", "pile1000")
THREADS = (1, 2)


def run_one(bench, scene, path, threads, budget, limit):
    """Rows of both phases, or none where the run failed."""
    words = [bench, path, scene.dt, scene.fall, scene.rest, budget, "compliant", -1, threads]
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=limit, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return []
    phases = json.loads(done.stdout)
    return [{"scene": scene.name, "threads": threads, "phase": phase, "us": phases[phase]["wall_us"],
             "complete": phases[phase]["complete"]} for phase in results.PHASES]


def run(bench, folder, budget, limit):
    """Each scene with one thread and with two, in turn, twice; the least counts."""
    rows = {}
    for scene in scenes.list_scenes():
        if scene.name not in SCENES:
            continue
        path = folder / f"{scene.name}.xml"
        path.write_text(scenes.get_text(scene), encoding="utf-8")
        for _ in range(2):
            for threads in THREADS:
                for row in run_one(bench, scene, path, threads, budget, limit):
                    key = row["scene"], row["threads"], row["phase"]
                    if key not in rows or row["us"] < rows[key]["us"]:
                        rows[key] = row
    return [{key: str(value) for key, value in row.items()} for row in rows.values()]


def table(rows):
    """Wall clock a step by number of threads, and the gain of the last over the first."""
    lines = []
    for scene, phase in dict.fromkeys((row["scene"], row["phase"]) for row in rows):
        times = {int(row["threads"]): float(row["us"]) for row in rows
                 if (row["scene"], row["phase"]) == (scene, phase)}
        cells = [report.format_time(times[count]) if count in times else "" for count in THREADS]
        gain = f"{times[THREADS[0]] / times[THREADS[-1]]:.2f}×" if len(times) == len(THREADS) else ""
        lines.append([scene, report.TITLES[phase].lower(), *cells, gain])
    names = [f"{count} thread" + "s" * (count > 1) for count in THREADS]
    return report.format_table(["scene", "phase", *names, "gain"], lines)
