"""Memory runs out: whichever allocation of a command fails, it prints the whole output, or a sentence and none."""
import concurrent.futures
import os
import re
import subprocess
import unittest

import support

SHIM = os.environ.get("CAROM_FAIL_MALLOC", "")
PROBLEM = """sapproblem 1
two
dt 0.02
beta 1
sigma 1e-3
blocks 1
3 2 0 0 0 2 0 0 0 1.5
vstar 3 0.1 0 -0.7
v0 3 0 0 0
contacts 1
0 -1 0 0.4 2e5 0.1 1 0 0 0 1 0 0 0 1
end
"""


class Memory(support.Case):
    def setUp(self):
        super().setUp()
        if not SHIM:
            raise unittest.SkipTest("CAROM_FAIL_MALLOC names no library to preload, or the program is sanitized")
        self.write("scene.xml")
        self.write("problem.txt", PROBLEM)

    def fail_at(self, number, arguments):
        count = self.folder / f"count{number}"
        environment = dict(os.environ, LD_PRELOAD=SHIM, CAROM_FAIL_AT=str(number), CAROM_COUNT_FILE=str(count))
        run = subprocess.run([support.CAROM, *arguments], cwd=self.folder, text=True, capture_output=True,
                             env=environment, check=False, timeout=60)
        # Times of the clock differ from run to run.
        return run, re.sub(r'"(wall_time|real_time_factor)": ?[^,]*,', "", run.stdout), count

    def walk(self, *arguments):
        whole, text, count = self.fail_at(0, arguments)
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        total = int(count.read_text())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = list(pool.map(lambda n: self.fail_at(n, arguments), range(1, total + 1)))
        failed = 0
        for number, (run, out, _) in enumerate(runs, 1):
            place = f"{arguments}, allocation {number}: {run.returncode} {run.stdout[-300:]} {run.stderr[-300:]}"
            if run.returncode == 0:
                self.assertEqual((out, run.stderr), (text, ""), place)
            else:
                failed += 1
                self.assertEqual((run.returncode, run.stdout), (2, ""), place)
                self.assertRegex(run.stderr, r"\Acarom: .*(out of memory|memory or descriptors ran out)\n\Z", place)
        print(f"{' '.join(arguments)}: {failed} of {total} allocations end it, the others are not missed")
        self.assertGreater(failed, total // 2)

    def test_eval(self):
        self.walk("eval", "scene.xml", "--keyframe", "up")

    def test_run(self):
        self.walk("run", "scene.xml", "--duration", "0.02", "--json", "--quiet")

    def test_sweep(self):
        self.walk("sweep", "scene.xml", "--vary", "body.box.mass=1,2", "--vary", "friction=convex", "--duration", "0.01",
                  "--threads", "1", "--quiet")

    def test_solve(self):
        self.walk("solve", "problem.txt", "--json", "--vectors")

    def test_info(self):
        self.walk("info", "scene.xml")


if __name__ == "__main__":
    support.main()
