"""Soft bodies in ParaView's files: a cube that falls and a beam, read back."""

import xml.etree.ElementTree as xml

import support
from test_convert import VtkFile, VtkReaders

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


class ConvertSofts(VtkReaders, support.Case):
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
            self.assertEqual(file.arrays["CellData", "colour"][0], (255, 0, 0, 128))
        self.assertGreater(max(series[-1][1].arrays["CellData", "von_mises"]), 1000)

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

    def test_vtk_reads_vtkhdf(self):
        vtk = self.read_vtk()
        self.convert("--rate", "20")
        self.carom("convert", "in.h5", "out.vtkhdf", "--quiet", "--rate", "20")
        for name, reader in (("out_soft", vtk.vtkXMLUnstructuredGridReader), ("out_soft_surface", vtk.vtkXMLPolyDataReader)):
            lists = xml.parse(self.folder / f"{name}.pvd").getroot().iter("DataSet")
            series = [(float(one.attrib["timestep"]), self.folder / one.attrib["file"]) for one in lists]
            self.compare_steps(f"{name}.vtkhdf", series, reader)

    def test_without_soft_bodies(self):
        self.write("ball.xml", "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
        self.carom("run", "ball.xml", "--duration", "0.01", "-o", "in.h5", "--quiet")
        self.carom("convert", "in.h5", "out.pvd", "--quiet")
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.pvd")), ["out.pvd", "out_contacts.pvd"])


if __name__ == "__main__":
    support.main()
