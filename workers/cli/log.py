"""The log of the server and the worker: lines on standard error."""

from __future__ import annotations

import sys

import structlog


def log_to_stderr() -> None:
    """Plain tracebacks: those that show variables would write addresses, tokens and packets into the log."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
