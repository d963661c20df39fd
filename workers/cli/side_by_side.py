"""Decodes several captures at the same time, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from backend.errors import StallscopeError
from backend.limits import Limits
from workers.cli.evidence_files import EvidenceFile
from workers.decode.reading import DecodeProgress
from workers.pipeline import ingest_file
from workers.sandbox import Access, ChildDied, ChildPool, Notify, child_work


def read_in_children(
    files: Sequence[tuple[EvidenceFile, Path]],
    limits: Limits,
    *,
    cores: int,
    progress: Callable[[DecodeProgress], None],
) -> list[Exception | None]:
    """Each file into its folder of tables, `cores` at a time; by file why it could not be read."""
    children = ChildPool(cores, limits, works=(ingest_in_child,))

    def notified(news: object) -> None:
        progress(news)  # type: ignore[arg-type]  # all that ingest_in_child reports

    def read(each: tuple[EvidenceFile, Path]) -> Exception | None:
        file, tables = each
        tables.mkdir(parents=True, exist_ok=True)
        path = file.path.absolute()
        try:
            children.run(
                ingest_in_child,
                (path, file.name, tables, file.host, file.captured_at_ns, limits),
                notify=notified,
                is_wanted=lambda: True,
                access=Access(read=(path,), write=(tables,)),
            )
        except (StallscopeError, ChildDied, OSError) as error:
            return error
        return None

    try:
        with ThreadPoolExecutor(cores) as threads:
            return list(threads.map(read, files))
    finally:
        children.close()


@child_work(news=DecodeProgress)
def ingest_in_child(
    path: Path,
    name: str,
    folder: Path,
    host: str | None,
    captured_at_ns: int | None,
    limits: Limits,
    notify: Notify,
) -> None:
    """The child's part."""

    def progress(reached: DecodeProgress) -> None:
        notify(reached)

    ingest_file(
        path,
        name=name,
        folder=folder,
        host=host,
        captured_at_ns=captured_at_ns,
        keep_packets=False,
        progress=progress,
        limits=limits,
    )
