"""Forked processes: they do not have the threads that the engine shares, and a step never ends.

A worker of `multiprocessing` forked from a process that had stepped a rope never returned.
"""

from __future__ import annotations

import contextlib
import os
import weakref

import rapier3d as rp


class _Worlds:
    """The worlds in use by what steps them, and whether their process lost the engine's threads."""

    def __init__(self) -> None:
        self.current: weakref.WeakKeyDictionary[object, rp.PhysicsWorld]
        self.current = weakref.WeakKeyDictionary()
        self.has_lost_threads = False
        self.has_started = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.leave_threads)

    def leave_threads(self) -> None:
        """Step all worlds on the calling thread from now on."""
        self.has_lost_threads = self.has_started
        for world in list(self.current.values()):
            with contextlib.suppress(RuntimeError):  # another thread was stepping it
                world.set_num_threads(1)


_WORLDS = _Worlds()


def survive_forks(owner: object, world: rp.PhysicsWorld) -> None:
    """Let a world go on in forks of this process; `owner` is what steps it."""
    _WORLDS.has_started = True
    _WORLDS.current[owner] = world
    if _WORLDS.has_lost_threads:
        world.set_num_threads(1)
