"""Tests of the pure parts of bench/peers: scenes, results, tables, plots and the residual. Nothing is timed.
Run: python3 -m unittest discover test/tools"""
import csv
import importlib.util
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "peers"))

import bench  # noqa: E402
import engines  # noqa: E402
import models  # noqa: E402
import problems  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import sap  # noqa: E402
import scaling  # noqa: E402
import scenes  # noqa: E402
import soft  # noqa: E402


def has(package):
    return importlib.util.find_spec(package) is not None


class Scenes(unittest.TestCase):
    def test_piles_are_apart_and_inside(self):
        for count in (10, 40, 200):
            bodies, (width, height) = scenes.make_pile(count, ("sphere", "box"))
            self.assertEqual(len(bodies), count)
            for i, body in enumerate(bodies):
                x, y, z = body.position
                self.assertLess(max(abs(x), abs(y)) + scenes.HALF, width)
                self.assertTrue(scenes.HALF < z < height)
                for other in bodies[:i]:
                    gap = sum((a - b) ** 2 for a, b in zip(body.position, other.position)) ** 0.5
                    self.assertGreater(gap, 2 * scenes.HALF)
            self.assertEqual({body.shape for body in bodies}, {"sphere", "box"})

    def test_piles_are_the_same_every_time(self):
        self.assertEqual(scenes.make_pile(40, ("sphere",)), scenes.make_pile(40, ("sphere",)))

    def test_texts_hold_all_bodies(self):
        for scene in scenes.list_scenes():
            if scene.count > 400:
                continue
            root = ElementTree.fromstring(scenes.get_text(scene))
            bodies = len(root.find("worldbody").findall("body"))
            self.assertEqual(bodies, 2 if scene.family == "arm" else scene.count, scene.name)

    def test_copies_have_names_of_their_own(self):
        root = ElementTree.fromstring(scenes.replicate(scenes.humanoid_text(), 5))
        for tag in ("body", "joint", "geom"):
            names = [item.get("name") for item in root.find("worldbody").iter(tag) if item.get("name")]
            self.assertEqual(len(names), len(set(names)), tag)
        self.assertIsNone(root.find("actuator"))
        places = {body.get("pos") for body in root.find("worldbody").findall("body")}
        self.assertEqual(len(places), 5)

    def test_selection(self):
        every = scenes.list_scenes()
        self.assertEqual([s.name for s in scenes.select(every, ["stack10", "arm"], 0)], ["stack10", "arm"])
        self.assertTrue(all(s.level <= 1 for s in scenes.select(every, ["pile"], 0)))
        self.assertTrue(all(s.level == 0 for s in scenes.select(every, [], 0)))
        default = {s.name for s in scenes.select(every, [], 1)}
        self.assertIn("pile1000", default)
        self.assertFalse({"spheres1000", "pile3000"} & default)
        with self.assertRaisesRegex(ValueError, "no scene or family nothing"):
            scenes.select(every, ["nothing"], 0)


class Engines(unittest.TestCase):
    def who(self, name):
        scene = next(scene for scene in scenes.list_scenes() if scene.name == name)
        return {engine for engine in engines.ENGINES if engines.supports(engine, scene)}

    def test_what_is_out_of_reach_is_left_out(self):
        older = {"mujoco 3.12 newton", "mujoco 3.12 cg"}
        euler = {"carom euler", "carom coulomb euler"}
        ours = {"carom", "carom compliant", "carom coulomb compliant"}
        self.assertEqual(self.who("spheres100"), set(engines.ENGINES) - older - euler)
        self.assertEqual(self.who("pile100"), set(engines.ENGINES) - {"drake sap"} - euler)
        self.assertEqual(self.who("arm"), set(engines.ENGINES) - older - {"drake sap", "carom coulomb compliant"})
        self.assertEqual(self.who("pile400"), {*ours, *engines.MUJOCO})
        self.assertEqual(self.who("pile1000"), {*ours, "mujoco cg", "mujoco 3.12 cg"})
        self.assertEqual(self.who("pile3000"), {"carom compliant"})

    def test_time_grows_with_the_scene_but_for_what_would_be_cut(self):
        small, large = (next(s for s in scenes.list_scenes() if s.name == name) for name in ("pile10", "pile1000"))
        for engine, seconds in (("carom compliant", 105), ("mujoco cg", 105), ("carom", 60), ("mujoco newton", 15)):
            self.assertAlmostEqual(engines.get_budget(engine, large, False), seconds)
            self.assertAlmostEqual(engines.get_budget(engine, large, True), 3 * seconds)
            self.assertLess(engines.get_budget(engine, small, False), 16)

    def test_each_release_has_its_interpreter(self):
        self.assertEqual(engines.get_python("mujoco cg"), sys.executable)
        self.assertEqual(engines.get_python("mujoco 3.12 cg"), str(engines.OLDER_PYTHON))
        self.assertNotEqual(engines.OLDER_PYTHON, pathlib.Path(sys.executable))

    def test_tolerances_are_tenths_until_the_residual_is_low(self):
        tried = []

        def get_worst(tolerance):
            tried.append(tolerance)
            return tolerance * 500

        self.assertAlmostEqual(engines.seek_tolerance(get_worst, 1e-8, 1e-6), 1e-9)
        self.assertEqual(len(tried), 2)
        self.assertIsNone(engines.seek_tolerance(lambda _: 1e-3, 1e-8, 1e-6))

    def test_residuals_are_sampled_over_a_phase(self):
        steps, residuals = [], iter((3e-7, 1e-7, 9e-7, 2e-7, 4e-7))
        found = engines.measure_with_residuals(12, 5, steps.append, lambda: next(residuals))
        self.assertEqual((found["steps"], sum(steps), found["complete"]), (12, 12, True))
        self.assertEqual((found["residual"], found["residual_most"]), (3e-7, 9e-7))

    def test_memory_is_read(self):
        now, most = engines.read_memory("VmRSS"), engines.read_memory("VmHWM")
        self.assertTrue(1 < now < most + 8 < 1e6 or not pathlib.Path("/proc/self/status").exists(), (now, most))
        self.assertEqual(engines.read_memory("Nothing"), 0)


def make_rows():
    """Two sizes of piles: the peer takes 2 and 8 times as long at rest, and does not complete the larger fall."""
    common = {"date": "2000-01-01", "machine": "a machine, 1 cores", "load": 0.5}
    rows = []
    for count, factor in ((40, 2), (80, 8)):
        bodies, size = scenes.make_pile(count, ("sphere",))
        scene = scenes.Scene(f"pile{count}", "pile", count, 0.005, 1, 1, bodies, size)
        for engine, us in (("carom", 10.0 * count), ("mujoco cg", 10.0 * count * factor)):
            done = {"us": us, "memory": 0.25 * us, "us_most": 2 * us, "steps": 200, "complete": True, "contacts": 3}
            fall = dict(done, complete=engine == "carom" or count == 40)
            slow = {"fall": dict(fall, us=3 * us), "rest": dict(done, us=2 * us)}
            rest = dict(done, residual=1e-7, residual_most=1e-3)
            rows += results.make_rows(common, scene, engine, "1.0", [slow, {"fall": fall, "rest": rest}])
    return rows


class Results(unittest.TestCase):
    def test_least_of_the_runs_counts(self):
        row = results.find(make_rows(), "pile40", "carom", "rest")
        self.assertEqual(len(make_rows()), 8)  # no third phase where a run has none
        self.assertEqual((row["us"], row["repeats"], row["residual"]), (400.0, 2, 1e-7))

    def test_csv_returns_what_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "steps.csv"
            results.write_csv(path, make_rows())
            back = results.read_csv(path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(tuple(next(csv.reader(file))), results.FIELDS)
        for old, new in zip(make_rows(), back):
            for key, value in new.items():
                self.assertEqual(old[key], value, key)

    def test_slopes_and_ratios(self):
        rows = make_rows()
        self.assertAlmostEqual(results.fit_slope(*results.series(rows, "pile", "carom", "rest")), 1)
        self.assertAlmostEqual(results.fit_slope(*results.series(rows, "pile", "mujoco cg", "rest")), 3)
        self.assertIsNone(results.fit_slope([10], [1.0]))
        self.assertAlmostEqual(results.ratio(rows, "pile80", "mujoco cg", "rest"), 8)
        self.assertIsNone(results.ratio(rows, "pile80", "mujoco cg", "fall"))

    def test_new_rows_take_the_place_of_published_ones(self):
        rows = [dict(row, scene=f"pile{100 * row['count'] // 40}") for row in make_rows()]  # names that exist
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            results.write_csv(folder / "steps.csv", rows)
            new = [dict(row, us=1.0) for row in rows if row["scene"] == "pile100"]
            problems.write_csv(folder / "problems.csv", make_solves())
            threads = [{"scene": "pile400", "threads": "1"}]
            joined, extras = bench.add_published(new, {"problems": [], "threads": threads}, folder)
        self.assertEqual([row["scene"] for row in joined], 4 * ["pile100"] + 4 * ["pile200"])
        self.assertTrue(all((row["us"] == 1.0) == (row["scene"] == "pile100") for row in joined))
        self.assertEqual(extras, {"problems": make_solves(), "sap": [], "threads": threads, "soft": []})

    def test_a_run_without_result_leaves_its_note(self):
        scene = scenes.list_scenes()[0]
        rows = results.make_rows({}, scene, "carom", "1.0", [{"note": "not done in 5 s"}])
        self.assertEqual([row["note"] for row in rows], 2 * ["not done in 5 s"])
        self.assertIsNone(results.find(rows, scene.name, "carom", "rest"))


class Report(unittest.TestCase):
    def test_tables_and_verdicts(self):
        text = report.make_report(make_rows())
        self.assertIn("| pile40 | 400 µs | 800 µs |", text)
        self.assertIn("| pile80 | 800 µs | out of time |", text)
        self.assertIn("At rest, carom beside mujoco cg: **faster** on pile40 (2.0×), pile80 (8.0×).", text)
        self.assertIn("| pile40 | 3: 1e-07 (1e-03) | 3: 1e-07 (1e-03) |", text)
        self.assertIn("pile80, mujoco cg: falling and settling cut after 200 steps", text)

    def test_a_rest_that_another_solver_brought_about_is_marked(self):
        text = report.make_report(make_rows())
        self.assertIn("| pile80 | 800 µs | 6.4 ms † |", text)
        self.assertIn("† The fall was out of time", text)
        rows = [row for row in make_rows() if row["scene"] == "pile40"]
        self.assertNotIn("†", report.make_report(rows))

    def test_compliant_contact_stands_beside_peers_first(self):
        rows = make_rows()
        for row in [row for row in rows if row["engine"] == "carom"]:
            rows.append(dict(row, engine="carom compliant", us=row["us"] / 2, error_bound=3e-7, error_bound_most=9e-7))
        lines = report.verdict_lines(rows)
        self.assertIn("At rest, carom compliant beside mujoco cg: **faster** on pile40 (4.0×)", "".join(lines[:2]))
        self.assertTrue(all("carom beside" in line for line in lines[2:]) and len(lines) == 4)
        self.assertIn("| 3: 1e-07 (1e-03); bound 3e-07 (9e-07) |", "".join(report.residual_table(rows)))
        self.assertNotIn("bound", "".join(report.residual_table(make_rows())))

    def test_peers_stand_beside_ours_at_its_residual(self):
        rows = [dict(row, engine=report.CERTIFIED if row["engine"] == "carom" else row["engine"]) for row in make_rows()]
        self.assertEqual(report.to_residual_table(rows, "equal"), [])
        self.assertNotIn("to the same residual", report.make_report(rows))
        equal = next(dict(row, phase="equal", us=4000.0, residual=2e-7, residual_most=9e-7, note="tolerance 1e-13")
                     for row in rows if (row["scene"], row["engine"], row["phase"]) == ("pile80", "mujoco cg", "rest"))
        text = report.make_report([*rows, equal])
        self.assertIn("| pile80 | 800 µs: 1e-07 (1e-03) | 4 ms, **5.0×**: 2e-07 (9e-07), tolerance 1e-13 |", text)
        self.assertNotIn("mujoco cg: tolerance", text)
        near = dict(equal, phase="near", us=2400.0, residual=2e-5, residual_most=9e-5, note="tolerance 1e-10")
        text = report.make_report([*rows, equal, near])
        self.assertIn("| pile80 | 800 µs: 1e-07 (1e-03) | 2.4 ms, **3.0×**: 2e-05 (9e-05), tolerance 1e-10 |", text)

    def test_memory_of_large_piles(self):
        rows = [dict(row, count=1000) if row["scene"] == "pile80" else row for row in make_rows()]
        self.assertEqual(report.memory_table(rows)[2:], ["| pile80 | 200 MiB | 1600 MiB |"])
        self.assertEqual(report.memory_table(make_rows()), [])

    def test_prose_is_wrapped_and_tables_are_not(self):
        sentence, row = "word " * 40, "| " + "cell " * 40 + "|"
        lines = report.wrap(["- " + sentence.strip(), "", row]).split("\n")
        self.assertTrue(all(len(line) <= 100 for line in lines[:-2]) and lines[1].startswith("  word"))
        self.assertEqual(lines[-2:], ["", row])

    def test_the_page_shows_the_main_engines(self):
        older = [dict(row, engine="mujoco 3.12 cg") for row in make_rows() if row["engine"] == "mujoco cg"]
        text = report.make_summary([*make_rows(), *older])
        self.assertEqual(text.count("| scene | carom | mujoco cg |"), 2)
        self.assertIn("| pile80 | 800 µs | 6.4 ms † |", text)

    def test_both_documents_are_written(self):
        with tempfile.TemporaryDirectory() as name:
            page, tables = pathlib.Path(name) / "page.md", pathlib.Path(name) / "tables.md"
            page.write_text(f"before\n{report.BEGIN}\n{report.END}\n", encoding="utf-8")
            report.write_documents(page, tables, make_rows(), {"sap": ["| a |"]})
            self.assertIn("| pile40 | 400 µs | 800 µs |", page.read_text(encoding="utf-8"))
            self.assertIn("### Solving alone", tables.read_text(encoding="utf-8"))
            self.assertIn("pile80, mujoco cg: falling and settling cut after 200", tables.read_text(encoding="utf-8"))

    def test_further_tables_follow(self):
        text = report.make_report(make_rows(), {"sap": ["| a |"], "threads": []})
        self.assertIn("### Solving alone", text)
        self.assertIn("| a |", text)
        self.assertNotIn("### Threads", text)

    def test_engines_stand_in_their_own_order(self):
        rows = list(reversed(make_rows()))
        self.assertEqual(report.time_table(rows, "rest")[0], "| scene | carom | mujoco cg |")

    def test_times_have_units(self):
        self.assertEqual([report.format_time(us) for us in (1.234, 1234, 3.84e6)], ["1.23 µs", "1.23 ms", "3.84 s"])

    def test_only_what_is_between_the_marks_changes(self):
        document = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
        once = report.insert(document, "new")
        self.assertTrue(once.startswith("before\n") and once.endswith("\nafter\n"))
        self.assertNotIn("old", once)
        self.assertEqual(report.insert(once, "new"), once)
        self.assertIn(report.BEGIN, (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"))


def make_solves():
    """Two problems; the first solver takes half the time of the second, which solves one of them only."""
    rows = []
    for file in ("a.hdf5", "b.hdf5"):
        for solver, us in (("newton", 10), ("pgs", 20)):
            status = "stalled" if (file, solver) == ("b.hdf5", "pgs") else "certified"
            rows.append({"file": file, "rows": "3", "friction": "convex", "tolerance": "0.0001", "solver": solver,
                         "status": status, "us": str(us), "iterations": "1", "residual": "1e-5"})
    return rows


class Problems(unittest.TestCase):
    def test_ratios_and_table(self):
        ratios, count = problems.performance_ratios(make_solves())
        self.assertEqual((ratios, count), ({"newton": [1.0, 1.0], "pgs": [2.0]}, 2))
        self.assertEqual(problems.summary_table(make_solves())[2:], ["| convex, 1e-4 | 2 | 2 (2) | 1 (1) |"])
        self.assertEqual(problems.choose(make_solves(), "coulomb", "1e-4"), [])

    def test_a_solver_without_a_law_leaves_its_cells_empty(self):
        rows = make_solves() + [dict(row, friction="coulomb", solver="siconos nsgs") for row in make_solves()[:1]]
        self.assertEqual(problems.summary_table(rows)[2:], ["| convex, 1e-4 | 2 | 2 (2) | 1 (1) |  |",
                                                            "| coulomb, 1e-4 | 1 |  |  | 1 (1) |"])

    def test_what_libraries_print_is_no_row(self):
        text = "hello\nfile,solver,us\na,newton,1\nLU failed\nb,newton,2\n"
        rows = problems.parse_csv(text)
        self.assertEqual([row["file"] for row in rows], ["a", "b"])
        self.assertEqual(problems.drop_last_file(rows), rows[:1])
        self.assertEqual(problems.parse_csv(""), [])

    def test_references_and_large_files_are_left_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, size in (("a.hdf5", 1), ("a.ref.h5", 1), ("b.ref.hdf5", 1), ("c.hdf5", problems.LARGE + 1)):
                (folder / file).write_bytes(bytes(size))
            files, large = problems.find_files(folder, False)
            self.assertEqual(([path.name for path in large]), ["c.hdf5"])
            everything = problems.find_files(folder, True)[0]
            self.assertEqual([path.name for path in everything], ["a.hdf5", "b.ref.hdf5", "c.hdf5"])
            self.assertEqual([path.name for path in files], ["a.hdf5", "b.ref.hdf5"])


class SolvingAlone(unittest.TestCase):
    def test_files_in_order(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "sap").mkdir()
            for file in ("pile_N100_soft_impact", "pile_N10_soft_settled", "pile_N40_nr1_impact", "chain_K1_b0"):
                (folder / "sap" / f"{file}.txt").write_bytes(b"")
            self.assertEqual([path.stem for path in sap.find_files(folder)],
                             ["pile_N40_nr1_impact", "pile_N100_soft_impact", "pile_N10_soft_settled"])
        self.assertIsNone(sap.parse_name("pile_N40_nr1_impact.sol"))

    def test_published_figures_stand_beside_soft_contact(self):
        row = {"file": "pile_N400_nr1_impact.txt", "contacts": "787", "start": "v*", "status": "certified",
               "us": "7071.6", "us_measured": "7500", "iterations": "8"}
        stalled = dict(row, start="v0", status="stalled")
        alone = sap.table([row, stalled])
        self.assertEqual(alone[2], "| 400, impact | nr1 | 787 | 7.07 ms (8) | stalled | stalled | 457 ms | 239 ms |")
        warm = sap.table([dict(row, start="v0")])
        self.assertEqual(warm[2], "| 400, impact | nr1 | 787 |  | 7.07 ms (8) | 7.5 ms (8) | 457 ms | 239 ms |")
        both = sap.table([row, stalled, dict(row, file="pile_N400_soft_impact.txt")])
        self.assertIn("| stalled |  |  |", both[2])
        self.assertIn("| 457 ms | 239 ms |", both[3])


class Scaling(unittest.TestCase):
    def test_table(self):
        rows = [{"scene": "pile400", "threads": str(threads), "phase": "rest", "us": us, "complete": "True"}
                for threads, us in ((1, "3000"), (2, "2000.0"))]
        self.assertEqual(scaling.table(rows)[2:], ["| pile400 | at rest | 3 ms | 2 ms | 1.50× |"])
        self.assertEqual(scaling.table(rows[:1])[2:], ["| pile400 | at rest | 3 ms |  |  |"])

    def test_scenes_exist(self):
        self.assertLessEqual(set(scaling.SCENES), {scene.name for scene in scenes.list_scenes()})


def volume(nodes, element):
    o, *others = (nodes[k] for k in element)
    (a, b, c), (d, e, f), (g, h, i) = [[x - y for x, y in zip(node, o)] for node in others]
    return (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)) / 6


class SoftBodies(unittest.TestCase):
    def test_meshes_fill_their_boxes(self):
        for case in soft.list_cases():
            nodes, elements = soft.make_mesh(case)
            volumes = [volume(nodes, element) for element in elements]
            whole = case.edge ** 3 * case.cells[0] * case.cells[1] * case.cells[2]
            self.assertGreater(min(volumes), 0, case.name)
            self.assertAlmostEqual(sum(volumes) / whole, 1, 12)
            self.assertEqual((len(elements), len(nodes) - 1), (case.tetrahedra, case.watched))
            self.assertEqual(nodes[-1], max(nodes))
            ElementTree.fromstring(soft.get_scene(case, "body.vtk").replace("carom:", ""))

    def test_rows_and_table(self):
        case = soft.bar(2, "corotated", 1e6, 0.02, 2)
        runs = [{"us": [9e9] * soft.WARM_UP + [us] * 3, "z": [0.05, 0.06, 0.08]} for us in (300.0, 200.0)]
        common = {"date": "2026-01-01", "machine": "one"}
        rows = [dict(common, **soft.make_row(case, "carom", "1", runs)),
                dict(common, **dict(soft.make_row(case, "drake", "2", runs), us="500"))]
        self.assertEqual(soft.table(rows)[-1],
                         "| bar 8×2×2 | corotated | 192 | 200 µs | 500 µs | 2.5× | 20.00 | 20.00 | 50.00 | 50.00 |")
        self.assertIn("carom 1, drake 2", soft.table(rows)[0])
        self.assertIn("| 200 µs |  |  | 20.00 |  | 50.00 |  |", soft.table(rows[:1])[-1])


@unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
class Plots(unittest.TestCase):
    def test_plots_are_written(self):
        import plots

        with tempfile.TemporaryDirectory() as folder:
            paths = plots.plot_all(make_rows(), pathlib.Path(folder))
            self.assertEqual([path.name for path in paths], ["pile-fall.svg", "pile-rest.svg"])
            self.assertTrue(all(ElementTree.parse(path) for path in paths))
            profile = pathlib.Path(folder) / "profile.svg"
            self.assertTrue(problems.plot_profiles(make_solves(), "convex", profile))
            self.assertFalse(problems.plot_profiles(make_solves(), "coulomb", profile))
            self.assertIn("svg", ElementTree.parse(profile).getroot().tag)


@unittest.skipUnless(has("numpy"), "numpy is not installed")
class Residual(unittest.TestCase):
    def setUp(self):
        import numpy

        import residual

        self.np, self.residual = numpy, residual

    def test_projection_on_a_cone(self):
        project = self.residual.project_cone
        array = self.np.array
        for given, wanted in (((1, 0.3, 0.4), (1, 0.3, 0.4)), ((-1, 0.3, 0.4), (0, 0, 0)), ((0, 3, 4), (2, 0.6, 0.8))):
            mu = 0.5
            out = project(array(given, float), mu)
            self.assertLessEqual(self.np.hypot(*out[1:]), mu * out[0] + 1e-15)
            # What was taken away is normal to what is left, and inside the polar cone.
            self.assertAlmostEqual(float(out @ (array(given) - out)), 0)
            self.assertTrue(self.np.allclose(out, wanted))

    def test_a_solved_problem_has_none(self):
        """A weight on the ground: W = 1, s = f - 1; and one pushed sideways beyond its friction."""
        np, residual = self.np, self.residual
        kind = np.full(3, residual.CONE)
        group, island, bound = np.zeros(3, int), np.zeros(3, int), np.array([0, 0.5, 0.5])
        rho = residual.group_rho(np.ones(3), group)
        for f, r in (((1, 0, 0), 0), ((0, 0, 0), 1), ((0.5, 0, 0), 0.5)):
            f, free = np.array(f, float), np.array([-1.0, 0, 0])
            self.assertAlmostEqual(residual.natural_residual(f, f + free, free, rho, kind, group, bound, island), r)

    def test_the_worst_island_counts(self):
        np, residual = self.np, self.residual
        kind, each = np.full(2, residual.PUSH), np.arange(2)
        f, free, ones = np.array([1, 0.5]), np.array([-1.0, -1]), np.ones(2)
        self.assertAlmostEqual(residual.natural_residual(f, f + free, free, ones, kind, each, ones, each), 0.5)



class Models(unittest.TestCase):
    OURS = {"dofs": 30, "dt": 0.002, "steps": 1000, "complete": True, "failed": False, "us": 8.0, "us_median": 7.0,
            "us_p90": 10.0, "us_most": 20.0, "contacts": 1.5, "loose": 3, "repeated": 1}
    THEIRS = {"dofs": 30, "dt": 0.002, "steps": 1000, "complete": True, "failed": False, "us": 4.0, "us_median": 4.0,
              "us_p90": 5.0, "us_most": 6.0, "contacts": 2.0, "rk4": 0}

    def test_ratio(self):
        row = models.make_row("a", self.OURS, self.THEIRS)
        self.assertEqual((row["ratio"], row["loose"], row["failed"]), (2, 3, 0))
        self.assertNotIn("ratio", models.make_row("a", {**self.OURS, "failed": True}, self.THEIRS))
        self.assertNotIn("ratio", models.make_row("a", self.OURS, {**self.THEIRS, "failed": True}))
        self.assertIn("crashed", models.make_row("a", {"note": "crashed, signal 11"}, self.THEIRS)["note"])

    def test_shorter_of_repeats(self):
        best = None
        for us in (5, 3, 4):
            best = models.shorter(best, {"us": us})
        self.assertEqual(best, {"us": 3})

    def test_summary(self):
        rows = [models.make_row(str(k), {**self.OURS, "us": us, "dofs": dofs}, self.THEIRS)
                for k, (us, dofs) in enumerate(((2, 5), (4, 6), (40, 20)))]
        rows.append(models.make_row("x", {"note": "refused"}, self.THEIRS))
        lines = models.summary_lines(rows)
        self.assertIn("all models: 3, time over MuJoCo's: median 1.00", lines[0])
        self.assertIn("20 dofs and more: 1, time over MuJoCo's: median 10.00", lines[1])
        self.assertTrue(any(line.startswith("above 3: 1; 2 10.0") for line in lines))
        self.assertIn("9 of 3000 steps above the tolerance in 3 models, 0 models stop", lines[-1])
        self.assertIn("1 that MuJoCo reads are refused", lines[-1])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.xml"
            path.write_text("<mujoco><worldbody><body/></worldbody></mujoco>", encoding="utf-8")
            self.assertTrue(models.is_model(path))
            path.write_text("<mujocoinclude><body/></mujocoinclude>", encoding="utf-8")
            self.assertFalse(models.is_model(path))

    def test_rows_of_different_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.csv"
            problems.write_csv(path, [{"a": 1}, {"a": 2, "b": 3}])
            self.assertEqual(problems.read_csv(path), [{"a": "1", "b": ""}, {"a": "2", "b": "3"}])


if __name__ == "__main__":
    unittest.main()
