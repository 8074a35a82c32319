"""Tables of extension objects: one row per member, and everything that follows from the rows.

The package knows no extension; its README says how to write a table.
"""
