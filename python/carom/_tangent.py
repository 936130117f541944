"""Coordinates and their tangents: differences of configurations, and cotangents of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._lib import Array, refuse


def _unit(q: Array) -> Array:
    out: Array = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return out


class Tangents:
    """Of a model without mocap bodies; arrays may have leading axes. A unit quaternion q moves with
    q' = q (0, w) / 2 by its rotation vector w in the body's frame. Nodes of soft bodies stand behind the joints."""

    def __init__(self, nq: int, nv: int, joints: Any):
        num_q = sum({"free": 7, "ball": 4}.get(joint.type, 1) for joint in joints)
        num_v = sum({"free": 6, "ball": 3}.get(joint.type, 1) for joint in joints)
        if nq - num_q != nv - num_v:
            raise refuse("tangents: mocap bodies have coordinates that they do not know")
        self.nq, self.nv = nq, nv
        plain: list[tuple[int, int]] = [(num_q + i, num_v + i) for i in range(nq - num_q)]
        self.turns: list[tuple[int, int]] = []  # first places in q and v
        for joint in joints:
            q, v = joint.q_start, joint.v_start
            moved = {"free": 3, "ball": 0}.get(joint.type, 1)
            plain += [(q + i, v + i) for i in range(moved)]
            if joint.type in ("free", "ball"):
                self.turns.append((q + moved, v + moved))
        self.q, self.v = np.array(plain, int).reshape(-1, 2).T

    @staticmethod
    def _columns(q: Array) -> Array:
        """[..., 4, 3]: q (0, e_i) of unit quaternions."""
        w, x, y, z = np.moveaxis(_unit(q), -1, 0)
        rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
        return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)

    def difference(self, start: Array, end: Array) -> Array:
        """[..., nv] the tangent that leads from one configuration to another."""
        shape = np.broadcast_shapes(start.shape[:-1], end.shape[:-1])
        out = np.zeros((*shape, self.nv))
        out[..., self.v] = end[..., self.q] - start[..., self.q]
        for q, v in self.turns:
            first, last = (_unit(a[..., q : q + 4]) for a in (start, end))
            cosine = np.sum(first * last, axis=-1, keepdims=True)
            sine = np.einsum("...ji,...j->...i", self._columns(first), last) * np.where(cosine < 0, -1, 1)
            size = np.linalg.norm(sine, axis=-1, keepdims=True)
            angle = 2 * np.arctan2(size, np.abs(cosine))
            out[..., v : v + 3] = sine * np.where(size > 0, angle / np.where(size > 0, size, 1), 2)
        return out

    def to_tangent(self, q: Array, cotangent: Array) -> Array:
        """[nv] what a cotangent of q [nq] is along tangents at q."""
        out = np.zeros(self.nv)
        out[self.v] = cotangent[self.q]
        for at, to in self.turns:
            out[to : to + 3] = 0.5 * self._columns(q[at : at + 4]).T @ cotangent[at : at + 4]
        return out

    def from_tangent(self, q: Array, tangent: Array) -> Array:
        """[nq] the cotangent of q, which counts as scaled to a unit quaternion, of one along tangents [nv]."""
        out = np.zeros(self.nq)
        out[self.q] = tangent[self.v]
        for at, to in self.turns:
            size = np.linalg.norm(q[at : at + 4])
            out[at : at + 4] = 2 / size * self._columns(q[at : at + 4]) @ tangent[to : to + 3]
        return out
