"""Published robots fall on a floor: every step is done, and no energy comes from nowhere. A few of them for
two seconds; tools/drop_models does it with all, for ten."""
import csv
import json

import support

MODELS = [("mjcf/gym_ant", []), ("mjcf/dmc_quadruped", []), ("mjcf/dmc_humanoid", []),
          ("urdf/anymal_b", ["--free-base"]), ("urdf/solo12", ["--free-base"])]


class Drop(support.Case):
    def test_energy_does_not_grow(self):
        shared = support.shared_folder()
        for name, options in MODELS:
            with self.subTest(name):
                folder = shared / "models" / name
                file = json.loads((folder / "oracle.json").read_text())["file"]
                self.carom("run", str(folder / file), "--floor", "--permissive", "--dt", "0.002", "--duration", "2",
                           "--csv", "drop.csv", *options)
                with open(self.folder / "drop.csv", encoding="utf-8") as table:
                    rows = list(csv.DictReader(table))
                energy = [sum(float(row[k]) for k in ("kinetic", "potential", "elastic")) for row in rows]
                self.assertEqual(len(rows), 1001)
                self.assertLess(energy[-1], energy[0] + 1e-3 * abs(energy[0]))

    def test_links_that_overlap_do_not_collide(self):
        folder = support.shared_folder() / "models/urdf/solo12"
        file = json.loads((folder / "oracle.json").read_text())["file"]
        result = self.carom("info", str(folder / file), "--permissive")
        self.assertIn("overlap at the reference configuration do not collide: base_link and FL_UPPER_LEG, and 3 more",
                      result.out)


if __name__ == "__main__":
    support.main()
