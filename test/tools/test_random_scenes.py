"""Tests of the judge of random scenes and of their numbers. Run: python3 -m unittest discover test/tools"""
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "generate"))
import scene as scenes  # noqa: E402
import verdict  # noqa: E402
import world as worlds  # noqa: E402


def judge(rows, allowance=0.0):
    result = verdict.Result()
    verdict.judge_energy(result, rows, allowance)
    return result.gain


class Numbers(unittest.TestCase):
    def test_stream(self):
        """Each number in its range, the same for the same name, others for another."""
        random, again, other = worlds.Random("a", 1), worlds.Random("a", 1), worlds.Random("a", 2)
        values = [random.uniform() for _ in range(2000)]
        self.assertEqual(values, [again.uniform() for _ in range(2000)])
        self.assertNotEqual(values[:3], [other.uniform() for _ in range(3)])
        self.assertAlmostEqual(sum(values) / 2000, 0.5, delta=0.03)
        self.assertTrue(all(0 <= x < 1 for x in values))
        self.assertEqual({random.integer(3, 5) for _ in range(100)}, {3, 4, 5})
        self.assertTrue(all(1e-5 <= random.log(1e-5, 0.05) <= 0.0500001 for _ in range(500)))
        self.assertAlmostEqual(math.hypot(*random.vector(3)), 3)

    def test_first_numbers(self):
        """Those of splitmix64 from the state that a name gives: a scene does not change with the program."""
        random = worlds.Random("chains", 7)
        self.assertEqual([f"{random.uniform():.9f}" for _ in range(3)], ["0.692855641", "0.644666362", "0.917476526"])

    def test_names(self):
        self.assertEqual(scenes.parse_name("soft:12"), ("soft", 12))
        for text in ("soft", "soft:", "hard:1", "soft:-1"):
            self.assertRaises(ValueError, scenes.parse_name, text)
        self.assertEqual(len(set(scenes.list_names([], 1, 100))), 100)


class Energy(unittest.TestCase):
    def test_gain(self):
        fall = [[0, 10, 0], [4, 6, 0], [9, 1, 0], [5, 1, 0]]
        self.assertEqual(judge(fall), 0)
        rise = [*fall, [12, 1, 0]]
        self.assertAlmostEqual(judge(rise), 3)
        self.assertEqual(judge(rise, allowance=3), 0)

    def test_share(self):
        """5 % of what was exchanged until then may come of the scheme."""
        self.assertEqual(judge([[0, 10, 0], [9, 1.4, 0]]), 0)
        self.assertGreater(judge([[0, 10, 0], [9, 1.5, 0]]), 0)

    def test_not_a_number(self):
        table = "time,kinetic,potential,elastic\n0,0,1,0\n1,nan,1,0\n"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.csv"
            path.write_text(table, encoding="utf-8")
            self.assertEqual(judge(verdict.energies(path)), math.inf)


class Summary(unittest.TestCase):
    RUN = {"steps": 5, "steps_above_tolerance": 1, "stop_reason": "completed", "failed_steps": 2, "residual": 1e-3,
           "final": {"q": [0, 0, 1, 1, 0, 0, 0], "v": [0] * 6}}

    def find(self, **changes):
        scene = scenes.Scene("bodies", 1)
        scene.world.free = [(2, 0.5)]
        result, run = verdict.Result(), json.loads(json.dumps({**self.RUN, **changes}))
        verdict.judge_summary(result, run, scene)
        verdict.add_last_faults(result, run)
        return result

    def test_kinds(self):
        self.assertEqual(self.find().worst, "above tolerance")
        self.assertEqual(self.find().repeated, 2)
        self.assertIsNone(self.find(steps_above_tolerance=0).worst)
        stopped = self.find(stop_reason="a coordinate or velocity is not finite")
        self.assertEqual((stopped.worst, stopped.repeated), ("stopped", 1))
        self.assertEqual(self.find(residual=None).worst, "above tolerance")
        self.assertEqual(self.find(final={"q": [None] * 7, "v": []}).worst, "not finite")
        self.assertEqual(self.find(final={"q": [0, 0, -0.6], "v": []}).worst, "sinks through")


if __name__ == "__main__":
    unittest.main()
