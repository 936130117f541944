"""Kinds of random scenes: mechanisms. Each fills a World."""
import math

from world import numbers


def shares(world):
    """Joint kinds of a mechanism: mostly hinges, sometimes of one kind."""
    return world.random.pick(("hinge",), ("hinge",), ("ball",), ("slide", "hinge"), ("hinge", "ball", "slide"))


def chain(world, count, length, masses, joint="", rate=0.0, kinds=("hinge",), base=(0, 0, 0), floating=False):
    """Links of a length along x, each with a joint at its start and a site at its end. Leaves the world's depth as it
    was; names of bodies, joints and of the last site. Joints take the attributes that joint(kind) gives."""
    random, names, joints = world.random, [], []
    radius = length * random.uniform(0.08, 0.3)
    for i in range(count):
        names.append(world.open_body(base if i == 0 else (length, 0, 0)))
        if i == 0 and floating:
            world.free_joint(rate * length, rate)
        else:
            kind = random.pick(*kinds)
            joints.append((kind, world.joint(kind, joint(kind) if joint else "", rate * (length if kind == "slide" else 1))))
        inset = 0.6 * length if count > 1 else 0.9 * length
        shape = random.pick(f'type="capsule" size="{radius:.6g}" fromto="{numbers(length - inset, 0, 0, inset, 0, 0)}"',
                            f'type="box" size="{numbers(length / 2.2, radius, radius)}" pos="{numbers(length / 2, 0, 0)}"')
        world.geom(shape, masses[i])
        world.say(f'<site name="tip{names[-1]}" pos="{numbers(length, 0, 0)}"/>')
    world.close_body(count)
    return names, joints, f"tip{names[-1]}"


def draw_masses(random, count, length):
    """Of one density, or with an end or a link that is up to 1e4 times as heavy."""
    mass = random.log(50, 5000) * 0.05 * length**3
    masses = [mass * random.uniform(0.5, 2) for _ in range(count)]
    if random.chance(0.5):
        masses[random.pick(-1, random.integer(0, count - 1))] *= random.log(1, 1e4)
    return masses


def chains(world):
    """Chains of hinges, balls and slides, hanging, swinging, falling on a floor."""
    random, length = world.random, world.random.log(0.02, 1)
    if random.chance(0.7):
        world.floor()
    for i in range(random.integer(1, 2)):
        count = random.integer(2, 10)
        height = length * random.pick(0.4, 2, 1.1 * count)
        chain(world, count, length, draw_masses(random, count, length), rate=random.pick(0, 0, random.log(0.1, 30)),
              kinds=shares(world), base=(0, 3 * i * length, height), floating=random.chance(0.4))


def loops(world):
    """A chain whose end is tied to the world or its first link, closed or open by up to half a link."""
    random, length = world.random, world.random.log(0.02, 1)
    count = random.integer(2, 6)
    axis_kind = random.pick(("hinge",), ("hinge", "ball"), ("ball",))
    if random.chance(0.4):
        world.floor()
    apart = random.pick(0, 1e-6, 0.01, 0.5) * length
    place = (count * length, 0, 3 * length + apart)
    world.say(f'<site name="anchor" pos="{numbers(*place)}"/>')
    _, _, tip = chain(world, count, length, draw_masses(random, count, length), rate=random.pick(0, 5), kinds=axis_kind,
                      base=(0, 0, 3 * length))
    world.open = apart * count
    world.say(random.pick(f'<connect site1="{tip}" site2="anchor"/>', f'<weld site1="{tip}" site2="anchor"/>'), "equality")


def mocap(world):
    """The end of an arm, or a free body, is tied to a mocap body that stands elsewhere."""
    random, length = world.random, world.random.log(0.02, 1)
    count, apart = random.integer(1, 5), length * random.pick(0, 0.01, 0.3, 2)
    shift = random.vector(apart)
    world.say(f'<body name="hand" mocap="true" pos="{numbers(count * length + shift[0], shift[1], 3 * length + shift[2])}"/>')
    masses = draw_masses(random, count, length)
    names, _, _ = chain(world, count, length, masses, kinds=shares(world), base=(0, 0, 3 * length), floating=random.chance(0.4))
    world.open = apart * count
    # It may follow within a time constant of 20 ms, every link as fast as the end; twice as fast after a first step of
    # the midpoint rule.
    world.given = 2 * sum(masses) * (apart / 0.02) ** 2 * (1 + count)
    world.say(random.pick(f'<weld body1="hand" body2="{names[-1]}" relpose="{numbers(-length, 0, 0)} 1 0 0 0"/>',
                          f'<connect body1="hand" body2="{names[-1]}" anchor="0 0 0"/>'), "equality")


def equalities(world):
    """Joints coupled by polynomials, free bodies by welds, connects and distances."""
    random, length = world.random, world.random.log(0.02, 1)
    count = random.integer(3, 6)
    world.floor()
    _, joints, _ = chain(world, count, length, draw_masses(random, count, length), rate=random.pick(0, 3),
                         kinds=("hinge",), base=(0, 0, 1.5 * count * length))
    offset = random.pick(0, 0, random.uniform(-1, 1))
    poly = numbers(offset, random.uniform(-3, 3), random.pick(0, random.uniform(-1, 1)), 0, 0)
    world.say(f'<joint joint1="{joints[-1][1]}" joint2="{joints[0][1]}" polycoef="{poly}"/>', "equality")
    world.open = abs(offset) * length * count
    size = 0.3 * length
    names = [world.free_body((i * 3 * size, 3 * length, 3 * length), size, random.log(10, 8000) * size**3, random.pick(0, 2))
             for i in range(random.integer(2, 5))]
    for first, second in zip(names, names[1:]):
        world.say(random.pick(f'<weld body1="{first}" body2="{second}"/>',
                              f'<connect body1="{first}" body2="{second}" anchor="{numbers(1.5 * size, 0, 0)}"/>',
                              f'<carom:distance body1="{first}" body2="{second}" anchor="0 0 0" carom:anchor2="0 0 0" '
                              f'distance="{numbers(3 * size)}"/>'), "equality")


def tendons(world):
    """Fixed and spatial tendons with springs, dampers and limits, violated or not."""
    random, length = world.random, world.random.log(0.02, 1)
    count = random.integer(2, 5)
    masses = draw_masses(random, count, length)
    world.say(f'<site name="anchor" pos="{numbers(0, 0, 4 * length)}"/>')
    world.say(f'<geom name="pulley" type="sphere" size="{numbers(0.2 * length)}" '
              f'pos="{numbers(0.5 * length, 0, 3.5 * length)}" contype="0" conaffinity="0"/>')
    _, joints, tip = chain(world, count, length, masses, rate=random.pick(0, 3), kinds=("hinge",), base=(0, 0, 3 * length))
    stiffness = random.pick(0, sum(masses) / world.dt**2 * random.log(1e-6, 1e2))
    damping = random.pick(0, sum(masses) / world.dt * random.log(1e-6, 1e2))
    straight = math.hypot(count * length, length)
    reach = random.pick(1, 0.9, 2) * straight
    spring = f' springlength="{numbers(straight)}"' if stiffness else ""
    attributes = f'stiffness="{numbers(stiffness)}" damping="{numbers(damping)}"'
    through = '<geom geom="pulley"/>' if random.chance(0.5) else ""
    if through:
        world.given += stiffness * straight**2
    else:  # a limit that shortens it holds against its spring
        world.given += stiffness * max(0, straight - reach)**2 / 2
    world.say(f'<spatial range="0 {numbers(reach)}" limited="true" {attributes}{spring}>'
              f'<site site="anchor"/>{through}<site site="{tip}"/></spatial>', "tendon")
    world.open = max(0, 1.2 * straight - reach) * count if through else max(0, straight - reach) * count
    if random.chance(0.5):
        lower = random.pick(-1, 0.1)
        terms = "".join(f'<joint joint="{name}" coef="{numbers(random.uniform(-2, 2))}"/>' for _, name in joints)
        world.say(f'<fixed range="{numbers(lower)} 1" limited="true">{terms}</fixed>', "tendon")
        world.open += max(0, lower) * length * count


def limits(world):
    """Joints that stand outside their ranges."""
    random, length = world.random, world.random.log(0.02, 1)
    count, by = random.integer(1, 7), random.pick(1e-6, 0.05, 1)

    def violated(kind):
        scale = length if kind == "slide" else 1
        low = by * scale * random.uniform(-1, 1)
        if kind == "ball":
            return f' range="0 {numbers(random.uniform(0.1, 1))}" limited="true"'
        return f' range="{numbers(low, low + scale * random.uniform(0.01, 1))}" limited="true"'

    world.open = by * length * count
    world.floor()
    chain(world, count, length, draw_masses(random, count, length), violated, random.pick(0, 10), shares(world),
          (0, 0, 1.2 * count * length), random.chance(0.3))


def chain_with(world, attributes, rate):
    """A chain whose joints have springs or dampers, on or off a floor."""
    random, length = world.random, world.random.log(0.02, 1)
    count = random.integer(1, 6)
    masses = draw_masses(random, count, length)
    if random.chance(0.5):
        world.floor()
    inertia = min(masses) * length**2
    return chain(world, count, length, masses, lambda kind: attributes(inertia / (length**2 if kind == "slide" else 1)), rate,
                 shares(world), (0, 0, 1.5 * length), random.chance(0.3))


def springs(world):
    """Springs of joints from soft to dt^2 k/m = 1e6."""
    random, dt = world.random, world.dt
    chain_with(world, lambda inertia: f' stiffness="{numbers(inertia / dt**2 * random.log(1e-4, 1e6))}"',
               random.pick(0, random.log(0.1, 30)))


def dampers(world):
    """Dampers of joints, dt d/m from 1e-3 to 1e6, some with springs."""
    random, dt = world.random, world.dt

    def attributes(inertia):
        text = f' damping="{numbers(inertia / dt * random.log(1e-3, 1e6))}"'
        return text + (f' stiffness="{numbers(inertia / dt**2 * random.log(1e-4, 1))}"' if random.chance(0.3) else "")

    chain_with(world, attributes, random.log(0.1, 30))


def servos(world):
    """Position servos with gains from soft to stiff, limited or not, their targets away from where they start."""
    random, dt, length = world.random, world.dt, world.random.log(0.02, 1)
    count = random.integer(1, 7)
    masses = draw_masses(random, count, length)
    if random.chance(0.5):
        world.floor()
    floating = random.chance(0.3)
    _, joints, _ = chain(world, count, length, masses, kinds=("hinge", "hinge", "slide"), base=(0, 0, 1.5 * length),
                         floating=floating)
    for kind, name in joints:
        inertia = sum(masses) * (1 if kind == "slide" else (count * length) ** 2)
        gain, target = inertia / dt**2 * random.log(1e-6, 10), random.uniform(-1, 1) * (length if kind == "slide" else 1)
        damping = inertia / dt * random.pick(0, random.log(1e-4, 1e4))
        force = 10 * inertia * random.log(1, 1e3)
        bound = f' forcerange="{numbers(-force, force)}"' if random.chance(0.5) else ""
        world.say(f'<position joint="{name}" kp="{numbers(gain)}" kv="{numbers(damping)}"{bound}/>', "actuator")
        world.ctrl.append(target)
        world.given += min(gain * target**2 / 2, force * abs(target) if bound else math.inf)


def robots(world):
    """A floating trunk with legs, servos, limits and feet that may stand in the floor."""
    random, length = world.random, world.random.log(0.05, 0.5)
    world.floor()
    legs, parts = random.integer(2, 6), random.integer(1, 3)
    height = parts * length * random.pick(0.9, 1.2)
    trunk = random.log(100, 3000) * 0.2 * length**3
    world.open_body((0, 0, height))
    world.free_joint(random.pick(0, 1), random.pick(0, 1), 4 * length)
    world.geom(f'type="box" size="{numbers(length, 0.7 * length, 0.3 * length)}"', trunk)
    world.open = max(0, parts * length * 1.15 - height) * (1 + parts)
    for leg in range(legs):
        turn = 2 * math.pi * leg / legs
        for part in range(parts):
            place = (round(length * math.cos(turn), 9), round(length * math.sin(turn), 9), 0) if part == 0 else (0, 0, -length)
            world.open_body(place)
            name = world.joint("hinge", f' range="-1 1" limited="true" damping="{numbers(trunk * length**2 * random.log(1e-3, 10))}"')
            mass = trunk * random.log(0.003, 0.2)
            world.geom(f'type="capsule" size="{numbers(0.12 * length)}" fromto="{numbers(0, 0, 0, 0, 0, -length)}"', mass)
            gain, target = 10 * trunk * length**2 * random.log(1, 1e4), random.uniform(-0.5, 0.5)
            world.say(f'<position joint="{name}" kp="{numbers(gain)}"/>', "actuator")
            world.ctrl.append(target)
            world.given += gain * target**2 / 2
        world.close_body(parts)
    world.close_body()


KINDS = {kind.__name__: kind for kind in (chains, loops, mocap, equalities, tendons, limits, springs, dampers, servos, robots)}
