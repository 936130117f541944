"""One random scene: its kind, its seed, its text and the options of `carom run`."""
import json

import kinds_bodies
import kinds_joints
from world import Random, World

KINDS = {**kinds_bodies.KINDS, **kinds_joints.KINDS}
SCHEMES = [(4, []), (2, ["--scheme", "implicit"]), (2, ["--scheme", "symplectic"]), (1, ["--scheme", "explicit"])]
FRICTIONS = [(6, []), (1, ["--friction", "convex"]), (1, ["--friction", "lagged"]), (1, ["--friction", "anchored"])]
SOLVERS = [(12, []), (1, ["--solver", "primal"]), (1, ["--solver", "ipm"]), (1, ["--solver", "pgs"]), (1, ["--solver", "apgd"])]
OTHERS = [(12, []), (2, ["--sigma", "1e-3", "--beta", "1"]), (1, ["--relinearise", "1"]), (1, ["--contact", "scheme"])]


def draw_step(random):
    """s: every other one of what robots take, else from 1e-5 to 0.05."""
    return random.log(1e-3, 0.01) if random.chance(0.5) else random.log(1e-5, 0.05)


def draw_options(kind, seed):
    random = Random(f"{kind} options", seed)
    return [word for choices in (SCHEMES, FRICTIONS, SOLVERS, OTHERS) for word in random.weigh(choices)]


class Scene:
    """A scene that KIND and SEED name, with options drawn or (None) given."""

    def __init__(self, kind, seed, options=None):
        random = Random(kind, seed)
        self.kind, self.seed = kind, seed
        self.world = World(random, draw_step(random))
        KINDS[kind](self.world)
        self.options = draw_options(kind, seed) if options is None else options

    @property
    def name(self):
        return f"{self.kind}_{self.seed}"

    def write(self, folder):
        """Writes the scene, and its state where a keyframe cannot hold it; arguments of `carom run`."""
        path = folder / f"{self.name}.xml"
        path.write_text(self.world.text(f"{self.kind} {self.seed} of tools/random_scenes"), encoding="utf-8")
        start = ["--keyframe", "start"] if self.world.start == "keyframe" else []
        if self.world.start == "state":
            state = folder / f"{self.name}.state.json"
            state.write_text(json.dumps({"v": self.world.v}) + "\n", encoding="utf-8")
            start = ["--state", str(state)]
        return [str(path), *start, *self.options]


def parse_name(text):
    """kind:seed."""
    kind, _, seed = text.partition(":")
    if kind not in KINDS or not seed.isdigit():
        raise ValueError(f"'{text}' is no scene: KIND:SEED, with a kind of {', '.join(KINDS)}")
    return kind, int(seed)


def list_names(kinds, seed, count):
    """Names of `count` scenes, the kinds in turn, from a seed on."""
    kinds = kinds or list(KINDS)
    return [(kinds[i % len(kinds)], seed + i // len(kinds)) for i in range(count)]
