"""What a file holds, gathered for a person or a program to read at a glance."""

from ligament.summary.contents import Summary, summarize
from ligament.summary.physics import PhysicsSummary, TriggerSummary, summarize_physics

__all__ = ["PhysicsSummary", "Summary", "TriggerSummary", "summarize", "summarize_physics"]
