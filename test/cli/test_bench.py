"""carom bench: its own scenes, files, the peer that is there or not."""
import os
import pathlib
import unittest

import support

# What stands in for python3: MuJoCo answers at once, refuses, or is not installed.
PEER = "#!/bin/sh\necho 9.9.9\necho 1e-6\necho 2e-6\n"
REFUSES = "#!/bin/sh\necho 9.9.9\nexit 4\n"
NONE = "#!/bin/sh\nexit 3\n"


class Bench(support.Case):
    def use_peer(self, text):
        """Puts a python3 first in PATH."""
        folder = pathlib.Path(self.folder) / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "python3"
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = f"{folder}:{before}"

    def test_own_scenes(self):
        rows = self.carom("bench", "--duration", "0.05", "--no-peers", "--json").json
        self.assertEqual([row["bodies"] for row in rows], [10, 20, 100])
        for row in rows:
            self.assertEqual(row["steps"], 20)
            self.assertEqual(row["dofs"], 6 * row["bodies"])
            self.assertGreater(min(row["step_time"].values()), 0)
            self.assertGreaterEqual(row["step_time_most"], max(row["step_time"].values()))
            self.assertEqual(row["peers"], [])
        self.assertGreater(rows[0]["contacts"], 0)

    def test_files(self):
        self.write("scene.xml")
        self.use_peer(NONE)
        row, = self.carom("bench", "scene.xml", "--duration", "0.1", "--dt", "0.01", "--friction", "convex",
                          "--json").json
        self.assertEqual((row["scene"], row["dt"], row["steps"], row["peers"]), ("scene.xml", 0.01, 20, []))
        lines = self.carom("bench", "scene.xml", "scene.xml", "--duration", "0.05").out.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["scene", "scene.xml", "scene.xml"])
        self.assertTrue(lines[1].endswith(" -"))

    def test_peer(self):
        self.write("scene.xml")
        self.use_peer(PEER)
        row, = self.carom("bench", "scene.xml", "--duration", "0.05", "--json").json
        self.assertEqual(row["peers"], [{"name": "mujoco", "release": "9.9.9",
                                         "step_time": {"first": 1e-6, "second": 2e-6}}])
        self.assertIn("1.0, 2.0 (9.9.9)", self.carom("bench", "scene.xml", "--duration", "0.05").out)
        self.use_peer(REFUSES)
        self.assertIn("does not read it", self.carom("bench", "scene.xml", "--duration", "0.05").out)

    def test_bad_input(self):
        self.expect_sentence(2, "nothing.xml: cannot be opened: No such file or directory", "bench", "nothing.xml")
        self.assertIn("--duration", self.carom("bench", "--duration", "-1", code=1).err)


if __name__ == "__main__":
    unittest.main()
