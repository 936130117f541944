"""carom plot: the figures are read back, tick by tick, and compared with tables, other commands and closed forms."""
import csv
import ctypes
import ctypes.util
import json
import math
import os
import re
import struct
import subprocess
import zlib
from xml.etree import ElementTree

import support

SVG = "{http://www.w3.org/2000/svg}"
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")

# A box that is thrown and spins; g is 10 m/s².
THROWN = """<mujoco model="thrown"><option gravity="0 0 -10" timestep="0.01"/><worldbody>
<body name="box" pos="0 0 1"><freejoint name="free"/><geom type="box" size=".1 .2 .3" mass="2"/></body></worldbody>
<keyframe><key name="go" qpos="0 0 1 1 0 0 0" qvel="3 0 4 0 0 5"/></keyframe></mujoco>"""

# A soft bar of 0.1 x 0.1 x 0.5 m that hangs at its top.
HANGING = """<mujoco model="hanging"><option gravity=".02 0 -9.81"/><worldbody><flexcomp name="bar" dim="3" type="grid" count="2 2 6" spacing=".1 .1 .1" radius="0"
carom:density="1000"><elasticity young="1e5" damping=".05"/><pin gridrange="0 0 5 1 1 5"/></flexcomp></worldbody></mujoco>"""

# An oscillator of 350 Hz.
FAST = """<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="x" type="slide" stiffness="4.836e6"/>
<geom size=".1" mass="1"/></body></worldbody><keyframe><key name="go" qpos="0.01"/></keyframe></mujoco>"""

# Joints of all kinds, several on a body, with references and anchors away from the origin.
CHAIN = """<mujoco model="chain"><option gravity="0 0 0" timestep="0.001"/><worldbody>
<body name="base" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3" mass="2" pos=".1 0 0"/>
 <body name="wrist" pos=".3 0 .1" euler="20 30 0">
  <joint name="roll" axis="1 0 1" ref="30" pos="0 .1 0"/><joint name="out" type="slide" axis="0 1 0" ref=".2"/>
  <joint name="yaw" axis="0 0 1" ref="-40" pos=".1 0 .1"/><geom type="capsule" fromto="0 0 0 .3 0 .1" size=".05"/>
  <body name="hand" pos=".3 0 .1"><joint name="ball" type="ball" pos="0 0 .05"/><geom size=".1" pos="0 .1 .2"/></body>
 </body></body></worldbody>
<keyframe><key name="go" qpos="0 0 1 1 0 0 0 .7 .3 -.9 1 0 0 0" qvel=".3 -.2 .1 1 -2 .5 3 -.4 2 1 .5 -2"/></keyframe>
</mujoco>"""


def number(text):
    return float(text.replace("−", "-"))


class Hdf5:
    """Changes a recording through the HDF5 library itself."""

    def __init__(self, path):
        name = ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5")
        if not name:
            raise support.unittest.SkipTest("the HDF5 library cannot be found")
        self.lib = ctypes.CDLL(name)
        self.lib.H5open()
        for function in ("H5Fopen", "H5Dopen2", "H5Dget_type", "H5Fclose", "H5Dclose"):
            getattr(self.lib, function).restype = ctypes.c_int64
        self.file = ctypes.c_int64(self.lib.H5Fopen(str(path).encode(), 1, ctypes.c_int64(0)))
        assert self.file.value >= 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.H5Fclose(self.file)

    def delete(self, *names):
        for name in names:
            assert self.lib.H5Ldelete(self.file, name.encode(), ctypes.c_int64(0)) >= 0

    def change(self, name, count, index, value, kind):
        """Replaces a number of a dataset with `count` of them."""
        dataset = ctypes.c_int64(self.lib.H5Dopen2(self.file, name.encode(), ctypes.c_int64(0)))
        type_id, everything = ctypes.c_int64(self.lib.H5Dget_type(dataset)), ctypes.c_int64(0)
        values = (kind * count)()
        assert self.lib.H5Dread(dataset, type_id, everything, everything, everything, values) >= 0
        values[index] = value
        assert self.lib.H5Dwrite(dataset, type_id, everything, everything, everything, values) >= 0
        self.lib.H5Dclose(dataset)


class Panel:
    """Axes of a figure, and its curves in the units of the axes."""

    def __init__(self, group, box, time_axis):
        self.texts = {role: [text for text in group.iter(f"{SVG}text") if role in text.get("class").split()]
                      for role in ("xtick", "ytick", "ylabel", "legend")}
        self.label = self.texts["ylabel"][0].text
        self.legend = [text.text for text in self.texts["legend"]]
        self.is_log = self.texts["ytick"][0].text.startswith("10") and self.texts["ytick"][0].text[2:3] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
        self.x = time_axis or self.axis("xtick", "x")
        self.y = self.axis("ytick", "y")
        self.paths = [path for path in group.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
        self.box = box

    def axis(self, role, direction):
        """Slope and offset of pixels to values, from the first and the last tick; the others must agree."""
        shift = 0.36 * 10.5 if direction == "y" else 0
        places = [float(tick.get(direction)) - shift for tick in self.texts[role]]
        if self.is_log and direction == "y":
            values = [float(tick.text[2:].translate(SUPERSCRIPTS)) for tick in self.texts[role]]
        else:
            values = [number(tick.text) for tick in self.texts[role]]
        slope = (values[-1] - values[0]) / (places[-1] - places[0])
        for place, value in zip(places, values):
            assert abs(values[0] + slope * (place - places[0]) - value) <= abs(slope) * 0.02, (places, values)
        scale = offset = 0
        if direction == "y":
            power = re.search(r"\(10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", self.label)
            scale = int(power.group(1).translate(SUPERSCRIPTS)) if power else 0
            shown = re.search(r" ([−+]) ([-0-9.e+]+)(?: \(|$)", self.label)
            offset = float(shown.group(2)) * (1 if shown.group(1) == "−" else -1) if shown else 0
        return slope * 10**scale, offset + (values[0] - slope * places[0]) * 10**scale

    def curves(self):
        """Points (t, value) by the name of the curve; pieces of one curve are joined."""
        found = {}
        for path in self.paths:
            points = [float(part) for part in re.findall(r"-?\d+\.\d+", path.get("d"))]
            values = [self.y[1] + self.y[0] * y for y in points[1::2]]
            if self.is_log:
                values = [10**value for value in values]
            times = [self.x[1] + self.x[0] * x for x in points[0::2]]
            found.setdefault(path.find(f"{SVG}title").text, []).extend(zip(times, values))
        return found

    def curve(self, name):
        return self.curves()[name]

    def pixel(self):
        """How much of a value a hundredth of a pixel is, twice."""
        return 2 * abs(self.y[0]) * 0.01


class Plot(support.Case):
    def figure(self, name):
        """Panels of a figure, after a look at its parts."""
        root = ElementTree.parse(self.folder / name).getroot()
        self.assertEqual(root.tag, f"{SVG}svg")
        self.assertEqual(root.get("role"), "img")
        self.assertTrue(root.find(f"{SVG}title").text)
        self.assertIn("Over time from", root.find(f"{SVG}desc").text)
        groups = [group for group in root.iter(f"{SVG}g") if group.get("class") == "panel"]
        clips = [clip.find(f"{SVG}rect") for clip in root.iter(f"{SVG}clipPath")]
        last = Panel(groups[-1], clips[-1], None)
        return [Panel(group, clip, last.x) for group, clip in zip(groups[:-1], clips[:-1])] + [last]

    def plot(self, *arguments):
        self.carom("plot", *arguments, "-o", "out.svg", "--quiet")
        return self.figure("out.svg")

    def run_scene(self, text, *options, name="out.h5"):
        self.write("scene.xml", text)
        self.carom("run", "scene.xml", "-o", name, "--csv", "out.csv", "--quiet", *options)

    def table(self):
        with open(self.folder / "out.csv", encoding="utf-8", newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def expect_curve(self, panel, name, points):
        """The curve goes through the points, to a few hundredths of a pixel."""
        drawn = panel.curve(name)
        self.assertEqual(len(drawn), len(points), name)
        for (t, value), (time, expected) in zip(drawn, points):
            self.assertLessEqual(abs(t - time), 2 * abs(panel.x[0]) * 0.01 + 1e-12)
            self.assertLessEqual(abs(value - expected), panel.pixel() + 1e-12, (name, time))

    def names(self):
        return sorted(path.name for path in self.folder.iterdir() if path.suffix not in (".xml", ".h5", ".csv"))


class Curves(Plot):
    def test_energy_contacts_and_a_joint_are_those_of_the_table(self):
        self.run_scene(support.SCENE, "--duration", "1")
        rows = self.table()
        energy, contacts, angle, speed = self.plot("out.h5", "energy", "contacts", "elbow")
        for name in ("kinetic", "potential", "elastic", "dissipated"):
            self.expect_curve(energy, name, [(row["time"], row[name]) for row in rows])
        self.expect_curve(energy, "total",
                          [(row["time"], row["kinetic"] + row["potential"] + row["elastic"]) for row in rows])
        self.expect_curve(contacts, "all", [(row["time"], row["contacts"]) for row in rows])
        self.expect_curve(angle, "angle", [(row["time"], row["elbow.q"]) for row in rows])
        self.expect_curve(speed, "angular velocity", [(row["time"], row["elbow.v"]) for row in rows])
        self.assertEqual([panel.label for panel in (energy, contacts, angle, speed)],
                         ["energy (J)", "contact points", "elbow angle (rad)", "elbow angular velocity (rad/s)"])
        self.assertEqual(energy.legend, ["kinetic", "potential", "elastic", "total", "dissipated", "work"])
        self.assertGreater(max(value for _, value in contacts.curve("sticking")), 3)

    def test_iterations_and_residual_are_those_of_the_table(self):
        self.run_scene(support.SCENE, "--duration", "1")
        rows = self.table()[1:]
        certificate, iterations, _ = self.plot("out.h5", "certificate", "steps")
        self.expect_curve(iterations, "newton", [(row["time"], row["iterations"]) for row in rows])
        self.assertTrue(certificate.is_log)
        drawn = certificate.curve("residual")
        expected = [(row["time"], row["residual"]) for row in rows if row["residual"] > 0]
        self.assertEqual(len(drawn), len(expected))
        for (_, value), (_, residual) in zip(drawn, expected):
            self.assertLessEqual(abs(math.log10(value / residual)), 2 * abs(certificate.y[0]) * 0.01 + 1e-12)

    def test_a_thrown_box(self):
        # Midpoint keeps uniform acceleration and spin exactly; I_zz = m (a² + b²) / 3 of half sides.
        self.run_scene(THROWN, "--duration", "0.5", "--keyframe", "go")
        times = [row["time"] for row in self.table()]
        linear, angular, place, speed, turn = self.plot("out.h5", "momentum", "body:box")
        self.expect_curve(linear, "x", [(t, 6) for t in times])
        self.expect_curve(linear, "z", [(t, 2 * (4 - 10 * t)) for t in times])
        self.expect_curve(angular, "z", [(t, 2 * (0.01 + 0.04) / 3 * 5) for t in times])
        self.expect_curve(place, "x", [(t, 3 * t) for t in times])
        self.expect_curve(place, "z", [(t, 1 + 4 * t - 5 * t * t) for t in times])
        self.expect_curve(speed, "z", [(t, 4 - 10 * t) for t in times])
        self.expect_curve(turn, "z", [(t, 5) for t in times])

    def test_reactions_and_stress_of_soft_bodies(self):
        # A bar of five cells hangs: its uppermost elements bear rho g (l - h/2), and are bent a little.
        self.run_scene(HANGING, "--duration", "2", "--dt", "0.02")
        force, moment, whole, own = self.plot("out.h5", "attachment:0", "stress", "bar")
        for panel, parts in ((force, ("fx", "fy", "fz")), (moment, ("mx", "my", "mz"))):
            for axis, part in zip("xyz", parts):
                self.expect_curve(panel, axis, [(row["time"], row[f"attachment0.reaction.{part}"]) for row in self.table()])
        self.assertEqual([panel.label for panel in (force, moment)], ["attachment 0 reaction (N)", "attachment 0 reaction (N m)"])
        self.assertTrue(own.label.startswith("bar largest von Mises stress"), own.label)
        self.expect_curve(whole, "stress", own.curve("stress"))
        self.assertEqual(own.curve("stress")[0][1], 0)
        self.assertAlmostEqual(own.curve("stress")[-1][1], 9810 * 0.45, delta=0.05 * 9810 * 0.45)
        listed = self.carom("info", "out.h5").out
        self.assertRegex(listed, r"bar +24 +25x4 +5 +4 ")
        self.assertRegex(listed, r"attachment:0 +4 +bar +the world")
        self.run_scene(THROWN, "--duration", "0.1", name="rigid.h5")
        self.assertIn("nothing called 'stress'", self.carom("plot", "rigid.h5", "stress", code=1).err)

    def test_forces_of_pairs_joints_and_equalities(self):
        self.run_scene("""<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='9 9 1'/>
            <body name='box' pos='.5 0 .1'><freejoint name='free'/><geom type='box' size='.1 .1 .1' mass='2'/></body>
            <body name='arm' pos='0 0 2'><joint name='elbow' axis='0 1 0'/><geom size='.1' pos='0 0 -1' mass='1'/></body>
            <body name='bob' pos='0 0 2'><freejoint/><geom size='.1' mass='1' contype='0' conaffinity='0'/></body></worldbody>
            <equality><connect name='pin' body1='world' body2='bob' anchor='0 0 0'/></equality></mujoco>""",
                       "--duration", "0.1", "--reactions")
        force, moment, center, normal, elbow, turn, pin, _ = self.plot(
            "out.h5", "contact:0:box", "contact:world:1.normal", "elbow.reaction", "equality:pin")
        self.assertEqual([panel.label for panel in (force, center, normal)],
                         ["0:box contact force (N)", "0:box centre of pressure (m)", "world:1 normal force (N)"])
        for curve, value in ((force.curve("z"), 20), (moment.curve("y"), 0), (center.curve("x"), 0.5),
                             (normal.curve("normal"), 20), (elbow.curve("fz"), 10), (turn.curve("my"), 0),
                             (pin.curve("z"), 10)):
            self.assertAlmostEqual(curve[-1][1], value, delta=0.02)
        self.run_scene(THROWN, "--duration", "0.1", name="other.h5")
        self.assertIn("--reactions", self.carom("plot", "other.h5", "joint:0.reaction", code=2).err)

    def test_momentum_about_the_origin(self):
        # r × p about the origin: y component z p_x - x p_z.
        self.run_scene(THROWN, "--duration", "0.5", "--keyframe", "go")
        panel = self.plot("out.h5", "momentum.origin")[0]
        points = []
        for row in self.table():
            t = row["time"]
            points.append((t, (1 + 4 * t - 5 * t * t) * 6 - 3 * t * 2 * (4 - 10 * t)))
        self.expect_curve(panel, "y", points)

    def evaluate(self, rows, names):
        """Places, quaternions, and the centre of mass at rows of the table, by carom eval."""
        found = []
        for row in rows:
            q = [value for key, value in row.items() if key.split(".")[-1] in ("x", "y", "z", "qw", "qx", "qy", "qz", "q")]
            (self.folder / "state.json").write_text(json.dumps({"q": q}), encoding="utf-8")
            state = self.carom("eval", "scene.xml", "--state", "state.json").json
            bodies = {body["name"]: body for body in state["bodies"]}
            found.append((state["com"], [bodies[name] for name in names]))
        return found

    def test_velocities_of_bodies_are_differences_of_their_places(self):
        self.run_scene(CHAIN, "--duration", "0.2", "--keyframe", "go")
        rows, k, h, names = self.table(), 100, 1e-3, ["base", "wrist", "hand"]
        mass = sum(float(mass) for mass in re.findall(r"^  (?:base|wrist|hand) +\S+ +(\S+)",
                                                      self.carom("info", "scene.xml").out, re.MULTILINE))
        (com0, before), (com1, after) = self.evaluate([rows[k - 1], rows[k + 1]], names)
        for index, name in enumerate(names):
            panels = self.plot("out.h5", f"{name}.velocity", f"{name}.omega")
            a, b = before[index], after[index]
            w, x, y, z = self.turn(a["quaternion"], b["quaternion"])
            for axis in range(3):
                speed = panels[0].curve("xyz"[axis])[k][1]
                self.assertAlmostEqual(speed, (b["position"][axis] - a["position"][axis]) / (2 * h), delta=2e-3)
                self.assertAlmostEqual(panels[1].curve("xyz"[axis])[k][1],
                                       2 * math.copysign(1, w) * (x, y, z)[axis] / (2 * h), delta=5e-3)
        panel = self.plot("out.h5", "momentum.linear")[0]
        for axis in range(3):
            self.assertAlmostEqual(panel.curve("xyz"[axis])[k][1], mass * (com1[axis] - com0[axis]) / (2 * h), delta=2e-3)

    @staticmethod
    def turn(a, b):
        """The rotation b a⁻¹, world frame."""
        (aw, ax, ay, az), (bw, bx, by, bz) = (a[0], -a[1], -a[2], -a[3]), b
        return (bw * aw - bx * ax - by * ay - bz * az, bw * ax + bx * aw + by * az - bz * ay,
                bw * ay - bx * az + by * aw + bz * ax, bw * az + bx * ay - by * ax + bz * aw)

    def test_momentum_of_a_free_chain_stays(self):
        self.run_scene(CHAIN, "--duration", "0.3", "--keyframe", "go", "--relinearise", "3", "--no-contacts")
        for panel in self.plot("out.h5", "momentum"):
            for axis in "xyz":
                values = [value for _, value in panel.curve(axis)]
                self.assertGreater(max(map(abs, values)), 0.02)
                self.assertLess(max(values) - min(values), 2e-4 * max(map(abs, values)) + 3 * panel.pixel())

    def test_reference_from_the_scene_in_the_recording(self):
        # The scene file is gone: its text in the recording gives the reference; with another text none does.
        self.run_scene(CHAIN, "--duration", "0.1", "--keyframe", "go")
        self.carom("plot", "out.h5", "hand.velocity", "-o", "a.svg")
        (self.folder / "scene.xml").unlink()
        self.assertEqual(self.carom("plot", "out.h5", "hand.velocity", "-o", "b.svg").err, "")
        self.assertEqual((self.folder / "a.svg").read_bytes(), (self.folder / "b.svg").read_bytes())

    def test_range(self):
        self.run_scene(support.SCENE, "--duration", "3", "--dt", "0.001")
        rows = self.table()
        part = self.plot("out.h5", "elbow.v", "--from", "2", "--to", "2.2")[0]
        drawn = part.curve("angular velocity")
        self.assertLessEqual(abs(len(drawn) - 201), 2)
        self.expect_curve(part, "angular velocity", [(row["time"], row["elbow.v"]) for row in rows
                                                     if drawn[0][0] - 1e-5 < row["time"] < drawn[-1][0] + 1e-5])

    def test_thinning_keeps_extremes(self):
        # Ten steps and two periods to a pixel: in every pixel's column the extremes are those of the table.
        self.run_scene(FAST, "--duration", "3", "--dt", "0.0005", "--keyframe", "go")
        rows = [(row["time"], row["x.q"]) for row in self.table()]
        panel = self.plot("out.h5", "x.q")[0]
        drawn, columns = panel.curve("displacement"), int(float(panel.box.get("width")))
        self.assertLess(len(drawn), min(4 * columns + 8, len(rows) / 2))
        width, extremes = 3 / columns, []
        for points in (rows, drawn):
            found = {}
            for time, value in points:
                found.setdefault(math.floor(time / width + 0.006), []).append(value)
            extremes.append([(min(found[column]), max(found[column])) for column in range(columns)])
        same = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) < 2 * panel.pixel() for a, b in zip(*extremes))
        self.assertGreater(same, 0.98 * columns, columns)

    def test_small_changes_of_large_numbers(self):
        # Ticks stand for a power of ten, less an offset, which the label names.
        self.run_scene(THROWN.replace('pos="0 0 1"><free', 'pos="0 0 100000"><free'), "--duration", "0.02")
        panel = self.plot("out.h5", "box.position")[0]
        self.assertIn("m)", panel.label)
        panel = self.plot("out.h5", "energy.potential")[0]
        self.assertIn("energy, potential − ", panel.label)
        self.expect_curve(panel, "potential", [(row["time"], row["potential"]) for row in self.table()])

    def test_log_axis(self):
        self.run_scene(THROWN, "--duration", "0.5", "--keyframe", "go")
        panel = self.plot("out.h5", "energy.kinetic", "--log")[0]
        self.assertTrue(panel.is_log)
        for (_, value), row in zip(panel.curve("kinetic"), self.table()):
            self.assertAlmostEqual(math.log(value / row["kinetic"]), 0, delta=1e-3)


class Files(Plot):
    def setUp(self):
        super().setUp()
        self.run_scene(THROWN, "--duration", "0.2", "--keyframe", "go", name="a.h5")

    def pixels(self, name):
        """Width, height and rows of colours of a PNG of eight bits a channel."""
        data = (self.folder / name).read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
        self.assertEqual((depth, kind), (8, 2))
        at, packed = 8, b""
        while at < len(data):
            length, chunk = struct.unpack(">I4s", data[at:at + 8])
            if chunk == b"IDAT":
                packed += data[at + 8:at + 8 + length]
            at += length + 12
        return width, height, self.unfilter(zlib.decompress(packed), width)

    @staticmethod
    def unfilter(data, width):
        """Undoes the filters of PNG's rows (RFC 2083)."""
        stride, rows, above = 3 * width, [], bytearray(3 * width)
        for start in range(0, len(data), stride + 1):
            kind, row = data[start], bytearray(data[start + 1:start + 1 + stride])
            for i in range(stride if kind else 0):
                left, up, corner = (row[i - 3] if i > 2 else 0), above[i], (above[i - 3] if i > 2 else 0)
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
                row[i] = (row[i] + (left, up, (left + up) // 2, near)[kind - 1]) & 255
            rows.append(bytes(row))
            above = row
        return rows

    def test_names_of_files(self):
        result = self.carom("plot", "a.h5", "energy", "box.velocity", "joint:free")
        self.assertEqual(result.out, "a.energy.svg\na.box.velocity.svg\na.joint_free.svg\n")
        self.assertEqual(self.names(), ["a.box.velocity.svg", "a.energy.svg", "a.joint_free.svg"])
        self.assertEqual([panel.label for panel in self.figure("a.joint_free.svg")],
                         ["free position (m)", "free quaternion", "free velocity (m/s)",
                          "free angular velocity, body frame (rad/s)"])
        self.assertEqual(len(self.plot("a.h5", "energy", "momentum", "box")), 6)

    def test_png(self):
        self.carom("plot", "a.h5", "box.position", "-o", "a.png", "--size", "320x240")
        width, height, rows = self.pixels("a.png")
        self.assertEqual((width, height, len(rows)), (320, 240, 240))
        colours = {row[i:i + 3] for row in rows for i in range(0, 960, 3)}
        for colour in ("0072b2", "d55e00", "009e73"):
            red, green, blue = bytes.fromhex(colour)
            self.assertTrue(any(abs(c[0] - red) + abs(c[1] - green) + abs(c[2] - blue) < 30 for c in colours), colour)
        edge = [rows[0], rows[-1]] + [row[:3] + row[-3:] for row in rows]
        self.assertTrue(all(set(line) == {255} for line in edge))
        white = sum(row[i:i + 3] == b"\xff\xff\xff" for row in rows for i in range(0, 960, 3))
        self.assertTrue(0.75 < white / (320 * 240) < 0.97, white)

    def test_sizes(self):
        for arguments, size in ((["--size", "100x80mm"], (1181, 945)), (["--size", "4x3in", "--dpi", "100"], (400, 300)),
                                (["--size", "300x200px", "--dpi", "192"], (600, 400))):
            self.carom("plot", "a.h5", "energy", "--format", "png", *arguments)
            header = (self.folder / "a.energy.png").read_bytes()[:26]
            self.assertEqual(struct.unpack(">II", header[16:24]), size)
        self.carom("plot", "a.h5", "energy", "--size", "16x9cm")
        root = ElementTree.parse(self.folder / "a.energy.svg").getroot()
        self.assertEqual((root.get("width"), root.get("height")), ("160mm", "90mm"))

    def test_pdf(self):
        self.carom("plot", "a.h5", "energy", "-o", "a.pdf", "--size", "96x96mm")
        data = (self.folder / "a.pdf").read_bytes()
        self.assertEqual(data[:5], b"%PDF-")
        streams = b"".join(zlib.decompress(stream) for stream in
                           re.findall(rb"/FlateDecode\s*>>\s*stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL)
                           if stream[:1] == b"x")
        box = re.search(rb"/MediaBox \[ ([0-9. ]+) \]", data + streams).group(1).split()
        self.assertNear([float(value) for value in box], [0, 0, 272.126, 272.126], 0.01)

    def test_overlay(self):
        for scheme in ("explicit", "symplectic"):
            self.run_scene(THROWN, "--duration", "0.2", "--keyframe", "go", "--scheme", scheme, name=f"{scheme}.h5")
        files = ["explicit.h5", "a.h5", "symplectic.h5"]
        one, three = self.plot(*files, "energy.total", "momentum.linear")
        self.assertEqual(one.legend, ["explicit", "a", "symplectic"])
        self.assertEqual(sorted(one.curves()), ["total, a", "total, explicit", "total, symplectic"])
        self.assertEqual(len({(path.get("stroke"), path.get("stroke-dasharray")) for path in one.paths}), 3)
        self.assertEqual(len({path.get("stroke") for path in one.paths}), 3)
        self.assertEqual(three.legend, ["x", "y", "z", "explicit", "a", "symplectic"])
        self.assertEqual(len(three.curves()), 9)
        self.assertEqual(len({path.get("stroke-dasharray") for path in three.paths}), 3)
        self.assertEqual(self.plot(*files, "slip", "--labels", "A,B,C")[0].legend, ["A", "B", "C"])
        # Explicit Euler gains m g² dt² / 2 a step of fall, midpoint keeps the energy.
        total = one.curve("total, explicit")
        self.assertAlmostEqual(total[-1][1] - total[0][1], 20 * 2 * 100 * 1e-4 / 2, delta=2 * one.pixel())
        total = one.curve("total, a")
        self.assertAlmostEqual(total[-1][1] - total[0][1], 0, delta=2 * one.pixel())

    def test_two_files_of_one_name(self):
        (self.folder / "other").mkdir()
        (self.folder / "other/a.h5").write_bytes((self.folder / "a.h5").read_bytes())
        self.assertEqual(self.plot("a.h5", "other/a.h5", "slip")[0].legend, ["a.h5", "other/a.h5"])

    def test_title_and_strange_names(self):
        name = "a&lt;b &amp; &quot;ü.x"
        self.run_scene(THROWN.replace('name="box"', f'name="{name}"'), "--duration", "0.05", name="b.h5")
        panels = self.plot("b.h5", 'a<b & "ü.x.velocity', "--title", "A <title> & more \x01\udcff")
        self.assertEqual(panels[0].label, 'a<b & "ü.x velocity (m/s)')
        title = ElementTree.parse(self.folder / "out.svg").getroot().find(f"{SVG}title").text
        self.assertEqual(title, "A <title> & more \ufffd\ufffd")
        self.carom("plot", "b.h5", 'a<b & "ü.x', "--title", "\udcff", "-o", "out.png", "--quiet")

    def test_one_frame(self):
        self.run_scene(THROWN, "--duration", "0", name="one.h5")
        panel = self.plot("one.h5", "energy.potential")[0]
        self.assertNear(panel.curve("potential")[0], (0, 20), panel.pixel())
        self.assertEqual(self.plot("one.h5", "certificate")[0].legend, ["residual (no values)", "bound (no values)"])


class Complaints(Plot):
    def setUp(self):
        super().setUp()
        self.run_scene(support.SCENE, "--duration", "0.1")

    def test_unknown_words(self):
        result = self.carom("plot", "out.h5", "elbw", code=1)
        lines = result.err.splitlines()
        self.assertEqual(lines[0], "carom: plot: out.h5 holds nothing called 'elbw'; did you mean 'elbow'?")
        self.assertIn("joints, or their .q and .v:", lines)
        self.assertEqual(lines[lines.index("joints, or their .q and .v:") + 1].split()[0], "elbow")
        self.assertNotIn("\x1b", result.err)
        self.assertIn("holds nothing called 'xxxxxxxxxxxx'\n", self.carom("plot", "out.h5", "xxxxxxxxxxxx", code=1).err)
        for word in ("energy.totl", "elbow.x", "joint:hand", "body:elbow", "joint:7", "body:99", "joint:", ".", "1"):
            self.carom("plot", "out.h5", word, code=1)
        self.assertIn("carom: plot: WHAT is missing, such as energy\n", self.carom("plot", "out.h5", code=1).err)
        self.assertEqual(self.names(), [])

    def test_colours_on_a_terminal_only(self):
        for unset, colours in (({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
            ours, theirs = support.open_terminal()
            process = subprocess.run([support.CAROM, "plot", "out.h5"], cwd=self.folder, stderr=theirs, check=False,
                                     env={**os.environ, **unset})
            self.assertEqual(process.returncode, 1)
            os.close(theirs)
            self.assertEqual(b"\x1b[36mel" in os.read(ours, 65536), colours)
            os.close(ours)

    def test_numbers_and_kinds_choose(self):
        self.assertEqual(self.plot("out.h5", "joint:0")[0].label, "0 position (m)")
        self.assertEqual(self.plot("out.h5", "body:1.position")[0].label, "1 position (m)")
        self.assertEqual(len(self.plot("out.h5", "wrist")), 2)

    def test_missing_in_one_of_several(self):
        self.run_scene(THROWN, "--duration", "0.1", name="b.h5")
        self.assertIn("b.h5 holds nothing called 'elbow'", self.carom("plot", "out.h5", "b.h5", "elbow", code=1).err)
        self.write("scene.xml", support.SCENE.replace('name="elbow" axis="0 1 0"', 'name="elbow" type="slide" axis="0 1 0"'))
        self.carom("run", "scene.xml", "--duration", "0.1", "-o", "c.h5", "--quiet")
        self.expect_sentence(2, "c.h5: 'elbow' is not what it is in out.h5", "plot", "out.h5", "c.h5", "elbow")

    def test_refusals(self):
        self.write("text.h5", "no recording")
        for code, sentence, arguments in (
                (1, "plot: REC... WHAT... is missing; 'carom help plot' says more", []),
                (1, "plot: --size is '10', must be such as 640x400 or 160x100mm", ["out.h5", "energy", "--size", "10"]),
                (1, "plot: --size is '9x9km', must be such as 640x400 or 160x100mm",
                 ["out.h5", "energy", "--size", "9x9km"]),
                (1, "plot: a plot of 90 x 90 px is too small for 1 panels and their legends",
                 ["out.h5", "energy", "--size", "90x90"]),
                (1, "plot: a plot of 90000 x 90000 px at 96 dpi cannot be drawn: invalid value (typically too big) for "
                    "the size of the input (surface, pattern, etc.)",
                 ["out.h5", "energy", "--size", "90000x90000", "-o", "x.png"]),
                (1, "plot: --output is 'x.gif', must end in .svg, .png or .pdf", ["out.h5", "energy", "-o", "x.gif"]),
                (1, "plot: --output is 'x.pdf', but --format is png",
                 ["out.h5", "energy", "-o", "x.pdf", "--format", "png"]),
                (1, "plot: --labels is 'a,b', must name 1 recordings", ["out.h5", "energy", "--labels", "a,b"]),
                (1, "plot: nothing was recorded from 3 s to 0.1 s, but from 0 s to 0.1 s",
                 ["out.h5", "energy", "--from", "3"]),
                (2, "none.h5: cannot be opened: No such file or directory", ["out.h5", "none.h5", "energy"]),
                (2, "text.h5: is no HDF5 file, so no recording of Carom", ["text.h5", "energy"]),
                (2, "scene.xml: is no HDF5 file, so no recording of Carom", ["scene.xml", "energy"]),
                (2, "none/x.svg: cannot be created: No such file or directory",
                 ["out.h5", "energy", "-o", "none/x.svg"])):
            self.expect_sentence(code, sentence, "plot", *arguments)
        self.assertEqual(self.names(), [])
        (self.folder / "x.svg").symlink_to("out.h5")
        self.expect_sentence(2, "x.svg: is read by this command, and not overwritten",
                             "plot", "out.h5", "energy", "-o", "x.svg")

    def test_killed_run(self):
        self.record_and_kill("scene.xml", "dead.h5")
        result = self.carom("plot", "dead.h5", "energy", "momentum", "-o", "out.svg")
        self.assertEqual(result.err, "carom: dead.h5: was not closed; the plot shows what there is of it\n")
        self.assertGreater(len(self.figure("out.svg")[0].curve("kinetic")), 10)

    def test_early_version(self):
        with Hdf5(self.folder / "out.h5") as file:
            file.delete("/geoms", "/joints", "/com", "/momentum", *(f"/bodies/{name}" for name in ("name", "parent", "mass", "com", "inertia")))
        self.assertEqual(self.plot("out.h5", "body:1")[0].label, "1 position (m)")
        result = self.carom("plot", "out.h5", "momentum", code=2)
        self.assertIn("carom: out.h5: the recording is of an early version and does not say", result.err)
        self.carom("report", "out.h5", "--quiet")
        page = (self.folder / "out.report.html").read_text(encoding="utf-8")
        self.assertIn("without masses and joints: there is no momentum", page)
        self.assertEqual(page.count("<svg"), 4)

    def test_damaged_frames(self):
        # 21 frames; the contacts of the eleventh start before the first.
        with Hdf5(self.folder / "out.h5") as file:
            file.change("/contacts/offset", 22, 10, -1, ctypes.c_int64)
            file.change("/time", 21, 3, math.nan, ctypes.c_double)
            file.change("/time", 21, 4, -1e300, ctypes.c_double)
        for command in (["plot", "out.h5", "energy.total", "-o", "out.svg"], ["report", "out.h5"]):
            err = self.carom(*command).err
            self.assertIn(f"carom: 12 frames are left out of the {command[0]}: out.h5: the recording is damaged", err)
        self.assertEqual(len(self.figure("out.svg")[0].curve("total")), 8)
        self.assertIn("<li>12 frames are left out", (self.folder / "out.report.html").read_text(encoding="utf-8"))

    def test_bodies_out_of_order(self):
        with Hdf5(self.folder / "out.h5") as file:
            file.change("/bodies/parent", 4, 1, 3, ctypes.c_int32)
        self.expect_sentence(2, "out.h5: the recording is damaged: body 1 stands before its parent",
                             "plot", "out.h5", "momentum")

    def test_cut_recording(self):
        whole = (self.folder / "out.h5").read_bytes()
        for part in (0.01, 0.5, 0.999):
            (self.folder / "cut.h5").write_bytes(whole[:int(part * len(whole))])
            for command in (["plot", "cut.h5", "energy"], ["report", "cut.h5"]):
                result = self.carom(*command, code=2)
                self.assertRegex(result.err, r"^carom: cut\.h5: .*(damaged|no HDF5 file).*\n$")


if __name__ == "__main__":
    support.main()
