"""Many files: one function for each, in a pool of processes or on a cluster."""

from ligament.batch.entries import Entry, Output, Status, Task
from ligament.batch.options import (
    BakeOptions,
    CheckOptions,
    ConvertOptions,
    RetargetOptions,
    SimulateOptions,
)
from ligament.batch.perform import perform
from ligament.batch.reports import BatchReport, Summary
from ligament.batch.run import batch

__all__ = [
    "BakeOptions",
    "BatchReport",
    "CheckOptions",
    "ConvertOptions",
    "Entry",
    "Output",
    "RetargetOptions",
    "SimulateOptions",
    "Status",
    "Summary",
    "Task",
    "batch",
    "perform",
]
