"""Bad input and wrong usage: one sentence, the right exit code, and nothing written."""
import os

import support

BODY = "<body name='b'><freejoint/><geom name='g' size='.1' {}/></body>"


def scene(body):
    return f"<mujoco>\n<worldbody>\n{body}\n</worldbody>\n</mujoco>\n"


class Scenes(support.Case):
    """Every command refuses the file with the same sentence; outputs of `run` are not created."""

    def refuse(self, sentence, name="bad.xml"):
        for arguments in (["run", name, "-o", "x.h5", "--csv", "x.csv", "--json"], ["info", name], ["eval", name]):
            self.expect_sentence(2, sentence, *arguments)
        self.assertFalse((self.folder / "x.h5").exists())
        self.assertFalse((self.folder / "x.csv").exists())

    def test_missing_file(self):
        self.refuse("bad.xml: cannot be opened: No such file or directory")

    def test_missing_include(self):
        self.write("bad.xml", "<mujoco>\n<include file='none.xml'/>\n</mujoco>\n")
        self.refuse("bad.xml:2: include: file 'none.xml' cannot be opened: No such file or directory")

    def test_files_outside_the_tree(self):
        """The tree: the folder of the model's file, the one around it, and a package around that."""
        (self.folder / "robots/arm/urdf").mkdir(parents=True)
        model, climbing = "robots/arm/urdf/arm.xml", "<mujoco>\n<include file='{}'/>\n</mujoco>\n"
        for name in ("robots/arm/part.xml", "far.xml"):
            self.write(name, scene(BODY.format("")))
        outside = "lies outside the model's tree; it is read where that is allowed (--outside)"
        self.write(model, climbing.format("../part.xml"))
        self.carom("info", model)
        for path in ("../../../far.xml", "x/../../../../far.xml", self.folder / "far.xml"):
            self.write(model, climbing.format(path))
            self.refuse(f"{model}:2: include: file '{path}' {outside}", model)
            if not str(path).startswith("x"):
                self.carom("info", model, "--outside")
        self.write(model, climbing.format("../../../far.xml"))
        self.write("package.xml", "<package/>")
        self.carom("info", model)
        self.write("robots/arm/urdf/arm.urdf", "<robot name='r'>\n<link name='a'><inertial><mass value='1'/>"
                   "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
                   "<mesh filename='package://arm/../../../x.stl'/></geometry></collision></link>\n</robot>\n")
        self.refuse("robots/arm/urdf/arm.urdf:2: mesh: file 'package://arm/../../../x.stl' is not found",
                    "robots/arm/urdf/arm.urdf")

    def test_cyclic_include(self):
        self.write("bad.xml", "<mujoco>\n<include file='other.xml'/>\n</mujoco>\n")
        self.write("other.xml", "<mujoco>\n\n<include file='bad.xml'/>\n</mujoco>\n")
        self.refuse("other.xml:3: include: file 'bad.xml' is included a second time, or by itself")

    def test_negative_mass(self):
        self.write("bad.xml", scene(BODY.format("mass='-1'")))
        self.refuse("bad.xml:3: geom 'g': mass is -1, must be zero or positive")

    def test_unknown_attribute(self):
        self.write("bad.xml", scene(BODY.format("colour='red'")))
        self.refuse("bad.xml:3: geom 'g': attribute 'colour' is not known")

    def test_unphysical_inertia(self):
        self.write("bad.xml", scene("<body name='b'><freejoint/>\n<inertial pos='0 0 0' mass='1' "
                                    "diaginertia='1 1 3'/><geom size='.1'/></body>"))
        self.refuse("bad.xml:3: body 'b': inertia has principal moments 1, 1 and 3, the largest must not exceed the "
                    "sum of the others (triangle inequality)")

    def test_nan(self):
        self.write("bad.xml", scene(BODY.format("friction='nan'")))
        self.refuse("bad.xml:3: geom 'g': friction is nan, must be a finite number")

    def test_truncated(self):
        self.write("bad.xml", scene(BODY.format(""))[:40])
        self.refuse("bad.xml:3: not well-formed XML: unclosed token within 'body' of line 3")

    def test_zeros(self):
        with open(self.folder / "bad.xml", "wb") as file:
            os.ftruncate(file.fileno(), 1 << 30)
        self.refuse("bad.xml:1: not well-formed XML: it is binary")

    def test_folder(self):
        (self.folder / "bad.xml").mkdir()
        self.refuse("bad.xml: cannot be opened: it is a folder")

    def test_other_format(self):
        self.write("bad.xml", "<xacro/>")
        self.refuse("bad.xml:1: the root element is 'xacro', must be mujoco, robot or sdf")


class Usage(support.Case):
    def setUp(self):
        super().setUp()
        self.write("scene.xml")

    def test_wrong_usage(self):
        for arguments, sentence in (
                (["walk"], "there is no command 'walk'; 'carom help' lists them"),
                (["help", "walk"], "there is no command 'walk'; 'carom help' lists them"),
                (["help", "run", "run"], "help: 'run' is one argument too many"),
                (["run"], "run: SCENE is missing; 'carom help run' says more"),
                (["info"], "info: FILE is missing; 'carom help info' says more"),
                (["eval", "--json"], "eval: MODEL is missing; 'carom help eval' says more"),
                (["run", "a", "b"], "run: 'b' is one argument too many"),
                (["run", "scene.xml", "--dt"], "run: --dt needs a value, S"),
                (["run", "scene.xml", "--dt", "fast"], "run: --dt is 'fast', must be a number"),
                (["run", "scene.xml", "--dt", "0"], "run: --dt is '0', must be positive"),
                (["run", "scene.xml", "--dt", "nan"], "run: --dt is 'nan', must be a number"),
                (["run", "scene.xml", "--dt", "1e999"], "run: --dt is '1e999', must be a number"),
                (["run", "scene.xml", "--duration", "-1"], "run: --duration is '-1', must be 0 or more"),
                (["run", "scene.xml", "--rate=0"], "run: --rate is '0', must be positive"),
                (["run", "scene.xml", "--relinearise", "0.5"],
                 "run: --relinearise is '0.5', must be a whole number, 0 or more"),
                (["run", "scene.xml", "--json=yes"], "run: --json takes no value"),
                (["run", "scene.xml", "-o", ""], "run: --output is '', must be not empty"),
                (["run", "scene.xml", "--friction", "viscous"],
                 "run: --friction is 'viscous', must be coulomb, convex, lagged or anchored"),
                (["run", "scene.xml", "--solver", "admm"],
                 "run: --solver is 'admm', must be newton, primal, pgs, apgd or ipm"),
                (["run", "scene.xml", "--contact", "never"], "run: --contact is 'never', must be implicit or scheme"),
                (["run", "scene.xml", "--scheme", "rk4"],
                 "run: --scheme is 'rk4', must be explicit, symplectic, implicit, midpoint, or three numbers from 0 "
                 "to 1 such as 0.5,1,0.5"),
                (["run", "scene.xml", "--keyframe", "up", "--state", "x"], "run: --keyframe and --state are both given"),
                (["eval", "scene.xml", "--keyframe", "up", "--state", "x"],
                 "eval: --keyframe and --state are both given"),
                (["run", "scene.xml", "--fixed-base", "--free-base"], "run: --fixed-base and --free-base are both given"),
                (["info", "scene.xml", "--fixed-base", "--free-base"],
                 "info: --fixed-base and --free-base are both given")):
            self.expect_sentence(1, sentence, *arguments)
        self.expect_sentence(2, "scene.xml: a fixed or a free base is asked for, but this is a MJCF file, and says "
                             "itself what is free", "eval", "scene.xml", "--fixed-base")

    def test_bad_schemes(self):
        for scheme in ("1,1", "1,1,1,1", "1,2,1", "-0.1,1,1", ",,", "1,1,x", "0.5", "1,1,1,"):
            self.carom("run", "scene.xml", f"--scheme={scheme}", code=1)

    def test_options_of_later_versions(self):
        for option in ("--accuracy",):
            self.expect_sentence(1, f"run: unknown option {option}; 'carom help run' lists the options", "run",
                                 "scene.xml", option, "1")
        self.expect_sentence(1, "info: unknown option -x; 'carom help info' lists the options", "info", "-x", "f")

    def test_no_arguments(self):
        result = self.carom(code=1)
        self.assertEqual(result.out, "")
        self.assertIn("carom COMMAND", result.err)

    def test_double_dash(self):
        self.write("--scene.xml")
        self.carom("run", "--duration", "0", "--quiet", "--", "--scene.xml")


if __name__ == "__main__":
    support.main()
