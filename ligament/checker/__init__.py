"""The checker: reports every violated requirement. Never raises on bad content, never edits."""

from ligament.checker.check import check
from ligament.checker.report import Issue, Report

__all__ = ["Issue", "Report", "check"]
