"""carom run: what it prints and writes, and how it starts and ends."""
import csv
import json
import math
import os
import resource
import select
import signal
import subprocess
import time

import support

KEYS = ["version", "scene", "dt", "scheme", "friction", "steps", "time", "wall_time", "real_time_factor",
        "failed_steps", "repeated_steps", "held_steps", "stop_reason", "contacts", "iterations", "outer_iterations",
        "velocity_error_bound", "residual", "steps_above_tolerance", "coulomb_residual", "steps_off_coulomb",
        "patch_error", "energy", "stick_slip", "float", "penetration", "ignored", "sensors", "final"]


class Summary(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def test_sensors(self):
        sensors = ('<sensor><jointpos name="angle" joint="elbow"/><clock/><subtreecom name="com" body="world"/>'
                   '<framequat name="turn" objtype="xbody" objname="box"/></sensor></mujoco>')
        self.write("scene.xml", support.SCENE.replace("</mujoco>", sensors))
        run = self.carom("run", "scene.xml", "--duration", "0.1", "--json", "-o", "run.h5", "--csv", "run.csv").json
        self.assertEqual(list(run["sensors"]), ["angle", "sensor1", "com", "turn"])
        self.assertEqual(run["sensors"]["angle"], [run["final"]["q"][7]])
        self.assertAlmostEqual(run["sensors"]["sensor1"][0], run["time"])
        self.assertEqual(run["sensors"]["turn"][0], run["final"]["q"][3])
        # The recording holds the same numbers.
        self.carom("convert", "run.h5", "again.csv")
        self.assertEqual((self.folder / "run.csv").read_text(), (self.folder / "again.csv").read_text())
        header, *rows = csv.reader((self.folder / "run.csv").read_text().splitlines())
        self.assertEqual(header[-9:], ["angle.sensor", "sensor1.sensor", "com.sensor.x", "com.sensor.y", "com.sensor.z",
                                       "turn.sensor.qw", "turn.sensor.qx", "turn.sensor.qy", "turn.sensor.qz"])
        self.assertEqual([float(x) for x in rows[-1][-9:-7]], [run["final"]["q"][7], run["time"]])

    WHIRL = """<mujoco><worldbody><body name="upper"><joint name="a" axis="0 1 0"/>
               <geom type="capsule" fromto="0 0 0 .9 0 0" size=".03" contype="0"/><body pos=".9 0 0"><joint axis="0 1 0"/>
               <geom type="capsule" fromto="0 0 0 .9 0 0" size=".03" contype="0"/></body></body>
               <body pos="0 3 0"><freejoint/><geom size=".1"/></body></worldbody>
               <keyframe><key name="fast" qpos="0 1 0 3 0 1 0 0 0" qvel="190 -310 0 0 0 0 0 0"/>
               <key name="endless" qpos="0 1 0 3 0 1 0 0 0" qvel="1e200 0 0 0 0 0 0 0"/></keyframe></mujoco>"""

    def test_steps_that_gain_energy_are_repeated(self):
        self.write("whirl.xml", self.WHIRL)
        arguments = ["run", "whirl.xml", "--keyframe", "fast", "--dt", "0.01", "--duration", "1"]
        run = self.carom(*arguments, "--json").json
        energy = run["energy"]
        start, end = (sum(energy[k].values()) for k in ("start", "end"))
        self.assertEqual(run["stop_reason"], "completed")
        self.assertGreater(run["repeated_steps"], 0)
        self.assertGreater(energy["unexplained_largest"], 0)
        self.assertLess(energy["unexplained_sum"], 0.1 * start)
        self.assertLess(end, start + energy["unexplained_sum"])
        text = self.carom(*arguments).out
        self.assertIn(f"{run['repeated_steps']} repeated for energy or passing", text)
        self.assertIn("unexplained gain", text)

    def test_failures_name_the_body_and_may_be_passed_over(self):
        self.write("whirl.xml", self.WHIRL)
        arguments = ["run", "whirl.xml", "--keyframe", "endless", "--duration", "0.1"]
        failed = self.carom(*arguments, "--json", code=3)
        self.assertEqual(failed.json["failed_body"], "upper")
        self.assertIn("(body 'upper' and what hangs on it)", failed.err)
        run = self.carom(*arguments, "--json", "--on-failure", "continue").json
        self.assertEqual([run["steps"], run["held_steps"]], [50, 1])
        self.assertAlmostEqual(run["final"]["v"][4], -0.981, places=6)

    def test_least_forces(self):
        """What a run says of forces that are not determined: four legs without friction share one."""
        legs = "".join(f"<geom size='.1' pos='{x} {y} 0'/>" for x in (-1, 1) for y in (-1, 1))
        self.write("table.xml", f"""<mujoco><default><geom condim='1'/></default><worldbody>
            <geom type='plane' size='9 9 1'/><body pos='0 0 .1'><freejoint/>{legs}</body></worldbody></mujoco>""")
        run = self.carom("run", "table.xml", "--duration", "0.02", "--forces", "least", "--json").json
        self.assertEqual([run["undetermined"], run["steps_not_least"]], [4, 0])
        self.assertEqual([[entry["force"], entry["contact"]] for entry in run["shared_forces"]], 4 * [[1, ["world", "body 1"]]])
        out = self.carom("run", "table.xml", "--duration", "0.02", "--forces", "least").out
        self.assertIn("1 at most, shared by 4 constraints at most; the least but in 0 steps", out)
        self.assertNotIn("undetermined", self.carom("run", "table.xml", "--duration", "0.02").out)

    def test_json_keys(self):
        run = self.carom("run", "scene.xml", "--duration", "0.5", "--json").json
        self.assertEqual(list(run), KEYS)
        self.assertEqual(run["version"], "0.1.0")
        self.assertEqual(run["scene"], "scene.xml")
        self.assertEqual([run[key] for key in ("dt", "scheme", "friction", "steps", "failed_steps")],
                         [0.005, "midpoint", "coulomb", 100, 0])
        self.assertEqual(run["stop_reason"], "completed")
        self.assertAlmostEqual(run["time"], 0.5, places=12)
        for key in ("contacts", "iterations", "outer_iterations"):
            self.assertEqual(list(run[key]), ["mean", "max"])
            self.assertGreaterEqual(run[key]["max"], run[key]["mean"])
        self.assertEqual(run["contacts"]["max"], 7)
        self.assertEqual(list(run["energy"]), ["start", "end", "dissipated", "actuator_work", "unexplained_largest",
                                               "unexplained_time", "unexplained_sum", "braked"])
        for key in ("start", "end"):
            self.assertEqual(list(run["energy"][key]), ["kinetic", "potential", "elastic"])
        self.assertEqual(list(run["final"]), ["q", "v"])
        self.assertEqual([len(run["final"]["q"]), len(run["final"]["v"])], [12, 10])

    def test_numbers_that_are_not_finite_are_null(self):
        run = self.carom("run", "scene.xml", "--duration", "0.5", "--json").json
        self.assertIsNone(run["velocity_error_bound"])  # rigid contacts

    def test_json_without_steps(self):
        run = self.carom("run", "scene.xml", "--duration", "0", "--json").json
        self.assertEqual([run["steps"], run["contacts"]["mean"], run["time"]], [0, 0, 0])

    def test_energy_balance(self):
        # The step of an impact takes gravity's work at the velocity of its end: m g dt v / 2.
        run = self.carom("run", "scene.xml", "--duration", "1", "--json").json
        start, end = (sum(run["energy"][key].values()) for key in ("start", "end"))
        self.assertAlmostEqual(start - end, 2 * 9.81 * 0.05, places=6)
        self.assertAlmostEqual(start - end, run["energy"]["dissipated"], delta=2 * 9.81 * 0.005 / 2)

    def test_summary_for_people(self):
        out = self.carom("run", "scene.xml", "--duration", "0.5").out
        for part in ("scene.xml: completed, scheme midpoint, friction coulomb", "100 of 5 ms", "0.5 s, to 0.5 s",
                     "times real time", "contacts             mean", "solver iterations    mean",
                     "outer iterations     mean", "no bound where", "residual", "slip in stick",
                     "energy at start", "energy at end", "dissipated", "work of actuators"):
            self.assertIn(part, out)

    def test_notes_are_listed(self):
        self.write("scene.xml", support.SCENE.replace("<worldbody>", "<worldbody><light pos='0 0 1'/>").replace(
            "</mujoco>", "<sensor><user name='s' dim='1'/></sensor></mujoco>"))
        out = self.carom("run", "scene.xml", "--duration", "0").out
        notes = self.carom("run", "scene.xml", "--duration", "0", "--json").json["ignored"]
        ignored, unused = "user 's': left out", "light: not used: it is for drawing"
        self.assertTrue(ignored in notes[0] and unused in notes[1], notes)
        self.assertIn(ignored, out)
        self.assertNotIn(unused, out)  # it has no part in the motion; `carom info` lists it

    def test_quiet_says_nothing(self):
        result = self.carom("run", "scene.xml", "--duration", "0.1", "--quiet")
        self.assertEqual(result.out + result.err, "")

    def test_defaults(self):
        self.write("bare.xml", "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
        run = self.carom("run", "bare.xml", "--json").json
        self.assertEqual([run["dt"], run["steps"], run["scheme"], run["friction"]],
                         [0.002, 5000, "midpoint", "coulomb"])
        self.assertAlmostEqual(run["time"], 10, places=9)


class Options(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def run_json(self, *arguments):
        return self.carom("run", "scene.xml", "--json", *arguments).json

    def test_every_choice_runs(self):
        for choice in (["--scheme", "explicit"], ["--scheme", "symplectic"], ["--scheme", "implicit"],
                       ["--scheme", "midpoint"], ["--scheme", "0.5,1,0.5"], ["--scheme=1,1,1"],
                       ["--contact", "implicit"], ["--contact", "scheme"], ["--relinearise", "1"],
                       ["--friction", "coulomb"], ["--friction", "convex", "--sigma", "1e-3", "--beta", "1"],
                       ["--friction", "lagged"], ["--friction", "anchored"], ["--solver", "newton"],
                       ["--solver", "primal", "--friction", "convex"], ["--tolerance", "1e-8"],
                       ["--solver", "pgs"], ["--solver", "apgd"], ["--solver", "ipm"],
                       ["--soft-solver", "iterative"], ["--soft-solver", "direct"],
                       ["--solver", "pgs", "--friction", "convex"], ["--solver", "apgd", "--friction", "lagged"],
                       ["--floor"], ["--permissive"], ["--no-contacts"]):
            run = self.run_json("--duration", "0.3", *choice)
            self.assertEqual([run["stop_reason"], run["failed_steps"]], ["completed", 0], choice)

    def test_anchored_friction_gives_way(self):
        self.write("scene.xml", '''<mujoco><option gravity="2 0 -10"/><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .1"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><geom type="box"
size=".1 .1 .1" mass="3" carom:stiffness="1e4" carom:dissipation="0.05"/></body></worldbody></mujoco>''')
        run = self.run_json("--duration", "2", "--friction", "anchored")
        self.assertEqual([run["friction"], run["stop_reason"]], ["anchored", "completed"])
        shift, sink = 3 * 2 / 0.82e4, 3 * 10 / 1e4
        self.assertAlmostEqual(run["final"]["q"][0], shift, delta=2e-6 * shift)
        self.assertAlmostEqual(run["energy"]["end"]["elastic"], 0.5 * (6 * shift + 30 * sink), delta=1e-6)
        rigid = self.run_json("--duration", "2", "--friction", "coulomb")
        self.assertLess(abs(rigid["final"]["q"][0]), 1e-6)

    def test_dt_and_duration(self):
        run = self.run_json("--dt", "0.003", "--duration", "0.1")
        self.assertEqual([run["dt"], run["steps"]], [0.003, 34])
        run = self.run_json("--dt", "0.01", "--duration", "0.3")
        self.assertEqual(run["steps"], 30)

    def test_no_contacts(self):
        run = self.run_json("--no-contacts", "--duration", "1")
        self.assertEqual(run["contacts"]["max"], 0)
        self.assertAlmostEqual(run["final"]["q"][2], 0.15 - 9.81 / 2, places=9)

    def test_floor(self):
        text = support.SCENE.replace('<geom name="ground" type="plane" size="1 1 1"/>', "")
        self.write("scene.xml", text)
        self.assertLess(self.run_json("--duration", "1")["final"]["q"][2], -4)
        self.assertAlmostEqual(self.run_json("--duration", "1", "--floor")["final"]["q"][2], 0.1, places=6)

    def test_threads_change_no_bit(self):
        boxes = "".join(f"<body pos='{x} 5 {z}'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
                        for x in range(12) for z in (0.11, 0.33))
        self.write("scene.xml", "<mujoco><worldbody><geom type='plane' size='0 0 1'/>" + boxes +
                   "</worldbody></mujoco>")
        alone, together = (self.run_json("--duration", "0.3", "--threads", count) for count in ("1", "3"))
        for clock in ("wall_time", "real_time_factor"):
            del alone[clock], together[clock]
        self.assertEqual(alone, together)
        result = self.carom("run", "scene.xml", "--threads", "257", code=2)
        self.assertIn("simulation: threads is 257, must be 0 to 256", result.err)

    def test_permissive(self):
        text = support.SCENE.replace("<worldbody>", "<option o_friction='1 2'><flag override='enable'/></option>"
                                     "<worldbody>")
        self.write("scene.xml", text)
        self.carom("run", "scene.xml", "--duration", "0", code=2)
        notes = self.run_json("--duration", "0", "--permissive")["ignored"]
        self.assertEqual(len(notes), 1)
        self.assertIn("o_friction", notes[0])

    def test_schemes_differ(self):
        ends = {self.carom("run", "scene.xml", "--json", "--duration", "0.1", "--scheme", scheme).json["final"]["q"][7]
                for scheme in ("explicit", "symplectic", "implicit", "midpoint")}
        self.assertEqual(len(ends), 1)  # the pendulum hangs still
        ends = {self.carom("run", "scene.xml", "--json", "--duration", "0.1", "--scheme", scheme, "--keyframe",
                           "up").json["final"]["q"][7]
                for scheme in ("explicit", "symplectic", "implicit", "midpoint")}
        self.assertEqual(len(ends), 4)

    def test_theta_is_the_scheme_of_that_name(self):
        for name, theta in (("midpoint", "0.5,0.5,0.5"), ("implicit", "1,1,1"), ("symplectic", "0,1,1")):
            a = self.run_json("--keyframe", "up", "--duration", "0.2", "--scheme", name)
            b = self.run_json("--keyframe", "up", "--duration", "0.2", "--scheme", theta)
            self.assertEqual(a["final"], b["final"])
            self.assertEqual(b["scheme"], theta)


class Start(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def run_json(self, *arguments):
        return self.carom("run", "scene.xml", "--json", *arguments).json

    def test_keyframe(self):
        run = self.run_json("--keyframe", "up", "--duration", "0")
        self.assertEqual(run["final"]["q"], [0, 0, 0.5, 1, 0, 0, 0, 1, 1, 0, 0, 0])

    def test_keyframe_sets_controls(self):
        run = self.run_json("--keyframe", "up", "--duration", "10")
        self.assertGreater(run["final"]["q"][7], 0.9)  # the servo holds what hangs on it
        self.assertLess(run["final"]["q"][7], 1)

    def test_state(self):
        state = {"q": [0, 0, 1, 1, 0, 0, 0, 0.2, 1, 0, 0, 0], "v": [0, 0, -1, 0, 0, 0, 0.5, 0, 0, 0], "time": 3}
        self.write("state.json", json.dumps(state))
        run = self.run_json("--state", "state.json", "--duration", "0")
        self.assertEqual(run["final"], {"q": state["q"], "v": state["v"]})
        self.assertEqual(run["time"], 3)

    def test_saved_state_goes_on_to_the_bit(self):
        for name, options in (("clutter", ()), ("clutter", ("--friction", "anchored")), ("arm", ("--ctrl", "arm.csv")),
                              ("soft_beams", ()), ("stack", ("--scheme", "implicit", "--dt", "0.004"))):
            options = [str(support.ROOT / "scenes" / o) if o.endswith(".csv") else o for o in options]
            scene = support.ROOT / "scenes" / f"{name}.xml"
            for file, start, duration in (("whole", (), "0.24"), ("half", (), "0.12"),
                                          ("rest", ("--state", "half.state"), "0.12")):
                self.carom("run", scene, "--quiet", "--duration", duration, "--save-state", f"{file}.state", *options, *start)
            whole, rest = ((self.folder / f"{file}.state").read_bytes() for file in ("whole", "rest"))
            self.assertEqual(whole, rest, name)

    def test_saved_states_that_do_not_fit(self):
        self.carom("run", "scene.xml", "--quiet", "--duration", "0.1", "--save-state", "a.state")
        saved = (self.folder / "a.state").read_bytes()
        run = ("run", "scene.xml", "--state")
        (self.folder / "b.state").write_bytes(saved[:-1])
        self.expect_sentence(2, f"b.state: state: this is not a saved state of {len(saved) - 1} bytes", *run, "b.state")
        (self.folder / "b.state").write_bytes(saved[:-1] + bytes([saved[-1] ^ 1]))
        self.expect_sentence(2, "b.state: state: the buffer is damaged", *run, "b.state")
        self.write("other.xml", "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
        self.expect_sentence(2, "a.state: state: saved from another model", "run", "other.xml", "--state", "a.state")
        self.expect_sentence(2, "a.state: this state was saved with steps of 0.005 s, but --dt is 0.001",
                             *run, "a.state", "--dt", "0.001")
        self.expect_sentence(2, "./a.state: is read by this command, and not overwritten",
                             *run, "a.state", "--save-state", "./a.state")
        self.assertEqual((self.folder / "a.state").read_bytes(), saved)
        result = self.carom("run", "scene.xml", "--quiet", "--duration", "0.1", "--save-state", "none/a.state", code=2)
        self.assertEqual(result.err, "carom: none/a.state: cannot be created: No such file or directory\n")

    def test_state_with_controls(self):
        self.write("state.json", '{"ctrl": [1], "act": []}')
        self.assertGreater(self.run_json("--state", "state.json", "--duration", "10")["final"]["q"][7], 0.9)

    def test_run_goes_on_from_its_own_summary(self):
        whole = self.run_json("--keyframe", "up", "--duration", "0.5", "--tolerance", "1e-9")
        half = self.carom("run", "scene.xml", "--json", "--keyframe", "up", "--duration", "0.25", "--tolerance", "1e-9")
        state = half.json["final"]
        state["ctrl"], state["time"] = [1], half.json["time"]
        self.write("half.json", json.dumps(state))
        rest = self.run_json("--state", "half.json", "--duration", "0.25", "--tolerance", "1e-9")
        self.assertAlmostEqual(rest["time"], 0.5, places=12)
        self.assertNear(rest["final"]["q"], whole["final"]["q"], 1e-7)

        self.write("summary.json", half.out)
        rest = self.run_json("--state", "summary.json", "--duration", "0")
        self.assertEqual([rest["final"], rest["time"]], [half.json["final"], half.json["time"]])

    def test_controls(self):
        # Linear in time: at the end of the ramp the servo is at its target, and stays.
        self.write("ctrl.csv", "time,servo\n0,0\n2,0.5\n")
        self.assertLess(abs(self.run_json("--ctrl", "ctrl.csv", "--duration", "1")["final"]["q"][7] - 0.25), 0.05)
        run = self.run_json("--ctrl", "ctrl.csv", "--duration", "20")
        self.write("held.json", '{"ctrl": [0.5]}')
        held = self.run_json("--state", "held.json", "--duration", "20")
        self.assertAlmostEqual(run["final"]["q"][7], held["final"]["q"][7], places=4)

    def test_several_controls(self):
        # A PID on a slide of 1 kg: setpoints of place and speed along a ramp are followed without a lag, with a force
        # that bears the weight; its integral goes with the state, to the bit.
        self.write("pid.xml", "<mujoco><worldbody><body><joint name='j' type='slide' axis='0 0 1'/><geom size='.1' mass='1'/>"
                   "</body></worldbody><actuator><pid name='p' joint='j' kp='400' kv='40' ki='10' input='pos vel ff'/>"
                   "</actuator></mujoco>")
        self.write("ramp.csv", "time,p.force,p.position,p.velocity\n0,9.81,0,0.5\n4,9.81,2,0.5\n")
        self.write("start.json", '{"v": [0.5], "ctrl": [0, 0.5, 9.81]}')
        run = ("run", "pid.xml", "--ctrl", "ramp.csv", "--json", "--state")
        whole = self.carom(*run, "start.json", "--duration", "2").json["final"]
        self.assertNear(whole["q"] + whole["v"], [1, 0.5], 2e-3)
        self.assertEqual(len(whole["act"]), 1)
        self.carom(*run, "start.json", "--duration", "1", "--save-state", "half.state")
        self.assertEqual(self.carom(*run, "half.state", "--duration", "1").json["final"], whole)
        self.carom("run", "pid.xml", "--quiet", "--duration", "0.01", "-o", "x.h5")
        self.carom("convert", "x.h5", "x.csv", "--columns", "ctrl")
        self.assertEqual(len((self.folder / "x.csv").read_text().splitlines()[0].split(",")), 4)

    def test_mocap(self):
        # A box that is welded to a mocap body follows it with a time constant of 0.02 s, ten steps: behind
        # a goal that moves at 2 m/s it lags by 2 * 0.02 m, of which one step at rest leaves 0.9.
        self.write("mocap.xml", "<mujoco><worldbody><body name='goal' mocap='true'/><body name='box'><freejoint/>"
                   "<geom size='.1'/></body></worldbody><equality><weld body1='goal' body2='box'/></equality></mujoco>")
        self.write("goal.csv", "time,goal.x,goal.qw,goal.qz\n0,0,1,0\n1,2,1,1\n")
        run = self.carom("run", "mocap.xml", "--ctrl", "goal.csv", "--duration", "1.002", "--scheme", "implicit",
                         "--json").json
        half = math.sqrt(0.5)
        self.assertNear(run["final"]["q"][7:], [2, 0, 0, half, 0, 0, half], 1e-6)
        self.assertNear(run["final"]["q"][:3], [2 - 0.9 * 2 * 0.02, 0, 0], 1e-6)
        for name in ("goal.w", "box.x", "goal"):
            self.write("goal.csv", f"time,{name}\n0,0\n")
            self.expect_sentence(2, f"goal.csv:1: there is no actuator '{name}', nor is it a part of a mocap body's "
                                 "pose", "run", "mocap.xml", "--ctrl", "goal.csv", "-o", "x.h5")

    def test_motion(self):
        # A box on a table that goes 1 m in 1 s is carried along, t0 V / 2 of the way
        # behind it, with t0 = V / (mu g) until it has the speed V of the table.
        self.write("table.xml", "<mujoco><worldbody><body name='table' mocap='true' pos='0 0 -.1'><geom type='box' "
                   "size='9 9 .1' friction='.5'/></body><body name='box' pos='0 0 .1'><freejoint/><geom type='box' "
                   "size='.1 .1 .1' friction='.5'/></body></worldbody></mujoco>")
        self.write("way.csv", "time,table.x\n0,0\n1,1\n")
        run = self.carom("run", "table.xml", "--motion", "way.csv", "--duration", "1", "--json").json
        self.assertNear(run["final"]["q"][:1], [1 - 0.5 / (0.5 * 9.81)], 1e-3)
        self.assertNear(run["final"]["q"][7:], [1, 0, -0.1, 1, 0, 0, 0], 1e-9)
        self.write("turn.csv", "time,table.qw,table.qz\n0,1,0\n1,1,1\n")
        run = self.carom("run", "table.xml", "--motion", "turn.csv", "--duration", "1", "--json").json
        half = math.pi / 8
        self.assertNear(run["final"]["q"][10:], [math.cos(2 * half), 0, 0, math.sin(2 * half)], 1e-9)
        self.assertNear(run["final"]["q"][3:7], [math.cos(2 * half), 0, 0, math.sin(2 * half)], 2e-2)
        self.write("way.csv", "time,table.x\n0,0\n1,east\n")
        self.expect_sentence(2, "way.csv:3: column 2 is 'east', must be a number", "run", "table.xml", "--motion",
                             "way.csv", "-o", "x.h5")

    def test_bad_states(self):
        for text, sentence in (
                ("", "state.json:1: '[' or '{' expected near end of file"),
                ("[1]", "state.json: a state is an object with q, v and so on"),
                ('{"q": [1]}', 'state.json: "q" has 1 numbers, the model has 12 coordinates'),
                ('{"v": "x"}', 'state.json: "v" is not a list of numbers'),
                ('{"ctrl": [null]}', 'state.json: "ctrl"[0] is not a number'),
                ('{"act": [1]}', 'state.json: "act" has 1 numbers, the model has 0 activations'),
                ('{"time": "noon"}', 'state.json: "time" is not a number'),
                ('{"qpos": []}', 'state.json: the key "qpos" is not known, must be q, v, ctrl, act or time')):
            self.write("state.json", text)
            self.expect_sentence(2, sentence, "run", "scene.xml", "--state", "state.json", "-o", "x.h5")
        self.expect_sentence(2, "none.json: cannot be opened: No such file or directory", "run", "scene.xml",
                             "--state", "none.json", "-o", "x.h5")
        self.assertFalse((self.folder / "x.h5").exists())

    def test_bad_controls(self):
        for text, sentence in (
                ("", "ctrl.csv: is empty"),
                ("t,servo\n", "ctrl.csv:1: the first column is 't', must be time"),
                ("time,motor\n0,0\n", "ctrl.csv:1: there is no actuator 'motor', nor is it a part of a mocap body's pose"),
                ("time,servo,servo\n0,0,0\n", "ctrl.csv:1: 'servo' has two columns"),
                ("time,servo\n", "ctrl.csv: has no rows"),
                ("time,servo\n0,0,0\n", "ctrl.csv:2: 3 columns, the header has 2"),
                ("time,servo\n0,0\n1,nan\n", "ctrl.csv:3: column 2 is 'nan', must be a number"),
                ("time,servo\n1,0\n1,0\n", "ctrl.csv:3: time is 1, must be greater than 1")):
            self.write("ctrl.csv", text)
            self.expect_sentence(2, sentence, "run", "scene.xml", "--ctrl", "ctrl.csv", "--csv", "x.csv")
        self.expect_sentence(2, "none.csv: cannot be opened: No such file or directory", "run", "scene.xml", "--ctrl",
                             "none.csv", "--csv", "x.csv")
        self.assertFalse((self.folder / "x.csv").exists())

    def test_unknown_keyframe(self):
        self.expect_sentence(2, "scene.xml: there is no keyframe 'down'; there are 'up'", "run", "scene.xml",
                             "--keyframe", "down")


class Outputs(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def read_table(self, name):
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_table(self):
        run = self.carom("run", "scene.xml", "--duration", "0.5", "--csv", "out.csv", "--json").json
        rows = self.read_table("out.csv")
        self.assertEqual(list(rows[0]), [
            "time", "box.x", "box.y", "box.z", "box.qw", "box.qx", "box.qy", "box.qz", "elbow.q", "wrist.qw",
            "wrist.qx", "wrist.qy", "wrist.qz", "box.vx", "box.vy", "box.vz", "box.wx", "box.wy", "box.wz", "elbow.v",
            "wrist.wx", "wrist.wy", "wrist.wz", "kinetic", "potential", "elastic", "dissipated", "contacts",
            "iterations", "residual"])
        self.assertEqual(len(rows), 101)
        times = [float(row["time"]) for row in rows]
        self.assertNear(times, [0.005 * i for i in range(101)], 1e-12)
        last = [float(value) for value in list(rows[-1].values())[1:23]]
        self.assertEqual(last, run["final"]["q"] + run["final"]["v"])
        self.assertAlmostEqual(float(rows[-1]["dissipated"]), run["energy"]["dissipated"], places=12)

    def test_rate(self):
        self.carom("run", "scene.xml", "--duration", "0.5", "--csv", "out.csv", "-o", "out.h5", "--rate", "25")
        self.assertNear([float(row["time"]) for row in self.read_table("out.csv")],
                        [0.04 * i for i in range(13)] + [0.5], 1e-9)
        self.assertIn("frames       14, from 0 s to 0.5 s", self.carom("info", "out.h5").out)

    def test_recording(self):
        self.carom("run", "scene.xml", "--duration", "0.5", "-oout.h5")
        out = self.carom("info", "out.h5").out
        for part in ("out.h5: recording, format version 1, written by Carom 0.1.0", "model        small",
                     "made by      carom run scene.xml --duration 0.5 -oout.h5", "frames       101, from 0 s to 0.5 s",
                     "12 coordinates, 10 velocities, 1 actuators, 4 bodies"):
            self.assertIn(part, out)
        self.assertNotIn("not closed", out)

    def test_names_with_commas(self):
        self.write("scene.xml", support.SCENE.replace('"elbow"', "'a \"b\", c'").replace("'a \"b\"", "'a &quot;b&quot;"))
        self.carom("run", "scene.xml", "--duration", "0", "--csv", "out.csv")
        self.assertIn('a "b", c.q', self.read_table("out.csv")[0])

    def test_same_bits_again(self):
        first, second = (self.carom("run", "scene.xml", "--keyframe", "up", "--duration", "2", "--json", "--csv", name)
                         for name in ("a.csv", "b.csv"))
        self.assertEqual(first.json["final"], second.json["final"])
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())

    def test_inputs_are_not_overwritten(self):
        before = (self.folder / "scene.xml").read_text()
        for option in ("-o", "--csv"):
            self.expect_sentence(2, "./scene.xml: is read by this command, and not overwritten", "run", "scene.xml",
                                 option, "./scene.xml")
        self.assertEqual((self.folder / "scene.xml").read_text(), before)

    def test_outputs_that_cannot_be_created(self):
        for option, name in (("-o", "none/x.h5"), ("--csv", "none/x.csv")):
            self.expect_sentence(2, f"{name}: cannot be created: No such file or directory", "run", "scene.xml",
                                 option, name)

    def test_standard_output_that_is_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = subprocess.run([support.CAROM, "run", "scene.xml", "--duration", "0"], cwd=self.folder,
                                     stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(process.stderr, "carom: standard output cannot be written: No space left on device\n")

    def test_recording_that_outgrows_the_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))

        result = self.carom("run", "scene.xml", "-o", "out.h5", code=2, preexec_fn=limit)
        self.assertEqual(result.err, "carom: out.h5: cannot be written: File too large\n")
        self.assertIn("the frames below are whole", self.carom("info", "out.h5").out)


class Ends(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def test_failed_step(self):
        # No solver reaches this tolerance where there are contacts.
        result = self.carom("run", "scene.xml", "--friction", "convex", "--tolerance", "1e-300", "--json",
                            "-o", "out.h5", "--csv", "out.csv", code=3)
        run = result.json
        self.assertEqual(run["stop_reason"], "the contact problem was not solved to the tolerance")
        self.assertEqual(run["failed_steps"], 1)
        self.assertGreater(run["steps"], 5)
        self.assertLess(run["time"], 0.2)
        self.assertTrue(result.err.startswith("carom: scene.xml: stopped at "), result.err)
        self.assertIn(f"frames       {run['steps'] + 1},", self.carom("info", "out.h5").out)
        self.assertEqual(len((self.folder / "out.csv").read_text().splitlines()), run["steps"] + 2)

    def test_stalled_solver(self):
        # An interior point ends at the cancellation in its products, first-order methods sooner.
        for solver in ("primal", "pgs", "apgd", "ipm"):
            run = self.carom("run", "scene.xml", "--friction", "convex", "--tolerance", "1e-300", "--solver", solver,
                             "--json", code=3).json
            self.assertEqual([run["stop_reason"], run["failed_steps"]],
                             ["the contact problem was not solved to the tolerance", 1], solver)

    def test_ctrl_c(self):
        process = self.start("run", "scene.xml", "--duration", "1e6", "--json", "-o", "out.h5", "--csv", "out.csv",
                             "--rate", "100")
        self.wait_for_frames("out.h5")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual([process.returncode, err], [130, ""])
        run = json.loads(out)
        self.assertEqual(run["stop_reason"], "interrupted")
        self.assertGreater(run["steps"], 0)
        info = self.carom("info", "out.h5").out
        self.assertNotIn("not closed", info)
        self.assertIn(f"to {run['time']:.6g} s", info)
        with open(self.folder / "out.csv", encoding="utf-8") as file:
            last = file.readlines()[-1]
        self.assertEqual(float(last.split(",")[0]), run["time"])

    def test_termination(self):
        process = self.start("run", "scene.xml", "--duration", "1e6", "-o", "out.h5", "--rate", "100")
        self.wait_for_frames("out.h5")
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143)
        self.assertNotIn("not closed", self.carom("info", "out.h5").out)

    def test_kill(self):
        self.record_and_kill("scene.xml", "out.h5")
        out = self.carom("info", "out.h5").out
        self.assertIn("not closed: it is being written, or its writer was killed", out)
        self.assertNotIn("frames       0", out)

    def run_on_terminal(self, *arguments):
        """Everything that the program writes to a terminal as its standard error."""
        main, secondary = support.open_terminal()
        process = self.start("run", "scene.xml", *arguments, preexec_fn=lambda: os.dup2(secondary, 2))
        os.close(secondary)
        text = b""
        while process.poll() is None or select.select([main], [], [], 0)[0]:
            if select.select([main], [], [], 0.1)[0]:
                try:
                    text += os.read(main, 4096)
                except OSError:
                    break
        process.wait()
        os.close(main)
        return text.decode()

    def test_progress_on_a_terminal(self):
        text = self.run_on_terminal("--duration", "5")
        for part in ("[", "%", " of 5 s", "times real time", "left", "contacts"):
            self.assertIn(part, text)
        self.assertTrue(text.endswith("\r\x1b[K"), repr(text[-40:]))

    def test_no_progress_elsewhere(self):
        self.assertEqual(self.carom("run", "scene.xml", "--duration", "0.5").err, "")
        self.assertEqual(self.run_on_terminal("--duration", "0.5", "--quiet"), "")


if __name__ == "__main__":
    support.main()
