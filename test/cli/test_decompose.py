"""Meshes split into convex parts by the program coacd: a stand-in that does well, fails, writes nonsense or hangs, and the
program itself where it is installed."""
import math
import os
import shutil
import time
import unittest

import support

SIDES = 12
LINE = [(0, 0), (0.1, 0), (0.1, 0.1), (0.08, 0.1), (0.08, 0.02), (0, 0.02)]
BALL = ('<link name="b"><inertial><mass value="0.1"/><inertia ixx="4e-5" iyy="4e-5" izz="4e-5"/></inertial><collision>'
        '<geometry><sphere radius="0.03"/></geometry></collision></link><joint name="j" type="floating">'
        '<parent link="world"/><child link="b"/><origin xyz="0.02 0 0.2"/></joint>')
ROBOT = ('<robot name="r"><link name="world"/><joint name="f" type="fixed"><parent link="world"/><child link="a"/></joint>'
         '<link name="a"><collision><geometry><mesh filename="bowl.obj" scale="{}"/></geometry></collision></link>{}</robot>')
# The four walls and the floor of a square pan in a cube of side 1, as CoACD writes parts.
PAN = """#!/bin/sh
set -e
[ "$1 $3 $5" = "-i -o --quiet" ]
echo "$@" > {folder}/arguments
echo >> {folder}/calls
cp "$2" {folder}/given.obj
part() {{ echo "o part"; for x in $1 $2; do for y in $3 $4; do for z in $5 $6; do echo "v $x $y $z 0.5 0.5 0.5"; done; done; done; }}
{{ part -.5 .5 -.5 .5 0 .1; part -.5 -.4 -.5 .5 0 .5; part .4 .5 -.5 .5 0 .5; part -.5 .5 -.5 -.4 0 .5
  part -.5 .5 .4 .5 0 .5; }} > "$4"
"""


def bowl():
    lines, count = [], 0
    for p, q in zip(LINE, LINE[1:]):
        for side in range(SIDES):
            for corners in ([(p, 0), (p, 1), (q, 1)] if p[0] else [], [(p, 0), (q, 1), (q, 0)] if q[0] else []):
                for (radius, height), more in corners:
                    angle = 2 * math.pi * ((side + more) % SIDES) / SIDES
                    lines.append(f"v {radius * math.cos(angle)!r} {radius * math.sin(angle)!r} {height!r}")
                if corners:
                    count += 3
                    lines.append(f"f {count - 2} {count - 1} {count}")
    return "\n".join(lines) + "\n"


class Decompose(support.Case):
    def setUp(self):
        super().setUp()
        self.write("bowl.obj", bowl())
        self.write("robot.urdf", ROBOT.format(1, BALL))
        os.makedirs(f"{self.folder}/tmp")
        self.set("TMPDIR", f"{self.folder}/tmp")
        self.set("CAROM_COACD", f"{self.folder}/coacd")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def set(self, name, value):
        before = os.environ.get(name)
        os.environ[name] = value
        self.addCleanup(lambda: os.environ.pop(name) if before is None else os.environ.update({name: before}))

    def stand_in(self, script):
        self.write("coacd", script)
        os.chmod(f"{self.folder}/coacd", 0o755)

    def refuse(self, sentence):
        result = self.carom("info", "robot.urdf", "--decompose", code=2)
        self.assertEqual(result.err.replace(str(self.folder), "."), f"carom: robot.urdf:1: mesh: {sentence}\n")
        self.assertEqual(os.listdir(f"{self.folder}/tmp"), [])

    def ball_height(self, *options):
        self.carom("run", "robot.urdf", "--duration", "2", "--csv", "out.csv", *options)
        head, *rows = self.read("out.csv").splitlines()
        return float(rows[-1].split(",")[head.split(",").index("j.z")])

    def test_parts(self):
        """The parts come back at the mesh's size; the ball lies on the floor of the pan, 0.1 of 0.2 m high."""
        self.stand_in(PAN.format(folder=self.folder))
        out = self.carom("info", "robot.urdf", "--decompose").out
        self.assertIn("collides as convex parts that were made of it", out)
        self.assertEqual(os.listdir(f"{self.folder}/tmp"), [])
        given = [line.split() for line in self.read("given.obj").splitlines()]
        self.assertAlmostEqual(max(float(w[1]) for w in given if w[0] == "v"), 0.5, 12)
        self.assertNotIn("-c", self.read("arguments").split())
        self.assertAlmostEqual(self.ball_height("--decompose"), 0.02 + 0.03, 5)

    def test_wish(self):
        """SDF says how many parts there are at most."""
        self.stand_in(PAN.format(folder=self.folder))
        self.write("bowl.sdf", '<sdf version="1.11"><model name="m"><static>1</static><link name="a"><collision name="c">'
                   '<geometry><mesh optimization="convex_decomposition"><uri>bowl.obj</uri><convex_decomposition>'
                   "<max_convex_hulls>9</max_convex_hulls></convex_decomposition></mesh></geometry></collision></link>"
                   "</model></sdf>")
        self.carom("info", "bowl.sdf", "--decompose")
        self.assertEqual(self.read("arguments").split()[-2:], ["-c", "9"])
        self.carom("convert", "bowl.sdf", "parts.urdf", "--decompose")
        self.assertEqual(self.read("parts.urdf").count("<collision"), 5)

    def test_same_mesh(self):
        """A mesh that is in several places is split once, one of another size for itself."""
        self.stand_in(PAN.format(folder=self.folder))
        link = ('<link name="{0}"><collision><geometry><mesh filename="bowl.obj" scale="{1}"/></geometry></collision></link>'
                '<joint name="{0}" type="fixed"><parent link="world"/><child link="{0}"/></joint>')
        self.write("robot.urdf", '<robot name="r"><link name="world"/>' + link.format("a", 1) + link.format("b", 1)
                   + link.format("c", 2) + "</robot>")
        self.carom("convert", "robot.urdf", "parts.urdf", "--decompose")
        self.assertEqual(self.read("parts.urdf").count("<collision"), 15)
        self.assertEqual(self.read("calls"), "\n\n")

    def test_failures(self):
        self.refuse("--decompose runs the program './coacd', which is not found; install it (pip install coacd trimesh) or "
                    "name it in CAROM_COACD")
        self.stand_in("#!/bin/sh\necho first\necho 'no luck today' >&2\nexit 3\n")
        self.refuse("'./coacd' failed on bowl.obj: no luck today")
        self.stand_in("#!/bin/sh\nkill -SEGV $$\n")
        self.refuse("'./coacd' failed on bowl.obj")
        self.stand_in("#!/bin/sh\nexit 0\n")
        self.refuse("'./coacd' ended without writing its parts")
        self.stand_in("#!/bin/sh\n: > $4\n")
        self.refuse("'./coacd' wrote no parts")
        self.stand_in("#!/bin/sh\nhead -c 9999 /dev/urandom > $4\n")
        self.refuse("'./coacd' wrote no parts")
        self.stand_in("#!/bin/sh\necho 'v 1 two 3' > $4\n")
        self.refuse("coacd wrote a vertex that is none: 'v 1 two 3'")
        self.stand_in("#!/bin/sh\nfor i in 1 2 3 4; do echo 'v 1 nan 3'; done > $4\n")
        self.refuse("convex part: vertex 1 has a number that is not finite")
        self.stand_in("#!/bin/sh\nfor i in 1 2 3 4; do echo \"v 1 $i 3\"; done > $4\n")
        self.refuse("its decomposition has no part that encloses a volume")
        os.chmod(f"{self.folder}/coacd", 0o644)
        self.refuse("'./coacd' cannot be run: Permission denied")

    def test_hang(self):
        """What it started ends with it."""
        self.set("CAROM_COACD_SECONDS", "0.5")
        self.stand_in(f"#!/bin/sh\n(sleep 3; touch {self.folder}/late) &\nwait\n")
        start = time.monotonic()
        self.refuse("'./coacd' took more than 0.5 s on bowl.obj; CAROM_COACD_SECONDS may give it more")
        self.assertLess(time.monotonic() - start, 2.5)
        time.sleep(3)
        self.assertFalse(os.path.exists(f"{self.folder}/late"))

    def test_coacd(self):
        """The program itself: the ball lies in the bowl."""
        program = shutil.which("coacd")
        if not program:
            raise unittest.SkipTest("coacd is not installed")
        os.environ["CAROM_COACD"] = program
        self.assertAlmostEqual(self.ball_height("--decompose"), 0.05, 3)


if __name__ == "__main__":
    support.main()
