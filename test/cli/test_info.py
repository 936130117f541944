"""`carom info --json`: what a model or a recording holds, as data that agrees with what else is said of it."""
import unittest

import support

SCENE = """<mujoco model="m"><worldbody><geom type="plane" size="1 1 1" name="floor"/>
<body name="a" pos="0 0 1"><joint name="h" axis="0 1 0" range="-30 60"/><geom name="g" size=".1" mass="2" friction=".7"/>
<site name="s" pos="0 0 .1"/><body name="b"><joint name="t" type="slide" axis="1 0 0"/><geom size=".1" mass="3"
 carom:stiffness="1e4"/></body></body></worldbody>
<actuator><motor name="u" joint="h" ctrllimited="true" ctrlrange="-1 2"/></actuator>
<sensor><jointpos joint="h" name="p"/></sensor><equality><joint name="e" joint1="t"/></equality>
<keyframe><key name="k" qpos="0.1 0"/></keyframe><visual><global fovy="9"/></visual></mujoco>"""


class Info(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml", SCENE)

    def test_model(self):
        info = self.carom("info", "--json", "scene.xml").json
        self.assertEqual((info["model"], info["nq"], info["nv"], info["gravity"]), ("m", 2, 2, [0, 0, -9.81]))
        self.assertEqual([(b["name"], b["parent"], b["mass"]) for b in info["bodies"]],
                         [("world", -1, 0), ("a", 0, 2), ("b", 1, 3)])
        hinge, slide = info["joints"]
        self.assertEqual((hinge["type"], hinge["body"], hinge["q"], hinge["v"], hinge["axis"]), ("hinge", 1, 0, 0, [0, 1, 0]))
        self.assertAlmostEqual(hinge["range"][1], 1.0471975511965976, 15)
        self.assertNotIn("range", slide)
        self.assertEqual([(g["type"], g["body"], g["stiffness"]) for g in info["geoms"]],
                         [("plane", 0, None), ("sphere", 1, None), ("sphere", 2, 1e4)])
        self.assertEqual(info["actuators"], [{"name": "u", "joint": 0, "control_range": [-1, 2], "force_range": [None, None]}])
        self.assertEqual((info["sensors"][0]["type"], info["sensors"][0]["on"]), ("jointpos", "h"))
        self.assertEqual((info["equalities"][0]["type"], info["equalities"][0]["parts"]), ("joint", [1, -1]))
        self.assertEqual((info["sites"][0]["name"], info["keyframes"]), ("s", ["k"]))
        self.assertTrue(all(note["kind"] in ("ignored", "mapped", "unused") for note in info["notes"]))
        evaluated = self.carom("eval", "scene.xml").json
        self.assertEqual([b["mass"] for b in evaluated["bodies"]], [b["mass"] for b in info["bodies"]][1:])
        self.assertEqual([(j["name"], j["q"], j["v"]) for j in evaluated["joints"]],
                         [(j["name"], j["q"], j["v"]) for j in info["joints"]])

    def test_recording(self):
        self.carom("run", "scene.xml", "--duration", "0.1", "-o", "r.h5", "--quiet")
        info = self.carom("info", "--json", "r.h5").json
        self.assertEqual((info["open"], info["model"], info["nq"], info["nv"], info["nu"]), (False, "m", 2, 2, 1))
        self.assertEqual((info["start"], info["bodies"]), (0, 3))
        self.assertAlmostEqual(info["end"], 0.1, 12)
        self.assertEqual(info["frames"], round(info["end"] / info["dt"]) + 1)

    def test_softs(self):
        scene = support.ROOT / "scenes" / "soft_stack.xml"
        softs = self.carom("info", "--json", scene).json["softs"]
        self.assertTrue(softs and all(s["nodes"] > 3 and s["mass"] > 0 and s["young"] > 0 for s in softs))


if __name__ == "__main__":
    support.main()
