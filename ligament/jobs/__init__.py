"""Tasks run in worker processes, on this machine or on a Dask cluster; see README.md."""
