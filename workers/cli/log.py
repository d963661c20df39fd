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
        # Looked up for each line: whoever puts another stream in its place gets the log, too.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
