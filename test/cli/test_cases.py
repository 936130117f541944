"""Every small file of shared/cases/parse, field and more does what its comment says is right."""
import math
import shutil
import unittest

import support

# What is refused, and what the sentence says.
REFUSED = {
    "parse/mjcf_redundant_slides.xml": "give it another axis or armature",
    "field/105_default_mass.sdf": "axis and axis2 are the same direction",
    "field/25_cut.urdf": "it is cut, or no STL file",
    "field/30_xacro.urdf": "this is xacro, a template: expand it first",
    "field/31_xacro_macros_only.urdf": "this is xacro, a template: expand it first",
    "field/34_negative_inertia.urdf": "body 'hip': its joint 'hip' moves a negative inertia, -0.0012",
    "field/104/base_thing/model.sdf": "model 'model://missing_thing' is not found",
    "field/112/arm_description/urdf/arm.urdf": "file 'package://gripper_description/meshes/base.stl' is not found",
    "parse/parts/assets.xml": "the root element is 'mujocoinclude'",
}


class Cases(support.Case):
    def setUp(self):
        super().setUp()
        for name in ("parse", "field", "more"):
            shutil.copytree(support.shared_folder() / "cases" / name, self.folder / name)

    def run_case(self, name, duration, *options):
        return self.carom("run", name, "--json", "--duration", duration, *options).json

    def positions(self, name, duration, *options):
        """Of scenes of free bodies."""
        q = self.run_case(name, duration, *options)["final"]["q"]
        return [q[7 * i:7 * i + 3] for i in range(len(q) // 7)]

    def info(self, name):
        return self.carom("info", "--json", name).json

    def test_files(self):
        """Loads and runs, or is refused with a sentence that says what to do."""
        names = [str(path.relative_to(self.folder)) for path in sorted(self.folder.rglob("*.*"))
                 if path.suffix in (".xml", ".urdf", ".sdf") and path.name != "package.xml"]
        self.assertLessEqual(set(REFUSED), set(names))
        for name in names:
            with self.subTest(name):
                if name in REFUSED:
                    self.assertIn(REFUSED[name], self.carom("info", name, code=2).err)
                else:
                    self.assertEqual(self.run_case(name, 0.1)["steps_above_tolerance"], 0)

    def test_values(self):
        mass = self.info("parse/mjcf_bent_polygon_mass.xml")["bodies"][1]["mass"]
        self.assertAlmostEqual(mass, 1000 * (1 + 0.4 / 6), delta=1e-9)  # of MuJoCo 4.0
        sizes = [geom["size"] for geom in self.info("field/100_sdf_defaults.sdf")["geoms"]]
        self.assertEqual(sizes, [[1, 0, 0], [0.5, 0.5, 0.5], [1, 0.5, 0]])
        self.assertEqual(self.info("field/24_obj_forms.urdf")["geoms"][1]["size"], [0.1, 0.1, 0.1])
        notes = self.info("field/40_typo.urdf")["notes"]
        self.assertEqual([note["kind"] for note in notes], ["ignored", "ignored"])
        self.assertEqual([note["text"].rsplit("; ", 1)[1] for note in notes],
                         ["is 'collision' meant?", "is 'inertial' meant?"])
        self.assertEqual([motor["name"] for motor in self.info("field/96_ros2_control.urdf")["actuators"]], ["j"])
        self.assertEqual([motor["name"] for motor in self.info("more/replicate_refs.xml")["actuators"]], ["m0", "m1"])
        self.assertEqual(len(self.info("more/cradle_min.xml")["tendons"]), 2)

    def test_places(self):
        thigh = self.carom("eval", "field/43_sdf_merge.sdf").json["bodies"][1]
        self.assertEqual((thigh["name"], thigh["position"]), ("thigh", [0, 0.1, 0.8]))
        link = self.carom("eval", "field/56_flattened.sdf").json["bodies"][1]
        self.assertEqual(link["name"], "M1::L1")
        for value, wanted in zip(link["position"], (10, 1, 0)):
            self.assertAlmostEqual(value, wanted, delta=1e-7)  # the file's pi / 2 has eight digits
        self.assertEqual(self.carom("eval", "field/94_key_zero_quat.xml", "--keyframe", "home").json["bodies"][0]["quaternion"],
                         [1, 0, 0, 0])
        self.assertEqual(self.run_case("field/48_attach_key.xml", 0, "--keyframe", "L-home")["final"]["q"], [0.5, 0])

    def test_forces(self):
        weight = 3 * 9.81  # of a file of models, without a world
        for sensor in self.carom("eval", "field/46_ft_sensor.sdf").json["sensors"]:
            sign = 1 if "ftp" in sensor["name"] else -1
            wanted = [0, 0, sign * weight] if sensor["type"] == "force" else [0, -sign * weight / 2, 0]
            for value, right in zip(sensor["values"], wanted):
                self.assertAlmostEqual(value, right, delta=1e-12, msg=sensor["name"])
        result = self.run_case("field/06_mass_ratio_stack.xml", 2)
        self.assertAlmostEqual(result["sensors"]["low"][2] / 9817.848, 1, delta=1e-6)
        self.assertLess(max(map(abs, result["final"]["v"])), 1e-6)
        result = self.carom("eval", "more/gravity_off.sdf").json
        self.assertAlmostEqual(result["qacc_free"][2], -9.81 / 1.5, delta=1e-12)

    def test_motion(self):
        a, b = self.positions("field/44_ramp.sdf", 1)
        self.assertAlmostEqual(math.dist(a, (0.068404, 0, 0.1879385)), 0.755, delta=1e-3)
        self.assertLess(math.dist(b, (0.068404, 2, 0.1879385)), 1e-5)
        a, b = self.positions("field/54_bitmask.sdf", 1)
        self.assertAlmostEqual(a[2], 0.1, delta=1e-5)
        self.assertAlmostEqual(b[2], 0.6 - 4.9, delta=1e-9)
        wall, land, plane, slow = self.positions("field/07_tunnel.xml", 0.002, "--keyframe", "go")
        self.assertTrue(wall[0] < 1 and slow[0] < 1 and plane[2] > 0 and land[2] > 0)
        wall, _, plane, slow = self.positions("field/07_tunnel.xml", 0.2, "--keyframe", "go")
        self.assertTrue(wall[0] < 1 and slow[0] < 1 and plane[2] > 0)
        rings = self.run_case("field/97_rings.xml", 3)["final"]
        self.assertAlmostEqual(rings["q"][2], -0.16, delta=1e-6)
        self.assertAlmostEqual(rings["q"][9], -0.32, delta=1e-6)
        self.assertLess(max(map(abs, rings["v"])), 1e-4)
        q = self.run_case("field/11_servo_stiff.xml", 0.5, "--keyframe", "go")["final"]["q"]
        self.assertAlmostEqual(q[0], 1, delta=1e-6)
        speed = self.run_case("field/114_surfacevel.xml", 1)["final"]["v"][0]
        self.assertAlmostEqual(speed, 0.5, delta=1e-9)
        speed = self.run_case("more/billiard.xml", 1, "--keyframe", "k")["final"]["v"][0]
        self.assertAlmostEqual(speed, 5 / 7 * 2.3, delta=1e-9)
        for name in ("glide_hop", "glide_hop_margin"):
            # From the start on it pitches and, meanwhile, may stick: of a soft area it pitches so fast that it does.
            before, after = (self.run_case(f"more/{name}.xml", time, "--keyframe", "start")["final"]["v"][0] for time in (1, 2))
            self.assertAlmostEqual(after - before, 5.405 - 9.81 / 2, delta=1e-9)

    def test_rest(self):
        yields = 2 * 3e-6 * 9.81 * 0.005 ** 2  # m: of an area, once, by R W m g dt², with W m < 2
        for name, height, options in (("field/110_cylinder_on_mesh.xml", 0.15, ()),
                                      ("field/111_wheel_on_mesh_floor.urdf", 0, ("--floor",))):
            result = self.run_case(name, 2, *options)
            self.assertEqual(result["energy"]["end"]["kinetic"], 0)
            self.assertAlmostEqual(result["final"]["q"][2], height, delta=yields)
            self.assertLess(max(map(abs, result["final"]["q"][4:7])), 1e-6)


if __name__ == "__main__":
    unittest.main()
