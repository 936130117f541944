"""Soft bodies beside Drake's deformable bodies: the same mesh, material, step and integrator, CPU time a step and
where a node ends.

A bar of 0.4 m by 0.1 m by 0.1 m, clamped at one end, sinks under its weight; a cube of 0.3 m falls 1 cm onto the
ground.
Cells are of six tetrahedra around their diagonal; both engines read them from one legacy VTK file. Both take forces at
the end of a step and positions by the mean of both velocities, which is what Drake has. Times are of the thread that
steps, since machines are shared: the median over a run after WARM_UP steps, the least of REPEATS runs in turn where one
takes less than LONG_RUN.

usage: soft.py CASE MESH     a run of Drake; prints one line of JSON, as bench_peers_soft does
"""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import time

import report

WARM_UP = 5
REPEATS = 3
LONG_RUN = 10  # s of wall clock
DT = 0.005  # s
POISSON, DENSITY, FRICTION = 0.3, 1000, 0.5
DROP = 0.01  # m
PATHS = ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1))  # corners beside the diagonal of a cell
DRAKE_LAWS = {"corotated": "kLinearCorotated", "fixed_corotated": "kCorotated"}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    cells: tuple
    edge: float  # of a cell, m
    law: str  # our name
    young: float  # Pa
    beta: float  # s, damping by stiffness
    seconds: float

    @property
    def clamped(self):
        return self.name.startswith("bar")

    @property
    def steps(self):
        return round(self.seconds / DT)

    @property
    def tetrahedra(self):
        return 6 * self.cells[0] * self.cells[1] * self.cells[2]

    @property
    def watched(self):
        """The node at the far, upper corner, the last one."""
        return (self.cells[0] + 1) * (self.cells[1] + 1) * (self.cells[2] + 1) - 1


def bar(count, law, young, beta, seconds):
    bending = "" if young >= 1e6 else " limp"
    return Case(f"bar {4 * count}×{count}×{count}{bending}", (4 * count, count, count), 0.1 / count, law, young, beta,
                seconds)


def cube(count):
    return Case(f"cube {count}×{count}×{count}", (count, count, count), 0.3 / count, "corotated", 1e5, 1e-3, 1)


def list_cases():
    return [*(bar(count, law, 1e6, 0.02, 2) for count in (1, 2, 4) for law in DRAKE_LAWS),
            *(bar(4, law, 1e5, 0.1, 4) for law in DRAKE_LAWS), bar(6, "corotated", 1e6, 0.02, 1), cube(4), cube(8)]


def make_mesh(case):
    """Nodes, x slowest, and tetrahedra; a bar begins at x = 0, a cube stands about the z axis from z = 0."""
    begin = (0, 0, 0) if case.clamped else (-case.cells[0] / 2, -case.cells[1] / 2, 0)
    sides = [count + 1 for count in case.cells]
    nodes = [tuple(case.edge * (b + k) for b, k in zip(begin, (x, y, z)))
             for x in range(sides[0]) for y in range(sides[1]) for z in range(sides[2])]
    elements = []
    for x in range(case.cells[0]):
        for y in range(case.cells[1]):
            for z in range(case.cells[2]):
                corner = [((x + c % 2) * sides[1] + y + c // 2 % 2) * sides[2] + z + c // 4 for c in range(8)]
                elements += [(corner[0], corner[a], corner[b], corner[7]) for a, b in PATHS]
    return nodes, elements


def get_vtk(nodes, elements):
    lines = ["# vtk DataFile Version 3.0", "soft body", "ASCII", "DATASET UNSTRUCTURED_GRID",
             f"POINTS {len(nodes)} double", *(f"{x:.17g} {y:.17g} {z:.17g}" for x, y, z in nodes),
             f"CELLS {len(elements)} {5 * len(elements)}", *("4 " + " ".join(map(str, e)) for e in elements),
             f"CELL_TYPES {len(elements)}", *["10"] * len(elements)]
    return "\n".join(lines) + "\n"


def get_scene(case, mesh):
    """MJCF of a case, for Carom. Nodes have no radius, as in Drake, and no body meets itself."""
    if case.clamped:
        ground, hold = "", f'<pin carom:box="-{case.edge / 4} -1 -1 {case.edge / 4} 1 1"/>'
        contact, height = '<contact contype="0" conaffinity="0" selfcollide="none"/>', 0
    else:
        ground, hold = f'<geom type="plane" size="1 1 1" friction="{FRICTION}"/>', ""
        contact, height = f'<contact friction="{FRICTION}" selfcollide="none"/>', DROP
    return (f'<mujoco><worldbody>{ground}<flexcomp name="body" type="gmsh" dim="3" file="{mesh}" radius="0" '
            f'pos="0 0 {height}" carom:density="{DENSITY}" carom:material="{case.law}">'
            f'<elasticity young="{case.young}" poisson="{POISSON}" damping="{case.beta}"/>{contact}{hold}'
            f'</flexcomp></worldbody></mujoco>\n')


# ---- Drake --------------------------------------------------------------------------------------

def add_ground(plant):
    from pydrake.geometry import AddContactMaterial, AddRigidHydroelasticProperties, Box, ProximityProperties
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import CoulombFriction

    properties = ProximityProperties()
    AddContactMaterial(properties=properties, friction=CoulombFriction(FRICTION, FRICTION))
    AddRigidHydroelasticProperties(1.0, properties)
    pose = RigidTransform([0, 0, -0.5])
    plant.RegisterCollisionGeometry(plant.world_body(), pose, Box(4, 4, 1), "ground", properties)


def add_body(model, case, mesh):
    from pydrake.geometry import AddContactMaterial, GeometryInstance, Mesh, ProximityProperties
    from pydrake.math import RigidTransform
    from pydrake.multibody.fem import DeformableBodyConfig, MaterialModel
    from pydrake.multibody.plant import CoulombFriction

    config = DeformableBodyConfig()
    config.set_youngs_modulus(case.young)
    config.set_poissons_ratio(POISSON)
    config.set_mass_density(DENSITY)
    config.set_mass_damping_coefficient(0)
    config.set_stiffness_damping_coefficient(case.beta)
    config.set_material_model(getattr(MaterialModel, DRAKE_LAWS[case.law]))
    properties = ProximityProperties()
    AddContactMaterial(properties=properties, friction=CoulombFriction(FRICTION, FRICTION))
    instance = GeometryInstance(RigidTransform([0, 0, 0 if case.clamped else DROP]), Mesh(str(mesh)), "body")
    instance.set_proximity_properties(properties)
    body = model.RegisterDeformableBody(instance, config, 1.0)
    if case.clamped:
        model.SetWallBoundaryCondition(body, [case.edge / 4, 0, 0], [1, 0, 0])
    return body


def run_drake(case, mesh):
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, DiscreteContactApproximation
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, DT)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    model = plant.mutable_deformable_model()
    body = add_body(model, case, mesh)
    if not case.clamped:
        add_ground(plant)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    simulator.Initialize()
    context = plant.GetMyContextFromRoot(simulator.get_context())
    us, z = [], []
    for k in range(case.steps):
        begin = time.thread_time()
        simulator.AdvanceTo((k + 1) * DT)
        us.append(1e6 * (time.thread_time() - begin))
        z.append(model.GetPositions(context, body)[2, case.watched])
    return {"us": us, "z": z}


# ---- runs ---------------------------------------------------------------------------------------

def run_words(words, limit):
    """What a run in a process of its own prints, or None where it fails."""
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=limit, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def make_row(case, engine, version, runs):
    """A row of the results: the least median time, and how far the watched node sank at the end and at most."""
    height = case.cells[2] * case.edge + (0 if case.clamped else DROP)
    z = runs[0]["z"]
    return {"case": case.name, "law": case.law, "tetrahedra": str(case.tetrahedra), "engine": engine,
            "version": version, "steps": str(case.steps), "repeats": str(len(runs)),
            "us": f"{min(statistics.median(run['us'][WARM_UP:]) for run in runs):.4g}",
            "sunk_mm": f"{1e3 * (height - z[-1]):.6g}", "most_mm": f"{1e3 * (height - min(z)):.6g}"}


def repeat(words, limit):
    """Runs of engines in turn, by their names; what is None failed."""
    runs, took = {engine: [] for engine in words}, dict.fromkeys(words, 0.0)
    for _ in range(REPEATS):
        for engine, done in runs.items():
            if took[engine] < LONG_RUN:
                begin = time.monotonic()
                done.append(run_words(words[engine], limit))
                took[engine] = time.monotonic() - begin
    return runs


def run_case(case, common, bench, versions, folder, limit):
    """The rows of a case. common: what all rows have; versions: of the engines that are there."""
    mesh, scene = folder / "body.vtk", folder / "soft.xml"
    mesh.write_text(get_vtk(*make_mesh(case)), encoding="utf-8")
    scene.write_text(get_scene(case, mesh.name), encoding="utf-8")
    words = {"carom": [bench, scene, DT, case.steps, case.watched, "half"],
             "drake": [sys.executable, "-B", __file__, f"{case.name},{case.law}", mesh]}
    runs = repeat({engine: words[engine] for engine in versions}, limit)
    return [dict(common, **make_row(case, engine, versions[engine], done)) for engine, done in runs.items() if all(done)]


def run(common, bench, versions, folder, limit):
    return [row for case in list_cases() for row in run_case(case, common, bench, versions, folder, limit)]


def table(rows):
    """When and on what it was measured, and times and ways of both engines side by side."""
    versions = {row["engine"]: row["version"] for row in rows}
    head = (f"Measured on {rows[0]['date']}, {rows[0]['machine']}, shared with other work; "
            + ", ".join(f"{engine} {version}" for engine, version in versions.items()) + ".")
    lines = []
    for name, law in dict.fromkeys((row["case"], row["law"]) for row in rows):
        found = {row["engine"]: row for row in rows if (row["case"], row["law"]) == (name, law)}
        ours, peer = found.get("carom"), found.get("drake")
        if not ours:
            continue
        ratio = f"{float(peer['us']) / float(ours['us']):.1f}×" if peer else ""
        cells = [f"{float(row[key]):.2f}" if row else "" for key in ("sunk_mm", "most_mm") for row in (ours, peer)]
        times = [report.format_time(float(row["us"])) if row else "" for row in (ours, peer)]
        lines.append([name, law.replace("_", " "), ours["tetrahedra"], *times, ratio, *cells])
    names = ["body", "law", "tetrahedra", "carom", "drake", "carom faster", "down at the end, mm: carom", "drake",
             "at most, mm: carom", "drake"]
    return [head, "", *report.format_table(names, lines)]


def main(name, mesh):
    case = next(case for case in list_cases() if f"{case.name},{case.law}" == name)
    print(json.dumps(run_drake(case, pathlib.Path(mesh))))


if __name__ == "__main__":
    main(*sys.argv[1:])
