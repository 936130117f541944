"""Least thickness of semicircular arches of n voussoirs, over the mean radius, by limit analysis: the numbers in
test_arch.c. Needs SciPy.

Voussoirs are blocks with plane faces, trapezia between two radii. At each joint forces at its two corners (none
negative) and along it (within friction) balance the weights of the voussoirs; the least thickness for which there
are any is bisected.
"""
import numpy as np
from scipy.optimize import linprog

FRICTION = 0.7


def stands(n, thickness):
    inner, outer, step = 1 - thickness / 2, 1 + thickness / 2, np.pi / n
    center = 2 / 3 * (outer**3 - inner**3) / (outer**2 - inner**2) * np.cos(step / 2)
    balance = np.zeros((3 * n, 3 * (n + 1)))
    for i in range(n):
        angle = -np.pi / 2 + (i + 0.5) * step
        c = center * np.array([np.sin(angle), np.cos(angle)])
        for joint, sign in ((i, 1), (i + 1, -1)):
            a = -np.pi / 2 + joint * step
            radial, along = np.array([np.sin(a), np.cos(a)]), np.array([np.cos(a), -np.sin(a)])
            for k, (r, f) in enumerate(((inner, along), (outer, along), (1, radial))):
                arm = r * radial - c
                balance[3 * i:3 * i + 3, 3 * joint + k] += sign * np.array([*f, arm[0] * f[1] - arm[1] * f[0]])
    cone = np.zeros((2 * (n + 1), 3 * (n + 1)))
    for row in range(2 * (n + 1)):
        cone[row, 3 * (row // 2):3 * (row // 2) + 3] = [-FRICTION, -FRICTION, 1 - 2 * (row % 2)]
    result = linprog(np.zeros(3 * (n + 1)), A_ub=cone, b_ub=np.zeros(len(cone)), A_eq=balance,
                     b_eq=np.tile([0, 1, 0], n), bounds=[(0, None), (0, None), (None, None)] * (n + 1))
    return result.status == 0


for n in (9, 15, 27, 101, 301):
    low, high = 0.05, 0.2
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if stands(n, middle) else (middle, high)
    print(n, round(high, 6))
