"""carom sweep: a table of runs that depends neither on threads nor on interruptions, and what it refuses."""
import csv
import io
import signal
import subprocess
import time
import unittest

import support

VARY = ["--vary", "body.box.mass=1:3:3", "--vary", "friction=coulomb,convex", "--duration", "0.2"]


class Sweep(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def refuses(self, code, sentence, *arguments):
        result = self.carom("sweep", "scene.xml", *arguments, code=code)
        self.assertEqual((result.out, result.err.count("\n")), ("", 1))
        self.assertIn(sentence, result.err)

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.carom("sweep", "scene.xml", *arguments).out)))

    def test_each_row_is_a_run(self):
        rows = self.rows(*VARY, "--dt", "0.004")
        self.assertEqual([(row["body.box.mass"], row["friction"]) for row in rows],
                         [(f"{mass}.0", law) for mass in (1, 2, 3) for law in ("coulomb", "convex")])
        run = self.carom("run", "scene.xml", "--duration", "0.2", "--dt", "0.004", "--json").json  # of 2 kg
        self.assertEqual([float(rows[2][f"q[{i}]"]) for i in range(len(run["final"]["q"]))], run["final"]["q"])
        self.assertEqual([float(rows[2][f"v[{i}]"]) for i in range(len(run["final"]["v"]))], run["final"]["v"])
        self.assertEqual((rows[2]["steps"], rows[2]["outcome"]), (str(run["steps"]), "done"))
        self.assertEqual(float(rows[2]["kinetic"]), run["energy"]["end"]["kinetic"])

    def test_numbers_are_the_shortest(self):
        """As Python writes them; powers of two, where the next number below is nearer than that above, among them."""
        values = [0.1, 1e-5, 1e-4, 123456.789, 1e15, 1e16, 1.5e300, 5e-324, 2.0**-44, 2.0**-1074, 2.0**89, 1 / 3, 0.0,
                  9007199254740993.0, 2.2250738585072014e-308, 9.5367431640625e-07, *(2.0**k for k in range(-60, 60, 7))]
        rows = self.rows("--vary", "joint.elbow.damping=" + ",".join(map(repr, values)), "--duration", "0.005")
        self.assertEqual([row["joint.elbow.damping"] for row in rows], [repr(value) for value in values])

    def test_threads_and_files(self):
        expected = self.carom("sweep", "scene.xml", *VARY, "--threads", "1").out
        for threads in ("2", "5", "300"):
            self.carom("sweep", "scene.xml", *VARY, "--threads", threads, "-o", "out.csv")
            self.assertEqual(self.read("out.csv"), expected)
        self.assertFalse((self.folder / "out.csv.part").exists())

    def test_interrupted_and_resumed(self):
        """After each of two signals, and with a torn line at the end."""
        arguments = ["sweep", "scene.xml", "--vary", "body.box.mass=1:3:12", "--duration", "3", "--threads", "1"]
        expected = self.carom(*arguments).out
        part = self.folder / "out.csv.part"
        for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
            process = subprocess.Popen([support.CAROM, *arguments, "-o", "out.csv"], cwd=self.folder)
            before = len(part.read_text().splitlines()) if part.exists() else 0
            deadline = time.monotonic() + 60
            while not part.exists() or len(part.read_text().splitlines()) < before + 2:
                self.assertLess(time.monotonic(), deadline)
            process.send_signal(number)
            self.assertEqual(process.wait(), code)
            self.assertFalse((self.folder / "out.csv").exists())
        lines = part.read_text().splitlines(keepends=True)
        self.assertLess(len(lines), 13)
        point, time_of, rest = lines[1].split(",", 2)
        part.write_text("".join(lines) + "7,1.5")
        self.carom(*arguments, "-o", "out.csv")
        self.assertEqual(self.read("out.csv"), expected)
        # What was kept is not measured again: a value that is changed there is in the table.
        part.write_text(lines[0] + f"{point},123.5,{rest}")
        self.carom(*arguments, "-o", "out.csv")
        self.assertEqual(self.read("out.csv").count("123.5,"), 1)

    def test_other_sweeps_are_refused(self):
        part = self.folder / "out.csv.part"
        self.carom("sweep", "scene.xml", *VARY, "-o", "out.csv")
        (self.folder / "out.csv").unlink()
        (self.folder / "out.csv").mkdir()  # the table cannot be written: what is done stays
        self.carom("sweep", "scene.xml", *VARY, "-o", "out.csv", code=2)
        kept = part.read_text()
        other = "out.csv.part: it is of another sweep; remove it to begin anew"
        self.refuses(2, other, *VARY[:2], "-o", "out.csv")
        self.refuses(2, other, *VARY, "--dt", "0.004", "-o", "out.csv")
        self.write("scene.xml", support.SCENE.replace('damping="0.1"', 'damping="0.2"'))
        self.refuses(2, other, *VARY, "-o", "out.csv")
        self.assertEqual(part.read_text(), kept)
        for text in ("a letter to a friend", "a letter\n", kept.splitlines()[0] + "\n99,1\n", "\0\n"):
            part.write_text(text)
            self.write("scene.xml")
            self.refuses(2, "this is not what is done of a sweep", *VARY, "-o", "out.csv")
            self.assertEqual(part.read_text(), text)

    def test_what_is_refused(self):
        for vary, code, sentence in [
                ("body.boxx.mass=1,2", 2, "the nearest is 'box'"), ("body.box.mass=1:2:x", 2, "COUNT must be"),
                ("body.box.mass=1:2:0", 2, "COUNT must be"), ("body.box.mass", 2, "must be NAME=START:STOP:COUNT"),
                ("body.box.mass=", 2, "must be NAME="), ("body.box.mass=1,b", 2, "'b' is no number"),
                ("body.box.mass=1:b:3", 2, "START and STOP"), ("body.box.mass=1:2", 2, "LOW:HIGH is for samples"),
                ("frction=1", 2, "NAME must be"), ("friction=coulomb,dry", 2, "friction is 'dry', must be coulomb, convex, lagged or anchored"),
                ("keyframe=down", 2, "down"), ("body.box.mass=1,-1", 2, "mass is -1"), ("dt=0.001,0", 2, "must be positive"),
                ("model.gravity=1", 2, "has 3 numbers"), ("body.box.mass=1:2:99999999", 2, "too many"),
                ("duration=0.001", 2, "must be 1 to")]:
            more = ["--vary", "dt=1:2:99999"] if "99999999" in vary else []
            self.refuses(code, sentence, *more, "--vary", vary, "--duration", "0.01", "-o", "out.csv")
            (self.folder / "out.csv.part").unlink(missing_ok=True)
        self.refuses(2, "nothing varies")
        self.refuses(2, "varies twice", "--vary", "dt=1,2", "--vary", "dt=1")
        self.refuses(1, "more than 32", *["--vary", "dt=1"] * 33)
        self.refuses(2, "scene.xml", "--vary", "dt=1", "-o", "scene.xml")


if __name__ == "__main__":
    unittest.main()
