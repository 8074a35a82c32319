"""Moments of the live viewer's player, one after the other."""

from collections.abc import Iterator

from ligament.recording import frame_times
from ligament.viewer.player import Moment, Player


def played_moments(player: Player, seconds: float) -> Iterator[Moment]:
    """Play for a number of seconds and yield every frame, including the start."""
    for frame in range(len(frame_times(seconds, player.sim.rate))):
        if frame:
            player.step()
        yield player.moment()
