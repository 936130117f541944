"""carom eval and carom info: what they say of models, states and recordings."""
import json
import math

import support

KEYS = ["version", "nq", "nv", "mass_matrix", "bias", "passive", "actuation", "tendon_length", "tendon_velocity",
        "actuator_length", "actuator_velocity", "actuator_force", "actuator_moment", "act_dot", "qacc_free",
        "qacc_actuated", "qacc_constrained", "joints", "bodies", "com", "energy", "sensors", "contacts"]

# A rod of 2 kg, 0.5 m below its hinge and without width, with a motor and a spring.
PENDULUM = """<mujoco><worldbody><body name="rod" pos="0 0 1"><inertial pos="0 0 -.5" mass="2" diaginertia="0 0 0"/>
<joint name="hinge" axis="0 1 0" armature="0.5" damping="0.3" stiffness="4"/></body></worldbody>
<actuator><motor name="motor" joint="hinge" gear="3" ctrlrange="-1 1"/></actuator></mujoco>"""

BOX = """<mujoco><option timestep="0.001" carom:patches="corners"/><worldbody><geom name="ground" type="plane" size="1 1 1" friction="0.5"/>
<body name="box" pos="0 0 0.1"><freejoint name="free"/>
<geom name="box" type="box" size=".1 .1 .1" mass="3" friction="0.5"/></body></worldbody></mujoco>"""


class Eval(support.Case):
    def evaluate(self, text, *arguments, **state):
        self.write("model.xml", text)
        self.write("state.json", json.dumps(state))
        return self.carom("eval", "model.xml", "--state", "state.json", *arguments).json

    def test_keys(self):
        result = self.evaluate(support.SCENE)
        self.assertEqual(list(result), KEYS)
        self.assertEqual([result["version"], result["nq"], result["nv"]], ["0.1.0", 12, 10])
        self.assertEqual([len(row) for row in result["mass_matrix"]], [10] * 10)
        self.assertEqual(result["joints"], [
            {"name": "", "type": "free", "q": 0, "v": 0}, {"name": "elbow", "type": "hinge", "q": 7, "v": 6},
            {"name": "wrist", "type": "ball", "q": 8, "v": 7}])
        self.assertEqual([body["name"] for body in result["bodies"]], ["box", "arm", "hand"])
        self.assertEqual(list(result["bodies"][0]), ["name", "mass", "position", "quaternion"])
        self.assertEqual(result["bodies"][0]["position"], [0, 0, 0.15])
        self.assertEqual(list(result["energy"]), ["kinetic", "potential"])

    def test_sensors(self):
        angle, rate = 0.4, 1.5
        sensors = ('<sensor><jointpos name="q" joint="hinge"/><subtreelinvel name="v" body="rod"/>'
                   '<actuatorfrc name="f" actuator="motor"/></sensor></mujoco>')
        result = self.evaluate(PENDULUM.replace("</mujoco>", sensors), q=[angle], v=[rate], ctrl=[0.25])
        q, v, f = result["sensors"]
        self.assertEqual(q, {"name": "q", "type": "jointpos", "object": "hinge", "unit": "rad", "values": [angle]})
        self.assertNear(v["values"], [-0.5 * rate * math.cos(angle), 0, 0.5 * rate * math.sin(angle)], 1e-14)
        self.assertEqual([f["object"], f["values"]], ["motor", [0.25]])

    def test_derivatives(self):
        # A mass on a slide under a force u and gravity across it: v1 = v0 + dt u / m, q1 = q0 + dt (v0 + v1) / 2.
        text = ('<mujoco><option timestep="0.01"/><worldbody><body name="cart"><joint name="x" type="slide" axis="1 0 0"/>'
                '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody>'
                '<actuator><motor name="u" joint="x"/></actuator></mujoco>')
        result = self.evaluate(text, "--derivatives", "--parameters", "body.cart.mass,model.gravity", ctrl=[3])
        self.assertEqual(list(result), KEYS + ["derivatives"])
        d = result["derivatives"]
        self.assertEqual(list(d), ["A", "B", "C", "kinks", "nearest_kink", "held", "sensors", "energy"])
        self.assertNear(sum(d["A"], []), [1, 0.01, 0, 1], 1e-14)
        self.assertNear(sum(d["B"], []), [0.01 ** 2 / 4, 0.01 / 2], 1e-14)
        dv = -0.01 * 3 / 4
        self.assertNear(sum(d["C"], []), [0.005 * dv, 0.005 * 0.01, 0, 0, dv, 0.01, 0, 0], 1e-14)
        self.assertEqual([d["kinks"], d["nearest_kink"], d["held"]], [0, None, 0])

    def test_derivatives_of_readings(self):
        angle, rate = 0.4, 1.5
        sensors = ('<sensor><subtreelinvel name="v" body="rod"/><actuatorfrc name="f" actuator="motor"/>'
                   '<jointlimitfrc name="l" joint="hinge"/></sensor></mujoco>')
        result = self.evaluate(PENDULUM.replace("</mujoco>", sensors), "--parameters", "body.rod.mass", q=[angle],
                               v=[rate], ctrl=[0.25])
        v, f, limit = result["derivatives"]["sensors"]
        cosine, sine = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        self.assertNear(sum(v["x"], []), [rate * sine, -cosine, 0, 0, rate * cosine, sine], 1e-14)
        self.assertEqual([f["name"], f["u"], f["theta"]], ["f", [[1]], [[0]]])
        self.assertIn("are a step's, ask for the reading after the step", limit["none"])
        energy = result["derivatives"]["energy"]
        self.assertNear(energy["kinetic"]["x"][0], [0, (2 * 0.25 + 0.5) * rate], 1e-14)
        self.assertNear(energy["potential"]["x"][0], [2 * 9.81 * sine + 4 * angle, 0], 1e-14)
        self.assertNear(energy["kinetic"]["theta"][0], [0.125 * rate * rate], 1e-14)

    def test_derivatives_of_what_has_none(self):
        self.write("model.xml", BOX)
        result = self.carom("eval", "model.xml", "--parameters", "geom.box.margin", code=2)
        self.assertIn("none with respect to geom.margin; there are for geom.friction", result.err)
        result = self.carom("eval", "model.xml", "--parameters", "body.bxo.mass", code=2)
        self.assertEqual(result.err, "carom: parameter 'body.bxo.mass': there is no body 'bxo'; the nearest is 'box'\n")

    def test_json_option_changes_nothing(self):
        self.write("model.xml")
        self.assertEqual(self.carom("eval", "model.xml").out, self.carom("eval", "model.xml", "--json").out)

    def test_pendulum(self):
        angle, rate, control = 0.4, 1.5, 0.25
        result = self.evaluate(PENDULUM, q=[angle], v=[rate], ctrl=[control])
        m, l, g = 2, 0.5, 9.81
        inertia = m * l * l + 0.5
        gravity = m * g * l * math.sin(angle)
        passive = -4 * angle - 0.3 * rate
        self.assertNear(result["mass_matrix"][0], [inertia], 1e-14)
        self.assertNear(result["bias"], [gravity], 1e-13)
        self.assertNear(result["passive"], [passive], 1e-14)
        self.assertNear(result["qacc_free"], [(passive - gravity) / inertia], 1e-13)
        actuated = (passive - gravity + 3 * control) / inertia
        self.assertNear(result["qacc_actuated"], [actuated], 1e-13)
        self.assertNear(result["qacc_constrained"], [actuated], 1e-11)
        height = 1 - l * math.cos(angle)
        self.assertNear(result["com"], [-l * math.sin(angle), 0, height], 1e-14)
        self.assertAlmostEqual(result["energy"]["kinetic"], 0.5 * inertia * rate**2, places=13)
        self.assertAlmostEqual(result["energy"]["potential"], m * g * height + 0.5 * 4 * angle**2, places=13)

    def test_controls_are_limited(self):
        result = self.evaluate(PENDULUM, q=[0], ctrl=[5])
        self.assertNear(result["qacc_actuated"], [3], 1e-13)

    def test_box_at_rest(self):
        result = self.evaluate(BOX)
        self.assertNear(result["qacc_free"], [0, 0, -9.81, 0, 0, 0], 1e-13)
        self.assertNear(result["qacc_constrained"], [0] * 6, 1e-6)
        self.assertEqual(len(result["contacts"]), 4)
        for contact in result["contacts"]:
            self.assertEqual(list(contact), ["geoms", "position", "normal", "distance"])
            self.assertEqual(contact["geoms"], ["ground", "box"])
            self.assertNear(contact["normal"], [0, 0, 1], 1e-12)
            self.assertLess(abs(contact["distance"]), 1e-12)
        corners = sorted((round(c["position"][0], 9), round(c["position"][1], 9)) for c in result["contacts"])
        self.assertEqual(corners, [(-0.1, -0.1), (-0.1, 0.1), (0.1, -0.1), (0.1, 0.1)])

    def test_box_that_slides(self):
        result = self.evaluate(BOX, v=[1, 0, 0, 0, 0, 0])
        self.assertNear(result["qacc_constrained"][:3], [-0.5 * 9.81, 0, 0], 1e-4)

    def test_box_in_the_air(self):
        result = self.evaluate(BOX, q=[0, 0, 0.2, 1, 0, 0, 0])
        self.assertEqual(result["contacts"], [])
        self.assertNear(result["qacc_constrained"], [0, 0, -9.81, 0, 0, 0], 1e-10)

    def test_box_in_the_ground(self):
        result = self.evaluate(BOX, q=[0, 0, 0.09, 1, 0, 0, 0])
        self.assertEqual([round(c["distance"], 12) for c in result["contacts"]], [-0.01] * 4)
        self.assertEqual(self.evaluate(BOX, "--no-contacts", q=[0, 0, 0.09, 1, 0, 0, 0])["contacts"], [])

    def test_limit(self):
        text = PENDULUM.replace('axis="0 1 0"', 'axis="0 1 0" limited="true" range="-10 10"')
        result = self.evaluate(text, q=[math.radians(10)], ctrl=[1])
        self.assertGreater(result["qacc_actuated"][0], 0.1)
        self.assertNear(result["qacc_constrained"], [0], 1e-8)

    def test_keyframe(self):
        self.write("model.xml")
        result = self.carom("eval", "model.xml", "--keyframe", "up").json
        self.assertEqual(result["bodies"][0]["position"], [0, 0, 0.5])

    def test_free_body_off_its_centre(self):
        # The interface's velocity is that of the frame's origin, not of the centre of mass.
        text = """<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/>
            <inertial pos="0.3 0 0" mass="2" diaginertia="1 2 3"/></body></worldbody></mujoco>"""
        result = self.evaluate(text, v=[0, 0, 0, 0, 0, 2])
        self.assertNear(result["mass_matrix"][1], [0, 2, 0, 0, 0, 0.6], 1e-14)
        self.assertAlmostEqual(result["mass_matrix"][5][5], 3 + 2 * 0.09, places=13)
        # The centre does not accelerate, so the origin does: towards the centre.
        self.assertNear(result["qacc_free"], [0.3 * 4, 0, 0, 0, 0, 0], 1e-13)
        self.assertNear(result["qacc_constrained"], result["qacc_free"], 1e-11)

    def test_reference_values(self):
        shared = support.shared_folder()
        for name in ("dmc_humanoid", "dmc_cheetah", "dmc_walker", "dmc_finger", "gym_ant"):
            folder = shared / "models/mjcf" / name
            oracle = json.loads((folder / "oracle.json").read_text(encoding="utf-8"))
            state = oracle["states"][0]
            self.write("state.json", json.dumps({"q": state["qpos"], "v": state["qvel"], "ctrl": state["ctrl"]}))
            result = self.carom("eval", folder / oracle["file"], "--state", "state.json", "--no-contacts").json
            scale = max(map(abs, state["qfrc_bias"])) + 1e-3
            self.assertNear(result["bias"], state["qfrc_bias"], 1e-9 * scale)
            self.assertNear(result["passive"], state["qfrc_passive"], 1e-9 * scale)
            for key in ("qacc_free", "qacc_actuated"):
                self.assertNear(result[key], state[key], 1e-9 * max(1, *map(abs, state[key])))
            for i, body in enumerate(result["bodies"]):
                self.assertNear(body["position"], state["xpos"][3 * i + 3:3 * i + 6], 1e-9)
            self.assertNear(result["com"], state["com"], 1e-9)
            rows = state["M"] if isinstance(state["M"][0], list) else [
                state["M"][i:i + result["nv"]] for i in range(0, len(state["M"]), result["nv"])]
            for row, expected in zip(result["mass_matrix"], rows):
                self.assertNear(row, expected, 1e-9 * max(max(map(abs, r)) for r in rows))

    def test_failure(self):
        self.write("state.json", '{"v": [0, 0, 0, 1e200, 1e200, 1]}')
        self.write("model.xml", BOX)
        result = self.carom("eval", "model.xml", "--state", "state.json", code=3)
        self.assertEqual(result.json["qacc_constrained"], [None] * 6)
        self.assertEqual(result.err, "carom: model.xml: qacc_constrained: the contact problem was not solved\n")


class Info(support.Case):
    def test_model(self):
        self.write("scene.xml", support.SCENE.replace(
            "<worldbody>", "<equality><joint joint1='elbow' polycoef='0 1'/></equality><worldbody><light/>"))
        out = self.carom("info", "scene.xml").out
        for part in ("scene.xml: model small", "3 besides the world, in 2 trees", "10 degrees of freedom, 12 coordinates",
                     "geometries: 4, actuators: 1, equality constraints: 1, springs: 0, keyframes: 1", "gravity        0 0 -9.81",
                     "timestep       5 ms", "elbow", "hinge", "wrist", "ball", "capsule", "rigid", "servo", "-5 to 5",
                     "keyframes: up", "light: not used: it is for drawing"):
            self.assertIn(part, out)

    def test_floor(self):
        self.write("scene.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
        self.assertNotIn("plane", self.carom("info", "scene.xml").out)
        self.assertIn("plane", self.carom("info", "--floor", "scene.xml").out)

    def test_recordings_that_are_none(self):
        (self.folder / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
        result = self.carom("info", "bad.h5", code=2)
        self.assertEqual(len(result.err.splitlines()), 1)
        self.assertTrue(result.err.startswith("carom: bad.h5: the recording is damaged: "), result.err)
        self.write("scene.xml")
        self.carom("run", "scene.xml", "--duration", "1", "-o", "cut.h5", "--quiet")
        whole = (self.folder / "cut.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(whole[: len(whole) // 2])
        result = self.carom("info", "cut.h5", code=2)
        self.assertEqual(len(result.err.splitlines()), 1)


if __name__ == "__main__":
    support.main()
