"""Soft bodies in ParaView's files: a cube that falls and a beam, read back."""

import csv
import xml.etree.ElementTree as xml

import support
from test_convert import Glb, VtkFile, Readers

SCENE = """<mujoco><option timestep="0.005"/><worldbody><geom type="plane" size="0 0 1"/>
  <flexcomp name="cube" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" pos="0 0 2" radius="0" rgba="1 0 0 .5">
    <elasticity young="1e5" poisson=".4"/></flexcomp>
  <flexcomp name="beam" type="grid" dim="3" count="3 2 2" spacing=".1 .1 .1" pos="1 0 1" radius="0" carom:quadratic="true">
    <elasticity young="1e5" poisson=".3"/><pin carom:box="-.11 -1 -1 -.09 1 1"/></flexcomp>
</worldbody></mujoco>
"""


def volume(a, b, c, d):
    """Of a tetrahedron."""
    u, v, w = ([p - q for p, q in zip(end, a)] for end in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6


class ConvertSofts(Readers, support.Case):
    def convert(self, *options):
        self.write("scene.xml", SCENE)
        self.carom("run", "scene.xml", "--duration", "0.2", "-o", "in.h5", "--quiet")
        self.carom("convert", "in.h5", "out.pvd", "--quiet", *options)

    def series(self, name):
        """Times and files of a list of frames."""
        root = xml.parse(self.folder / name).getroot()
        return [(float(one.attrib["timestep"]), VtkFile(self.folder / one.attrib["file"])) for one in root.iter("DataSet")]

    def cells(self, file, group, soft):
        """Points of the cells of a soft body."""
        ids, ends = file.arrays[group, "connectivity"], [0] + file.arrays[group, "offsets"]
        return [[file.arrays["Points", "Points"][i] for i in ids[ends[cell]:ends[cell + 1]]]
                for cell, index in enumerate(file.arrays["CellData", "soft"]) if index == soft]

    def test_tetrahedra(self):
        """The cube falls unstrained, from -0.1 0.1 about (0, 0, 2); the beam bends and is stressed where it is held."""
        self.convert("--rate", "20")
        series = self.series("out_soft.pvd")
        self.assertEqual(len(series), 5)
        for time, file in series:
            self.assertEqual((file.type, file.time), ("UnstructuredGrid", time))
            cube, beam = self.cells(file, "Cells", 0), self.cells(file, "Cells", 1)
            self.assertAlmostEqual(sum(volume(*points) for points in cube), .008, delta=1e-8)
            self.assertEqual({len(points) for points in beam}, {10})
            self.assertEqual(set(file.arrays["Cells", "types"]), {10, 24})
            points = [point for cell in cube for point in cell]
            steps = round(time / .005)
            fall = 9.81 * .005 ** 2 * steps * (steps + 1) / 2  # of implicit Euler
            self.assertAlmostEqual(min(z for _, _, z in points), 1.9 - fall, delta=1e-6)
            for velocity in file.arrays["PointData", "velocity"][:27]:
                self.assertAlmostEqual(velocity[2], -9.81 * time, delta=1e-6)
            stress = file.arrays["CellData", "von_mises"]
            self.assertLess(max(stress[:len(cube)]), 1)
            self.assertEqual(len(stress), len(cube) + len(beam))
            strain = file.arrays["CellData", "von_mises_strain"]
            self.assertEqual(len(strain), len(stress))
            self.assertLess(max(strain[:len(cube)]), 1e-5)
            self.assertEqual(file.arrays["CellData", "colour"][0], (255, 0, 0, 128))
        self.assertGreater(max(series[-1][1].arrays["CellData", "von_mises"]), 1000)
        # Small strains: von Mises' stress is 2 mu times 3/2 of his strain, as stress and strain have parallel deviators.
        last = series[-1][1]
        beam = [cell for cell, soft in enumerate(last.arrays["CellData", "soft"]) if soft == 1]
        mu = 1e5 / (2 * 1.3)
        for cell in beam:
            stress, strain = (last.arrays["CellData", name][cell] for name in ("von_mises", "von_mises_strain"))
            self.assertLess(strain, 0.1)
            self.assertAlmostEqual(stress, 3 * mu * strain, delta=3 * mu * strain * 4 * strain)

    def test_surfaces(self):
        """Closed, outwards: the volume that they enclose is the cube's."""
        self.convert("--rate", "20", "--solid")
        for time, file in self.series("out_soft_surface.pvd"):
            self.assertEqual((file.type, file.time), ("PolyData", time))
            cube = self.cells(file, "Polys", 0)
            self.assertEqual(len(cube), 48)
            self.assertAlmostEqual(sum(volume((0, 0, 2), *points) for points in cube), .008, delta=1e-7)

    def test_stress_of_surfaces(self):
        """At the points: the mean of the tetrahedra about each lies between the least and the largest of them."""
        self.convert("--rate", "20")
        solid, surface = self.series("out_soft.pvd")[-1][1], self.series("out_soft_surface.pvd")[-1][1]
        ids, ends = solid.arrays["Cells", "connectivity"], [0] + solid.arrays["Cells", "offsets"]
        about = {}
        for cell, stress in enumerate(solid.arrays["CellData", "von_mises"]):
            for node in ids[ends[cell]:ends[cell + 1]]:
                about.setdefault(node, []).append(stress)
        stress = surface.arrays["PointData", "von_mises"]
        self.assertEqual(len(stress), len(about))
        for node, own in about.items():
            self.assertGreaterEqual(stress[node], min(own) * (1 - 1e-6))
            self.assertLessEqual(stress[node], max(own) * (1 + 1e-6))

    def test_reactions_in_tables(self):
        """A recording's table is that of the run, and the pin bears the beam: 0.002 m3 of 1000 kg/m3, plus what it moves."""
        self.write("scene.xml", SCENE)
        self.carom("run", "scene.xml", "--duration", "0.1", "-o", "in.h5", "--csv", "run.csv", "--quiet")
        self.carom("convert", "in.h5", "all.csv", "--quiet")
        self.carom("convert", "in.h5", "out.csv", "--columns", "reactions", "--quiet")
        names = [f"attachment0.reaction.{part}" for part in ("fx", "fy", "fz", "mx", "my", "mz")]
        tables = [list(csv.DictReader(open(self.folder / name))) for name in ("run.csv", "all.csv", "out.csv")]
        self.assertEqual(list(tables[2][0]), ["time"] + names)
        run, converted, chosen = ([[float(row[name]) for name in names] for row in table] for table in tables)
        self.assertEqual(run, converted)
        self.assertEqual(run, chosen)
        self.assertEqual(run[0], [0] * 6)
        force = [row[2] for row in run[1:]]
        self.assertGreater(max(force), 9)
        self.assertAlmostEqual(sum(force) / len(force), 2 * 9.81, delta=2 * 9.81)

    def test_vtk_reads_vtkhdf(self):
        vtk = self.read_vtk()
        self.convert("--rate", "20")
        self.carom("convert", "in.h5", "out.vtkhdf", "--quiet", "--rate", "20")
        for name, reader in (("out_soft", vtk.vtkXMLUnstructuredGridReader), ("out_soft_surface", vtk.vtkXMLPolyDataReader)):
            lists = xml.parse(self.folder / f"{name}.pvd").getroot().iter("DataSet")
            series = [(float(one.attrib["timestep"]), self.folder / one.attrib["file"]) for one in lists]
            self.compare_steps(f"{name}.vtkhdf", series, reader)

    # --- glTF ---

    def skins(self, *options):
        """The file, and of each soft body mesh and channel of the animation."""
        self.carom("convert", "in.h5", "out.glb", "--quiet", *options)
        file = Glb(self.folder / "out.glb")
        nodes = [(i, node) for i, node in enumerate(file.json["nodes"]) if "soft" in node.get("extras", {})]
        channels = {one["target"]["node"]: one for one in file.json["animations"][0]["channels"] if one["target"]["path"] == "weights"}
        return file, [(file.json["meshes"][node["mesh"]], channels[i]) for i, node in nodes]

    def corners(self, file, mesh, moment, name="POSITION"):
        """An attribute of all corners of the triangles at a moment: that of the first, and what the target says."""
        primitive = mesh["primitives"][0]
        values = file.numbers(primitive["attributes"][name])
        if moment > 0:
            moved = file.numbers(primitive["targets"][moment - 1][name])
            values = [tuple(a + b for a, b in zip(one, other)) for one, other in zip(values, moved)]
        return [values[i] for i in file.numbers(primitive["indices"])]

    def test_gltf(self):
        """At every moment the triangles are those of ParaView's surfaces; weights choose them one after the other."""
        self.convert("--rate", "20")
        file, skins = self.skins("--rate", "20")
        series = self.series("out_soft_surface.pvd")
        for index, (mesh, channel) in enumerate(skins):
            sampler = file.json["animations"][0]["samplers"][channel["sampler"]]
            times, weights = file.numbers(sampler["input"]), file.numbers(sampler["output"])
            self.assertEqual(len(times), len(series))
            self.assertEqual(weights, [float(i == k) for i in range(len(times)) for k in range(1, len(times))])
            for moment, (time, frame) in enumerate(series):
                self.assertAlmostEqual(times[moment], time, delta=1e-6)
                expected = [point for cell in self.cells(frame, "Polys", index) for point in cell]
                found = self.corners(file, mesh, moment)
                self.assertEqual(len(found), len(expected))
                for one, other in zip(found, expected):
                    for a, b in zip(one, other):
                        self.assertAlmostEqual(a, b, delta=1e-6)

    def test_gltf_colours(self):
        """All vertices of what is not strained have the darkest colour; of the beam, where it is held, lighter ones."""
        self.convert("--rate", "20")
        file, ((cube, _), (beam, _)) = self.skins("--rate", "20")
        last = len(cube["primitives"][0]["targets"])
        light = lambda colour: .2126 * colour[0] + .7152 * colour[1] + .0722 * colour[2]
        dark = [light(colour) for colour in self.corners(file, cube, last, "COLOR_0")]
        self.assertLess(max(dark), 0.05)
        places, colours = self.corners(file, beam, last), self.corners(file, beam, last, "COLOR_0")
        held = [light(colour) for place, colour in zip(places, colours) if place[0] < 0.92]
        free = [light(colour) for place, colour in zip(places, colours) if place[0] > 1.08]
        self.assertGreater(sum(held) / len(held), 2 * sum(free) / len(free))

    def test_gltf_has_no_more_targets_than_it_can(self):
        """Of 201 frames 101 are kept, the first and the last among them."""
        self.write("scene.xml", SCENE)
        self.carom("run", "scene.xml", "--duration", "1", "-o", "in.h5", "--quiet")
        file, skins = self.skins("--all")
        for mesh, channel in skins:
            times = file.numbers(file.json["animations"][0]["samplers"][channel["sampler"]]["input"])
            self.assertEqual(len(mesh["primitives"][0]["targets"]), len(times) - 1)
            self.assertEqual(len(times), 101)
            self.assertAlmostEqual(times[1], 0.01, delta=1e-6)
            self.assertEqual((times[0], round(times[-1], 6)), (0, 1))

    def test_gltf_is_valid(self):
        self.convert("--rate", "20")
        self.skins("--rate", "20")
        self.validate_gltf("out.glb")

    def test_gltf_leaves_out_what_is_hidden(self):
        self.write("scene.xml", SCENE.replace('name="cube"', 'name="cube" group="3"').replace('radius="0" carom', 'radius="0" rgba="1 1 1 0" carom'))
        self.carom("run", "scene.xml", "--duration", "0.02", "-o", "in.h5", "--quiet")
        self.carom("convert", "in.h5", "out.gltf", "--quiet")
        self.assertFalse([node for node in Glb(self.folder / "out.gltf").json["nodes"] if "soft" in node.get("extras", {})])

    def test_without_soft_bodies(self):
        self.write("ball.xml", "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
        self.carom("run", "ball.xml", "--duration", "0.01", "-o", "in.h5", "--quiet")
        self.carom("convert", "in.h5", "out.pvd", "--quiet")
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.pvd")), ["out.pvd", "out_contacts.pvd"])


if __name__ == "__main__":
    support.main()
