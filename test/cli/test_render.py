"""carom render: bodies are where a hand projection puts them, in their colours, and what goes wrong."""
import ctypes
import ctypes.util
import json
import math
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
import zlib

import support

# Two bodies fall freely beside a bar that turns about y; no ground.
SCENE = """<mujoco model="fall">
  <option timestep="0.01"/>
  <worldbody>
    <body name="ball" pos="-1 0 2"><freejoint/><geom type="sphere" size=".3" rgba="1 0 0 1"/></body>
    <body name="glass" pos="1 0 2"><freejoint/><geom type="box" size=".3 .3 .3" rgba="0 0 1 .5"/></body>
    <body name="bar" pos="0 0 1"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .6 0 0" size=".08" rgba="0 .6 0 1"/>
      <geom type="sphere" pos="0 0 -.5" size=".1" rgba="1 1 0 1" group="3"/></body>
  </worldbody>
  <option gravity="0 0 -2"/>
</mujoco>
"""
WIDTH, HEIGHT, ANGLE, DISTANCE = 200, 150, 40, 8
# From the front, along y, at (0, 0, 1).
FRONT = ["--azimuth", "-90", "--elevation", "0", "--distance", str(DISTANCE), "--look-at", "0,0,1",
         "--angle", str(ANGLE), "--size", f"{WIDTH}x{HEIGHT}", "--background", "#ffffff", "--samples", "8", "--quiet"]
TINY = ["--size", "32x24", "--samples", "1", "--quiet"]


class Picture:
    """A PNG file of eight bits a channel, read by the standard (ISO 15948), without libpng."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        at, packed = 8, b""
        self.chunks = []
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            body = data[at + 8:at + 8 + size]
            assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + body)
            self.chunks.append(kind)
            if kind == b"IHDR":
                self.width, self.height, depth, colour, *rest = struct.unpack(">IIBBBBB", body)
                assert depth == 8 and rest == [0, 0, 0]
                self.channels = {2: 3, 6: 4}[colour]
            packed += body if kind == b"IDAT" else b""
            at += 12 + size
        self.rows = self.unfilter(zlib.decompress(packed))

    def unfilter(self, data):
        size, step, rows = self.width * self.channels, self.channels, []
        above = bytearray(size)
        for y in range(self.height):
            kind, line = data[y * (size + 1)], bytearray(data[y * (size + 1) + 1:(y + 1) * (size + 1)])
            for i in range(size):
                a, b, c = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
                p = a + b - c
                paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = line[i] + (0, a, b, (a + b) // 2, paeth)[kind] & 255
            rows.append(line)
            above = line
        return rows

    def at(self, x, y):
        start = int(x) * self.channels
        return tuple(self.rows[int(y)][start:start + self.channels])

    def where(self, is_wanted):
        """Middle and corners of the pixels whose colour is wanted."""
        found = [(x + 0.5, y + 0.5) for y in range(self.height) for x in range(self.width) if is_wanted(*self.at(x, y))]
        assert found, "no such pixel"
        xs, ys = zip(*found)
        return (sum(xs) / len(xs), sum(ys) / len(ys)), (min(xs), min(ys), max(xs), max(ys))


def project(x, y, z):
    """Pixels of a point of the world from the front."""
    scale = HEIGHT / 2 / math.tan(math.radians(ANGLE / 2)) / (DISTANCE + y)
    return WIDTH / 2 + scale * x, HEIGHT / 2 - scale * (z - 1)


def is_red(r, g, b):
    return r > 1.5 * max(g, b) and r > 60


def is_blue(r, g, b):
    return b > 1.1 * max(r, g)


def is_green(r, g, b):
    return g > 1.5 * max(r, b)


def is_yellow(r, g, b):
    return min(r, g) > 2 * b and r > 60


class Drawing(support.Case):
    """Pictures; skipped where OpenGL is missing."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        support.allow_leaks()
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "scene.xml"
            scene.write_text(SCENE, encoding="utf-8")
            for arguments in (["run", "scene.xml", "--duration", "0", "-o", "out.h5"], ["render", "out.h5", "-o", "out.png", *TINY]):
                process = subprocess.run([support.CAROM, *arguments], cwd=folder, text=True, capture_output=True, check=False)
            if process.returncode == 2 and "install the package" in process.stderr:
                raise unittest.SkipTest(process.stderr.strip())

    def render(self, *options, name="out.png"):
        """A picture of the recording."""
        self.assertEqual(self.carom("render", "out.h5", "-o", name, *options).err, "")
        return Picture(self.folder / name)

    def assertAround(self, picture, is_wanted, expected, tolerance=1.0):
        middle, _ = picture.where(is_wanted)
        self.assertLess(math.dist(middle, expected), tolerance, f"{middle}, expected {expected}")


class Render(Drawing):
    def setUp(self):
        super().setUp()
        self.write("scene.xml", SCENE)
        self.write("start.json", json.dumps({"v": [0] * 12 + [math.pi / 2]}))

    def record(self, *options):
        """One second, with a frame every tenth."""
        self.carom("run", "scene.xml", "--state", "start.json", "--duration", "1", "--rate", "10", "-o", "out.h5",
                   "--quiet", *options)

    # --- Pixels ------------------------------------------------------------------------------------

    def test_bodies_are_where_they_are(self):
        self.record()
        picture = self.render(*FRONT, "--time", "0")
        self.assertEqual((picture.width, picture.height, picture.channels), (WIDTH, HEIGHT, 3))
        self.assertIn(b"sRGB", picture.chunks)
        for corner in ((0, 0), (WIDTH - 1, 0), (0, HEIGHT - 1), (WIDTH - 1, HEIGHT - 1)):
            self.assertEqual(picture.at(*corner), (255, 255, 255))
        x, y = project(-1, 0, 2)
        radius = project(-1 + 0.3, 0, 2)[0] - x
        middle, corners = picture.where(is_red)
        self.assertLess(math.dist(middle, (x, y)), 1)
        for corner, expected in zip(corners, (x - radius, y - radius, x + radius, y + radius)):
            self.assertAlmostEqual(corner, expected, delta=1.5)
        # The front face of the box is 0.3 m nearer.
        _, corners = picture.where(is_blue)
        left, top = project(0.7, -0.3, 2.3)
        right, bottom = project(1.3, -0.3, 1.7)
        for corner, expected in zip(corners, (left, top, right, bottom)):
            self.assertAlmostEqual(corner, expected, delta=1.5)

    def test_ellipsoid_and_mesh(self):
        """Their outlines, where these are neither those of their bounds nor of anything else."""
        self.write("scene.xml", """<mujoco><asset><mesh name="corner" vertex="0 0 0 1.2 0 0 .3 1.2 .3 0 0 1.2"/></asset>
            <worldbody><geom type="ellipsoid" pos="-1.2 0 1" size=".9 .3 .4" euler="0 30 0" rgba="1 0 0 1"/>
            <geom type="mesh" mesh="corner" pos=".6 0 .4" rgba="0 .6 0 1"/>
            <body pos="0 0 9"><freejoint/><geom size=".1"/></body></worldbody></mujoco>""")
        self.carom("run", "scene.xml", "--duration", "0", "-o", "out.h5", "--quiet")
        picture = self.render(*FRONT)
        # The ellipsoid's half width and height: |axes turned| by its turn of 30 degrees about y.
        x, z = math.hypot(0.9 * math.cos(math.pi / 6), 0.2), math.hypot(0.9 * math.sin(math.pi / 6), 0.4 * math.cos(math.pi / 6))
        (left, top), (right, bottom) = project(-1.2 - x, 0, 1 + z), project(-1.2 + x, 0, 1 - z)
        _, corners = picture.where(is_red)
        for corner, expected in zip(corners, (left, top, right, bottom)):
            self.assertAlmostEqual(corner, expected, delta=1.5)
        # Within the ellipsoid's own box, beyond its surface: half axes times 0.8 along x and along z.
        c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
        for u, w in ((0.8, 0.8), (0.8, -0.8), (-0.8, 0.8), (-0.8, -0.8)):
            a, b = 0.9 * u, 0.4 * w
            self.assertEqual(picture.at(*project(-1.2 + c * a + s * b, 0, 1 - s * a + c * b)), (255, 255, 255))
        for u in (-0.9, 0, 0.9):
            self.assertTrue(is_red(*picture.at(*project(-1.2 + c * 0.9 * u, 0, 1 - s * 0.9 * u))))
        # A triangle from the front, the right angle at its lower left.
        for a, b in ((0.1, 0.1), (0.1, 0.8), (0.8, 0.1), (0.45, 0.45)):
            self.assertTrue(is_green(*picture.at(*project(0.6 + 1.2 * a, 0, 0.4 + 1.2 * b))), (a, b))
        for a, b in ((0.9, 0.9), (0.9, 0.2), (0.2, 0.9), (0.55, 0.55)):
            self.assertEqual(picture.at(*project(0.6 + 1.2 * a, 0, 0.4 + 1.2 * b)), (255, 255, 255), (a, b))
        _, corners = picture.where(is_green)
        (left, top), (right, bottom) = project(0.6, 0, 1.6), project(1.8, 0, 0.4)
        for corner, expected in zip(corners, (left, top, right, bottom)):
            self.assertAlmostEqual(corner, expected, delta=3)  # tips of 45 degrees fade

    def test_bodies_move(self):
        self.record()
        self.carom("render", "out.h5", "-o", "%d.png", *FRONT, "--from", "0.3", "--to", "0.9", "--fps", "2")
        pictures = [Picture(self.folder / f"{i}.png") for i in range(2)]
        for time, picture in zip((0.3, 0.8), pictures):
            self.assertAround(picture, is_red, project(-1, 0, 2 - time ** 2))
        self.assertGreater(pictures[1].where(is_red)[0][1] - pictures[0].where(is_red)[0][1], 5)

    def test_between_frames(self):
        # Places lie on the line between two frames, not on the parabola; angles in the middle.
        self.write("scene.xml", SCENE.replace("0 0 -2", "0 0 -9"))
        self.write("start.json", json.dumps({"v": [0] * 12 + [math.pi]}))
        self.carom("run", "scene.xml", "--state", "start.json", "--duration", "0.5", "--rate", "0.1", "--dt", "0.005",
                   "-o", "out.h5", "--quiet")
        self.assertIn("frames       2,", self.carom("info", "out.h5").out)
        picture = self.render(*FRONT, "--time", "0.25")
        self.assertAround(picture, is_red, project(-1, 0, 2 - 0.5 * 9 * 0.5 ** 2 / 2))
        bar = json.loads(self.carom("run", "scene.xml", "--state", "start.json", "--duration", "0.5", "--dt", "0.005",
                                    "--json").out)["final"]["q"][-1] / 2
        self.assertAround(picture, is_green, project(0.3 * math.cos(bar), 0, 1 - 0.3 * math.sin(bar)), 1.5)

    def test_opacity(self):
        self.record()
        x, y = project(1, -0.3, 2)
        red, green, blue = self.render(*FRONT, "--time", "0").at(x, y)
        # Half of the white behind, by the curve of sRGB: 188.
        self.assertNear((red, green), (188, 188), 4)
        self.assertGreater(blue, red + 10)
        picture = self.render(*FRONT, "--time", "0", "--background", "transparent", "--samples", "32")
        self.assertEqual(picture.channels, 4)
        self.assertEqual(picture.at(0, 0)[3], 0)
        self.assertEqual(picture.at(*project(-1, 0, 2))[3], 255)
        self.assertAlmostEqual(picture.at(x, y)[3], 127.5, delta=5)

    def test_colours_and_shadow(self):
        # A face that looks up in full light has the colour of the recording; under a body it is dark.
        self.write("scene.xml", """<mujoco><worldbody>
            <geom type="plane" size="3 3 1" rgba=".4 .5 .6 1"/>
            <body pos="0 0 .02"><freejoint/><geom type="cylinder" size="1 .02" rgba=".5 .4 .3 1"/></body>
            <body pos="0 0 .6"><joint type="slide"/><geom type="box" size=".2 .2 .2" rgba="1 1 1 1"/></body>
            </worldbody></mujoco>""")
        self.carom("run", "scene.xml", "--duration", "0", "-o", "out.h5", "--quiet")
        options = ["--elevation", "90", "--azimuth", "-90", "--distance", "8", "--look-at", "0,0,0", "--size", "200x200",
                   "--samples", "32", "--quiet"]
        picture = self.render(*options)
        # Quarters of round bodies are darker: light ones are those with x y > 0.
        scale = 100 / math.tan(math.radians(15)) / 8
        light, dark = picture.at(100 + 0.9 * scale, 100 - 0.2 * scale), picture.at(100 + 0.9 * scale, 100 + 0.2 * scale)
        self.assertNear(light, (0.5 * 255, 0.4 * 255, 0.3 * 255), 6)
        self.assertLess(dark[0], light[0] - 12)
        shadows = [sum(picture.at(100 + x, 100 + y)) for x in range(-55, 56) for y in range(-55, 56) if x * x + y * y < 3000]
        self.assertLess(min(shadows), 0.62 * sum(dark))

    def test_marks(self):
        self.write("scene.xml", support.SCENE)
        self.carom("run", "scene.xml", "--duration", "1", "-o", "out.h5", "--rate", "10", "--quiet")
        view = ["--look-at", "0,0,0", "--distance", "2", "--size", "120x90", "--samples", "2", "--quiet"]
        plain = self.render(*view)
        def count(picture, is_wanted):
            return sum(is_wanted(*picture.at(x, y)) for x in range(120) for y in range(90))
        for option, is_wanted in (("--contacts", is_blue), ("--frames", is_red), ("--frames", is_green)):
            self.assertEqual(count(plain, is_wanted), 0)
            self.assertGreater(count(self.render(*view, option), is_wanted), 10)
        picture = self.render(*view, "--background", "#ffffff", "--no-planes")
        self.assertEqual((plain.at(0, 89) == (255, 255, 255), picture.at(0, 89)), (False, (255, 255, 255)))

    def test_pressure(self):
        """A square face that stands is one colour, all of it, and nothing where no area is known."""
        self.write("scene.xml", """<mujoco><worldbody><geom type="plane" size="2 2 1"/><body pos="0 0 .05"><freejoint/>
            <geom type="box" size=".2 .2 .05" rgba=".5 .5 .5 1"/></body></worldbody></mujoco>""")
        top = ["--look-at", "0,0,0", "--distance", "2", "--elevation", "89", "--azimuth", "-90", "--angle", "30",
               "--size", "120x90", "--samples", "2", "--quiet", "--pressure", "--time", "0.5"]
        def count():
            picture = self.render(*top)
            return sum(is_red(*picture.at(x, y)) for x in range(120) for y in range(90))
        self.carom("run", "scene.xml", "--duration", ".5", "-o", "out.h5", "--quiet")
        side = 0.4 / (2 * 2 * math.tan(math.radians(15)) / 90)  # pixels
        self.assertAlmostEqual(count() / side ** 2, 1, delta=0.1)
        self.carom("run", "scene.xml", "--duration", ".5", "-o", "out.h5", "--patches", "corners", "--quiet")
        self.assertEqual(count(), 0)
        ring = [(x, y, z) for z in (-.05, .05) for r in (.2, .1) for x, y in ((r, r), (-r, r), (-r, -r), (r, -r))]
        quads = [(a, b, c, d) for i in range(4) for k in ((i + 1) % 4,) for a, b, c, d in (
            (i, i + 4, k + 4, k), (i + 8, k + 8, k + 12, i + 12), (i, k, k + 8, i + 8), (i + 4, i + 12, k + 12, k + 4))]
        numbers = lambda rows: " ".join(str(number) for row in rows for number in row)
        self.write("scene.xml", f"""<mujoco><asset><mesh name="frame" carom:convex="false"
            vertex="{numbers(ring)}" face="{numbers((a, b, c, a, c, d) for a, b, c, d in quads)}"/></asset><worldbody>
            <geom type="plane" size="2 2 1"/><body pos="0 0 .05"><freejoint/><geom type="mesh" mesh="frame"/></body>
            </worldbody></mujoco>""")
        self.carom("run", "scene.xml", "--duration", ".5", "-o", "out.h5", "--quiet")
        self.assertAlmostEqual(count() / side ** 2, 0.75, delta=0.1)
        self.assertFalse(is_red(*self.render(*top).at(60, 45)))

    def test_trails(self):
        self.record()
        plain = self.render(*FRONT, "--time", "1")
        trails = self.render(*FRONT, "--time", "1", "--trails")
        for height in (1.9, 1.6, 1.4):  # above the ball, where it was
            self.assertFalse(is_red(*plain.at(*project(-1, 0, height))))
            self.assertTrue(is_red(*trails.at(*project(-1, 0, height))))
        self.assertFalse(is_red(*trails.at(*project(-1, 0, 0.5))))

    def test_groups(self):
        self.record()
        with self.assertRaises(AssertionError):
            self.render(*FRONT, "--time", "0").where(is_yellow)
        self.assertAround(self.render(*FRONT, "--time", "0", "--all-groups"), is_yellow, project(0, 0, 0.5))

    def test_follow(self):
        self.record()
        options = ["--azimuth", "-90", "--elevation", "0", "--distance", "8", "--size", "100x80", "--samples", "4", "--quiet"]
        picture = self.render(*options, "--follow", "ball", "--time", "0.9")
        self.assertAround(picture, is_red, (50, 40))

    def test_camera_frames_what_moves(self):
        # By itself the camera shows all bodies: nothing but background along the edges.
        self.record()
        picture = self.render("--size", "160x120", "--samples", "2", "--background", "#ffffff", "--time", "0.5", "--quiet")
        edges = [picture.at(x, y) for x in range(160) for y in (0, 1, 118, 119)]
        edges += [picture.at(x, y) for x in (0, 1, 158, 159) for y in range(120)]
        self.assertEqual(set(edges), {(255, 255, 255)})
        _, (left, top, right, bottom) = picture.where(lambda *colour: colour != (255, 255, 255))
        self.assertTrue(right - left > 100 or bottom - top > 75)

    def test_what_was_written(self):
        self.record()
        result = self.carom("render", "out.h5", "-o", "out.png", *TINY[:-1])
        match = re.fullmatch(r"out\.png: 32 by 24, at 1 s, 0\.\d\d MB; camera (--azimuth \S+ --elevation \S+ "
                             r"--distance \S+ --look-at \S+)\n", result.out)
        self.assertTrue(match, result.out)
        # The camera that it names gives the same picture, but for rounding.
        first, again = Picture(self.folder / "out.png"), self.render(*TINY, *match.group(1).split())
        for row, other in zip(first.rows, again.rows):
            self.assertLess(sum(abs(a - b) for a, b in zip(row, other)), 400)

    # --- Numbered pictures and movies ---------------------------------------------------------------

    def test_numbered(self):
        self.record()
        self.carom("render", "out.h5", "-o", "f-%03d.png", "--fps", "4", "--from", "0.2", "--speed", "0.8", *TINY)
        names = sorted(path.name for path in self.folder.glob("*.png"))
        self.assertEqual(names, [f"f-{i:03d}.png" for i in range(5)])
        self.assertNotEqual(Picture(self.folder / names[0]).rows, Picture(self.folder / names[4]).rows)

    def test_movie(self):
        for name in ("ffmpeg", "ffprobe"):
            if not shutil.which(name):
                self.skipTest(f"{name} is not installed")
        self.record()
        for name in ("out.mp4", "%d.png"):
            self.carom("render", "out.h5", "-o", name, *FRONT, "--fps", "12", "--to", "0.5")
        probe = subprocess.run(
            ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", "out.mp4"],
            cwd=self.folder, capture_output=True, text=True, check=True)
        stream, = json.loads(probe.stdout)["streams"]
        expected = {"codec_name": "h264", "pix_fmt": "yuv420p", "width": WIDTH, "height": HEIGHT,
                    "nb_read_frames": "7", "r_frame_rate": "12/1"}
        self.assertEqual({key: stream[key] for key in expected}, expected)
        data = (self.folder / "out.mp4").read_bytes()
        self.assertLess(data.index(b"moov"), data.index(b"mdat"))  # faststart
        frames = subprocess.run(["ffmpeg", "-v", "error", "-i", "out.mp4", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                                cwd=self.folder, capture_output=True, check=True).stdout
        size = WIDTH * HEIGHT * 3
        for index in range(7):
            picture = b"".join(Picture(self.folder / f"{index}.png").rows)
            frame = frames[index * size:(index + 1) * size]
            # H.264 halves the colours, and loses a little.
            self.assertLess(sum(abs(a - b) for a, b in zip(frame, picture)) / size, 1.0)

    def test_interrupted_movie(self):
        if not shutil.which("ffprobe"):
            self.skipTest("ffprobe is not installed")
        self.record()
        process = self.start("render", "out.h5", "-o", "out.mp4", "--fps", "100000", *TINY)
        while not (self.folder / "out.mp4").exists():
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        count = int(re.fullmatch(r"carom: out\.mp4: interrupted after (\d+) of 100001 pictures\n", err).group(1))
        self.assertTrue(0 < count < 100001)
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames",
                                "-of", "csv=p=0", "out.mp4"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(int(probe.stdout), count)

    def test_no_ffmpeg(self):
        self.record()
        result = self.carom("render", "out.h5", "-o", "out.mp4", *TINY, code=2, env={**os.environ, "PATH": ""})
        self.assertEqual(result.err, "carom: out.mp4: movies need the program ffmpeg; install the package ffmpeg, or write "
                                     "numbered pictures, such as -o frame-%04d.png\n")
        self.write("bin/ffmpeg", "#!/bin/sh\nexit 3\n")
        (self.folder / "bin/ffmpeg").chmod(0o755)
        result = self.carom("render", "out.h5", "-o", "out.mp4", *TINY, code=2,
                            env={**os.environ, "PATH": f"{self.folder}/bin"})
        self.assertEqual(result.err, "carom: out.mp4: ffmpeg did not write it, exit code 3\n")
        self.assertFalse((self.folder / "out.mp4").exists())

    # --- What goes wrong ----------------------------------------------------------------------------

    def test_no_context(self):
        self.record()
        result = self.carom("render", "out.h5", "-o", "out.png", *TINY, code=2,
                            env={**os.environ, "__EGL_VENDOR_LIBRARY_FILENAMES": "/none"})
        self.assertEqual(result.err, "carom: EGL gives no OpenGL 3.3 context; install the packages libegl-mesa0 and "
                                     "libgl1-mesa-dri, which draw without a graphics card\n")
        self.assertFalse((self.folder / "out.png").exists())

    def test_killed_run(self):
        self.record_and_kill("scene.xml", "out.h5")
        result = self.carom("render", "out.h5", "-o", "out.png", *TINY)
        self.assertEqual(result.err, "carom: out.h5: was not closed; what there is of it is shown\n")
        self.assertEqual(Picture(self.folder / "out.png").width, 32)

    def test_cut_recording(self):
        self.record()
        whole = (self.folder / "out.h5").read_bytes()
        for part in (0.01, 0.5, 0.999):
            (self.folder / "cut.h5").write_bytes(whole[:int(part * len(whole))])
            result = self.carom("render", "cut.h5", "-o", "cut.png", *TINY, code=2)
            self.assertRegex(result.err, r"^carom: cut\.h5: .*(damaged|no HDF5 file).*\n$")
        self.assertFalse((self.folder / "cut.png").exists())

    def test_recording_without_geometries(self):
        library = ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5")
        if not library:
            self.skipTest("the shared library of HDF5 is not found")
        self.record()
        hdf5 = ctypes.CDLL(library)
        hdf5.H5Fopen.restype = ctypes.c_int64
        file = ctypes.c_int64(hdf5.H5Fopen(os.fsencode(self.folder / "out.h5"), 1, ctypes.c_int64(0)))
        self.assertGreater(file.value, 0)
        for group in (b"/geoms", b"/bodies/name", b"/joints"):
            self.assertEqual(hdf5.H5Ldelete(file, group, ctypes.c_int64(0)), 0)
        hdf5.H5Fclose(file)
        picture = self.render(*FRONT, "--time", "0")
        self.assertGreater(picture.where(is_red)[1][2], project(1, 0, 2)[0] + 4)  # x of the second body
        x, y = project(-1, 0, 2)
        self.assertTrue(is_blue(*picture.at(x, y - 4)))  # z of the first body, upwards

    def test_refusals(self):
        self.record()
        self.write("text.h5", "no recording")
        for code, sentence, arguments in (
                (1, "render: --output is missing; name a picture or a movie, such as -o frame.png or -o movie.mp4", []),
                (1, "render: --output is 'x.gif', must be a name that ends in .png or .mp4", ["-o", "x.gif"]),
                (1, "render: --output is 'x%s.png', must be a name with one number such as %04d", ["-o", "x%s.png"]),
                (1, "render: --output is '%d%d.png', must be a name with one number such as %04d", ["-o", "%d%d.png"]),
                (1, "render: --size is '12', must be width and height in pixels, such as 1280x720",
                 ["-o", "x.png", "--size", "12"]),
                (1, "render: --size is '0x5', must be from 1x1 to 16384x16384", ["-o", "x.png", "--size", "0x5"]),
                (1, "render: --size is '99999x5', must be from 1x1 to 16384x16384", ["-o", "x.png", "--size", "99999x5"]),
                (1, "render: --size is '33x20', must be two even numbers for a movie, because H.264 halves the colours",
                 ["-o", "x.mp4", "--size", "33x20"]),
                (1, "render: --time is for one picture; movies and numbered pictures have --from and --to",
                 ["-o", "x.mp4", "--time", "1"]),
                (1, "render: --from, --to, --fps and --speed are for movies and numbered pictures; one picture has --time",
                 ["-o", "x.png", "--fps", "1"]),
                (1, "render: --background is 'red', must be #rrggbb, two of them with a comma, light, dark or transparent",
                 ["-o", "x.png", "--background", "red"]),
                (1, "render: --background is 'transparent', must be a colour, because movies have no opacity",
                 ["-o", "x.mp4", "--background", "transparent"]),
                (1, "render: --look-at is '1,2', must be three numbers such as 0,0,0.5", ["-o", "x.png", "--look-at", "1,2"]),
                (1, "render: --look-at and --follow are both given",
                 ["-o", "x.png", "--look-at", "1,2,3", "--follow", "ball"]),
                (1, "render: --elevation is '91', must be from -90 to 90", ["-o", "x.png", "--elevation", "91"]),
                (1, "render: --samples is '0', must be from 1 to 4096", ["-o", "x.png", "--samples", "0"]),
                (2, "out.h5: --time is 1.5 s, outside the recording, which goes from 0 s to 1 s",
                 ["-o", "x.png", "--time", "1.5"]),
                (2, "out.h5: --from is -1 s, outside the recording, which goes from 0 s to 1 s",
                 ["-o", "x.mp4", "--from", "-1"]),
                (2, "out.h5: --to is 0.2 s, before --from, 0.5 s", ["-o", "x.mp4", "--from", "0.5", "--to", "0.2"]),
                (2, "out.h5: there is no body 'nobody' to follow", ["-o", "x.png", "--follow", "nobody"])):
            self.expect_sentence(code, sentence, "render", "out.h5", *arguments)
        for sentence, name in (("none.h5: cannot be opened: No such file or directory", "none.h5"),
                               ("text.h5: is no HDF5 file, so no recording of Carom", "text.h5")):
            self.expect_sentence(2, sentence, "render", name, "-o", "x.png")
        (self.folder / "link.png").symlink_to("out.h5")
        self.expect_sentence(2, "link.png: is read by this command, and not overwritten", "render", "out.h5", "-o", "link.png")
        self.expect_sentence(2, "none/x.png: cannot be created: No such file or directory", "render", "out.h5",
                             "-o", "none/x.png", *TINY)


if __name__ == "__main__":
    support.main()
