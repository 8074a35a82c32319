"""The checker: reports every violated requirement. Never raises on bad content, never edits."""

from ligament.callable_module import make_callable
from ligament.check.check import check
from ligament.check.report import Issue, Report

__all__ = ["Issue", "Report", "check"]

make_callable(__name__, check)
