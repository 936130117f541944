"""MJCF models whose bodies touch a floor with spheres alone, and not each other: what Carom, MuJoCo and Drake's
MultibodyPlant<AutoDiffXd> all take. Masses, joints, limits and motors are those of the model that MuJoCo has read; a
capsule becomes the spheres at its ends; springs, tendons and sensors are left out."""
import mujoco
import numpy as np


def write_numbers(x):
    return " ".join(repr(float(v)) for v in np.atleast_1d(x))


def write_joint(m, j):
    if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
        return "<freejoint/>"
    dof, kind = m.jnt_dofadr[j], "slide" if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE else "hinge"
    limit = f' limited="true" range="{write_numbers(m.jnt_range[j])}"' if m.jnt_limited[j] else ""
    return (f'<joint name="j{j}" type="{kind}" pos="{write_numbers(m.jnt_pos[j])}" axis="{write_numbers(m.jnt_axis[j])}" '
            f'damping="{write_numbers(m.dof_damping[dof])}" armature="{write_numbers(m.dof_armature[dof])}"{limit}/>')


def write_geom(m, g):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.geom_quat[g])
    radius, half, axis = m.geom_size[g][0], m.geom_size[g][1], R.reshape(3, 3)[:, 2]
    ends = (0,) if m.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE else (-1, 1)
    return "".join(f'<geom type="sphere" pos="{write_numbers(m.geom_pos[g] + e * half * axis)}" size="{radius}" mass="0" '
                   f'contype="1" conaffinity="0"/>\n' for e in ends)


def write_body(m, b):
    joints = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
    geoms = range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b])
    inertial = (f'<inertial pos="{write_numbers(m.body_ipos[b])}" quat="{write_numbers(m.body_iquat[b])}" '
                f'mass="{m.body_mass[b]}" diaginertia="{write_numbers(m.body_inertia[b])}"/>')
    parts = [inertial, *(write_joint(m, j) for j in joints), *(write_geom(m, g) for g in geoms)]
    parts += [write_body(m, c) for c in range(b + 1, m.nbody) if m.body_parentid[c] == b]
    return (f'<body name="b{b}" pos="{write_numbers(m.body_pos[b])}" quat="{write_numbers(m.body_quat[b])}">\n'
            + "\n".join(parts) + "\n</body>")


def write_model(path, folder):
    """The file of the model with spheres, in the folder."""
    m = mujoco.MjModel.from_xml_path(str(path))
    bodies = "\n".join(write_body(m, b) for b in range(1, m.nbody) if m.body_parentid[b] == 0)
    motors = "".join(f'<motor joint="j{m.actuator_trnid[a, 0]}" gear="{m.actuator_gear[a, 0]}"/>\n' for a in range(m.nu))
    out = folder / f"{path.stem} of spheres.xml"
    out.write_text(f'<mujoco model="spheres">\n<compiler angle="radian"/>\n<option timestep="{m.opt.timestep}"/>\n<worldbody>\n'
                   f'<geom name="floor" type="plane" size="50 50 1" contype="0" conaffinity="1"/>\n{bodies}\n</worldbody>\n'
                   f"<actuator>\n{motors}</actuator>\n</mujoco>\n")
    return out
