"""Many files: one function for each, in a pool of processes or on a cluster."""

from ligament.batch.datasets import Column, create_dataset
from ligament.batch.entries import Entry, Output, Status, Task
from ligament.batch.many_worlds import WorldsReport, worlds
from ligament.batch.motions import PairOptions, retarget_all
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
from ligament.callable_module import make_callable

__all__ = [
    "BakeOptions",
    "BatchReport",
    "CheckOptions",
    "Column",
    "ConvertOptions",
    "Entry",
    "Output",
    "PairOptions",
    "RetargetOptions",
    "SimulateOptions",
    "Status",
    "Summary",
    "Task",
    "WorldsReport",
    "batch",
    "create_dataset",
    "perform",
    "retarget_all",
    "worlds",
]

make_callable(__name__, batch)
