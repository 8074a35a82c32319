"""Many files: one command on each, in a pool of processes or on a cluster."""

from ligament.batches.motions import PairOptions, retarget_all
from ligament.batches.plan import Plan, perform
from ligament.batches.run import batch
from ligament.jobs.report import BatchReport, Summary
from ligament.jobs.task import Entry, Output, Status, Task

__all__ = [
    "BatchReport",
    "Entry",
    "Output",
    "PairOptions",
    "Plan",
    "Status",
    "Summary",
    "Task",
    "batch",
    "perform",
    "retarget_all",
]
