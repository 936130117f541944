"""carom convert: what other programs read in its files is what was recorded. The tables of `--columns` are
compared with the recording to the bit in test/convert; here they are the reference for the other formats."""
import array
import base64
import csv
import json
import math
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import unittest
import xml.etree.ElementTree as xml
import zlib

import support

SCENE = """<mujoco model="shapes"><option timestep="0.005"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" rgba=".5 .6 .5 1"/>
  <body name="box" pos="0 0 .5" euler="30 20 0"><freejoint/><geom name="box" type="box" size=".1 .2 .3" rgba="1 0 0 1"/></body>
  <body name="one" pos="1 0 .5"><freejoint/><geom name="one" size=".1" rgba="0 1 0 .5"/></body>
  <body name="two" pos="2 0 .5"><freejoint/><geom name="two" size=".1" rgba="0 1 0 .5"/></body>
  <body name="arm" pos="0 2 1"><joint name="elbow" axis="0 1 0"/>
    <geom name="arm" type="capsule" pos=".3 0 0" euler="0 90 0" size=".05 .2"/>
    <body name="hand" pos=".6 0 0"><joint name="wrist" type="ball"/><geom name="hand" type="cylinder" size=".05 .1"/></body></body>
  <body name="ghost" pos="0 0 3"><geom name="ghost" size=".1" group="3"/></body>
</worldbody></mujoco>
"""
GEOMS = ["floor", "box", "one", "two", "arm", "hand", "ghost"]
BODIES = ["world", "box", "one", "two", "arm", "hand", "ghost"]


def rotate(quaternion, vector):
    """A vector turned by a quaternion w x y z."""
    w, *u = quaternion
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2 * x for x in cross(u, vector)]
    return [a + w * b + c for a, b, c in zip(vector, t, cross(u, t))]


def mean(points):
    return [sum(column) / len(points) for column in zip(*points)]


class VtkFile:
    """The arrays of a .vtp or .vtu file, by element and name: a reader of its own, after the published format."""

    CODES = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}

    def __init__(self, path):
        head, rest = path.read_bytes().split(b"<AppendedData encoding=\"raw\">\n_", 1)
        root = xml.fromstring(head + b"</VTKFile>")
        assert root.attrib["compressor"] == "vtkZLibDataCompressor" and root.attrib["header_type"] == "UInt64"
        self.type = root.attrib["type"]
        self.piece = root.find(f"{self.type}/Piece")
        self.time = float(root.find(f"{self.type}/FieldData/DataArray").text)
        self.arrays = {(element.tag, one.attrib["Name"]): self.decode(rest, one) for element in self.piece for one in element}

    def decode(self, data, element):
        at = int(element.attrib["offset"])
        count, size, last = struct.unpack_from("<3Q", data, at)
        sizes = struct.unpack_from(f"<{count}Q", data, at + 24)
        at += 24 + 8 * count
        values = array.array(self.CODES[element.attrib["type"]])
        for index, packed in enumerate(sizes):
            block = zlib.decompress(data[at:at + packed])
            assert len(block) == (last if last and index == count - 1 else size)
            values.frombytes(block)
            at += packed
        width = int(element.attrib["NumberOfComponents"])
        return list(values) if width == 1 else [tuple(values[i:i + width]) for i in range(0, len(values), width)]

    def points_of(self, geom, width=3):
        """The points that the cells of a geometry use."""
        cells = "Cells" if self.type == "UnstructuredGrid" else "Polys"
        ids, ends = self.arrays[cells, "connectivity"], [0] + self.arrays[cells, "offsets"]
        used = sorted({i for cell, name in enumerate(self.arrays["CellData", "geom"]) if name == geom
                       for i in ids[ends[cell]:ends[cell + 1]]})
        return [self.arrays["Points", "Points"][i] for i in used]


class Glb:
    """The JSON of a .glb or .gltf file, and the numbers of its accessors."""

    def __init__(self, path):
        data = path.read_bytes()
        if path.suffix == ".gltf":
            self.json = json.loads(data)
            head, text = self.json["buffers"][0]["uri"].split(",")
            assert head == "data:application/octet-stream;base64"
            self.data = base64.b64decode(text, validate=True)
        else:
            magic, version, size, length, kind = struct.unpack_from("<4sIII4s", data)
            assert (magic, version, size, kind) == (b"glTF", 2, len(data), b"JSON")
            self.json = json.loads(data[20:20 + length])
            size, kind = struct.unpack_from("<I4s", data, 20 + length)
            assert kind == b"BIN\0"
            self.data = data[28 + length:28 + length + size]
        assert len(self.data) == self.json["buffers"][0]["byteLength"]
        self.nodes = {node["name"]: index for index, node in enumerate(self.json["nodes"])}

    def numbers(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        code = {5126: "f", 5125: "I", 5123: "H"}[accessor["componentType"]]
        start = view["byteOffset"] + accessor["byteOffset"]
        values = struct.unpack_from(f"<{width * accessor['count']}{code}", self.data, start)
        return list(values) if width == 1 else [values[i:i + width] for i in range(0, len(values), width)]

    def body(self, index):
        """The node of a body."""
        return next(i for i, node in enumerate(self.json["nodes"]) if node.get("extras", {}).get("body") == index)

    def motion(self, body, path):
        """Times and values of a channel; None where there is none."""
        animation = self.json["animations"][0]
        for channel in animation["channels"]:
            if channel["target"] == {"node": self.body(body), "path": path}:
                sampler = animation["samplers"][channel["sampler"]]
                assert sampler["interpolation"] == "LINEAR"
                return self.numbers(sampler["input"]), self.numbers(sampler["output"])
        return None


class Readers:
    """Readers of others, where they are installed."""

    def validate_gltf(self, name):
        """Khronos' validator has no complaint."""
        node = shutil.which("node") or shutil.which("nodejs")
        if not node:
            raise unittest.SkipTest("Node is not installed")
        script = pathlib.Path(__file__).with_name("validate_gltf.mjs")
        process = subprocess.run([node, script, self.folder / name], capture_output=True, text=True, timeout=60)
        if process.returncode == 77:
            raise unittest.SkipTest("gltf-validator is not installed (npm ci --prefix viewer)")
        self.assertEqual(process.returncode, 0, process.stderr)
        issues = json.loads(process.stdout)["issues"]
        self.assertEqual((issues["numErrors"], issues["numWarnings"]), (0, 0), issues["messages"])

    def read_vtk(self):
        try:
            import vtk
        except ImportError:
            raise unittest.SkipTest("VTK's Python package (Debian: python3-vtk9) is not installed")
        return vtk

    def load(self, reader, path):
        """What a reader of VTK makes of a file; it must have no complaint."""
        complaints = []
        reader.AddObserver("ErrorEvent", lambda *_: complaints.append(path))
        reader.SetFileName(str(path))
        reader.Update()
        self.assertEqual(complaints, [])
        return reader.GetOutput()

    def compare_steps(self, name, series, reader_of_frames):
        """The steps of a VTKHDF file are a series of times and paths."""
        vtk = self.read_vtk()
        if tuple(int(part) for part in vtk.vtkVersion().GetVTKVersion().split(".")[:2]) < (9, 3):
            raise unittest.SkipTest(f"VTK {vtk.vtkVersion().GetVTKVersion()} reads no PolyData of VTKHDF, 9.3 does")
        key = vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()
        reader = vtk.vtkHDFReader()
        reader.SetFileName(str(self.folder / name))
        reader.UpdateInformation()
        steps = reader.GetOutputInformation(0)
        self.assertEqual([steps.Get(key, i) for i in range(steps.Length(key))], [time for time, _ in series])
        for time, path in series:
            reader.UpdateTimeStep(time)
            self.compare(reader.GetOutput(), self.load(reader_of_frames(), path))

    def compare(self, one, other):
        self.assertEqual(one.GetNumberOfPoints(), other.GetNumberOfPoints())
        self.assertEqual(one.GetNumberOfCells(), other.GetNumberOfCells())
        for index in range(one.GetNumberOfPoints()):
            self.assertEqual(one.GetPoint(index), other.GetPoint(index))
        if one.GetNumberOfPoints() == 0:
            return
        for a, b in ((one.GetPointData(), other.GetPointData()), (one.GetCellData(), other.GetCellData())):
            self.assertEqual(a.GetNumberOfArrays(), b.GetNumberOfArrays())
            for index in range(b.GetNumberOfArrays()):
                wanted = b.GetArray(index)
                found = a.GetArray(wanted.GetName())
                self.assertEqual([found.GetTuple(i) for i in range(found.GetNumberOfTuples())],
                                 [wanted.GetTuple(i) for i in range(wanted.GetNumberOfTuples())], wanted.GetName())


class Convert(Readers, support.Case):
    @classmethod
    def setUpClass(cls):
        cls.recorded = support.tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.recorded.name)
        (folder / "scene.xml").write_text(SCENE, encoding="utf-8")
        subprocess.run([support.CAROM, "run", "scene.xml", "--duration", "0.6", "-o", "in.h5", "--quiet"], cwd=folder,
                       check=True, timeout=200)

    @classmethod
    def tearDownClass(cls):
        cls.recorded.cleanup()

    def setUp(self):
        super().setUp()
        shutil.copy(pathlib.Path(self.recorded.name) / "in.h5", self.folder)

    def convert(self, name, *options):
        result = self.carom("convert", "in.h5", name, *options, "--quiet")
        self.assertEqual(result.out + result.err, "")
        return self.folder / name

    def table(self, *options):
        with open(self.convert("reference.csv", *options), encoding="utf-8", newline="") as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def pose(self, row, body):
        return [row[f"{body}.pose.{part}"] for part in ("x", "y", "z", "qw", "qx", "qy", "qz")]

    # --- ParaView ---------------------------------------------------------------------------------

    def series(self, name):
        """Times and paths of a list of frames."""
        root = xml.parse(self.folder / name).getroot()
        self.assertEqual(root.attrib["type"], "Collection")
        return [(float(one.attrib["timestep"]), self.folder / one.attrib["file"]) for one in root.iter("DataSet")]

    def test_surfaces(self):
        self.convert("out.pvd", "--rate", "20")
        rows = self.table("--columns", "poses,v", "--rate", "20")
        series = self.series("out.pvd")
        self.assertEqual([time for time, _ in series], [row["time"] for row in rows])
        for (time, path), row in zip(series, rows):
            file = VtkFile(path)
            self.assertEqual(file.time, time)
            for geom, body in ((1, "box"), (2, "one"), (3, "two"), (5, "hand")):
                self.assertNear(mean(file.points_of(geom)), self.pose(row, body)[:3], 2e-6)
            pose = self.pose(row, "box")
            back = [pose[3], -pose[4], -pose[5], -pose[6]]
            for point in file.points_of(1):
                corner = rotate(back, [a - b for a, b in zip(point, pose)])
                self.assertNear([abs(part) for part in corner], [.1, .2, .3], 2e-6)
            pose = self.pose(row, "arm")
            middle = [a + b for a, b in zip(pose, rotate(pose[3:], [.3, 0, 0]))]
            self.assertNear(mean(file.points_of(4)), middle, 2e-6)

    def test_ellipsoid_and_meshes(self):
        """Points and triangles of their own, no boxes; two geometries of one mesh share it."""
        self.write("solids.xml", """<mujoco><asset><mesh name="t" vertex="1 0 0 3 0 0 1 4 0 1 0 6"/>
            <mesh name="c" vertex="0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1"/></asset>
            <worldbody><geom type="mesh" mesh="t"/><geom type="ellipsoid" size=".3 .2 .1"/>
            <geom type="mesh" mesh="c" pos="5 0 0"/><geom type="mesh" mesh="t" pos="0 0 9"/>
            <body><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
        self.carom("run", "solids.xml", "--duration", "0", "-o", "in.h5", "--quiet")
        self.convert("out.pvd")
        file = VtkFile(self.series("out.pvd")[0][1])
        corners = {(1, 0, 0), (3, 0, 0), (1, 4, 0), (1, 0, 6)}
        self.assertEqual({tuple(point) for point in file.points_of(0)}, corners)
        self.assertEqual({(x, y, z - 9) for x, y, z in file.points_of(3)}, corners)
        self.assertEqual(sorted(set(map(tuple, file.points_of(2)))), [(x, y, z) for x in (5, 6) for y in (0, 1) for z in (0, 1)])
        geoms = file.arrays["CellData", "geom"]
        self.assertEqual([geoms.count(geom) for geom in (0, 2, 3)], [4, 12, 4])
        for point in file.points_of(1):
            self.assertAlmostEqual(math.hypot(point[0] / .3, point[1] / .2, point[2] / .1), 1, delta=1e-6)
        glb = Glb(self.convert("out.glb"))
        nodes = {node["extras"]["geom"]: node for node in glb.json["nodes"] if "geom" in node.get("extras", {})}
        self.assertEqual(nodes[0]["mesh"], nodes[3]["mesh"])
        self.assertEqual(len({node["mesh"] for node in nodes.values()}), 4)
        primitive = glb.json["meshes"][nodes[0]["mesh"]]["primitives"][0]
        points = {tuple(point) for point in glb.numbers(primitive["attributes"]["POSITION"])}
        self.assertEqual({tuple(a + b for a, b in zip(point, nodes[0]["translation"])) for point in points}, corners)
        self.assertEqual(len(glb.numbers(primitive["indices"])), 12)

    def test_data_of_cells(self):
        self.convert("out.pvd", "--from", "0.3", "--until", "0.3")
        row = self.table("--columns", "v", "--from", "0.3", "--until", "0.3")[0]
        file = VtkFile(self.series("out.pvd")[0][1])
        cells = dict(zip(file.arrays["CellData", "geom"], zip(*(file.arrays["CellData", name] for name in (
            "body", "group", "colour", "velocity", "angular_velocity")))))
        self.assertEqual(sorted(cells), list(range(7)))
        self.assertEqual([cells[geom][0] for geom in range(7)], [0, 1, 2, 3, 4, 5, 6])
        self.assertEqual([cells[geom][1] for geom in range(7)], [0, 0, 0, 0, 0, 0, 3])
        self.assertEqual([cells[geom][2] for geom in (1, 2)], [(255, 0, 0, 255), (0, 255, 0, 128)])
        self.assertNear(cells[1][3], [row[f"box.{part}"] for part in ("vx", "vy", "vz")], 1e-6)
        self.assertNear(cells[4][4], [0, row["elbow.v"], 0], 1e-5)
        self.assertEqual(cells[6][3], (0, 0, 0))

    def test_contacts(self):
        self.convert("out.pvd")
        rows = self.table("--columns", "points")
        series = self.series("out_contacts.pvd")
        self.assertEqual(len(series), 121)
        taken = 0
        for time, path in series:
            file = VtkFile(path)
            count = len(file.arrays["Points", "Points"])
            expected, taken = rows[taken:taken + count], taken + count
            self.assertEqual(file.arrays["Verts", "connectivity"], list(range(count)))
            self.assertEqual(file.arrays["Verts", "offsets"], list(range(1, count + 1)))
            for index, row in enumerate(expected):
                self.assertEqual(row["time"], time)
                self.assertEqual(list(file.arrays["Points", "Points"][index]), [row[k] for k in "xyz"])
                self.assertNear(file.arrays["PointData", "force"][index], [row[k] / 0.005 for k in ("jx", "jy", "jz")], 1e-9)
                self.assertEqual(file.arrays["PointData", "state"][index], row["state"])
                self.assertEqual(list(file.arrays["PointData", "geoms"][index]), [row["geom1"], row["geom2"]])
        self.assertEqual(taken, len(rows))
        self.assertGreater(taken, 20)

    def test_vtk_reads_the_frames(self):
        vtk = self.read_vtk()
        self.convert("out.pvd", "--rate", "10")
        for name in ("out.pvd", "out_contacts.pvd"):
            for time, path in self.series(name):
                data, own = self.load(vtk.vtkXMLPolyDataReader(), path), VtkFile(path)
                self.assertEqual(data.GetNumberOfPoints(), len(own.arrays["Points", "Points"]))
                self.assertEqual(data.GetFieldData().GetArray("TimeValue").GetValue(0), time)
                for index, point in enumerate(own.arrays["Points", "Points"]):
                    self.assertEqual(data.GetPoint(index), point)
                self.assertEqual(data.GetNumberOfCells(), data.GetNumberOfPoints() if "contacts" in name
                                 else len(own.arrays["CellData", "geom"]))
        self.assertIsNotNone(self.load(vtk.vtkXMLPolyDataReader(), self.series("out.pvd")[0][1]).GetPointData().GetNormals())

    def test_vtk_reads_the_solids(self):
        vtk = self.read_vtk()
        self.convert("out.pvd", "--rate", "10", "--solid")
        for _, path in self.series("out.pvd"):
            size = vtk.vtkCellSizeFilter()
            size.SetInputData(self.load(vtk.vtkXMLUnstructuredGridReader(), path))
            size.Update()
            data = size.GetOutput().GetCellData()
            volumes = [0.0] * len(GEOMS)
            for cell in range(data.GetNumberOfTuples()):
                self.assertGreaterEqual(data.GetArray("Volume").GetValue(cell), 0)
                volumes[data.GetArray("geom").GetValue(cell)] += data.GetArray("Volume").GetValue(cell)
            area = 12 * math.sin(math.pi / 12)  # of the polygon of 24 points in the unit circle
            self.assertNear([volumes[0], volumes[1], volumes[5]], [0, 8 * .1 * .2 * .3, area * .05 ** 2 * .2], 1e-6)

    def test_vtk_reads_vtkhdf(self):
        vtk = self.read_vtk()
        self.convert("out.pvd", "--rate", "20")
        self.convert("out.vtkhdf", "--rate", "20")
        for name in ("out", "out_contacts"):
            self.compare_steps(f"{name}.vtkhdf", self.series(f"{name}.pvd"), vtk.vtkXMLPolyDataReader)

    # --- glTF -------------------------------------------------------------------------------------

    def test_animation(self):
        for name, options in (("out.glb", ["--rate", "60"]), ("out.gltf", ["--all"])):
            file = Glb(self.convert(name, *options))
            rows = self.table("--columns", "poses", *(options if name == "out.glb" else []))
            for index, body in list(enumerate(BODIES))[1:6]:
                poses = [self.pose(row, body) for row in rows]
                turns = file.motion(index, "rotation")
                if turns:
                    self.check_rotations(*turns, rows, poses)
                else:
                    self.assertEqual({tuple(pose[3:]) for pose in poses}, {(1, 0, 0, 0)})
                places = file.motion(index, "translation")
                if body == "arm":  # it turns about its origin, which stands still
                    self.assertTrue(turns and not places)
                    continue
                for time, place, row, pose in zip(*places, rows, poses):
                    self.assertNear([time, *place], [row["time"], *pose[:3]], 1e-6)
            self.assertIsNone(file.motion(6, "translation"))

    def check_rotations(self, times, turns, rows, poses):
        self.assertEqual(len(times), len(rows))
        before = turns[0]
        for turn, pose in zip(turns, poses):
            own = [turn[3], *turn[:3]]
            sign = math.copysign(1, sum(a * b for a, b in zip(own, pose[3:])))
            self.assertNear(own, [sign * part for part in pose[3:]], 1e-6)
            self.assertGreater(sum(a * b for a, b in zip(turn, before)), 0)
            before = turn

    def test_nodes(self):
        file = Glb(self.convert("out.glb"))
        nodes = file.json["nodes"]
        root = nodes[file.json["scenes"][0]["nodes"][0]]
        x, y, z, w = root["rotation"]
        self.assertNear(rotate([w, x, y, z], [0, 0, 1]), [0, 1, 0], 1e-15)
        self.assertEqual([nodes[child]["name"] for child in root["children"]], BODIES)
        geoms = {node["extras"]["geom"]: node for node in nodes if "geom" in node.get("extras", {})}
        self.assertEqual(sorted(geoms), [0, 1, 2, 3, 4, 5])  # the ghost's group is hidden
        self.assertEqual([geoms[i]["name"] for i in range(6)], GEOMS[:6])
        self.assertEqual(geoms[2]["mesh"], geoms[3]["mesh"])
        self.assertEqual(len(file.json["meshes"]), 5)
        mesh = lambda geom: file.json["meshes"][geoms[geom]["mesh"]]["primitives"][0]
        red, green = (file.json["materials"][mesh(geom)["material"]] for geom in (1, 2))
        self.assertEqual(red["pbrMetallicRoughness"]["baseColorFactor"], [1, 0, 0, 1])
        self.assertEqual(green["alphaMode"], "BLEND")
        corners = {tuple(round(abs(part), 6) for part in point) for point in file.numbers(mesh(1)["attributes"]["POSITION"])}
        self.assertEqual(corners, {(.1, .2, .3)})
        self.assertNear(geoms[4]["translation"], [.3, 0, 0], 1e-12)

    def test_validator(self):
        self.write("still.xml", "<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>")
        self.carom("run", "still.xml", "--duration", "0.1", "-o", "still.h5", "--quiet")
        self.write("bare.xml", "<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' "
                   "diaginertia='1 1 1'/></body></worldbody></mujoco>")
        self.carom("run", "bare.xml", "--duration", "0.1", "-o", "bare.h5", "--quiet")
        self.write("mesh.xml", "<mujoco><asset><mesh name='t' vertex='1 0 0 3 0 0 1 4 0 1 0 6'/></asset><worldbody>"
                   "<geom type='mesh' mesh='t'/><geom type='ellipsoid' size='1 2 3'/></worldbody></mujoco>")
        self.carom("run", "mesh.xml", "--duration", "0.1", "-o", "mesh.h5", "--quiet")
        for recording, name, options in (("in.h5", "out.glb", []), ("mesh.h5", "mesh.glb", []), ("in.h5", "out.gltf", ["--all"]),
                                         ("in.h5", "one.glb", ["--until", "0"]), ("still.h5", "still.glb", []),
                                         ("bare.h5", "bare.gltf", [])):
            self.carom("convert", recording, name, *options)
            self.validate_gltf(name)

    # --- Tables -----------------------------------------------------------------------------------

    def test_table_is_that_of_the_run(self):
        self.write("scene.xml", SCENE)
        self.carom("run", "scene.xml", "--duration", "0.6", "-o", "again.h5", "--csv", "run.csv", "--quiet")
        self.carom("convert", "again.h5", "out.csv")
        self.assertEqual((self.folder / "run.csv").read_bytes(), (self.folder / "out.csv").read_bytes())

    def test_columns(self):
        for columns, names in (("energy", ["time", "kinetic", "potential", "elastic", "dissipated"]),
                               ("solver,contacts", ["time", "contacts", "iterations", "residual"]),
                               ("steps", ["time", "steps", "substeps", "outer_iterations", "error_bound", "stick_slip",
                                          "actuator_work", "wall_time"])):
            self.assertEqual(list(self.table("--columns", columns)[0]), names)

    def test_joint_reactions(self):
        """Where they are asked for, a recording's table is that of the run: an arm bears its hand and itself."""
        self.write("scene.xml", SCENE)
        self.carom("run", "scene.xml", "--duration", "0.1", "-o", "joints.h5", "--csv", "run.csv", "--reactions", "--quiet")
        self.carom("convert", "joints.h5", "out.csv", "--columns", "joint_reactions", "--quiet")
        run, out = (list(csv.DictReader(open(self.folder / name))) for name in ("run.csv", "out.csv"))
        names = [name for name in out[0] if name != "time"]
        parts = ("fx", "fy", "fz", "mx", "my", "mz")
        self.assertEqual(names, [f"{joint}.reaction.{part}" for joint in ("box", "one", "two", "elbow", "wrist")
                                 for part in parts])
        self.assertEqual([[row[name] for name in names] for row in run], [[row[name] for name in names] for row in out])
        self.assertEqual({float(run[0][name]) for name in names}, {0})
        for row in out[1:]:
            self.assertAlmostEqual(float(row["elbow.reaction.my"]), 0, delta=1e-4)  # a hinge about y without friction
            self.assertGreater(float(row["elbow.reaction.fz"]), float(row["wrist.reaction.fz"]))
        self.assertEqual(list(self.table("--columns", "joint_reactions")[0]), ["time"])  # they were not asked for

    def test_pairs_points_and_equalities(self):
        """A box stands on a box that a weld holds: forces of bodies on each other, pressure, what the weld bears."""
        self.write("scene.xml", """<mujoco><option gravity='0 0 -10'/><worldbody>
            <body name='low' pos='0 0 1'><freejoint/><geom type='box' size='.2 .2 .1' mass='3'/></body>
            <body name='top' pos='.1 0 1.2'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody>
            <equality><weld name='hold' body1='world' body2='low'/></equality></mujoco>""")
        self.carom("run", "scene.xml", "--duration", "0.2", "-o", "out.h5", "--csv", "run.csv", "--reactions",
                   "--patches", "area", "--quiet")
        def read(columns):
            self.carom("convert", "out.h5", "out.csv", "--columns", columns, "--quiet")
            return list(csv.DictReader(open(self.folder / "out.csv")))
        pair = read("pairs")[-1]
        self.assertEqual([int(pair[name]) for name in ("body1", "body2")], [1, 2])
        for name, value in {"fx": 0, "fy": 0, "fz": 20, "x": 0.1, "y": 0, "normal": 20, "area": 0.04, "mx": 0}.items():
            self.assertAlmostEqual(float(pair[name]), value, delta=1e-4)
        last = [row for row in read("points") if row["time"] == pair["time"]]
        self.assertEqual(len(last), int(pair["points"]))
        self.assertAlmostEqual(sum(float(p["pressure"]) * float(p["area"]) for p in last), 20, delta=1e-4)
        self.assertAlmostEqual(max(float(p["shear"]) for p in last), 0, delta=0.1)
        self.carom("convert", "out.h5", "out.pvd", "--quiet")
        areas = VtkFile(self.series("out_areas.pvd")[-1][1])
        places, pressures = areas.arrays["Points", "Points"], areas.arrays["PointData", "pressure"]
        ends, corners = areas.arrays["Polys", "offsets"], areas.arrays["Polys", "connectivity"]
        total = force = 0
        for end in ends:
            a, b, c = (places[i] for i in corners[end - 3:end])
            area = ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2
            total, force = total + area, force + area * sum(pressures[i] for i in corners[end - 3:end]) / 3
        self.assertAlmostEqual(total, 0.04, delta=1e-6)
        self.assertAlmostEqual(force, 20, delta=1e-4)
        self.carom("convert", "out.h5", "out.vtkhdf", "--quiet")
        self.assertTrue((self.folder / "out_areas.vtkhdf").exists())
        held, names = read("equality_reactions")[-1], [f"hold.reaction.{part}" for part in ("fx", "fy", "fz", "mx", "my", "mz")]
        self.assertEqual(list(held), ["time", *names])
        for name, value in zip(names, (0, 0, 50, 0, -2, 0)):
            self.assertAlmostEqual(float(held[name]), value, delta=1e-2)
        run = list(csv.DictReader(open(self.folder / "run.csv")))[-1]
        self.assertEqual([run[name] for name in names], [held[name] for name in names])
        self.assertIn("stand alone", self.carom("convert", "out.h5", "out.csv", "--columns", "pairs,q", code=1).err)

    # --- The program ------------------------------------------------------------------------------

    def test_says_what_was_written(self):
        for name, pattern in (("out.csv", r"121 frames, 0\.\d MB"), ("out.pvd", r"121 frames in 244 files, \d+\.\d MB"),
                              ("out.vtkhdf", r"121 frames in 2 files, \d+\.\d MB"), ("out.glb", r"37 frames, 0\.\d MB")):
            self.assertRegex(self.carom("convert", "in.h5", name).out, rf"^{name}: {pattern}\n$")
        self.carom("convert", "in.h5", "table", "--to", "csv")
        self.assertEqual((self.folder / "table").read_bytes(), (self.folder / "out.csv").read_bytes())

    def test_killed_run(self):
        self.write("scene.xml", SCENE)
        self.record_and_kill("scene.xml", "open.h5")
        for name in ("out.csv", "out.glb"):
            result = self.carom("convert", "open.h5", name)
            self.assertEqual(result.err, "carom: open.h5: was not closed; what there is of it is written\n")

    def test_cut_recording(self):
        whole = (self.folder / "in.h5").read_bytes()
        for part in (0.01, 0.5, 0.999):
            (self.folder / "cut.h5").write_bytes(whole[:int(part * len(whole))])
            result = self.carom("convert", "cut.h5", "out.csv", code=2)
            self.assertRegex(result.err, r"^carom: cut\.h5: .*(damaged|no HDF5 file).*\n$")
        self.assertFalse((self.folder / "out.csv").exists())

    def test_outputs_that_outgrow_the_disk(self):
        # HDF5 fails in other places early and late, and must not crash at the end of the program.
        size = self.convert("out.vtkhdf").stat().st_size
        for name, most in (("out.csv", 50000), ("out.vtkhdf", 70000), ("out.vtkhdf", 200000), ("out.vtkhdf", size - 1000)):
            def limit(most=most):
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

            result = self.carom("convert", "in.h5", name, code=2, preexec_fn=limit)
            self.assertRegex(result.err, rf"^carom: {name}: cannot be written: .*\n$")

    def test_refusals(self):
        self.write("text.h5", "no recording")
        for code, sentence, arguments in (
                (1, "convert: FILE OUT is missing; 'carom help convert' says more", []),
                (1, "convert: OUT is missing; name the file, such as out.csv", ["in.h5"]),
                (1, "convert: 'b.csv' is one argument too many", ["in.h5", "a.csv", "b.csv"]),
                (1, "convert: out: the ending names no format; end it in .csv, .pvd, .vtkhdf, .glb, .gltf, .xml or .urdf, or give --to",
                 ["in.h5", "out"]),
                (1, "convert: out.vtu: such files hold one frame; name their list, .pvd with --solid", ["in.h5", "out.vtu"]),
                (1, "convert: --to is 'obj', must be csv, pvd, vtkhdf, glb, gltf, xml or urdf", ["in.h5", "out", "--to", "obj"]),
                (1, "convert: --columns: there is no 'x'; there are q, v, ctrl, poses, energy, contacts, solver, steps, "
                    "points, sensors, reactions, joint_reactions, equality_reactions and pairs", ["in.h5", "out.csv", "--columns", "q,x"]),
                (1, "convert: --columns: points have rows of their own, and stand alone",
                 ["in.h5", "out.csv", "--columns", "q,points"]),
                (1, "convert: --columns is for csv only", ["in.h5", "out.glb", "--columns", "q"]),
                (1, "convert: --solid is for pvd only", ["in.h5", "out.csv", "--solid"]),
                (2, "in.h5: the recording has no frame from 2 s to 3 s; it goes from 0 s to 0.6 s",
                 ["in.h5", "out.csv", "--from", "2", "--until", "3"]),
                (2, "none.h5: cannot be opened: No such file or directory", ["none.h5", "out.csv"]),
                (2, "text.h5: is no HDF5 file, so no recording of Carom", ["text.h5", "out.csv"]),
                (2, "none/out.glb: cannot be created: No such file or directory", ["in.h5", "none/out.glb"]),
                (2, "none/out.vtkhdf: cannot be created: No such file or directory", ["in.h5", "none/out.vtkhdf"]),
                (2, "none/out.pvd: cannot be created: No such file or directory", ["in.h5", "none/out.pvd"]),
                (2, "./in.h5: is read by this command, and not overwritten", ["in.h5", "./in.h5", "--to", "csv"])):
            self.expect_sentence(code, sentence, "convert", *arguments)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["in.h5", "text.h5"])


ROBOT = """<mujoco model="a &amp; b"><compiler angle="radian"/><option gravity="0 1 -9"/><worldbody>
<geom name="post" type="box" size="1 2 3"/><body name="&quot;arm&lt;" pos="1 2 3" quat="1 .2 .3 .4">
<joint name="x" type="slide" axis="1 0 0"/><joint name="h" pos=".1 .2 .3" axis="0 1 2" ref=".3" range="-1 2" damping=".5"/>
<geom size=".1 .2" type="capsule" pos="0 0 .1" quat=".5 .5 .5 .5"/><body pos="0 0 1"><geom size=".2"/>
<joint name="s" carom:pitch=".25" pos="0 .1 0"/><joint name="b" type="ball"/><body pos=".3 0 0"><joint name="k" armature=".01"/>
<geom type="box" size=".1 .2 .3" pos="1 0 0"/><site name="t"/></body></body></body></worldbody>
<equality><joint joint1="k" joint2="h" polycoef=".1 2 0 0 0"/>
<carom:distance body1="&quot;arm&lt;" anchor="0 0 .1" carom:anchor2="0 0 9" distance="7"/></equality>
<actuator><motor name="m" joint="k"/></actuator></mujoco>"""


class Models(support.Case):
    """Coordinates of a URDF file count from the reference configuration; everything else is the same."""

    def evaluate(self, name, q):
        self.write("state.json", json.dumps({"q": q, "v": [.1, -.2, .3, .4, .5, -.6, .7]}))
        return json.loads(self.carom("eval", name, "--state", "state.json").out)

    def compare(self, name, shift):
        half = math.sqrt(.5)
        q = [.1, .5, -.7, half, 0, half, 0, .9]
        a = self.evaluate("in.xml", q)
        q[1] -= shift
        b = self.evaluate(name, q)
        self.assertNear(sum(b["mass_matrix"], []), sum(a["mass_matrix"], []), 1e-12)
        for key in ("bias", "passive"):
            self.assertNear(b[key], a[key], 1e-11)
        return a, b

    def test_mjcf_comes_round(self):
        self.write("in.xml", ROBOT)
        result = self.carom("convert", "in.xml", "-o", "out.xml")
        self.assertEqual(result.out, "")
        self.assertIn("carom:distance", (self.folder / "out.xml").read_text())
        a, b = self.compare("out.xml", 0)
        self.assertEqual([body["name"] for body in b["bodies"]], [body["name"] for body in a["bodies"]])
        self.assertEqual(b["bodies"][0]["name"], '"arm<')

    def test_mjcf_as_urdf(self):
        self.write("in.xml", ROBOT)
        result = self.carom("convert", "in.xml", "out.urdf")
        for sentence in ("sites are left out", "constraints but linear couplings of two joints are left out", "coordinates count from the reference configuration",
                         "friction of a pair is read as"):
            self.assertIn(sentence, result.err)
        a, b = self.compare("out.urdf", .3)
        masses = [[body["mass"] for body in e["bodies"] if body["name"] == '"arm<'] for e in (a, b)]
        self.assertNear(masses[0], masses[1], 1e-15)

    def test_meshes_stand_beside_urdf(self):
        self.write("in.xml", """<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><body>
                   <freejoint/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>""")
        self.carom("convert", "in.xml", "out.urdf")
        self.assertTrue((self.folder / "out_mesh1.obj").exists())
        a, b = (json.loads(self.carom("eval", name).out) for name in ("in.xml", "out.urdf"))
        self.assertNear(sum(b["mass_matrix"], []), sum(a["mass_matrix"], []), 1e-12)

    def test_refusals(self):
        self.write("in.xml", ROBOT)
        self.expect_sentence(2, "in.xml: is read by this command, and not overwritten", "convert", "in.xml", "in.xml")
        self.expect_sentence(2, "none.xml: cannot be opened: No such file or directory", "convert", "none.xml", "a.xml")
        self.expect_sentence(1, "convert: 'b.xml' is one argument too many", "convert", "in.xml", "b.xml", "-o", "a.xml")
        self.carom("convert", "in.xml", "nowhere/out.xml", code=2)


if __name__ == "__main__":
    support.main()
