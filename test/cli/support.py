"""What the tests of the program share: a folder of their own, runs of the program, small scenes.

The program is named by the environment variable CAROM. CAROM_SANITIZED is not empty where it is
about ten times slower. Each file runs alone: python3 test/cli/test_x.py"""
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAROM = os.environ.get("CAROM", str(ROOT / "build/release/cli/carom"))
IS_SLOW = bool(os.environ.get("CAROM_SANITIZED"))

# A box falls on the ground beside a pendulum with a motor and a ball joint.
SCENE = """<mujoco model="small">
  <option timestep="0.005"/>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1"/>
    <body name="box" pos="0 0 0.15"><freejoint/><geom name="box" type="box" size=".1 .1 .1" mass="2"/></body>
    <body name="arm" pos="2 0 1">
      <joint name="elbow" axis="0 1 0" damping="0.1"/><geom name="arm" type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/>
      <body name="hand" pos="0 0 -.35"><joint name="wrist" type="ball"/><geom name="hand" size=".04"/></body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="elbow" kp="20" forcerange="-5 5"/></actuator>
  <keyframe><key name="up" qpos="0 0 0.5 1 0 0 0 1 1 0 0 0" ctrl="1"/></keyframe>
</mujoco>
"""


def allow_leaks():
    """For programs that draw: Mesa, LLVM and libepoxy keep memory that they never free."""
    if IS_SLOW:
        os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"


class Result:
    """What a run of the program left."""

    def __init__(self, process):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr

    @property
    def json(self):
        return json.loads(self.out)


class Case(unittest.TestCase):
    """A test in a temporary folder, which is the current one of the program."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text=SCENE):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return name

    def carom(self, *arguments, code=0, **keywords):
        """Runs the program; fails unless it ends with the code."""
        process = subprocess.run([CAROM, *map(str, arguments)], cwd=self.folder, text=True, timeout=280,
                                 capture_output=True, **keywords)
        self.assertEqual(process.returncode, code, f"{arguments}: {process.stdout[:500]}...{process.stderr}")
        return Result(process)

    def start(self, *arguments, **keywords):
        """Starts the program and leaves it running."""
        process = subprocess.Popen([CAROM, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def wait_for_frames(self, name):
        """Until the recording has more than its first frame."""
        for _ in range(600):
            time.sleep(0.05)
            if (self.folder / name).exists():
                result = subprocess.run([CAROM, "info", name], cwd=self.folder, text=True, capture_output=True,
                                        check=False)
                if result.returncode == 0 and "frames       1," not in result.stdout:
                    return
        self.fail("no frames came")

    def record_and_kill(self, scene, name):
        """A recording of a run that was killed after some frames."""
        process = self.start("run", scene, "--duration", "1e6", "-o", name, "--rate", "100", "--quiet")
        self.wait_for_frames(name)
        process.kill()
        process.communicate()

    def expect_sentence(self, code, sentence, *arguments):
        """The program ends with the code and says the sentence, and nothing else."""
        result = self.carom(*arguments, code=code)
        self.assertEqual(result.err, f"carom: {sentence}\n", arguments)
        self.assertEqual(result.out, "")

    def assertNear(self, actual, expected, tolerance):
        self.assertEqual(len(actual), len(expected))
        for index, (a, b) in enumerate(zip(actual, expected)):
            self.assertLessEqual(abs(a - b), tolerance, f"[{index}]: {a}, expected {b}")


class Lines(unittest.TextTestResult):
    """Prints the outcome of each case as cmocka does, so that the cases are counted."""

    def name(self, test):
        return test.id().split(".")[-1].replace(" ", "_")

    def startTest(self, test):
        super().startTest(test)
        print(f"[ RUN      ] {self.name(test)}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        print(f"[       OK ] {self.name(test)}", flush=True)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"SKIPPED: {reason}\n[  SKIPPED ] {self.name(test)}", flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        print(f"[  FAILED  ] {self.name(test)}", flush=True)

    def addError(self, test, err):
        super().addError(test, err)
        print(f"[  FAILED  ] {self.name(test)}", flush=True)


def shared_folder():
    """The folder of shared reference data; skips the test where it is not there."""
    path = pathlib.Path(os.environ.get("CAROM_SHARED", ROOT.parent / "shared"))
    if not path.is_dir():
        raise unittest.SkipTest(f"the reference data folder {path} is not there (set CAROM_SHARED)")
    return path


def open_terminal():
    """Both ends of a pseudo-terminal; skips the test where there are none."""
    try:
        return pty.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"there are no pseudo-terminals: {error}") from error


def main():
    sys.dont_write_bytecode = True
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Lines)
    unittest.main(module="__main__", testRunner=runner)
