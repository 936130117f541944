"""Tests of tools/make_masonry: what it writes is a model of as many blocks as asked for.
Run: python3 -m unittest discover test/tools"""
import pathlib
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make(*arguments):
    return subprocess.run([sys.executable, ROOT / "tools/make_masonry", *arguments], capture_output=True, text=True,
                          check=False)


class MakeMasonry(unittest.TestCase):
    def find(self, *arguments):
        process = make(*arguments)
        self.assertEqual(process.returncode, 0, process.stderr)
        root = ElementTree.fromstring(process.stdout.replace("carom:", ""))
        return root, [body for body in root.iter("body") if body.find("freejoint") is not None]

    def test_arch(self):
        root, blocks = self.find("arch", "--blocks", "9", "--thickness", "0.2")
        self.assertEqual(len(blocks), 9)
        values = [float(x) for x in root.find("asset/mesh").get("vertex").split()]
        radii = sorted({round((x * x + z * z) ** 0.5, 9) for x, z in zip(values[::3], values[2::3])})
        self.assertEqual(radii, [0.9, 1.1])
        self.assertEqual(float(blocks[4].get("euler").split()[1]), 0)

    def test_wall(self):
        _, blocks = self.find("wall", "--rows", "3", "--columns", "4")
        self.assertEqual(len(blocks), 4 + 5 + 4)
        volume = 0
        for block in blocks:
            size = [float(x) for x in block.find("geom").get("size").split()]
            volume += 8 * size[0] * size[1] * size[2]
        self.assertAlmostEqual(volume, 3 * 4 * 0.4 * 0.2 * 0.2)

    def test_column(self):
        _, blocks = self.find("column", "--blocks", "5")
        self.assertEqual([block.get("pos") for block in blocks][::4], ["0 0 0.15", "0 0 1.35"])

    def test_bad_input(self):
        for arguments in (["arch", "--blocks", "0"], ["arch", "--thickness", "2"], ["wall", "--friction", "-1"]):
            process = make(*arguments)
            self.assertEqual(process.returncode, 2)
            self.assertIn("are 1 at least", process.stderr)


if __name__ == "__main__":
    unittest.main()
