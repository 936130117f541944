"""Random scenes of a fixed set of seeds, and each that once failed (random_seeds.txt), run and are judged. What is known to
fail (random_known.txt) may do so, but no worse. CAROM_RANDOM_SCENES: how many (180). Under sanitizers a sixth of the
former and a fourth of the latter."""
import os
import subprocess
import sys

import support

TOOLS = support.ROOT / "tools"
HERE = support.ROOT / "test" / "cli"
COUNT = int(os.environ.get("CAROM_RANDOM_SCENES", 30 if support.IS_SLOW else 180))


class RandomScenes(support.Case):
    def check(self, *arguments, code=0):
        process = subprocess.run([sys.executable, "-B", TOOLS / "check_random_scenes", "--carom", support.CAROM, "--quiet",
                                  *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(process.returncode, code, process.stdout + process.stderr)
        return process.stdout

    def test_seeds(self):
        limit = 250 if support.IS_SLOW else 100
        seeds = (HERE / "random_seeds.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        (self.folder / "seeds.txt").write_text("".join(seeds[:: 4 if support.IS_SLOW else 1]), encoding="utf-8")
        print(self.check("--count", COUNT, "--limit", limit, "--known", HERE / "random_known.txt", "--list", self.folder / "seeds.txt"))

    def test_scenes_load_and_are_the_same(self):
        """A scene of each kind has the same text in every process, and loads."""
        folders = [self.folder / "a", self.folder / "b"]
        for seed, folder in enumerate(folders):
            environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
            written = subprocess.run([sys.executable, "-B", TOOLS / "random_scenes", "--count", "36", "--seed", "1000",
                                      "--folder", folder], env=environment, capture_output=True, text=True, check=True)
            self.assertEqual(len(written.stdout.splitlines()), 36)
        names = sorted(path.name for path in folders[0].iterdir())
        self.assertEqual(names, sorted(path.name for path in folders[1].iterdir()))
        for name in names:
            self.assertEqual((folders[0] / name).read_bytes(), (folders[1] / name).read_bytes(), name)
            if name.endswith(".xml"):
                self.carom("info", folders[0] / name)

    def test_faults_are_found(self):
        if not support.IS_SLOW:
            out = self.check("bodies:3", "--steps", 40, "--options", "--tolerance 1e-300", code=1)
            self.assertIn("steps are above the tolerance", out)
        out = self.check("bodies:1", "--options", "--keyframe nowhere", code=1)
        self.assertIn("refused", out)
        self.assertIn("FAILED: bodies:1", out)


if __name__ == "__main__":
    support.main()
