"""Options: each is declared once, in the group that it belongs to.

Command lines, batches, Python functions and pages of the documentation are made from them. The
package imports nothing heavy.
"""
