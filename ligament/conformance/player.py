"""This library as the judged program: plays cases and writes recordings of all nodes."""

from __future__ import annotations

import dataclasses
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ligament.baking.motion import recorded
from ligament.conformance.suite import Entry
from ligament.files import write_atomic
from ligament.gltf import Document, load
from ligament.gltf.tree import NodeTree
from ligament.options.names import ENGINES, Quality
from ligament.play import simulate
from ligament.recording import Recording
from ligament.rig import Humanoid, load_motion
from ligament.rig.retarget import retarget


@dataclasses.dataclass(frozen=True)
class Player:
    """An engine and a quality to play cases with."""

    engine: str = ENGINES[0]
    quality: Quality = "exact"

    def __call__(self, entry: Entry, output: Path) -> None:
        """Play a case and write its recording."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = load(entry.file)
            recording = self._played(entry, document)
        write_atomic(output, [json.dumps(plain_recording(document, recording)).encode()])

    def _played(self, entry: Entry, document: Document) -> Recording:
        run = entry.case["run"]
        if entry.motion is not None:
            frames = round(run["seconds"] * run["rate"]) + 1
            times = np.arange(frames) / run["rate"]
            pose = retarget(load_motion(entry.motion), Humanoid(document), times)
            return recorded(document, pose, None)
        return simulate(
            document,
            seconds=run["seconds"],
            rate=run["rate"],
            gravity=run["gravity"],
            engine=self.engine,
            quality=self.quality,
        )


def plain_recording(document: Document, recording: Recording) -> dict[str, Any]:
    """Return world poses of all nodes, and events, in the format of the suite."""
    tree = NodeTree(document)
    frames, moved = len(recording.times), recording.local_nodes
    translation = np.repeat(tree.translation[None], frames, axis=0)
    rotation = np.repeat(tree.rotation[None], frames, axis=0)
    scale = np.repeat(tree.scale[None], frames, axis=0)
    translation[:, moved] = recording.local_translation
    rotation[:, moved] = recording.local_rotation
    scale[:, moved] = recording.local_scale
    world = tree.world_transforms(translation, rotation, scale)
    places, turns = np.array(world.translation), np.array(world.rotation)
    places[:, recording.nodes] = recording.translation
    turns[:, recording.nodes] = recording.rotation
    return {
        "times": recording.times.tolist(),
        "nodes": list(range(len(tree))),
        "translation": places.tolist(),
        "rotation": turns.tolist(),
        "events": [event.to_dict() for event in recording.events],
    }
