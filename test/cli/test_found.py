"""Where the program looks for what a file names, and what of a file found somewhere it says."""
import json
import os

import support

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
VARIABLES = ["GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"]


def robot(mesh):
    return (f'<robot name="r"><link name="a">{INERTIAL}<collision><geometry><mesh filename="{mesh}"/></geometry>'
            "</collision></link></robot>\n")


class Found(support.Case):
    def setUp(self):
        super().setUp()
        for name in VARIABLES:
            os.environ.pop(name, None)

    def refuse(self, sentence, *arguments):
        result = self.carom(*arguments, code=2)
        self.assertEqual(result.err, f"carom: {sentence}\n")

    def test_search_folders(self):
        """A package and a model by the option and by each variable."""
        self.write("here/arm.urdf", robot("package://grip/m/x.obj"))
        self.write("here/yard.world", '<sdf version="1.6"><world name="w"><include><uri>model://lamp</uri></include>'
                                      "</world></sdf>")
        self.write("there/share/grip/m/x.obj", TETRAHEDRON)
        self.write("there/lamp/model.sdf", '<sdf version="1.6"><model name="lamp"><link name="l"/></model></sdf>')
        how = "; name the folder that holds it (--search"
        self.refuse(f"here/arm.urdf:1: mesh: file 'package://grip/m/x.obj' is not found{how})", "info", "here/arm.urdf")
        self.refuse(f"here/yard.world:1: include: model 'model://lamp' is not found{how}, GZ_SIM_RESOURCE_PATH), or leave "
                    "it out (--permissive)", "info", "here/yard.world")
        for model in ("here/arm.urdf", "here/yard.world"):
            self.carom("info", model, "--search", "nowhere:there/")
            for name in VARIABLES:
                os.environ[name] = f"nowhere:{self.folder}/there"
                self.carom("info", model)
                del os.environ[name]
        self.assertIn("left out: there is no such model", self.carom("info", "here/yard.world", "--permissive").out)

    def test_models_of_a_server(self):
        """A model and a mesh by their URLs on a server: no server is asked, folders that hold them are."""
        server = "https://fuel.gazebosim.org/1.0/openrobotics/models"
        self.write("here/yard.world", f'<sdf version="1.6"><world name="w"><include><uri>{server}/Jersey Barrier/2</uri>'
                                      "</include></world></sdf>")
        self.write("there/Jersey Barrier/model.sdf", '<sdf version="1.6"><model name="lamp"><link name="l"><collision '
                   f'name="c"><geometry><mesh><uri>{server}/Jersey Barrier/tip/files/m/x.obj</uri></mesh></geometry>'
                   "</collision></link></model></sdf>")
        self.write("there/Jersey Barrier/m/x.obj", TETRAHEDRON)
        self.refuse(f"here/yard.world:1: include: model '{server}/Jersey Barrier/2' is not found; name the folder that holds "
                    "it (--search, GZ_SIM_RESOURCE_PATH), or leave it out (--permissive)", "info", "here/yard.world")
        self.carom("info", "here/yard.world", "--search", "there")
        self.carom("info", "here/yard.world", "--search", "there/Jersey Barrier")
        self.write("here/arm.urdf", robot(f"{server}/.././etc/passwd"))
        self.assertIn("lies outside the model's tree", self.carom("info", "here/arm.urdf", code=2).err)

    def test_no_file_of_another_package(self):
        """Two packages with files of one name: the one that is not there is not the other; a folder that is no package
        stands in, with a note; a package whose folder has another name is known by its own."""
        self.write("arm/package.xml", "<package><name>arm</name></package>")
        self.write("arm/m/base.obj", TETRAHEDRON)
        self.write("arm/urdf/a.urdf", robot("package://gripper/m/base.obj"))
        self.refuse("arm/urdf/a.urdf:1: mesh: file 'package://gripper/m/base.obj' is not found; name the folder that "
                    "holds it (--search)", "info", "arm/urdf/a.urdf")
        self.write("arm/urdf/b.urdf", robot("package://arm/m/base.obj"))
        os.rename(self.folder / "arm", self.folder / "checkout")
        self.assertNotIn("its package is not found", self.carom("info", "checkout/urdf/b.urdf").out)
        os.remove(self.folder / "checkout/package.xml")
        self.assertIn("its package is not found: read as the file of that name", self.carom("info", "checkout/urdf/a.urdf").out)

    def test_a_missing_model_is_not_the_file_itself(self):
        self.write("place/model.sdf", '<sdf version="1.5"><model name="m"><link name="l"/></model></sdf>')
        self.write("place/a.world", '<sdf version="1.5"><world name="w"><include><uri>model://tree</uri></include></world></sdf>')
        self.assertIn("model 'model://tree' is not found", self.carom("info", "place/a.world", code=2).err)

    def test_models_beside_worlds(self):
        self.write("worlds/a.world", '<sdf version="1.5"><world name="w"><include><uri>model://tree</uri></include></world></sdf>')
        self.write("models/tree/model.sdf", '<sdf version="1.5"><model name="m"><link name="l"/></model></sdf>')
        self.carom("info", "worlds/a.world")

    def test_a_pointer_of_git_lfs(self):
        """What a checkout without Git LFS holds in place of a mesh is called what it is; drawn alone it is left out."""
        self.write("arm.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n")
        self.write("arm.urdf", robot("arm.stl"))
        self.refuse("arm.urdf:1: mesh: arm.stl: it is a pointer of Git LFS, its file is not found: 'git lfs pull' fetches it",
                    "info", "arm.urdf")
        self.write("drawn.urdf", robot("arm.stl").replace("collision", "visual"))
        self.assertIn("'git lfs pull' fetches it", self.carom("info", "drawn.urdf").out)

    def test_the_tree_of_a_repository(self):
        """Two folders up: refused where nothing begins there, read in a repository and in a Python package."""
        self.write("shared/m.xml", "<mujocoinclude><worldbody><geom size='1'/></worldbody></mujocoinclude>")
        self.write("robots/arm/a.xml", "<mujoco><include file='../../shared/m.xml'/></mujoco>")
        self.assertIn("lies outside the model's tree", self.carom("info", "robots/arm/a.xml", code=2).err)
        for sign in (".git/HEAD", "pyproject.toml", "__init__.py"):
            self.write(sign, "")
            self.carom("info", "robots/arm/a.xml")
            os.remove(self.folder / sign)
            if sign.startswith(".git"):
                os.rmdir(self.folder / ".git")

    def test_a_flat_mesh_bears(self):
        """Ground of two triangles is a slab behind the side that they show: a ball of 0.1 m rests on it at that height."""
        self.write("flat.obj", "v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nf 1 2 3\nf 1 3 4\n")
        self.write("a.world", '<sdf version="1.9"><world name="w"><model name="g"><static>true</static><link name="l"><collision name="c">'
                              "<geometry><mesh><uri>flat.obj</uri></mesh></geometry></collision></link></model><model name='b'>"
                              "<pose>0 0 0.1 0 0 0</pose><link name='l'><collision name='c'><geometry><sphere><radius>0.1</radius>"
                              "</sphere></geometry></collision></link></model></world></sdf>")
        run = json.loads(self.carom("run", "a.world", "--duration", "0.5", "--json").out)
        self.assertAlmostEqual(run["final"]["q"][2], 0.1, delta=1e-4)
        self.assertIn("collides as a slab behind it", "".join(run["ignored"]))

    def test_plain_names_from_further_out(self):
        """Models beside the one that includes them, and meshes by a path from where the robots are; other paths are missed."""
        self.write("models/base/model.sdf", '<sdf version="1.9"><model name="base"><link name="l"/></model></sdf>')
        self.write("models/base/model.config", '<model><name>base</name><sdf version="1.9">model.sdf</sdf></model>')
        self.write("models/more/model.sdf", '<sdf version="1.9"><model name="more"><include merge="true"><uri>base</uri></include>'
                                            "</model></sdf>")
        self.carom("info", "models/more/model.sdf")
        self.write("assets/arm/m/base.obj", TETRAHEDRON)
        self.write("assets/m/base.obj", TETRAHEDRON)
        self.write("assets/arm/a.urdf", robot("arm/m/base.obj"))
        self.write("assets/arm/urdf/b.urdf", robot("m/base.obj"))
        self.carom("info", "assets/arm/a.urdf")
        self.assertIn("file 'm/base.obj' is not found", self.carom("info", "assets/arm/urdf/b.urdf", code=2).err)

    def test_a_path_that_comes_back(self):
        """../../NAME/shared in a repository NAME leads into it: where the file is counts, not how it is written."""
        self.write("repo/shared/m.xml", "<mujocoinclude><worldbody><geom size='1'/></worldbody></mujocoinclude>")
        self.write("other/m.xml", "<mujocoinclude><worldbody><geom size='1'/></worldbody></mujocoinclude>")
        self.write("repo/.git/HEAD", "")
        self.write("repo/arm/a.xml", "<mujoco><include file='../../repo/shared/m.xml'/></mujoco>")
        self.write("repo/arm/b.xml", "<mujoco><include file='../../other/m.xml'/></mujoco>")
        self.write("repo/arm/c.xml", "<mujoco><include file='../../repo/none.xml'/></mujoco>")
        self.carom("info", "repo/arm/a.xml")
        self.assertIn("lies outside the model's tree", self.carom("info", "repo/arm/b.xml", code=2).err)
        self.assertIn("lies outside the model's tree", self.carom("info", "repo/arm/c.xml", code=2).err)

    def test_friction_rule(self):
        """The words that it takes."""
        self.write("a.urdf", robot("x.obj"))
        self.write("x.obj", TETRAHEDRON)
        for rule in ("file", "larger", "harmonic", "smaller"):
            self.carom("info", "a.urdf", "--friction-rule", rule)
        self.assertIn("must be file, larger, harmonic or smaller",
                      self.carom("info", "a.urdf", "--friction-rule", "mean", code=1).err)

    def test_an_included_mesh_beside_its_file(self):
        self.write("main.xml", '<mujoco><include file="parts/a.xml"/><worldbody><body><freejoint/><geom type="mesh" mesh="x"/>'
                               "</body></worldbody></mujoco>")
        self.write("parts/a.xml", '<mujocoinclude><asset><mesh file="x.obj"/></asset></mujocoinclude>')
        self.write("parts/x.obj", "\ufeff# begins with a mark\n" + TETRAHEDRON)
        self.carom("info", "main.xml")

    def test_a_model_by_the_name_of_its_file(self):
        self.write("main.xml", '<mujoco><asset><model file="parts/c.xml"/></asset><worldbody><frame><attach model="cart" '
                               'body="b" prefix="p-"/></frame></worldbody></mujoco>')
        self.write("parts/c.xml", '<mujoco model="cart"><worldbody><body name="b"><freejoint/><geom size="1"/></body>'
                                  "</worldbody></mujoco>")
        self.assertIn("p-b", self.carom("info", "main.xml").out)


if __name__ == "__main__":
    support.main()
