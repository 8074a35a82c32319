"""Data sets for learning: tables of arrays that grow, as Zarr, Parquet or .npz."""

from ligament.batch.datasets.columns import TEXT, Column
from ligament.batch.datasets.stores import Store, Table
from ligament.batch.datasets.writing import check_dataset, create_dataset

__all__ = ["TEXT", "Column", "Store", "Table", "check_dataset", "create_dataset"]
