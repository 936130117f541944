"""Files of strangers: pipes and devices, links out of the model's tree, texts nested deeply, counts and names
that mean harm, outputs that are inputs, numbers that do not advance. One sentence each, and nothing waits."""
import json
import os
import resource
import signal
import tempfile
import time
import unittest

import support

SCENE = '<mujoco><asset><mesh name="m" file="{}"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"/>' \
        '</body></worldbody></mujoco>'
URDF = """<robot name="r">
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="{}"/></geometry></collision></link>
</robot>"""
OBJ = "v 0 0 0\nv .3 0 0\nv 0 .2 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
OUTSIDE = "lies outside the model's tree; it is read where that is allowed (--outside)"


def gltf(uri):
    return json.dumps({"asset": {"version": "2.0"}, "buffers": [{"byteLength": 42, "uri": uri}]})


class Case(support.Case):
    def expect_quickly(self, sentence, *arguments, code=2):
        start = time.monotonic()
        self.expect_sentence(code, sentence, *arguments)
        self.assertLess(time.monotonic() - start, 60 if support.IS_SLOW else 10)


class Special(Case):
    """Regular files only, and nobody waits for others."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "pipe.xml")
        for name in ("pipe.obj", "pipe.bin", "pipe.h5", "pipe.json", "pipe.csv"):
            os.link(self.folder / "pipe.xml", self.folder / name)
        self.write("scene.xml")

    PIPE = "cannot be opened: it is a named pipe, no regular file"

    def test_scenes(self):
        for command in ("run", "info", "eval", "view"):
            self.expect_quickly(f"pipe.xml: {self.PIPE}", command, "pipe.xml")
        self.expect_quickly("/dev/zero: cannot be opened: it is a device, no regular file", "info", "/dev/zero")
        self.expect_quickly(f"pipe.xml: {self.PIPE}", "convert", "pipe.xml", "x.urdf")

    def test_parts(self):
        self.write("include.xml", "<mujoco>\n<include file='pipe.xml'/></mujoco>")
        self.expect_quickly(f"include.xml:2: include: file 'pipe.xml' {self.PIPE}", "info", "include.xml")
        self.write("mesh.xml", SCENE.format("pipe.obj"))
        self.expect_quickly(f"mesh.xml:1: mesh 'm': file 'pipe.obj' {self.PIPE}", "info", "mesh.xml")
        self.write("robot.urdf", URDF.format("pipe.obj"))
        self.expect_quickly(f"robot.urdf:3: mesh: file 'pipe.obj' {self.PIPE}", "info", "robot.urdf")
        self.write("robot.urdf", URDF.format("package://r/pipe.obj"))
        self.expect_quickly(f"robot.urdf:3: mesh: file 'pipe.obj' {self.PIPE}", "info", "robot.urdf")
        if "gltf" not in self.carom("--version").out:
            return
        self.write("scene.gltf", gltf("pipe.bin"))
        self.write("robot.urdf", URDF.format("scene.gltf"))
        self.expect_quickly("robot.urdf:3: mesh: scene.gltf: buffers[0]: file 'pipe.bin' cannot be opened: it is a "
                            "named pipe, no regular file", "info", "robot.urdf")

    def test_recordings_and_tables(self):
        for arguments in (["view", "pipe.h5", "-o", "x.html"], ["report", "pipe.h5"], ["plot", "pipe.h5", "energy"],
                          ["convert", "pipe.h5", "x.csv"], ["solve", "pipe.h5"]):
            self.expect_quickly(f"pipe.h5: {self.PIPE}", *arguments)
        self.expect_quickly(f"pipe.json: {self.PIPE}", "eval", "scene.xml", "--state", "pipe.json")
        self.expect_quickly(f"pipe.csv: {self.PIPE}", "run", "scene.xml", "--ctrl", "pipe.csv")


class Tree(Case):
    """Files count where they really are."""

    def setUp(self):
        super().setUp()
        self.write("private/part.obj", OBJ)
        self.write("private/part.xml", "<mujoco><worldbody/></mujoco>")
        self.write("robots/arm/urdf/arm.urdf", URDF.format("part.obj"))

    def test_symbolic_links(self):
        links = self.folder / "robots/arm/urdf"
        (links / "part.obj").symlink_to(self.folder / "private/part.obj")
        (links / "part.xml").symlink_to("../../../private/part.xml")
        (links / "folder").symlink_to("../../../private")
        urdf, xml = "robots/arm/urdf/arm.urdf", "robots/arm/urdf/arm.xml"
        for name in ("part.obj", "folder/part.obj"):
            self.write(urdf, URDF.format(name))
            self.expect_sentence(2, f"{urdf}:3: mesh: file '{name}' {OUTSIDE}", "info", urdf)
            self.carom("info", urdf, "--outside")
            self.write(xml, SCENE.format(name))
            self.expect_sentence(2, f"{xml}:1: mesh 'm': file 'robots/arm/urdf/{name}' {OUTSIDE}", "info", xml)
        self.write(xml, "<mujoco>\n<include file='part.xml'/></mujoco>")
        self.expect_sentence(2, f"{xml}:2: include: file 'part.xml' {OUTSIDE}", "info", xml)
        # Within the tree they lead anywhere.
        self.write("robots/arm/meshes/near.obj", OBJ)
        (links / "near.obj").symlink_to("../meshes/near.obj")
        self.write(urdf, URDF.format("near.obj"))
        self.carom("info", urdf)
        # A package around them is a tree.
        self.write("package.xml", "<package/>")
        self.write(urdf, URDF.format("part.obj"))
        self.carom("info", urdf)

    def test_root_is_no_tree(self):
        """Of a model in /tmp the folder around is everything, and does not count."""
        with tempfile.NamedTemporaryFile("w", dir="/tmp", suffix=".xml") as file:
            for name in ("../etc/hostname", "/etc/hostname"):
                file.seek(0)
                file.truncate()
                file.write(f"<mujoco>\n<include file='{name}'/></mujoco>")
                file.flush()
                self.expect_sentence(2, f"{file.name}:2: include: file '{name}' {OUTSIDE}", "info", file.name)

    def test_packages(self):
        urdf = "robots/arm/urdf/arm.urdf"
        for uri in ("package://private/part.obj", "model://private/part.obj", "package://x/private/part.obj"):
            self.write(urdf, URDF.format(uri))
            self.expect_sentence(2, f"{urdf}:3: mesh: file '{uri}' {OUTSIDE}", "info", urdf)
            self.carom("info", urdf, "--outside")
        # What says that it is a package is one.
        self.write("private/package.xml", "<package/>")
        self.write(urdf, URDF.format("package://private/part.obj"))
        self.carom("info", urdf)
        # Not what it links to.
        self.write("secrets/part.obj", OBJ)
        (self.folder / "private/part.obj").unlink()
        (self.folder / "private/part.obj").symlink_to("../secrets/part.obj")
        self.expect_sentence(2, f"{urdf}:3: mesh: file 'package://private/part.obj' {OUTSIDE}", "info", urdf)

    def test_buffers(self):
        if "gltf" not in self.carom("--version").out:
            raise unittest.SkipTest("built without assimp")
        urdf = "robots/arm/urdf/arm.urdf"
        (self.folder / "robots/arm/urdf/b.bin").symlink_to("../../../private/part.obj")
        self.write(urdf, URDF.format("s.gltf"))
        for uri in ("b.bin", "../../../private/part.obj", "/etc/passwd"):
            self.write("robots/arm/urdf/s.gltf", gltf(uri))
            sentence = self.carom("info", urdf, code=2).err
            self.assertIn("buffers[0]: file '" + uri + "' ", sentence)
            if uri[0] != "/":
                self.assertIn("lies outside the scene's folder", sentence)


class Sizes(Case):
    def test_depth(self):
        """Also on a small stack; --state nests 64 deep, and no deeper."""
        self.write("scene.xml")
        small = lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 19, 1 << 19))
        for count in (65, 2000, 1000000):
            for text in ("[" * count, '{"q":' * count, '{"q":' + "[" * count + "]" * count + "}"):
                self.write("deep.json", text)
                result = self.carom("eval", "scene.xml", "--state", "deep.json", code=2,
                                    **({} if support.IS_SLOW else {"preexec_fn": small}))
                self.assertEqual(result.err, "carom: deep.json:1: lists and objects stand in each other more than 64 deep\n")
        self.write("deep.json", "[" * 64 + "]" * 64)
        self.expect_sentence(2, "deep.json: a state is an object with q, v and so on", "eval", "scene.xml", "--state",
                             "deep.json")
        if "gltf" in self.carom("--version").out:
            self.write("deep.gltf", '{"asset":' + "[" * 900 + "]" * 900 + "}")
            self.write("robot.urdf", URDF.format("deep.gltf"))
            self.expect_sentence(2, "robot.urdf:3: mesh: deep.gltf: lists and objects stand in each other more than 64 deep",
                                 "info", "robot.urdf")

    def test_long_attribute(self):
        """In time that grows with its length, not with its square."""
        seconds = []
        for size in (4 << 20, 32 << 20):
            self.write("long.xml", f"<mujoco><worldbody><geom name='{'n' * size}' size='.3'/></worldbody></mujoco>")
            start = time.monotonic()
            self.carom("eval", "long.xml")
            seconds.append(time.monotonic() - start)
        print(f"4 MB: {seconds[0]:.2f} s, 32 MB: {seconds[1]:.2f} s")
        self.assertLess(seconds[1], 30 * seconds[0] + 1)

    def test_collada_counts(self):
        """What a file says that it holds is not believed further than its size."""
        if "dae" not in self.carom("--version").out:
            raise unittest.SkipTest("built without assimp")
        text = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/><library_geometries>
<geometry id="g"><mesh><source id="s"><float_array id="f" count="{}">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#f" count="{}" stride="{}"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="{}"><input semantic="VERTEX" source="#v" offset="{}"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"""
        self.write("robot.urdf", URDF.format("m.dae").replace("collision", "visual"))
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        keywords = {} if support.IS_SLOW else {"preexec_fn": limit}
        good = [9, 3, 3, 1, 0]
        self.write("m.dae", text.format(*good))
        self.assertNotIn("counts more", self.carom("info", "robot.urdf", **keywords).out)
        for index, value in ((0, 4000000000), (0, -1), (0, "1e9"), (1, 3000000000), (2, 90000), (3, 700000000), (4, 60000)):
            values = good.copy()
            values[index] = value
            self.write("m.dae", text.format(*values))
            result = self.carom("info", "robot.urdf", **keywords)
            self.assertRegex(result.out, r"m\.dae:\d: (float_array|accessor|triangles): it counts more numbers than the "
                             "file can hold")


class Outputs(Case):
    def setUp(self):
        super().setUp()
        self.write("part.obj", OBJ)
        self.write("scene.xml", SCENE.format("part.obj"))

    def test_inputs_stay(self):
        os.link(self.folder / "part.obj", self.folder / "hard.obj")
        (self.folder / "soft.csv").symlink_to("part.obj")
        linked = "scene.xml:1: mesh 'm': file 'part.obj' cannot be opened: it is to be written, as an output"
        named = "scene.xml:1: 'part.obj' is to be written, as an output, and is named here"
        for option, name, sentence in (("--csv", "part.obj", named), ("-o", "hard.obj", linked),
                                       ("--csv", "soft.csv", named), ("--html", "./part.obj", named)):
            self.expect_sentence(2, sentence, "run", "scene.xml", "--duration", "0", option, name)
        self.expect_sentence(2, linked, "convert", "scene.xml", "-o", "hard.obj", "--to", "xml")
        self.assertEqual((self.folder / "part.obj").read_text(), OBJ)

    def test_unread_inputs_stay(self):
        """What a scene names for drawing is not read, and is an input all the same."""
        (self.folder / "meshes").mkdir()
        self.write("meshes/look.obj", OBJ)
        scenes = {
            "a.xml": "<mujoco><compiler meshdir='meshes'/><asset><mesh name='m' file='look.obj'/></asset></mujoco>",
            "b.urdf": "<robot name='r'><link name='l'><visual><geometry><mesh filename='package://p/meshes/look.obj'/>"
                      "</geometry></visual></link></robot>",
            "c.sdf": "<sdf version='1.7'><model name='m'><static>true</static><link name='l'><visual name='v'><geometry>"
                     "<mesh><uri>./meshes/look.obj</uri></mesh></geometry></visual></link></model></sdf>",
        }
        for name, text in scenes.items():
            self.write(name, text)
            result = self.carom("run", name, "--duration", "0", "-o", "meshes/look.obj", code=2)
            self.assertIn("is to be written, as an output, and is named here", result.err)
            self.carom("run", name, "--duration", "0", "-o", "meshes/other.obj")
        self.assertEqual((self.folder / "meshes/look.obj").read_text(), OBJ)

    def test_outputs_differ(self):
        (self.folder / "in").mkdir()
        (self.folder / "link").symlink_to("in")
        for one, other in (("a", "a"), ("a", "./a"), ("in/a", "link/a"), ("in/a", "link/../in/a")):
            self.expect_sentence(2, f"{other}: is named for two outputs", "run", "scene.xml", "--duration", "0", "-o", one,
                                 "--csv", other)
            self.expect_sentence(2, f"{one}: is named for two outputs", "run", "scene.xml", "--duration", "0", "--html",
                                 other, "--csv", one)
        (self.folder / "a").write_text("")
        os.link(self.folder / "a", self.folder / "b")
        self.expect_sentence(2, "b: is named for two outputs", "run", "scene.xml", "--duration", "0", "-o", "a", "--csv", "b")
        self.assertEqual((self.folder / "a").read_text(), "")
        self.carom("run", "scene.xml", "--duration", "0.01", "-o", "/dev/null", "--csv", "/dev/null", code=2)

    def test_size_limit(self):
        """A file that may not grow is a failed write, and no death by a signal."""
        def limit(size=80000):
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        for option, name in (("-o", "x.h5"), ("--csv", "x.csv")):
            result = self.carom("run", "scene.xml", "--duration", "60", "--quiet", option, name, code=2, preexec_fn=limit)
            self.assertRegex(result.err, rf"\Acarom: {name}: cannot be written.*: File too large\n\Z")
        self.carom("run", "scene.xml", "--duration", "0.2", "-o", "ok.h5", "--quiet")
        for arguments in (["report", "ok.h5", "-o", "x.html"], ["view", "ok.h5", "-o", "y.html"]):
            result = self.carom(*arguments, code=2, preexec_fn=lambda: limit(9000))
            self.assertRegex(result.err, r"\Acarom: [xy]\.html: cannot be written: File too large\n\Z")


class Numbers(Case):
    def test_time_advances(self):
        self.write("scene.xml")
        advance = "where steps of {} s do not advance time"
        for arguments, sentence in (
                (["--dt", "1e-300"], "simulation: dt is 1e-300, must be such that its square is a number"),
                (["--dt", "1e200"], "simulation: dt is 1e+200, must be such that its square is a number"),
                (["--duration", "1e300"], "scene.xml: the run would end at 1e+300 s, " + advance.format("0.005")),
                (["--duration", "3e15", "--dt", "0.1"], "scene.xml: the run would end at 3e+15 s, " + advance.format("0.1")),
                (["--duration", "1", "--dt", "1e-17"], "scene.xml: the run would end at 1 s, " + advance.format("1e-17"))):
            self.expect_sentence(2, sentence, "run", "scene.xml", *arguments)
        for value in ("1e308", "-1e17"):
            self.write("late.json", f'{{"time": {value}}}')
            self.expect_sentence(2, f"time is {float(value):.9g} s, which a step of 0.005 s does not advance", "run", "scene.xml",
                                 "--state", "late.json")
        self.write("key.xml", support.SCENE.replace('<key name="up"', '<key name="up" time="1e300"'))
        self.expect_sentence(2, "time is 1e+300 s, which a step of 0.005 s does not advance", "eval", "key.xml", "--keyframe",
                             "up")


class Names(Case):
    BAD = "\x1b]0;owned\x07\u202etxt\x9b2J"  # a title of the window, a turn of direction, a C1 control
    SHOWN = r"\x1b]0;owned\x07\u202etxt\u009b2J"

    def test_messages(self):
        self.expect_sentence(2, f"{self.SHOWN}.xml: cannot be opened: No such file or directory", "info", self.BAD + ".xml")
        self.expect_sentence(2, r"a\nb: cannot be opened: No such file or directory", "info", "a\nb")
        self.expect_sentence(2, r"a\xffb: cannot be opened: No such file or directory", "info", b"a\xffb".decode("utf8", "surrogateescape"))
        self.expect_sentence(1, f"run: unknown option --{self.SHOWN}; 'carom help run' lists the options", "run", "--" + self.BAD)
        self.write("scene.xml")
        self.write("bad.json", json.dumps({self.BAD: 1}))
        result = self.carom("eval", "scene.xml", "--state", "bad.json", code=2)
        self.assertIn(f'the key "{self.SHOWN}" is not known', result.err)
        self.write("bad.csv", f"time,{self.BAD}\n0,1\n")
        self.assertNotRegex(self.carom("run", "scene.xml", "--ctrl", "bad.csv", code=2).err, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")

    def test_tables(self):
        """XML allows no controls of C0, but all of C1 and the others."""
        bad = self.BAD.replace("\x1b", "").replace("\x07", "")
        self.write("scene.xml", support.SCENE.replace('name="elbow"', f'name="{bad}"').replace('joint="elbow"', f'joint="{bad}"')
                   .replace('name="box" type', f'name="a&#10;carom: forged" type'))
        for arguments in (["info", "scene.xml"], ["run", "scene.xml", "--duration", "0.01"]):
            result = self.carom(*arguments)
            self.assertNotRegex(result.out + result.err, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
            self.assertNotRegex(result.out, "(?m)^carom: forged")
        self.assertIn(r"]0;owned\u202etxt\u009b2J", self.carom("info", "scene.xml").out)
        # JSON says it as it is.
        self.assertIn(bad, [joint["name"] for joint in self.carom("eval", "scene.xml").json["joints"]])

    def test_failed_body(self):
        """The body that a failed run names, in a sentence and in JSON."""
        bad = self.BAD.replace("\x1b", "").replace("\x07", "")
        self.write("fast.xml", f"""<mujoco><worldbody><body name="{bad}"><joint axis="1 0 0"/>
                   <geom type="capsule" fromto="0 0 0 0 0 1.3" size=".05" contype="0"/><body pos="0 0 1.3"><joint axis="1 0 0"/>
                   <geom type="capsule" fromto="0 0 0 0 0 .7" size=".04" contype="0"/></body></body></worldbody>
                   <keyframe><key name="fast" qpos="0 .8" qvel="1e200 0"/></keyframe></mujoco>""")
        result = self.carom("run", "fast.xml", "--keyframe", "fast", "--duration", "0.05", "--json", code=3)
        self.assertEqual(result.json["failed_body"], bad)
        self.assertIn(r"(body ']0;owned\u202etxt\u009b2J' and what hangs on it)", result.err)

    def test_spreadsheets(self):
        for name, cell in (("=1+1", "'=1+1.q"), ("+a", "'+a.q"), ("-a", "'-a.q"), ("@a", "'@a.q"), ("a=b", "a=b.q"),
                           ("=a,b", "'=a,b.q")):
            self.write("scene.xml", support.SCENE.replace('name="elbow"', f'name="{name}"').replace('joint="elbow"', f'joint="{name}"'))
            self.carom("run", "scene.xml", "--duration", "0", "--csv", "x.csv", "--quiet")
            header = (self.folder / "x.csv").read_text().splitlines()[0]
            self.assertIn(f'"{cell}"' if cell != "a=b.q" else cell, header)
            self.assertNotRegex(header, r'(^|,)"?[=+@-]')
            self.carom("run", "scene.xml", "--duration", "0", "-o", "x.h5", "--quiet")
            self.carom("convert", "x.h5", "y.csv", "--quiet")
            self.assertIn(cell, (self.folder / "y.csv").read_text().splitlines()[0])


class Recorded(Case):
    """What a recording says of its scene leads nowhere."""

    def test_report_reads_no_other_files(self):
        self.write("part.obj", OBJ)
        text = SCENE.format("part.obj")
        self.write("scene.xml", text)
        self.carom("run", "scene.xml", "--duration", "0.01", "-o", "x.h5", "--quiet")
        self.carom("report", "x.h5", "--quiet")
        self.assertNotIn("read without other files", (self.folder / "x.report.html").read_text())
        # Elsewhere there is the recorded text alone: what it names stays closed, absolute or not.
        for name in ("part.obj", str(self.folder / "part.obj"), "../part.obj"):
            self.write("scene.xml", SCENE.format(name) if name[0] != "." else SCENE.format("part.obj"))
            self.carom("run", "scene.xml", "--duration", "0.01", "-o", "x.h5", "--quiet")
            self.write("scene.xml", "<mujoco/>")
            self.carom("report", "x.h5", "--quiet")
            self.assertIn("read without other files", (self.folder / "x.report.html").read_text())


if __name__ == "__main__":
    support.main()
