"""Tests of the runner of a corpus: what it finds, how it judges, its tables, and a run on a folder of five files.
Run: python3 -m unittest discover test/tools"""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "corpus"))
import compare  # noqa: E402
import files  # noqa: E402
import trial  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("CAROM", ROOT / "build/release/cli/carom"))
BALL = '<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
LINK = ('<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial><collision><geometry>{}</geometry></collision></link></robot>')
FILES = {
    "one/ball.xml": BALL,
    "one/copy.xml": BALL,
    "one/part.xml": '<!-- <mujoco> --><mujocoinclude><body/></mujocoinclude>',
    "one/defaults.xml": '<mujoco><default><geom density="1"/></default></mujoco>',
    "two/bad.xml": BALL.replace("0.1", "-0.1"),
    "two/link.urdf": LINK.format('<mesh filename="package://nowhere/a.stl"/>'),
    "two/template.urdf": '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="a"/><link name="a"/></robot>',
    "two/box.sdf": '<?xml version="1.0"?><sdf version="1.9"><model name="m"><link name="a"><collision name="c"><geometry>'
                   '<box><size>1 1 1</size></box></geometry></collision></link></model></sdf>',
    "two/package.xml": "<package/>",
}


def load():
    """The script as a module."""
    loader = importlib.machinery.SourceFileLoader("run_corpus", str(ROOT / "tools" / "run_corpus"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_corpus", loader))
    loader.exec_module(module)
    return module


def summary(**changes):
    """A run of 10 J that fall."""
    energy = {"start": {"kinetic": 0.0, "potential": 10.0, "elastic": 0.0}, "end": {"kinetic": 10.0, "potential": 0.0, "elastic": 0.0},
              "dissipated": 0.0, "actuator_work": 0.0, "unexplained_sum": 0.0}
    energy.update({key: changes.pop(key) for key in list(changes) if key in energy})
    return {"steps": 100, "steps_above_tolerance": 0, "residual": 1e-7, "stop_reason": "completed", "time": 0.2, "energy": energy,
            "final": {"q": [0.0], "v": [1.0]}, **changes}


class Corpus(unittest.TestCase):
    """A folder with the files above."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "corpus"
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_find(self):
        found = {item.name: (item.format, item.reason) for item in files.find([self.root])}
        self.assertEqual(found, {
            "corpus/one/ball.xml": ("MJCF", None), "corpus/one/copy.xml": ("MJCF", files.COPY),
            "corpus/one/part.xml": ("MJCF", files.FRAGMENT), "corpus/one/defaults.xml": ("MJCF", files.FRAGMENT),
            "corpus/two/bad.xml": ("MJCF", None), "corpus/two/link.urdf": ("URDF", None),
            "corpus/two/template.urdf": ("URDF", files.TEMPLATE), "corpus/two/box.sdf": ("SDF", None)})

    @unittest.skipUnless(PROGRAM.exists(), "carom is not built")
    def test_run(self):
        """All of it with the program: classes, lines of JSON, what is kept, tables."""
        run_corpus, lines = load(), self.root / "lines.json"
        arguments = ["--carom", str(PROGRAM), "--no-mujoco", "--json", str(lines), "--quiet", str(self.root)]
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(run_corpus.main(arguments), 0)
        records = {r["file"].rpartition("/")[2]: r for r in map(json.loads, lines.read_text(encoding="utf-8").splitlines())}
        classes = {name: record["class"] for name, record in records.items()}
        self.assertEqual(classes, {"ball.xml": "clean", "copy.xml": None, "part.xml": None, "defaults.xml": None, "template.urdf": None,
                                   "bad.xml": "refused", "link.urdf": "incomplete", "box.sdf": "clean"})
        self.assertEqual((records["ball.xml"]["steps"], records["ball.xml"]["nv"], records["ball.xml"]["floor"]), (1000, 6, 0.0))
        self.assertIn("| all, 4 | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 75.0 % |", output.getvalue())
        self.assertIn("| 1 | MJCF | geom: size is N, must be positive | corpus/two/bad.xml |", output.getvalue())
        self.keep(run_corpus, arguments, lines)

    def keep(self, run_corpus, arguments, lines):
        """A second run keeps what is there, but for the class that it is asked to try again."""
        (self.root / "two/bad.xml").write_text(BALL.replace("0.1", "0.2"), encoding="utf-8")
        for more, expected in (([], "refused"), (["--again", "refused"], "clean")):
            with contextlib.redirect_stdout(io.StringIO()):
                run_corpus.main([*arguments, "--resume", *more])
            again = {r["file"]: r["class"] for r in map(json.loads, lines.read_text(encoding="utf-8").splitlines())}
            self.assertEqual(len(again), len(FILES) - 1)
            self.assertEqual(again["corpus/two/bad.xml"], expected)


class Judge(unittest.TestCase):
    def test_classes(self):
        for changes, expected in (
                ({}, "clean"), ({"steps_above_tolerance": 3}, "above"), ({"unexplained_sum": 2.0}, "unexplained energy"),
                ({"unexplained_sum": 1e9}, "explosion"), ({"unexplained_sum": None}, "explosion"),
                ({"final": {"q": [None], "v": []}}, "explosion"), ({"stop_reason": "it did not converge"}, "stopped")):
            with self.subTest(changes=changes):
                self.assertEqual(trial.judge(summary(**changes))[0], expected)

    def test_kinds(self):
        """What belongs to one file goes, the rest stays."""
        self.assertEqual(trial.name_kind("carom: /a/b c.xml:12: geom 'foot': size is -1e-3 2, must be positive"),
                         "geom '…': size is N…, must be positive")
        self.assertEqual(trial.name_kind("carom: a.urdf:1: mesh '/x/y.stl': no such file"), "mesh '…': no such file")

    def test_roots(self):
        for text, expected in (("<?xml version='1.0'?><!-- <a> --><sdf version='1'>", "sdf"), ("plain", ""), ("<mujoco model='a'>", "mujoco")):
            self.assertEqual(files.read_root(files.strip(text)), expected)

    def test_templates(self):
        for text, expected in (("<xacro:macro name='a'/>", True), ("<box size='${a} 1 1'/>", True), ("<xacro:unit_box/>", False),
                               ("<!-- <xacro:include filename='$(find a)'/> --><link/>", False)):
            self.assertEqual(files.is_template(files.strip(text)), expected)

    def test_late_time(self):
        code, _, _, seconds = trial.start([sys.executable, "-c", "import time; time.sleep(30)"], 0.2)
        self.assertIsNone(code)
        self.assertEqual(seconds, 0.2)


class Values(unittest.TestCase):
    def test_differences(self):
        theirs = {"names": ["a", "b"], "masses": [1.0, 2.0], "mass_matrix": [[4.0, 0.0], [0.0, 1e-4]], "bias": [10.0, 0.0],
                  "passive": [0.0, 0.0], "actuation": [0.0, 1.0], "qacc_actuated": [1.0, 2.0]}
        ours = {**theirs, "bodies": [{"name": "b", "mass": 2.0}, {"name": "a", "mass": 1.0}]}
        self.assertEqual(set(compare.compare(ours, theirs).values()), {0.0})
        ours = {**ours, "mass_matrix": [[4.0, 0.0], [0.0, 1.1e-4]], "passive": [1e-3, 0.0], "qacc_actuated": [1.0]}
        found = compare.compare(ours, theirs)
        self.assertAlmostEqual(found["mass matrix"], 0.1)
        self.assertAlmostEqual(found["passive"], 1e-4)
        self.assertEqual(found["accelerations"], float("inf"))


if __name__ == "__main__":
    unittest.main()
