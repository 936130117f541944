"""Robots as URDF files with meshes beside them, run as users do."""
import json

import support

CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
FACES = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
ROBOT = """<robot name="cube"><link name="cube">
<inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 1"/><geometry><mesh filename="package://parts/cube.{ending}" scale="{scale}"/></geometry>
</collision></link></robot>
"""


class Meshes(support.Case):
    def write_robot(self, scale, ending="obj"):
        lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + ["f " + " ".join(map(str, face)) for face in FACES]
        self.write("parts/cube.obj", "\n".join(lines) + "\n")
        self.write("cube.urdf", ROBOT.format(scale=scale, ending=ending))

    def test_a_cube_rests_on_its_face(self):
        """Half side 0.1, by a scale that mirrors it; its frame is 1 m below its middle."""
        self.write_robot("0.1 -0.1 0.1")
        result = self.carom("run", "cube.urdf", "--floor", "--free-base", "--dt", "0.005", "--duration", "1", "--json",
                            "--state", self.write_state([0, 0, -0.85, 1, 0, 0, 0]))
        summary = json.loads(result.out)
        self.assertNear(summary["final"]["q"][:3], [0, 0, -0.9], 1e-3)
        self.assertNear(summary["final"]["v"], [0] * 6, 1e-4)
        self.assertEqual(summary["contacts"]["max"], 7)
        self.assertTrue(any("convex hull" in note for note in summary["ignored"]), summary["ignored"])

    def test_tetrahedra_have_a_pressure(self):
        """A cube of six tetrahedra in a .vtk file, with Drake's modulus, of URDF and SDF: it sinks in as deep as
        the pressure E d / H over its face A asks for, d = m g H / (E A), but for its rim, some 4 d / a."""
        corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
        cells = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7)]
        rows = [" ".join(map(str, row)) for row in corners] + ["CELLS 6 30"] + ["4 " + " ".join(map(str, c)) for c in cells]
        self.write("cube.vtk", "# vtk DataFile Version 3.0\ncube\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
                   + "\n".join(rows) + "\nCELL_TYPES 6\n" + 6 * "10\n")
        modulus = "<drake:proximity_properties><drake:compliant_hydroelastic/>{}</drake:proximity_properties></collision></link>"
        self.write("cube.urdf", '<robot name="r"><link name="a"><inertial><mass value="10"/><inertia ixx=".1" iyy=".1" izz=".1" '
                   'ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="cube.vtk"/></geometry>'
                   + modulus.format('<drake:hydroelastic_modulus value="1e6"/>') + "</robot>")
        self.write("cube.sdf", '<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>10</mass><inertia><ixx>.1</ixx>'
                   '<iyy>.1</iyy><izz>.1</izz></inertia></inertial><collision name="c"><geometry><mesh><uri>cube.vtk</uri></mesh>'
                   "</geometry>" + modulus.format("<drake:hydroelastic_modulus>1e6</drake:hydroelastic_modulus>") + "</model></sdf>")
        depth = 10 * 9.81 * 0.1 / (1e6 * 0.04)
        for name in ("cube.urdf", "cube.sdf"):
            final = self.carom("run", name, "--floor", "--free-base", "--dt", "0.002", "--duration", "2", "--rest", "0",
                               "--state", self.write_state([0, 0, 0.1, 1, 0, 0, 0]), "--json").json["final"]
            floor = 0 if final["q"][2] > 0.05 else -0.1
            self.assertAlmostEqual((floor + 0.1 - final["q"][2]) / depth, 1, delta=0.01)
            self.assertNear(final["v"], [0] * 6, 1e-6)

    def write_state(self, q):
        self.write("state.json", json.dumps({"q": q, "v": [0] * 6}))
        return "state.json"

    def test_speed_limits_are_kept(self):
        """Also by the URDF that is written, and in SDF; 0 is none."""
        joint = ('<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{0}l"/><limit effort="1" velocity="{3}"/>'
                 '</joint><link name="{0}l"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>')
        self.write("arm.urdf", '<robot name="r"><link name="world"/>' + joint.format("a", "continuous", "world", "2.5")
                   + joint.format("b", "prismatic", "al", "0.75") + joint.format("c", "continuous", "bl", "0") + "</robot>")
        self.write("arm.sdf", '<sdf version="1.9"><model name="r"><link name="l"/><joint name="a" type="revolute"><parent>world'
                   "</parent><child>l</child><axis><xyz>0 0 1</xyz><limit><velocity>2.5</velocity></limit></axis></joint>"
                   "</model></sdf>")
        self.carom("convert", "arm.urdf", "again.urdf")
        for name in ("arm.urdf", "again.urdf"):
            joints = self.carom("eval", name).json["joints"]
            self.assertEqual([j.get("speed_limit") for j in joints], [2.5, 0.75, None])
        self.assertEqual(self.carom("eval", "arm.sdf").json["joints"][0]["speed_limit"], 2.5)
        out = self.carom("info", "arm.urdf").out
        self.assertIn(" made for 2.5/s\n", out)
        self.assertIn("limit velocity: not enforced, but kept: a joint's velocity has no limit here (3 places)", out)

    def test_other_files_are_refused_by_name(self):
        self.write_robot("1 1 1", "ply")
        self.write("parts/cube.ply", "ply\n")
        result = self.carom("info", "cube.urdf", code=2)
        self.assertIn("parts/cube.ply", result.err)
        self.assertIn("STL, OBJ, .msh, VTK, COLLADA and glTF", result.err)
        self.carom("info", "cube.urdf", "--permissive")

    def test_collada_needs_assimp_or_a_scene(self):
        self.write_robot("1 1 1", "dae")
        self.write("parts/cube.dae", "<COLLADA/>")
        result = self.carom("info", "cube.urdf", code=2)
        self.assertIn("parts/cube.dae", result.err)
        self.assertIn("assimp", result.err)

    def test_a_broken_file_is_named_with_its_line(self):
        self.write_robot("1 1 1")
        self.write("parts/cube.obj", "v 0 0 0\nv 1 0 x\n")
        result = self.carom("info", "cube.urdf", code=2)
        self.assertEqual(len(result.err.splitlines()), 1)
        self.assertIn("cube.obj:2:", result.err)


if __name__ == "__main__":
    support.main()
