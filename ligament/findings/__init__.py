"""Findings and the table of their codes, below everything that reports them."""

from ligament.findings.codes import CODES, FAMILIES, NOT_PLAYED, finding
from ligament.findings.finding import SEVERITIES, Code, Finding, Severity

__all__ = [
    "CODES",
    "FAMILIES",
    "NOT_PLAYED",
    "SEVERITIES",
    "Code",
    "Finding",
    "Severity",
    "finding",
]
