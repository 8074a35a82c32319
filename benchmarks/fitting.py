"""Fitting colliders: time against the number of vertices, and sizes against trimesh's shapes."""

from __future__ import annotations

import functools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import rapier3d
from manifold3d import Manifold

from benchmarks.harness import (
    Answer,
    Findings,
    Goal,
    Unavailable,
    console,
    fitted_exponent,
    interleave,
    print_table,
)
from ligament import transforms as tf
from ligament.author.editing.parts import append_collider_mesh
from ligament.author.editor import Editor
from ligament.author.equipment import add_bodies
from ligament.author.fitting import fit
from ligament.gltf.document import Document
from ligament.physics.hulls import convex_hull
from ligament.physics.mass import solid
from ligament.physics.shapes import Mesh

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]

KINDS = ("sphere", "box", "capsule", "cylinder", "hull", "auto")
WRITTEN = ("hull", "auto")
"""Kinds that are also measured from a mesh in a file to a collider in it."""

PEERS = {
    "sphere": "bounding_sphere",
    "box": "bounding_box_oriented",
    "cylinder": "bounding_cylinder",
}
TIMEOUT = 200.0
MESHES = 22


@dataclass(frozen=True)
class Extent:
    """How much to measure."""

    sizes: tuple[int, ...]
    clouds: int
    rounds: int


FULL = Extent((1_000, 10_000, 100_000, 1_000_000), clouds=20, rounds=3)
QUICK = Extent((1_000, 4_000, 16_000), clouds=4, rounds=1)


def measure(*, quick: bool) -> Findings:
    """Measures the whole area and prints its tables."""
    return measure_extent(QUICK if quick else FULL)


def measure_extent(extent: Extent) -> Findings:
    """Measures as much as `extent` says."""
    findings = Findings("fitting")
    growth(findings, extent)
    hulls(findings, extent)
    against_trimesh(findings, extent)
    model(findings)
    return findings


def egg(count: int, seed: int = 0) -> Floats:
    """Points on an egg, all of them corners of the hull: the most work that a cloud can be."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    points *= rng.uniform(0.3, 1.0, 3) / np.linalg.norm(points, axis=1)[:, None]
    return np.asarray(tf.rotate(tf.normalize(rng.normal(size=4)), points))


def shell(count: int) -> Mesh:
    """An egg of about so many vertices with a closed surface, as files have them."""
    rows = max(4, int(count**0.5))
    up, around = np.meshgrid(np.linspace(0, np.pi, rows), np.arange(rows), indexing="ij")
    angle = around * (2 * np.pi / rows)
    ring = np.sin(up)
    ring[[0, -1]] = 0.0  # one place each, so that the surface is closed
    points = np.stack([ring * np.cos(angle), 1.3 * np.cos(up), 0.8 * ring * np.sin(angle)], -1)
    index = np.arange(rows * rows).reshape(rows, rows)
    a, b = index[:-1].ravel(), np.roll(index, -1, axis=1)[:-1].ravel()
    triangles = np.concatenate(
        [np.stack([a, b, b + rows], 1), np.stack([a, b + rows, a + rows], 1)]
    )
    return Mesh(points.reshape(-1, 3), triangles)


def growth(findings: Findings, extent: Extent) -> None:
    """Seconds for each kind against the number of vertices, and the exponent that fits."""
    contenders: dict[str, Callable[[], Answer]] = {
        f"{kind}, {size:,}": functools.partial(_timed, egg(size), kind)
        for kind in KINDS
        for size in extent.sizes
    }
    contenders |= {
        f"{kind} in a file, {size:,}": functools.partial(_edited, shell(size), kind)
        for kind in WRITTEN
        for size in extent.sizes
    }
    rounds = interleave("fitting", contenders, rounds=extent.rounds, budget=TIMEOUT)
    rows = []
    for kind in (*KINDS, *(f"{kind} in a file" for kind in WRITTEN)):
        samples = [rounds.sample(f"{kind}, {size:,}", "fit") for size in extent.sizes]
        exponent = fitted_exponent(extent.sizes, samples)
        rows.append([kind, *(sample.seconds if sample else "" for sample in samples)])
        rows[-1].append(f"{exponent:.2f}")
        findings.goals.append(Goal(f"exponent of {kind} against vertices", exponent, 1.1, False))
    columns = ["kind", *(f"{size:,}" for size in extent.sizes), "exponent"]
    print_table("Fitting to the points of an egg", columns, rows)
    findings.sections["growth"] = rounds.answers


def hulls(findings: Findings, extent: Extent) -> None:
    """Hulls of the points of an egg, a turned box and noise, in units of Manifold's time.

    Rapier computes in single precision. Ligament's time includes what makes Manifold's result
    independent of size, shape and noise, and refers to the points by their index.
    """
    try:
        from scipy.spatial import ConvexHull
    except ImportError as fault:
        console.print(f"  Qhull: {fault}")
        return
    counts: dict[str, Callable[[Floats], int]] = {
        "Manifold": lambda points: int(Manifold.hull_points(points).num_vert()),
        "Qhull": lambda points: len(ConvexHull(points).vertices),
        "Rapier": _rapier_corners,
        "Ligament": lambda points: len(convex_hull(points).corners),
    }
    size, rng = extent.sizes[0], np.random.default_rng(1)
    turn = np.asarray(tf.to_matrix(tf.normalize(rng.normal(size=4))))
    box = (rng.integers(-1, 2, (size, 3)) @ turn + 20).astype(np.float32).astype(np.float64)
    clouds = {"egg": egg(size), "noise": rng.normal(size=(size, 3)), "box": box}
    rows = []
    for name, points in clouds.items():
        samples = {
            program: min(_measured(functools.partial(count, points)) for _ in range(9))
            for program, count in counts.items()
        }
        ratios = {
            program: seconds / samples["Manifold"][0] for program, (seconds, _) in samples.items()
        }
        rows.append([f"{name}, {size:,}"])
        rows[-1] += [f"{ratios[program]:.1f} ({samples[program][1]:.0f})" for program in counts]
        findings.sections[f"hull of {name}"] = samples
        if name == "egg":
            goal = Goal(
                "time of the hull of an egg / Qhull's",
                ratios["Ligament"] / ratios["Qhull"],
                4,
                False,
            )
            findings.goals.append(goal)
    print_table("Time of convex hulls (corners), in units of Manifold's", ["points", *counts], rows)


def _rapier_corners(points: Floats) -> int:
    polyhedron = rapier3d.SharedShape.convex_hull(points).as_convex_polyhedron()
    return 0 if polyhedron is None else len(polyhedron.points)


def model(findings: Findings) -> None:
    """Bodies for a model of 22 meshes, in units of the time of trimesh's simplest shapes."""
    bare = Document({"asset": {"version": "2.0"}, "nodes": [], "scenes": [{"nodes": []}]})
    surfaces = [shell(3_000) for _ in range(MESHES)]
    for index, surface in enumerate(surfaces):
        surface.points[:] *= 1 + index / 10
        mesh = append_collider_mesh(bare, surface)
        bare.json["nodes"].append({"mesh": mesh, "translation": [8.0 * index, 0, 0]})
        bare.json["scenes"][0]["nodes"].append(index)
    start = time.process_time()
    add_bodies(Editor(bare))
    own = time.process_time() - start
    try:
        import trimesh
    except ImportError as fault:
        console.print(f"  trimesh: {fault}")
        return
    start = time.process_time()
    for surface in surfaces:
        _ = trimesh.Trimesh(surface.points, surface.triangles).bounding_primitive
    theirs = time.process_time() - start
    console.print(f"  {MESHES} meshes: {own:.2f} s of CPU, trimesh {theirs:.2f} s")
    name = f"CPU time for {MESHES} meshes / trimesh's bounding primitives"
    findings.goals.append(Goal(name, own / theirs, 1.0, False))


def against_trimesh(findings: Findings, extent: Extent) -> None:
    """Time and volume of shapes around random clouds, each over those of trimesh.

    Its cylinders do not taper; Ligament's do where that makes them smaller.
    """
    clouds = [_cloud(seed) for seed in range(extent.clouds)]
    rows = []
    for kind, peer in PEERS.items():
        own = [_measured(functools.partial(_own_volume, cloud, kind)) for cloud in clouds]
        try:
            theirs = [_measured(functools.partial(_peer_volume, cloud, peer)) for cloud in clouds]
        except Unavailable as reason:
            console.print(f"  trimesh: {reason}")
            return
        faster, smaller = (np.array(theirs) / np.array(own)).T
        rows.append([kind, f"{np.median(faster):.1f}x", f"{np.median(smaller):.3f}x"])
        rows[-1].append(f"{smaller.min():.3f}x")
        findings.sections[f"{kind} against trimesh"] = {"own": own, "trimesh": theirs}
        name = f"volume of trimesh's {kind} / Ligament's, where that is least"
        findings.goals.append(Goal(name, float(smaller.min()), 0.99, True))
    columns = ["kind", "trimesh's time", "trimesh's volume", "the least of them"]
    print_table(f"Around {extent.clouds} random clouds, in units of Ligament's", columns, rows)


def _cloud(seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    count = int(10 ** rng.uniform(1, 3))
    return np.asarray(rng.normal(size=(count, 3)) * 10 ** rng.uniform(-1, 0, 3))


def _timed(points: Floats, kind: str) -> Answer:
    start = time.perf_counter()
    fit(points, kind=kind)
    return {"fit": time.perf_counter() - start}


def _edited(surface: Mesh, kind: str) -> Answer:
    document = Document({"asset": {"version": "2.0"}, "nodes": [{"scale": [2, 2, 2]}]})
    document.json["nodes"][0]["mesh"] = append_collider_mesh(document, surface)
    editor = Editor(document)
    start = time.perf_counter()
    editor.add_collider(0, kind)
    return {"fit": time.perf_counter() - start}


def _measured(volume: Callable[[], float]) -> tuple[float, float]:
    start = time.perf_counter()
    result = volume()
    return time.perf_counter() - start, result


def _own_volume(points: Floats, kind: str) -> float:
    return solid(fit(points, kind=kind).shape).volume


def _peer_volume(points: Floats, name: str) -> float:
    try:
        import trimesh
    except ImportError as fault:
        raise Unavailable(str(fault)) from None
    return float(getattr(trimesh.PointCloud(points).convex_hull, name).volume)
