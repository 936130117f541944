"""carom report: the page is whole, says what the run said, and warns of what went wrong."""
import html.parser
import re
from xml.etree import ElementTree

import support

VOID = {"meta"}
SVG = "{http://www.w3.org/2000/svg}"


class Page(html.parser.HTMLParser):
    """Rows of the tables, items of the lists by section; fails where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.items, self.ids, self.section, self.text = [], {}, {}, [], None, {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert not any(name.startswith("on") or name == "src" for name in attrs), attrs
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "h2":
            self.section = attrs["id"]
        if tag == "th":
            assert attrs["scope"] in ("row", "col")
        if tag in ("th", "td", "li", "h1", "pre", "p"):
            self.text[tag] = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag
        if tag == "td":
            self.rows[self.text["th"]] = self.text["td"]
        if tag == "li":
            self.items.setdefault(self.section, []).append(self.text["li"])

    def handle_data(self, data):
        for tag in self.open:
            if tag in self.text:
                self.text[tag] += data


class Report(support.Case):
    def page(self, name="out.report.html"):
        self.html = (self.folder / name).read_text(encoding="utf-8")
        page = Page(self.html)
        self.assertEqual(len(page.ids), len(set(page.ids)))
        return page

    def report(self, scene, *options, code=0):
        """The summary that a run prints, and the page of its recording."""
        self.write("scene.xml", scene)
        run = self.carom("run", "scene.xml", "-o", "out.h5", "--json", *options, code=code)
        self.carom("report", "out.h5", "--quiet")
        return run.json, self.page()

    def numbers(self, text):
        return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", text)]

    def test_says_what_the_run_said(self):
        run, page = self.report(support.SCENE, "--duration", "1", "--keyframe", "up")
        rows, energy = page.rows, run["energy"]
        self.assertEqual(rows["Ended"], "completed")
        self.assertEqual(rows["Steps"], f"{run['steps']} of 5 ms, in {run['steps'] + 1} frames")
        self.assertEqual(rows["Failed steps"], "none")
        for row, key in (("Newton iterations", "iterations"), ("Outer iterations", "outer_iterations")):
            self.assertNear(self.numbers(rows[row]), [run[key]["mean"], run[key]["max"]], 0.01)
        self.assertEqual(self.numbers(rows["Contacts"])[1], run["contacts"]["max"])
        self.assertAlmostEqual(self.numbers(rows["Residual"])[0], run["residual"],
                               delta=0.05 * run["residual"])  # two digits
        self.assertEqual(self.numbers(rows["Above the tolerance"])[0], run["steps_above_tolerance"])
        self.assertAlmostEqual(self.numbers(rows["Slip in stick"])[0], run["stick_slip"], delta=0.1 * run["stick_slip"])
        for row, when in (("Energy at start", "start"), ("Energy at end", "end")):
            parts = [energy[when][part] for part in ("kinetic", "potential", "elastic")]
            self.assertNear(self.numbers(rows[row]), [sum(parts)] + parts, 1e-4)
        self.assertNear(self.numbers(rows["Dissipated"]), [energy["dissipated"]], 1e-4)
        self.assertIn("Work of actuators", rows)
        wall, factor = self.numbers(rows["Wall time"])[:2]
        self.assertLessEqual(wall, run["wall_time"] * 1.01)
        self.assertAlmostEqual(wall * factor, 1, delta=0.01)
        self.assertIn("carom run scene.xml -o out.h5 --json --duration 1 --keyframe up", rows["Made by"])
        self.assertEqual(page.text["pre"], support.SCENE)
        self.assertEqual(page.text["h1"], "small")

    def test_what_contacts_leave_open(self):
        """Who shares a force, from the recording, and what areas may be off by, as the run says them."""
        legs = "".join(f"<geom type='box' size='.1 .1 .1' pos='{x} {y} 0'/>" for x in (-1, 1) for y in (-1, 1))
        scene = f"""<mujoco><default><geom condim='1'/></default><worldbody><geom type='plane' size='9 9 1'/>
            <body pos='0 0 .1'><freejoint/>{legs}</body></worldbody></mujoco>"""
        run, page = self.report(scene, "--duration", "0.02", "--forces", "least")
        sharing = self.numbers(page.rows["Undetermined forces"])
        self.assertEqual(sharing, [max(entry["force"] for entry in run["shared_forces"]), run["undetermined"]])
        self.assertEqual(run["undetermined"], run["contacts"]["max"])
        self.assertGreater(run["patch_error"], 0)
        self.assertNear(self.numbers(page.rows["Moment of areas"]), [run["patch_error"]], 0.01)
        _, page = self.report(scene, "--duration", "0.02", "--patches", "corners")
        self.assertNotIn("Undetermined forces", page.rows)
        self.assertNotIn("Moment of areas", page.rows)

    def test_figures(self):
        self.report(support.SCENE, "--duration", "0.2")
        figures = re.findall(r"<svg.*?</svg>", self.html, re.DOTALL)
        self.assertEqual(len(figures), 5)
        for text in figures:
            root = ElementTree.fromstring(text)
            title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
            self.assertEqual(root.get("aria-labelledby"), title.get("id"))
            self.assertEqual(root.get("aria-describedby"), description.get("id"))
            self.assertIn("Over time from 0 s to 0.2 s.", description.text)
            self.assertGreater(len(root.findall(f".//{SVG}path/{SVG}title")), 0)

    def test_nothing_comes_from_elsewhere(self):
        self.report(support.SCENE, "--duration", "0.1")
        self.assertIn("default-src 'none'", self.html)
        self.assertIsNone(re.search(r"""(src|href)=|url\((?!#)|@import|<script""", self.html))
        self.assertIn("prefers-color-scheme:dark", self.html)
        self.assertIn("@media print", self.html)

    def test_quiet_scene_has_no_warnings(self):
        run, page = self.report(support.SCENE, "--duration", "0.1", "--keyframe", "up")
        self.assertEqual(run["steps_above_tolerance"], 0)
        self.assertEqual(page.items, {})

    def test_energy_growth_and_early_end(self):
        # Explicit Euler feeds a spring, as long as the energy watch lets it.
        scene = """<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody><body><joint type="slide" stiffness="400"/>
                   <geom size=".1" mass="1"/></body></worldbody><keyframe><key name="go" qpos="1"/>
                   <key name="burst" qvel="1e200"/></keyframe></mujoco>"""
        _, page = self.report(scene, "--duration", "0.02", "--keyframe", "go", "--scheme", "explicit")
        self.assertIn("rises by up to", page.items["warnings"][0])
        rise = self.numbers(page.rows["Largest rise"])[0]
        # Every step multiplies energy by 1 + (w dt)², w² = 400: ten steps by 1.0016^10.
        self.assertAlmostEqual(rise / (200 * (1.0016**10 - 1)), 1, delta=1e-2)
        run, page = self.report(scene, "--duration", "200", "--keyframe", "burst", code=3)
        self.assertLess(run["time"], 199)
        self.assertIn("The run ended before the 200 s that were asked for.", page.items["warnings"])
        self.assertIn("does not say why", page.rows["Ended"])

    def test_steps_above_tolerance(self):
        scene = (support.ROOT / "scenes/clutter.xml").read_text(encoding="utf-8")
        run, page = self.report(scene, "--duration", "1.5", "--tolerance", "1e-17")
        self.assertGreater(run["steps_above_tolerance"], 0)
        count = run["steps_above_tolerance"]
        self.assertIn(f"The residual is above the tolerance of 1e-17 in the steps of {count} frames.",
                      page.items["warnings"])

    def test_what_was_ignored(self):
        scene = support.SCENE.replace('<option timestep="0.005"/>',
                                      '<option timestep="0.005" integrator="RK4"/><visual><map znear="1"/></visual>')
        run, page = self.report(scene, "--duration", "0.1")
        self.assertGreater(len(run["ignored"]), 1)
        self.assertEqual(page.items["ignored"], run["ignored"])
        (self.folder / "scene.xml").unlink()
        self.carom("report", "out.h5", "--quiet")
        self.assertEqual(page.items["ignored"],
                         [note.replace("the recorded scene", "scene.xml") for note in self.page().items["ignored"]])

    def test_scene_that_cannot_be_read_any_more(self):
        self.write("part.xml", '<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
        self.report('<mujoco model="whole"><include file="part.xml"/></mujoco>', "--duration", "0.1")
        self.assertIn("<p>Nothing of the scene file.</p>", self.html)
        (self.folder / "part.xml").unlink()
        self.carom("report", "out.h5", "--quiet")
        self.page()
        self.assertRegex(self.html, r"<p>Not known: .*part\.xml.*</p>")

    def test_markup_in_names(self):
        name = "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;"
        self.report(support.SCENE.replace('model="small"', f'model="{name}"'), "--duration", "0.1")
        self.assertEqual(self.page().text["h1"], '<script>alert(1)</script> & "x"')
        self.assertNotIn("<script", self.html)

    def test_killed_run(self):
        self.write("scene.xml")
        self.record_and_kill("scene.xml", "out.h5")
        result = self.carom("report", "out.h5")
        self.assertEqual(result.err, "carom: out.h5: was not closed; the report shows what there is of it\n")
        self.assertEqual(result.out, "out.report.html: open it in a browser\n")
        page = self.page()
        self.assertIn("was not closed", page.items["warnings"][0])
        self.assertIn("not closed", page.rows["Ended"])

    def test_refusals(self):
        self.write("scene.xml")
        self.carom("run", "scene.xml", "--duration", "0.1", "-o", "out.h5", "--quiet")
        for code, sentence, arguments in (
                (1, "report: RECORDING is missing; 'carom help report' says more", []),
                (2, "none.h5: cannot be opened: No such file or directory", ["none.h5"]),
                (2, "scene.xml: is no HDF5 file, so no recording of Carom", ["scene.xml"]),
                (2, "none/x.html: cannot be created: No such file or directory", ["out.h5", "-o", "none/x.html"]),
                (2, "./out.h5: is read by this command, and not overwritten", ["out.h5", "-o", "./out.h5"])):
            self.expect_sentence(code, sentence, "report", *arguments)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["out.h5", "scene.xml"])


if __name__ == "__main__":
    support.main()
