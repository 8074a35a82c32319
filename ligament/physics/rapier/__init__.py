"""Rapier: the engine that moves the bodies. Nothing else in the library imports it."""
