"""Many files: one command on each, in a pool of processes or on a cluster."""

from ligament.batch.commands import perform
from ligament.batch.motions import PairOptions, retarget_all
from ligament.batch.options import (
    BakeOptions,
    CheckOptions,
    ConvertOptions,
    RetargetOptions,
    SimulateOptions,
)
from ligament.batch.run import batch
from ligament.callable_module import make_callable
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

make_callable(__name__, batch)
