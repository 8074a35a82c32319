"""Learns to balance a pole on a cart, without a framework: python -m examples.balance [FOLDER].

First in a scene that is made here with the editor, then in a file of which only the names of two
nodes are known: python -m examples.balance FOLDER --file other.glb --cart Trolley --pole Mast.
Writes the policies' best episodes as pages and prints how long a pole stood.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ligament as lg
from examples.building import Scene
from examples.scenes import BLUE, RED, STEEL, WOOD
from ligament.author import Motor
from ligament.envs import Action, Env, Observation, Task, VectorEnv, record_policy
from ligament.extensions.shapes import Box
from ligament.viewer.page import save_page

WORLDS, GENERATIONS, ELITE = 64, 7, 8
STEPS, RATE = 200, 50.0
PLAYING: dict[str, Any] = {"engine": "mujoco", "rate": RATE, "substeps": 4}


def cart() -> lg.Document:
    """A cart on a rail along X with a motor, and a pole on a hinge upon it."""
    scene = Scene()
    scene.node("Rail", translation=[0, 1, -0.15], mesh=scene.solid("box", STEEL, 5, 0.04, 0.04))
    scene.node("Cart", translation=[0, 1, 0], mesh=scene.solid("box", BLUE, 0.3, 0.12, 0.2))
    pole = scene.node("Pole", translation=[0, 1, 0])
    bar = scene.solid("box", RED, 0.04, 1, 0.04)
    scene.node("Bar", parent=pole, translation=[0, 0.5, 0], mesh=bar)
    editor = lg.Editor(scene.document)
    editor.add_body("Cart", mass=1, collider=Box((0.3, 0.12, 0.2)))
    moments = (0.1 / 12, 1e-4, 0.1 / 12)
    editor.add_body("Pole", mass=0.1, center_of_mass=(0, 0.5, 0), inertia_diagonal=moments)
    motor = Motor(speed=0, damping=60, mode="force", max_force=80)
    editor.slider("world", "Cart", axis="x", limits=(-2.3, 2.3), motor=motor)
    editor.hinge("Cart", "Pole", axis="z", limits=(-100, 100))
    return editor.document


def trolley() -> lg.Document:
    """Another one, along Z: longer, heavier, with other names."""
    scene = Scene()
    scene.node("Trolley", translation=[0, 0.2, 0], mesh=scene.solid("box", STEEL, 0.4, 0.2, 0.6))
    mast = scene.node("Mast", translation=[0, 0.3, 0])
    beam = scene.solid("box", WOOD, 0.08, 1.8, 0.08)
    scene.node("Beam", parent=mast, translation=[0, 0.9, 0], mesh=beam)
    editor = lg.Editor(scene.document)
    editor.add_body("Trolley", mass=12, collider=Box((0.4, 0.2, 0.6)))
    editor.add_body("Mast", mass=3, center_of_mass=(0, 0.9, 0), inertia_diagonal=(0.81, 1e-3, 0.81))
    motor = Motor(speed=0, damping=600, mode="force", max_force=900)
    editor.slider("world", "Trolley", axis="z", limits=(-4, 4), motor=motor)
    editor.hinge("Trolley", "Mast", axis="x", limits=(-100, 100))
    return editor.document


def task(cart: str, pole: str) -> Task:
    """Balance a pole by the speed of the cart that it stands on, whatever axes they have."""
    spin = {
        "quantity": "angular_velocity",
        "nodes": pole,
        "distribution": "uniform",
        "min": [-0.6, 0, -0.6],
        "max": [0.6, 0, 0.6],
    }
    return Task(
        actions=[Action(kind="drive_velocity", nodes=cart, min=-4, max=4)],
        observations=[
            Observation(kind="drive_position", nodes=cart, name="place"),
            Observation(kind="drive_velocity", nodes=cart),
            Observation(kind="rotation", nodes=pole, axes="xz", name="lean"),
            Observation(kind="angular_velocity", nodes=pole, axes="xz"),
        ],
        reward="max(0, 1 - 8 * norm(lean)) * max(0, 1 - 0.4 * abs(place))",
        steps=STEPS,
        vary={"vary": [spin]},
    )


class Policy(NamedTuple):
    """A linear policy: `weights` (A, O); `score` is its mean reward in an episode, 1 at best."""

    weights: Any
    score: float

    def __call__(self, seen: Any) -> Any:
        """Choose an action (A,)."""
        return self.weights @ seen


def scores(envs: VectorEnv, weights: Any, seed: int) -> Any:
    """Return the mean rewards (W,) of an episode with the weights (W, A, O) of each world."""
    seen, _ = envs.reset(seed=seed)
    total = np.zeros(envs.num_envs)
    for _ in range(STEPS):
        seen, rewards, *_ = envs.step(np.einsum("wao,wo->wa", weights, seen))
        total += rewards
    return total / STEPS


def train(
    document: lg.Document | Path, task: Task, *, generations: int = GENERATIONS, seed: int = 0
) -> Policy:
    """Find a linear policy by the cross-entropy method: the best of many, and again around them."""
    envs = VectorEnv(document, task, WORLDS, **PLAYING)
    draw = np.random.default_rng(seed)
    shape = (*envs.single_action_space.shape, *envs.single_observation_space.shape)
    mean, deviation = np.zeros(shape), np.full(shape, 10.0)
    for generation in range(generations):
        weights = mean + deviation * draw.standard_normal((WORLDS, *shape))
        found = scores(envs, weights, seed + 1000 * generation)
        best = weights[np.argsort(-found)[:ELITE]]
        mean, deviation = best.mean(axis=0), best.std(axis=0) + 2.0 / (generation + 1)
        print(f"  generation {generation + 1:2}: best {found.max():.3f}, mean {found.mean():.3f}")
    score = scores(envs, np.broadcast_to(mean, (WORLDS, *shape)), seed + 999_983).mean()
    envs.close()
    return Policy(mean, float(score))


def show(document: lg.Document, task: Task, policy: Policy, page: Path) -> float:
    """Write an episode on the default engine as a page; returns the greatest lean [rad]."""
    env = Env(document, task, rate=RATE)
    recording = record_policy(env, policy, seed=7)
    env.close()
    save_page(lg.bake(document, recording, strip=True), page, rate=RATE)
    lean = [each.name == "lean" for each in task.observations].index(True)
    pole = env.worlds.names.index(task.observations[lean].nodes)
    return float(np.abs(2 * np.arcsin(recording.rotation[:, pole, [0, 2]])).max())


def balance(file: Path, cart: str, pole: str, page: Path, generations: int) -> Policy:
    """Train on a file and show the result."""
    start = time.perf_counter()
    goal = task(cart, pole)
    policy = train(file, goal, generations=generations)
    seconds = time.perf_counter() - start
    lean = show(lg.load(file), goal, policy, page)
    print(f"{file.name}: {policy.score:.3f} of 1 after {seconds:.0f} s of training;", end=" ")
    print(f"on another engine it leans {np.degrees(lean):.1f} degrees at most: {page}")
    return policy


def main(arguments: list[str] | None = None) -> list[Policy]:
    """Train on both scenes, or on a file of one's own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("balance"))
    parser.add_argument("--file", type=Path, help="a file with a driven cart and a pole")
    parser.add_argument("--cart", default="Cart", help="the node of the cart")
    parser.add_argument("--pole", default="Pole", help="the node of the pole")
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.file is not None:
        jobs = [(given.file, given.cart, given.pole)]
    else:
        jobs = [(given.folder / "cart.glb", "Cart", "Pole")]
        jobs += [(given.folder / "trolley.glb", "Trolley", "Mast")]
        for (file, *_), build in zip(jobs, (cart, trolley), strict=True):
            lg.save(build(), file)
    return [
        balance(file, *names, given.folder / f"{file.stem}.html", given.generations)
        for file, *names in jobs
    ]


if __name__ == "__main__":
    main()
