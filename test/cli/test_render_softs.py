"""carom render: soft bodies are where their nodes are, in the colours of their stress or their own."""
import support
from test_render import FRONT, HEIGHT, WIDTH, Drawing, is_red, is_yellow, project

# A cube of 0.4 m falls from z = 2, without strain; a beam is held at its left end at z = 1.
SCENE = """<mujoco model="soft">
  <option timestep="0.01" gravity="0 0 -2"/>
  <worldbody>
    <flexcomp name="cube" type="grid" dim="3" count="3 3 3" spacing=".2 .2 .2" pos="-1 0 2" radius="0" rgba="1 0 0 1">
      <elasticity young="1e6" poisson=".3"/></flexcomp>
    <flexcomp name="beam" type="grid" dim="3" count="7 2 2" spacing=".2 .2 .2" pos=".4 0 1" radius="0" rgba="1 0 0 1" carom:quadratic="true"
      group="%d"><elasticity young="1e6" poisson=".3" damping=".1"/><pin gridrange="0 0 0 0 1 1"/></flexcomp>
  </worldbody>
</mujoco>
"""
LARGE = ["--azimuth", "-90", "--elevation", "0", "--distance", "8", "--look-at", "0,0,1", "--size", "640x360",
         "--background", "#ffffff", "--samples", "4", "--quiet"]


def is_violet(r, g, b):
    """The colour of no stress, in any light."""
    return b > 1.2 * r > 1.2 * 1.3 * g and b > 40


def is_light(r, g, b):
    """The colour of most stress, unshaded."""
    return min(r, g) > 200 > 160 > b


def fall(time):
    """Of implicit Euler's steps."""
    steps = round(time / 0.01)
    return 2 * 0.01 ** 2 * steps * (steps + 1) / 2


class RenderSofts(Drawing):
    def record(self, group=0, duration="0.8"):
        self.write("scene.xml", SCENE % group)
        self.carom("run", "scene.xml", "--duration", duration, "--rate", "10", "-o", "out.h5", "--quiet")

    def expect_cube(self, picture, is_wanted, time):
        """Its front face, 0.2 m nearer than its middle, and the sides that are seen a little."""
        middle, corners = picture.where(is_wanted)
        z = 2 - fall(time)
        (left, top), (right, bottom) = project(-1.2, -0.2, z + 0.2), project(-0.8, -0.2, z - 0.2)
        for corner, expected in zip(corners, (left, top, right, bottom)):
            self.assertAlmostEqual(corner, expected, delta=1.5)

    def test_place(self):
        """At a frame, and between two: frames are 0.1 s apart, and nodes go straight from one to the other."""
        self.record(group=3)
        for time in (0.0, 0.4, 0.8):
            self.expect_cube(self.render(*FRONT, "--soft-colors", "plain", "--time", str(time)), is_red, time)
        middle, _ = self.render(*FRONT, "--soft-colors", "plain", "--time", "0.75").where(is_red)
        self.assertAlmostEqual(middle[1], project(-1, -0.2, 2 - (fall(0.7) + fall(0.8)) / 2)[1], delta=1)

    def test_groups(self):
        """The beam reaches from 0.2 m left of the middle, where it is held, to the right."""
        self.record(group=3, duration="0")
        held = project(0, -0.1, 1)
        self.assertEqual(self.render(*FRONT).at(*held), (255, 255, 255))
        self.assertNotEqual(self.render(*FRONT, "--all-groups").at(*held), (255, 255, 255))

    def test_colours_of_stress(self):
        """The cube has none; the beam is stressed most where it is held, and not at its end."""
        self.record()
        picture = self.render(*FRONT, "--stress-range", "0:600")
        self.assertTrue(is_violet(*picture.at(*project(-1, -0.2, 2 - fall(0.8)))))
        root = picture.at(*project(-0.15, -0.1, 1))
        self.assertGreater(root[1], 1.15 * root[0])  # green or blue, not violet
        _, corners = picture.where(lambda r, g, b: (r, g, b) != (255, 255, 255))
        low = self.render(*FRONT, "--stress-range=-2:-1")
        self.assertTrue(is_yellow(*low.at(*project(-1, -0.2, 2 - fall(0.8)))))
        self.assertEqual(low.where(lambda r, g, b: (r, g, b) != (255, 255, 255))[1], corners)

    def test_range_of_the_recording(self):
        """By itself it is the recording's, whatever the time: what hardly sags in the beginning is dark then."""
        self.record()
        early, late = (self.render(*FRONT, "--time", time) for time in ("0", "0.8"))
        at = [int(part) for part in project(-0.15, -0.1, 1)]
        self.assertTrue(is_violet(*early.at(*at)))
        self.assertGreater(sum(late.at(*at)), 1.5 * sum(early.at(*at)))

    def test_legend(self):
        """At the upper right of larger pictures: violet at its lower end, yellow at its upper one."""
        self.record(duration="0")
        bar = self.render(*LARGE)
        plain = self.render(*LARGE, "--soft-colors", "plain", name="plain.png")
        changed = [(x, y) for y in range(bar.height) for x in range(bar.width // 2, bar.width) if bar.at(x, y) != plain.at(x, y)
                   and is_light(*bar.at(x, y))]
        dark = [(x, y) for y in range(bar.height // 2) for x in range(3 * bar.width // 4, bar.width) if is_violet(*bar.at(x, y))]
        self.assertGreater(len(changed), 20)
        self.assertGreater(len(dark), 20)
        self.assertLess(max(y for _, y in changed), min(y for _, y in dark))
        self.assertEqual({x for x, _ in changed} & {x for x, _ in dark}, {x for x, _ in changed})

    def test_transparent(self):
        """The bar lies over nothing as it does over white."""
        self.record(duration="0")
        nothing = [option if option != "#ffffff" else "transparent" for option in LARGE]
        clear, white = self.render(*nothing), self.render(*LARGE, name="white.png")
        for x, y in ((590, 30), (545, 120), (600, 100)):
            r, g, b, a = clear.at(x, y)
            over = [round((part * a + 255 * (255 - a)) / 255) for part in (r, g, b)]
            for one, other in zip(over, white.at(x, y)):
                self.assertAlmostEqual(one, other, delta=2)

    def test_shadow_and_camera(self):
        """Without geometries that move the camera stands for the soft bodies, and a plane below them has their shadow."""
        self.write("scene.xml", """<mujoco><worldbody><geom type="plane" size="3 3 .1" rgba=".8 .8 .8 1"/>
            <flexcomp type="grid" dim="3" count="3 3 3" spacing=".2 .2 .2" pos="0 0 .5" radius="0" rgba="1 0 0 1">
            <elasticity young="1e6" poisson=".3"/></flexcomp></worldbody></mujoco>""")
        self.carom("run", "scene.xml", "--duration", "0", "-o", "out.h5", "--quiet")
        options = ["--size", f"{WIDTH}x{HEIGHT}", "--samples", "8", "--quiet", "--soft-colors", "plain"]
        _, (left, top, right, bottom) = self.render(*options).where(is_red)
        self.assertGreater(max((right - left) / WIDTH, (bottom - top) / HEIGHT), 0.6)
        self.assertGreater(min(left, top), 0)
        above = [*options, "--elevation", "15", "--distance", "5", "--look-at", "0,0,0.2"]
        lit = self.render(*above)
        self.write("scene.xml", (self.folder / "scene.xml").read_text(encoding="utf-8").replace('pos="0 0 .5"', 'pos="0 0 .5" group="3"'))
        self.carom("run", "scene.xml", "--duration", "0", "-o", "out.h5", "--quiet")
        bare = self.render(*above, name="bare.png")
        darker = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)
                  if not is_red(*lit.at(x, y)) and sum(lit.at(x, y)) < 0.8 * sum(bare.at(x, y))]
        self.assertGreater(len(darker), 50)

    def test_bad_options(self):
        self.record(duration="0")
        for options, sentence in (
                (["--soft-colors", "hot"], "render: --soft-colors is 'hot', must be stress or plain"),
                (["--stress-range", "5"], "render: --stress-range is '5', must be two numbers in Pa, the second larger, such as 0:2e4"),
                (["--stress-range", "5:5"], "render: --stress-range is '5:5', must be"),
                (["--stress-range", "0:x"], "render: --stress-range is '0:x', must be"),
                (["--stress-range", "0:nan"], "render: --stress-range is '0:nan', must be"),
                (["--soft-colors", "plain", "--stress-range", "0:1"], "render: --stress-range is given, but with")):
            result = self.carom("render", "out.h5", "-o", "out.png", *options, code=1)
            self.assertIn(sentence, result.err)


if __name__ == "__main__":
    support.main()
