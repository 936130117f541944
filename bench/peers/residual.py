"""The common yardstick: how far the impulses of a step are from solving the step's own contact problem.

    s = J v* - v_hat + (W + R) gamma,   r = |gamma - P_C(gamma - rho s)| / |P_C(-rho s(gamma = 0))|,

W the Delassus matrix J A^-1 Jt, R the compliance, C the cones and bounds, rho the number of rows of a constraint
over the trace of its block of W; r is the largest over islands. It is Carom's (src/solve/certificate.h), there
with the De Saxce term in s for Coulomb friction. MuJoCo states the same problem with accelerations in place of
velocities and forces in place of impulses, which leaves r as it is: s = J qacc_smooth - aref + (W + R) f.
"""

import numpy as np

FREE, PUSH, CONE, BOX = range(4)
CHUNK = 256


def project(f, kind, group, bound):
    """P_C row by row. kind [rows]; group [rows]: the constraint of a row, its first row a cone's normal;
    bound [rows]: friction of a cone's tangential rows, half width of a box's row."""
    out = f.copy()
    out[kind == PUSH] = np.maximum(f[kind == PUSH], 0)
    box = kind == BOX
    out[box] = np.clip(f[box], -bound[box], bound[box])
    cones = np.flatnonzero(kind == CONE)
    if len(cones):
        is_normal = np.ones(len(cones), bool)
        is_normal[1:] = group[cones[1:]] != group[cones[:-1]]
        for start, end in zip(np.flatnonzero(is_normal), np.append(np.flatnonzero(is_normal)[1:], len(cones))):
            rows = cones[start:end]
            out[rows] = project_cone(f[rows], bound[rows[1]] if len(rows) > 1 else 0.0)
    return out


def project_cone(f, mu):
    """On |f_t| <= mu f_n, the normal first."""
    normal, tangent = f[0], np.linalg.norm(f[1:])
    if tangent <= mu * normal:
        return f
    if mu * tangent <= -normal:
        return np.zeros_like(f)
    length = (normal + mu * tangent) / (1 + mu * mu)
    return np.concatenate(([length], mu * length / tangent * f[1:]))


def group_rho(diagonal, group):
    """Rows over trace of every constraint's block, per row."""
    trace = np.bincount(group, weights=diagonal)
    rows = np.bincount(group)
    return (rows / np.where(trace > 0, trace, 1))[group]


def natural_residual(f, s, s_free, rho, kind, group, bound, island):
    """r of the islands, the largest. s_free is s at f = 0."""
    num = (f - project(f - rho * s, kind, group, bound)) ** 2
    den = project(-rho * s_free, kind, group, bound) ** 2
    num, den = np.bincount(island, weights=num), np.bincount(island, weights=den)
    return float(np.sqrt(np.max(num[den > 0] / den[den > 0]))) if np.any(den > 0) else 0.0


# ---- MuJoCo's problem ---------------------------------------------------------------------------

def describe_rows(mujoco, data):
    """kind, group and bound of the rows of MuJoCo's constraints."""
    names = mujoco.mjtConstraint
    count = data.nefc
    kind = np.full(count, PUSH)
    kind[data.efc_type == names.mjCNSTR_EQUALITY] = FREE
    bound = np.zeros(count)
    for name in (names.mjCNSTR_FRICTION_DOF, names.mjCNSTR_FRICTION_TENDON):
        kind[data.efc_type == name] = BOX
    bound[kind == BOX] = data.efc_frictionloss[kind == BOX]
    group = np.arange(count)
    for contact in data.contact:
        start = contact.efc_address
        if start >= 0 and data.efc_type[start] == names.mjCNSTR_CONTACT_ELLIPTIC:
            kind[start:start + contact.dim] = CONE
            group[start:start + contact.dim] = start
            bound[start + 1:start + contact.dim] = contact.friction[0]
    return kind, np.unique(group, return_inverse=True)[1], bound


def dense_rows(mujoco, model, data, first, last):
    """Rows of efc_J."""
    J = np.zeros((last - first, model.nv))
    if not mujoco.mj_isSparse(model):
        return np.array(data.efc_J).reshape(-1, model.nv)[first:last]
    for row in range(first, last):
        start, count = data.efc_J_rowadr[row], data.efc_J_rownnz[row]
        J[row - first, data.efc_J_colind[start:start + count]] = data.efc_J[start:start + count]
    return J


def delassus(mujoco, model, data):
    """The diagonal of W, and W f + J qacc_smooth and J qacc_smooth."""
    push = np.zeros((1, model.nv))
    mujoco.mj_solveM(model, data, push, np.array(data.qfrc_constraint).reshape(1, -1))
    diagonal, pushed, free = (np.zeros(data.nefc) for _ in range(3))
    for first in range(0, data.nefc, CHUNK):
        rows = slice(first, min(first + CHUNK, data.nefc))
        J = dense_rows(mujoco, model, data, rows.start, rows.stop)
        solved = np.zeros_like(J)
        mujoco.mj_solveM(model, data, solved, J)
        diagonal[rows] = np.einsum("ij,ij->i", J, solved)
        free[rows] = J @ data.qacc_smooth
        pushed[rows] = J @ push[0] + free[rows]
    return diagonal, pushed, free


def mujoco_residual(mujoco, model, data):
    """r of the step that was just made."""
    if data.nefc == 0:
        return 0.0
    kind, group, bound = describe_rows(mujoco, data)
    diagonal, pushed, free = delassus(mujoco, model, data)
    f, aref = np.array(data.efc_force), np.array(data.efc_aref)
    island = np.array(data.efc_island) if len(data.efc_island) == data.nefc else np.zeros(data.nefc, int)
    island = np.maximum(island, 0)
    return natural_residual(f, pushed + data.efc_R * f - aref, free - aref, group_rho(diagonal, group), kind, group,
                            bound, island)
