"""Many files: one command on each, in a pool of processes or on a cluster."""

from ligament.batches.commands import perform
from ligament.batches.motions import PairOptions, retarget_all
from ligament.batches.options import (
    BakeOptions,
    CheckOptions,
    ConvertOptions,
    RetargetOptions,
    SimulateOptions,
)
from ligament.batches.run import batch
from ligament.jobs.report import BatchReport, Summary
from ligament.jobs.task import Entry, Output, Status, Task

__all__ = [
    "BakeOptions",
    "BatchReport",
    "CheckOptions",
    "ConvertOptions",
    "Entry",
    "Output",
    "PairOptions",
    "RetargetOptions",
    "SimulateOptions",
    "Status",
    "Summary",
    "Task",
    "batch",
    "perform",
    "retarget_all",
]
