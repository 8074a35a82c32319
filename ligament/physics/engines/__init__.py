"""Engines: the names that callers choose from."""

ENGINES = ("rapier",)
"""Names of engines, the default first."""

QUALITIES = ("fast", "balanced", "exact")
"""Names of qualities, from the cheapest to the most accurate."""
