"""A random scene under construction: numbers that are the same everywhere, and MJCF text.

All draws of a scene come from one splitmix64 stream that starts at its kind's name and its seed, and its options on the
command line from another, so that neither changes with the other, with the machine, nor with what kinds there are."""
import math

MASK = (1 << 64) - 1
GRAVITY = 9.81
RECOVERY_SPEED = 0.25  # m/s, at which overlaps and open equalities close (carom_sim_def.recovery_speed)


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Random:
    """A stream of splitmix64 that a word and a number name."""

    def __init__(self, word, seed):
        self.state = seed & MASK
        for byte in word.encode():
            self.state = mix((self.state * 0x9E3779B97F4A7C15 + byte + 1) & MASK)

    def uniform(self, low=0.0, high=1.0):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return low + (high - low) * (mix(self.state) >> 11) * 2.0**-53

    def log(self, low, high):
        """Uniform in the logarithm."""
        return low * math.exp(self.uniform(0, math.log(high / low)))

    def integer(self, low, high):
        """From low to high, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def chance(self, share):
        return self.uniform() < share

    def pick(self, *choices):
        return choices[int(self.uniform() * len(choices))]

    def weigh(self, choices):
        """One of (weight, value)."""
        at = self.uniform(0, sum(weight for weight, _ in choices))
        for weight, value in choices:
            at -= weight
            if at < 0:
                return value
        return choices[-1][1]

    def direction(self):
        z, turn = self.uniform(-1, 1), self.uniform(0, 2 * math.pi)
        r = math.sqrt(1 - z * z)
        return r * math.cos(turn), r * math.sin(turn), z

    def vector(self, length):
        return tuple(length * x for x in self.direction())

    def quaternion(self):
        axis, half = self.direction(), self.uniform(0, math.pi)
        return (math.cos(half), *(math.sin(half) * x for x in axis))


def numbers(*values):
    """At most eight digits each, so that the last bits of a machine's functions do not show."""
    return " ".join("0" if float(f"{value:.8g}") == 0 else f"{value:.8g}" for value in values)


class World:
    """Bodies, constraints, start and what of the energy's gain has a reason."""

    def __init__(self, random, dt):
        self.random, self.dt = random, dt
        self.lines = {"asset": [], "worldbody": [], "contact": [], "equality": [], "tendon": [], "actuator": []}
        self.depth = 2
        self.v, self.ctrl = [], []  # at the start
        self.q = 0                  # numbers in q so far
        self.free = []              # (place of z in q, radius) of free bodies that must stay above the floor
        self.mass = 0               # kg, of all that moves
        self.open = 0               # m, by which anything overlaps or stands open at the start
        self.given = 0              # J, that targets and servos hold at the start
        self.names, self.has_floor = 0, False
        self.start = "keyframe"     # where the velocities stand: keyframe, state (a file), or rest: nowhere

    def name(self, word):
        self.names += 1
        return f"{word}{self.names}"

    def say(self, line, part="worldbody"):
        self.lines[part].append("  " * (self.depth if part == "worldbody" else 2) + line)

    # ---- shapes -----------------------------------------------------------------------------------

    def hull(self, half):
        """A convex mesh of points on an ellipsoid; its name."""
        name = self.name("hull")
        points = [tuple(h * x for h, x in zip(half, self.random.direction())) for _ in range(self.random.integer(8, 24))]
        points += [(half[0], 0, 0), (-half[0], 0, 0), (0, half[1], 0), (0, -half[1], 0), (0, 0, half[2]), (0, 0, -half[2])]
        vertex = numbers(*(x for point in points for x in point))
        self.say(f'<mesh name="{name}" inertia="convex" vertex="{vertex}"/>', "asset")
        return name

    def shape(self, size, slender=3.0, kinds=("sphere", "box", "capsule", "cylinder", "ellipsoid", "hull")):
        """Attributes of a geometry of half extent up to `size`, m, others down to a share 1/slender of it; a bounding radius."""
        kind = self.random.pick(*kinds)
        half = [size / self.random.log(1, slender) for _ in range(3)]
        half[self.random.integer(0, 2)] = size
        if kind == "sphere":
            return f'type="sphere" size="{numbers(size)}"', size
        if kind == "hull":
            return f'type="mesh" mesh="{self.hull(half)}"', math.hypot(*half)
        if kind in ("capsule", "cylinder"):
            extra = half[0] if kind == "capsule" else 0
            return f'type="{kind}" size="{numbers(*half[:2])}"', math.hypot(half[0], half[1]) + extra
        return f'type="{kind}" size="{numbers(*half)}"', math.hypot(*half)

    def surface(self):
        """Attributes of a geometry's surface."""
        text = f' friction="{numbers(self.random.pick(0, 0.2, 0.5, 1, self.random.log(0.01, 10)))}"'
        if self.random.chance(0.15):
            text += f' condim="{self.random.pick(1, 4, 6)}"'
        return text

    def geom(self, shape, mass=None, place=""):
        weight = f' mass="{numbers(mass)}"' if mass else ""
        self.say(f"<geom {shape}{weight}{place}{self.surface()}/>")
        self.mass += mass or 0

    # ---- bodies -----------------------------------------------------------------------------------

    def floor(self):
        self.has_floor = True
        self.geom('type="plane" size="1 1 1"')

    def open_body(self, position, turned=None, attributes="", name=None):
        name = name or self.name("body")
        turn = f' quat="{numbers(*turned)}"' if turned else ""
        self.say(f'<body name="{name}" pos="{numbers(*position)}"{turn}{attributes}>')
        self.depth += 1
        return name

    def close_body(self, count=1):
        for _ in range(count):
            self.depth -= 1
            self.say("</body>")

    def move(self, *velocity):
        self.v += velocity

    def free_joint(self, speed=0.0, spin=0.0, radius=None, velocity=None):
        """Speeds up to these, m/s and rad/s; the spin is one that steps can follow."""
        self.say("<freejoint/>")
        if radius is not None:
            self.free.append((self.q + 2, radius))
        self.q += 7
        self.move(*(velocity or self.random.vector(self.random.uniform(0, speed))))
        self.move(*self.random.vector(self.random.uniform(0, min(spin, 0.5 / self.dt))))

    def joint(self, kind, attributes="", rate=0.0, axis=None):
        """hinge, slide or ball that moves at up to this rate; its name."""
        name = self.name(kind)
        axis = numbers(*(axis or self.random.direction()))
        along = "" if kind == "ball" else f' axis="{axis}"'
        self.say(f'<joint name="{name}" type="{kind}"{along}{attributes}/>')
        rate = min(rate, 0.3 / self.dt)
        self.q += 4 if kind == "ball" else 1
        self.move(*(self.random.uniform(-rate, rate) for _ in range(3 if kind == "ball" else 1)))
        return name

    def free_body(self, position, size, mass, speed=0.0, slender=3.0, velocity=None, turned=True, shape=None):
        shape, radius = shape or self.shape(size, slender)
        name = self.open_body(position, self.random.quaternion() if turned else None)
        self.free_joint(speed, speed / radius, radius, velocity)
        self.geom(shape, mass)
        self.close_body()
        return name

    # ---- the file ---------------------------------------------------------------------------------

    def allowance(self):
        """J, that recovery may add: kinetic energy at twice its speed (a step's mean is half of its end where it starts
        at rest), and the weight lifted out of overlaps."""
        if not self.open:
            return self.given
        return self.given + self.mass * (2 * RECOVERY_SPEED**2 + 2 * GRAVITY * self.open)

    def text(self, title):
        head = [f"<!-- {title} -->", "<mujoco>", f'  <option timestep="{numbers(self.dt)}"/>']
        for part, lines in self.lines.items():
            if lines:
                head += [f"  <{part}>", *lines, f"  </{part}>"]
        if self.start == "keyframe":
            control = f' ctrl="{numbers(*self.ctrl)}"' if self.ctrl else ""
            head.append(f'  <keyframe><key name="start" qvel="{numbers(*self.v)}"{control}/></keyframe>')
        return "\n".join([*head, "</mujoco>", ""])
