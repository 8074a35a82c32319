"""Data sets for learning: tables of arrays that grow, as Zarr, Parquet or .npz."""

from ligament.datasets.columns import TEXT, Column, Store, Table
from ligament.datasets.dataset import check_dataset, create_dataset

__all__ = ["TEXT", "Column", "Store", "Table", "check_dataset", "create_dataset"]
