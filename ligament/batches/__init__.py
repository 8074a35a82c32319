"""Many files: one command on each, in a pool of processes or on a cluster."""

from ligament.batches.pairs import Pairs
from ligament.batches.plan import Plan, perform
from ligament.batches.run import batch, retarget_all
from ligament.jobs.report import BatchReport, Summary
from ligament.jobs.task import Entry, Output, Status, Task

__all__ = [
    "BatchReport",
    "Entry",
    "Output",
    "Pairs",
    "Plan",
    "Status",
    "Summary",
    "Task",
    "batch",
    "perform",
    "retarget_all",
]
