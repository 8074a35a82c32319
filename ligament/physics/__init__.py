"""Rigid-body physics: the scene that a file declares, and the engines that simulate it."""
