"""`stallscope demo`: serve, with the bundled demonstrations loaded."""

from __future__ import annotations

import argparse

from workers.cli.serve import add_arguments as add_serve_arguments

NAME = "demo"
HELP = "serve, with the bundled demonstration investigations loaded"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: those of `serve`."""
    add_serve_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until asked to stop."""
    from workers.cli.serve import serve

    return serve(arguments, with_demo=True)
