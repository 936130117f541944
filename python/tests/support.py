"""Scenes of the repository that tests use."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLIDE = ROOT / "samples" / "first_scene.xml"
ARM = ROOT / "scenes" / "arm.xml"
HUMANOID = ROOT / "scenes" / "humanoid.xml"
GRIPPER = ROOT / "scenes" / "soft_gripper.xml"

DOLL = """
<mujoco model="doll">
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="trunk" pos="0 0 .4"><freejoint/>
      <geom name="chest" type="capsule" size=".1 .15"/><site name="head"/>
      <body name="leg" pos=".1 0 -.2">
        <joint name="hip" axis="0 1 0" range="-60 60" damping=".1"/>
        <geom name="shin" type="capsule" fromto="0 0 0 0 0 -.25" size=".04"/>
      </body>
    </body>
    <body name="hand" mocap="true" pos="1 0 1"><geom size=".05"/></body>
  </worldbody>
  <actuator><motor name="push" joint="hip" gear="5"/>
    <general name="lag" joint="hip" dyntype="filter" dynprm=".1"/></actuator>
  <sensor><accelerometer name="inside" site="head"/><jointpos name="angle" joint="hip"/></sensor>
  <keyframe><key name="low" qpos="0 0 .3 1 0 0 0 .2" act=".5" ctrl=".1 .2"/></keyframe>
</mujoco>"""
