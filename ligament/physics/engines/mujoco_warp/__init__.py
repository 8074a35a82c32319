"""MuJoCo Warp: many worlds of one scene on a GPU, stepped together."""

from __future__ import annotations

from ligament.physics.engines.mujoco_warp.worlds import WarpWorlds

__all__ = ["WarpWorlds"]
