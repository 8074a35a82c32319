"""Contents of a file at a glance: extensions, animations, constraints, springs, physics."""

from ligament.summary.documents import Summary, summarize
from ligament.summary.physics import PhysicsSummary, summarize_physics
from ligament.summary.recordings import RecordingSummary, summarize_recording

__all__ = [
    "PhysicsSummary",
    "RecordingSummary",
    "Summary",
    "summarize",
    "summarize_physics",
    "summarize_recording",
]
