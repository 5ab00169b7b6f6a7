"""Reports: cards, charts, text and verdicts in one HTML file that is final only when checked."""

from capital_kit.reports._check import Finding, ReportCheck
from capital_kit.reports._report import Report

__all__ = ["Finding", "Report", "ReportCheck"]
