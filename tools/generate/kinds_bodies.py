"""Kinds of random scenes: free bodies, soft bodies, ground. Each fills a World. Lengths are in m, speeds in m/s."""
import math

DENSITY = (50, 8000)  # kg/m^3


def mass_of(random, size):
    return random.log(*DENSITY) * size**3


def above_floor(random, i, spacing, height=0.0):
    """A place of a square grid of columns, so that nothing overlaps at the start."""
    return (i % 3 - 1) * spacing, (i // 3 % 3 - 1) * spacing, height + spacing * (0.6 + i // 9)


def bodies(world):
    """Bodies of one scale fall, tumble and collide."""
    random, size = world.random, world.random.log(0.02, 1)
    world.floor()
    for i in range(random.integer(2, 9)):
        part = size * random.uniform(0.4, 1)
        world.free_body(above_floor(random, i, 4 * size), part, mass_of(random, part), random.log(0.01, 10))


def sizes(world):
    """From 1 mm to 100 m, up to a factor of 100 in one scene."""
    random, large = world.random, world.random.log(0.001, 100)
    least = max(0.001, large / random.log(1, 100))
    world.floor()
    for i in range(random.integer(2, 6)):
        part = large if i == 0 else random.log(least, large)
        world.free_body(above_floor(random, i, 4 * large), part, mass_of(random, part), math.sqrt(large) * random.uniform(0, 5))


def ratios(world):
    """A stack whose masses differ by up to 1e6."""
    random, size, z = world.random, world.random.log(0.02, 0.5), 0.0
    world.floor()
    mass, ratio = random.log(1e-3, 10), random.log(10, 1e6)
    for _ in range(random.integer(2, 5)):
        half = [float(f"{size * random.uniform(0.5, 1):.5g}") for _ in range(3)]  # so that they do not overlap
        shape = random.weigh([(3, (f'type="box" size="{half[0]:.6g} {half[1]:.6g} {half[2]:.6g}"', half[2])),
                              (1, (f'type="cylinder" size="{half[0]:.6g} {half[2]:.6g}"', half[2]))])
        world.free_body((0, 0, z + half[2]), size, mass * random.pick(1, ratio, math.sqrt(ratio)), shape=shape, turned=False)
        z += 2 * half[2]


def fast(world):
    """Up to 1 km/s, at walls, the floor and each other."""
    random, size = world.random, world.random.log(0.005, 0.5)
    world.floor()
    thick = size * random.log(0.05, 1)
    world.geom(f'type="box" size="{thick:.6g} {40 * size:.6g} {40 * size:.6g}" pos="{20 * size:.6g} 0 {20 * size:.6g}"')
    for i in range(random.integer(1, 5)):
        speed = random.log(10, 1000)
        down = random.vector(speed)
        velocity = random.pick((speed, 0, 0), (0.7 * speed, 0, -0.7 * speed), down)
        world.free_body(above_floor(random, i, 3.5 * size, size), size, mass_of(random, size), speed, velocity=velocity)


def overlaps(world):
    """Bodies that overlap each other and the floor at the start."""
    random, size = world.random, world.random.log(0.01, 1)
    world.floor()
    world.open = 4 * size
    for _ in range(random.integer(2, 6)):
        part = size * random.uniform(0.3, 1)
        place = (*(size * random.uniform(-1, 1) for _ in range(2)), size * random.uniform(0, 2))
        world.free_body(place, part, mass_of(random, part) * random.pick(1, random.log(1, 1e3)), random.pick(0, 1))


def thin(world):
    """Plates and needles fall on the floor or each other."""
    random, size = world.random, world.random.log(0.01, 0.5)
    world.floor()
    for i in range(random.integer(1, 4)):
        a, b = size / random.log(10, 300), size / random.log(1, 300)
        text, z = random.pick((f'type="box" size="{size:.6g} {size / 2:.6g} {a:.6g}"', a),
                              (f'type="box" size="{size:.6g} {b:.6g} {a:.6g}"', a),
                              (f'type="cylinder" size="{size:.6g} {a:.6g}"', a),
                              (f'type="capsule" size="{a:.6g} {size:.6g}"', size + a),
                              (f'type="cylinder" size="{a:.6g} {size:.6g}"', size))
        flat = random.chance(0.5)
        z = z if flat and i == 0 else size * (1.2 + 2.4 * i)
        world.free_body((0, 0, z), size, mass_of(random, size) * a / size, random.pick(0, 0, 5),
                        shape=(text, 1.5 * size), turned=not flat)


def ground(world):
    """Bodies on a mesh table or a height field, whole, in hulls, or as its triangles."""
    random, size = world.random, world.random.log(0.03, 0.3)
    if random.chance(0.5):
        heights = " ".join(f"{random.uniform():.4g}" for _ in range(64))
        world.say(f'<hfield name="land" nrow="8" ncol="8" size="{8 * size:.6g} {8 * size:.6g} {size * random.uniform(0, 2):.6g} '
                  f'{size:.6g}" elevation="{heights}"/>', "asset")
        world.geom('type="hfield" hfield="land"')
    else:
        x, z = 8 * size, 2 * size
        corners = [(sx * x, sy * x, sz) for sz in (-z, 0) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        faces = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"
        vertex = " ".join(f"{c:.6g}" for corner in corners for c in corner)
        world.say(f'<mesh name="table" vertex="{vertex}" face="{faces}" '
                  f'carom:convex="{random.pick("true", "false")}"/>', "asset")
        world.geom('type="mesh" mesh="table"')
    for i in range(random.integer(1, 4)):
        part = size * random.uniform(0.3, 1)
        place = above_floor(random, i, 3.5 * size, 2 * size)
        world.free_body(place, part, mass_of(random, part), random.pick(0, 1), turned=random.chance(0.7))


def soft(world):
    """A block of finite elements between the floor and rigid bodies that fall on it."""
    random, size = world.random, world.random.log(0.05, 0.5)
    is_quadratic = random.chance(0.3)
    count = [random.integer(2, 3 if is_quadratic else 4) for _ in range(3)]
    spacing = [size / (n - 1) for n in count]
    world.floor()
    quadratic = ' carom:quadratic="true"' if is_quadratic else ""
    material = random.pick("corotated", "linear", "fixed_corotated", "stvk", "neo_hookean")
    density = random.log(100, 5000)
    pinned = f'<pin gridrange="0 0 0 {count[0] - 1} {count[1] - 1} 0"/>' if random.chance(0.3) else ""
    world.say(f'<flexcomp name="soft" type="grid" dim="3" count="{count[0]} {count[1]} {count[2]}" '
              f'spacing="{spacing[0]:.6g} {spacing[1]:.6g} {spacing[2]:.6g}" pos="0 0 {size * random.uniform(0.55, 1.5):.6g}" '
              f'radius="0" carom:density="{density:.6g}" carom:material="{material}"{quadratic}>')
    world.say(f'  <elasticity young="{random.log(1e3, 1e9):.6g}" poisson="{random.uniform(0, 0.45):.6g}" '
              f'damping="{random.pick(0, random.log(1e-5, 0.1)):.6g}"/><contact{world.surface()}/>{pinned}</flexcomp>')
    world.mass += density * size**3
    for i in range(random.integer(0, 3)):
        part = size * random.uniform(0.2, 0.6)
        world.free_body((0, 0, size * (3 + 1.5 * i)), part, mass_of(random, part) * random.pick(1, random.log(1, 100)),
                        random.pick(0, 10))
    # A state holds the nodes behind the joints, of ten-node elements more than a grid tells: these start at rest.
    world.start = "rest" if is_quadratic else "state"
    world.v += [0] * (3 * math.prod(count))


KINDS = {kind.__name__: kind for kind in (bodies, sizes, ratios, fast, overlaps, thin, ground, soft)}
