"""Work on worlds that goes wrong on purpose."""

import os
import time

from ligament.batches import Entry, Task
from ligament.worlds.run import play_worlds
from ligament.worlds.simulator import WorldsOptions

DEADLY = 5


def deadly(task: Task) -> Entry:
    """End the process at one world."""
    assert isinstance(task.options, WorldsOptions)
    if task.options.first <= DEADLY < task.options.last:
        os._exit(9)
    return play_worlds(task)


def slow(task: Task) -> Entry:
    """Take a while, so that there is time to kill somebody."""
    time.sleep(0.2)
    return play_worlds(task)
