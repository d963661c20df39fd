"""The collector: one shell script that a node runs, configured by what hurts and where."""

from __future__ import annotations

from backend.services.collector.script import FORMS, Choices, Form, collector

__all__ = ["FORMS", "Choices", "Form", "collector"]
