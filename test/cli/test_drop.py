"""Published robots fall on a floor as their files say, their actuators off: every step is done, and no energy comes from
nowhere. All of them for one second here, of which the rest is like; tools/drop_models does it for ten."""
import json
import pathlib
import subprocess
import sys

import support

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/drop_models"


class Drop(support.Case):
    def test_energy_does_not_grow(self):
        models = support.shared_folder() / "models"
        result = subprocess.run([sys.executable, TOOL, "--carom", support.CAROM, "--models", models,
                                 "--duration", "1"],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.count("  ok"), len(list(models.glob("*/*/oracle.json"))), result.stdout)

    def test_links_that_overlap_do_not_collide(self):
        folder = support.shared_folder() / "models/urdf/solo12"
        file = json.loads((folder / "oracle.json").read_text())["file"]
        result = self.carom("info", str(folder / file))
        self.assertIn("overlap at the reference configuration do not collide: base_link and FL_UPPER_LEG, and 3 more",
                      result.out)


if __name__ == "__main__":
    support.main()
