"""The scenes of the bench as data and as MJCF text. Pure functions; the standard library only.

A pile is a grid of spheres and boxes in layers that falls into a bin, as high as it is wide where there are many.
Every engine loads the same text, but Drake, which is given the same bodies through its own interface.
"""

import copy
import dataclasses
import math
import pathlib
import random
import xml.etree.ElementTree as ElementTree

HALF = 0.05  # m, radius of spheres and half side of boxes
DENSITY = 1000.0  # kg/m3
FRICTION = 0.5
SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"
MODELS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "models" / "mjcf"


@dataclasses.dataclass(frozen=True)
class Body:
    """A sphere or a box of the common size."""

    shape: str
    position: tuple  # m
    euler: tuple = (0.0, 0.0, 0.0)  # degrees


@dataclasses.dataclass(frozen=True)
class Scene:
    """What is simulated and for how long."""

    name: str
    family: str
    count: int
    dt: float  # s
    fall: float  # s, simulated time of the first phase
    rest: float  # s, of the second
    bodies: tuple = ()  # of piles and stacks
    bin: tuple = ()  # half width and height of the bin, m; empty: a plane alone
    text: str = ""  # MJCF of the others
    level: int = 0  # 0 quick, 1 default, 2 long, 3 with --huge: ours, compliant, alone
    keyframe: int = -1


# ---- piles and stacks ---------------------------------------------------------------------------

def pile_columns(count):
    """Bodies along a side of a layer: 2, and so many that a pile is about twice as high as wide."""
    return max(2, round((count / 5) ** (1 / 3)))


def make_pile(count, shapes, seed=1):
    """The bodies of a pile, and half width and height of its bin."""
    draw = random.Random(seed)
    columns = pile_columns(count)
    bodies = []
    for i in range(count):
        layer, place = divmod(i, columns * columns)
        x, y = ((k - (columns - 1) / 2) * 0.2 + draw.uniform(-0.01, 0.01) for k in divmod(place, columns))
        z = 0.1 + 0.18 * layer + draw.uniform(0, 0.02)
        euler = (draw.uniform(0, 90), draw.uniform(0, 90), 0.0)
        bodies.append(Body(shapes[(i + place // columns) % len(shapes)], (x, y, z), euler))
    return tuple(bodies), (0.115 * columns + 0.02, bodies[-1].position[2] + 0.3)


def make_stack(count):
    """Boxes on each other; every other one is turned, so that faces meet as polygons."""
    return tuple(Body("box", (0.0, 0.0, HALF * (1 + 2 * i)), (0.0, 0.0, 10.0 * (i % 2))) for i in range(count))


def numbers(values):
    return " ".join(f"{value:.10g}" for value in values)


def wall_boxes(bin_size):
    """Centres and half sizes of the four walls of a bin."""
    if not bin_size:
        return []
    width, height = bin_size
    walls = []
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        half = (0.05, width + 0.1, height / 2) if x else (width + 0.1, 0.05, height / 2)
        walls.append(((x * (width + 0.05), y * (width + 0.05), height / 2), half))
    return walls


def write_mjcf(bodies, bin_size, dt):
    """The MJCF text of a pile or a stack."""
    lines = [f'<mujoco><option timestep="{dt:g}" cone="elliptic"/>',
             f'<default><geom friction="{FRICTION:g}" condim="3" density="{DENSITY:g}"/></default><worldbody>',
             '<geom type="plane" size="0 0 1"/>']
    for centre, half in wall_boxes(bin_size):
        lines.append(f'<geom type="box" size="{numbers(half)}" pos="{numbers(centre)}"/>')
    for body in bodies:
        size = numbers((HALF,) * (3 if body.shape == "box" else 1))
        lines.append(f'<body pos="{numbers(body.position)}" euler="{numbers(body.euler)}"><freejoint/>'
                     f'<geom type="{body.shape}" size="{size}"/></body>')
    return "\n".join(lines) + "\n</worldbody></mujoco>\n"


# ---- many of one model --------------------------------------------------------------------------

NAMES = ("name", "joint", "body", "body1", "body2", "geom1", "geom2", "geom", "site", "tendon", "target")
DROPPED = ("sensor", "keyframe", "asset", "visual", "statistic", "actuator", "include")
DECORATION = ("light", "camera", "site")


def strip(element):
    """Takes away what does not move: sites, lights, cameras, materials."""
    for child in list(element):
        if child.tag in DECORATION:
            element.remove(child)
        else:
            child.attrib.pop("material", None)
            strip(child)


def rename(element, suffix):
    for item in element.iter():
        for name in NAMES:
            if name in item.attrib:
                item.set(name, item.get(name) + suffix)


def replicate(text, count, spacing=1.5):
    """MJCF with `count` copies, on a square grid, of the bodies of `text`, without actuators, sensors and looks."""
    root = ElementTree.fromstring(text)
    for child in list(root):
        if child.tag in DROPPED:
            root.remove(child)
    strip(root)
    world = root.find("worldbody")
    bodies, contact = world.findall("body"), root.find("contact")
    pairs = list(contact) if contact is not None else []
    for element in bodies:
        world.remove(element)
    for pair in pairs:
        contact.remove(pair)
    side = math.ceil(math.sqrt(count))
    for i in range(count):
        offset = spacing * (i % side - (side - 1) / 2), spacing * (i // side - (side - 1) / 2)
        for element in bodies:
            one = copy.deepcopy(element)
            x, y, z = (float(word) for word in one.get("pos", "0 0 0").split())
            one.set("pos", numbers((x + offset[0], y + offset[1], z)))
            rename(one, f"_{i}")
            world.append(one)
        for pair in pairs:
            one = copy.deepcopy(pair)
            rename(one, f"_{i}")
            contact.append(one)
    return ElementTree.tostring(root, encoding="unicode")


def humanoid_text():
    """The humanoid of dm_control where the models lie beside the sources, else that of scenes/."""
    published = MODELS / "dmc_humanoid" / "humanoid.xml"
    return (published if published.exists() else SCENES / "humanoid.xml").read_text(encoding="utf-8")


# ---- the list -----------------------------------------------------------------------------------

def list_scenes():
    """All scenes, small ones first within a family."""
    scenes = []
    for family, shapes, sizes in (("pile", ("sphere", "box"), (10, 40, 100, 200, 400, 1000, 3000)),
                                  ("spheres", ("sphere",), (10, 40, 100, 200, 400, 1000))):
        for count in sizes:
            bodies, size = make_pile(count, shapes)
            most = 1000 if family == "pile" else 400
            level = 0 if count <= 40 else 1 if count <= most else 2 if count <= 1000 else 3
            scenes.append(Scene(f"{family}{count}", family, count, 0.005, 3 if count <= 100 else 8,
                                1 if count <= 200 else 2 if count <= 1000 else 0.5, bodies, size, level=level))
    for count in (10, 20, 50):
        scenes.append(Scene(f"stack{count}", "stack", count, 0.005, 1, 1, make_stack(count),
                            level=0 if count == 10 else 1))
    text = humanoid_text()
    for count in (1, 22, 100):
        scenes.append(Scene(f"humanoid{count}", "humanoid", count, 0.005, 3, 1, text=replicate(text, count),
                            level=0 if count == 1 else 1))
    arm = (SCENES / "arm.xml").read_text(encoding="utf-8")
    scenes.append(Scene("arm", "arm", 1, 0.002, 1, 2, text=arm, keyframe=0))
    return scenes


def get_text(scene):
    return scene.text or write_mjcf(scene.bodies, scene.bin, scene.dt)


def select(scenes, names, level):
    """Those with one of the names or families; without names those up to a level."""
    if not names:
        return [scene for scene in scenes if scene.level <= level]
    known = {scene.name for scene in scenes} | {scene.family for scene in scenes}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no scene or family {unknown[0]}; there are {', '.join(scene.name for scene in scenes)}")
    return [scene for scene in scenes
            if scene.name in names or (scene.family in names and scene.level <= max(level, 1))]
