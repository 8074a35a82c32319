"""Comparison of documents by their meaning."""

from ligament.author.diff.changes import Change, Differences
from ligament.author.diff.comparison import diff

__all__ = ["Change", "Differences", "diff"]
