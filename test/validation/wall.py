"""Tilt at which a dry wall collapses in its plane, by limit analysis: the number in test_wall.c. Needs SciPy.

A running bond as tools/make_masonry writes it: bodies are rectangles, joints carry forces at both ends of where two
of them touch, none of tension and within friction. With the weight's direction (tan t, -1) the largest tan t for which
there are any that balance is a linear program. Friction is taken as associated: a slide may dilate, so that this is an
upper bound.
"""
import sys

import numpy as np
from scipy.optimize import linprog


def list_blocks(rows, columns):
    """Middle and half sides of each, m."""
    blocks = []
    for row in range(rows):
        half = row % 2
        for k in range(columns + half):
            x, size = (k - columns / 2 + 0.5) * 0.4 - half * 0.2, 0.2
            if half and k in (0, columns):
                x, size = x + (0.1 if k == 0 else -0.1), 0.1
            blocks.append((x, 0.1 + 0.2 * row, size, 0.1))
    return blocks


def list_joints(blocks):
    """(lower or left, upper or right, two ends, normal) with -1 for the table."""
    joints = []
    for j, (x, z, a, c) in enumerate(blocks):
        if z < 0.15:
            joints.append((-1, j, ((x - a, 0), (x + a, 0)), (0, 1)))
        for i, (u, w, b, d) in enumerate(blocks):
            low, high = max(x - a, u - b), min(x + a, u + b)
            if abs(z - w - 0.2) < 1e-9 and high - low > 1e-9:
                joints.append((i, j, ((low, z - c), (high, z - c)), (0, 1)))
            if abs(z - w) < 1e-9 and abs(x - a - u - b) < 1e-9:
                joints.append((i, j, ((x - a, z - c), (x - a, z + c)), (1, 0)))
    return joints


def find_tilt(rows, columns, friction):
    blocks = list_blocks(rows, columns)
    joints = list_joints(blocks)
    points = [(i, j, p, n) for i, j, ends, n in joints for p in ends]
    count = 2 * len(points)
    balance, load, weight = np.zeros((3 * len(blocks), count + 1)), np.zeros(3 * len(blocks)), []
    for k, (i, j, p, n) in enumerate(points):
        for part, f in enumerate((n, (n[1], -n[0]))):
            for block, sign in ((i, -1), (j, 1)):
                if block >= 0:
                    arm = p[0] - blocks[block][0], p[1] - blocks[block][1]
                    balance[3 * block:3 * block + 3, 2 * k + part] += sign * np.array([*f, arm[0] * f[1] - arm[1] * f[0]])
    for b, (_, _, a, c) in enumerate(blocks):
        balance[3 * b, count] = a * c
        load[3 * b + 1] = a * c
    cone = np.zeros((2 * len(points), count + 1))
    for k in range(len(points)):
        cone[2 * k, 2 * k:2 * k + 2] = -friction, 1
        cone[2 * k + 1, 2 * k:2 * k + 2] = -friction, -1
    cost = np.zeros(count + 1)
    cost[-1] = -1
    bounds = [(0, None), (None, None)] * len(points) + [(0, None)]
    result = linprog(cost, A_ub=cone, b_ub=np.zeros(len(cone)), A_eq=balance, b_eq=load, bounds=bounds)
    return np.degrees(np.arctan(result.x[-1])) if result.status == 0 else float("nan")


for rows, columns in ((4, 4), (6, 3), (8, 4)):
    print(rows, columns, [round(float(find_tilt(rows, columns, mu)), 4) for mu in (0.5, 0.7, 0.9, 1, 2)])
