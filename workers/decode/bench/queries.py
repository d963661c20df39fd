"""``python -m workers.decode.bench.queries``: how long a running product takes to answer about 10 M packets.

Each kind of question is asked with many random values, over one kept connection to `stallscope serve`, and timed from
the first byte asked to the last one read.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from workers.decode.bench.measure import measure
from workers.decode.bench.served import Answer, Served, served

_WINDOWS: Final = (
    ("whole", None), ("100 s", 100_000), ("10 s", 10_000), ("1 s", 1_000), ("400 ms", 400), ("100 ms", 100),
    ("40 ms", 40), ("10 ms", 10), ("1 ms", 1),
)  # fmt: skip
_COLUMNS: Final = (
    "start", "end", "duration", "protocol", "client", "client_port", "server", "server_port", "connect_ms", "tries",
    "outcome", "nat_client", "nat_server", "bytes", "client_bytes", "server_bytes", "packets", "findings",
)  # fmt: skip
_PAGE: Final = 100

Ask = Callable[[], Answer]


@dataclass(frozen=True)
class Question:
    """A kind of question, and each of its instances."""

    what: str
    target_ms: int | None
    asks: Sequence[Ask]


@dataclass(frozen=True)
class Subject:
    """What can be asked about."""

    product: Served
    chance: random.Random
    rounds: int
    connections: int
    span_ns: int
    file: str

    def times(self, make: Callable[[], Ask]) -> list[Ask]:
        """That many instances."""
        return [make() for _ in range(self.rounds)]

    def asking(self, path: str, **parameters: Any) -> Ask:
        """One question, not asked yet."""
        return lambda: self.product.ask(path, **parameters)

    def window(self, width_ms: int) -> dict[str, int]:
        """A random one of that width; at its most the whole."""
        width_ns = min(width_ms * 1_000_000, self.span_ns)
        begin = self.chance.randrange(max(1, self.span_ns - width_ns))
        return {"from": begin, "to": begin + width_ns}


def _subject(product: Served, rounds: int) -> Subject:
    whole = product.ask("timeline").body
    listed = product.ask("connections", limit=1).body
    files = product.ask("files").body["items"]
    return Subject(product, random.Random(1), rounds, listed["total"], whole["span"]["to"], files[0]["name"])


def _timelines(subject: Subject) -> Iterator[Question]:
    for name, width_ms in _WINDOWS:
        if width_ms is None:
            yield Question(f"timeline, {name}", 150, subject.times(lambda: subject.asking("timeline")))
            continue
        asks = subject.times(lambda w=width_ms: subject.asking("timeline", **subject.window(w)))  # type: ignore[misc]
        yield Question(f"timeline, {name}", 150, asks)


def _one_thing(subject: Subject) -> Iterator[Question]:
    chance, count = subject.chance, subject.connections
    one = subject.times(lambda: subject.asking(f"connections/{chance.randrange(count)}"))
    yield Question("one connection", 50, one)
    total = subject.product.ask("packets", offset=0, limit=1).body["total"]
    frame = subject.times(lambda: subject.asking(f"frames/{subject.file}/{chance.randrange(1, total + 1)}"))
    yield Question("one frame", None, frame)
    place = subject.times(
        lambda: subject.asking("packets/place", input=subject.file, frame=chance.randrange(1, total + 1))
    )
    yield Question("place of a frame in the list", None, place)


def _packet_pages(subject: Subject) -> Iterator[Question]:
    chance = subject.chance
    row = subject.product.ask("connections", limit=1, cursor=subject.connections // 2).body["items"][0]
    client, server = row["client"], row["server"]
    half = subject.span_ns // 2
    filters: dict[str, dict[str, Any]] = {
        "no filter": {},
        "flags SYN,!ACK": {"flags": "SYN,!ACK"},
        "an address of many": {"address": client},
        "an address of few": {"address": server},
        "a port": {"port": row["client_port"]},
        "a text": {"q": f"{client}:{row['client_port']}"},
        "a connection": {"cid": subject.connections // 2},
        "a tenth of the time": {"from": half, "to": half + subject.span_ns // 10},
    }
    for name, options in filters.items():
        total = subject.product.ask("packets", offset=0, limit=1, **options).body["total"]
        last = max(0, total - _PAGE)
        places = [0, last // 2, last] * max(1, subject.rounds // 6)
        places += [chance.randrange(last + 1) for _ in range(subject.rounds // 2)]
        asks = [subject.asking("packets", offset=at, limit=_PAGE, **options) for at in places]
        yield Question(f"packets, {name} ({total:,})", 300, asks)
        if total > 2 * _PAGE:
            follow = subject.times(lambda w=options: subject.asking("packets", limit=_PAGE, **w))  # type: ignore[misc]
            yield Question(f"packets, {name}, by cursor", 300, follow)


def _connection_lists(subject: Subject) -> Iterator[Question]:
    pages = (0, subject.connections // 2, max(0, subject.connections - _PAGE))
    for column in _COLUMNS:
        asks = [
            subject.asking("connections", sort=column, order=order, cursor=page, limit=_PAGE)
            for order in ("asc", "desc")
            for page in pages * max(1, subject.rounds // 6)
        ]
        yield Question(f"connections by {column}", 200, asks)
    text = subject.times(lambda: subject.asking("connections", q=f":{subject.chance.randrange(1024, 60000)}"))
    yield Question("connections with a text", 200, text)
    part = subject.times(lambda: subject.asking("connections", outcome="established", sort="connect_ms"))
    yield Question("connections with an outcome", 200, part)


def _the_rest(subject: Subject) -> Iterator[Question]:
    yield Question("findings", None, subject.times(lambda: subject.asking("findings")))
    yield Question("diagnoses", None, subject.times(lambda: subject.asking("diagnoses")))
    yield Question("report", None, subject.times(lambda: subject.asking("report")))
    for sort in ("sent", "rtt_ms"):
        asks = subject.times(lambda s=sort: subject.asking("rtt", sort=s, order="desc"))  # type: ignore[misc]
        yield Question(f"round trips by {sort}", 300, asks)
    part = subject.times(lambda: subject.asking("rtt", **subject.window(10_000)))
    yield Question("round trips of 10 s", 300, part)
    yield Question("requests", 300, subject.times(lambda: subject.asking("requests", sort="wait_ms")))


def _row(question: Question) -> str:
    # Once before: what is kept for a folder's first question is not what is measured.
    question.asks[0]()
    answers = [ask() for ask in question.asks]
    walls = sorted(answer.wall_s * 1000 for answer in answers)
    p50, p95 = (walls[min(len(walls) - 1, int(len(walls) * part))] for part in (0.5, 0.95))
    cpu_ms = sum(answer.cpu_s for answer in answers) / len(answers) * 1000
    largest_kb = max(answer.bytes for answer in answers) / 1000
    marks = max((len(answer.body.get("marks") or ()) for answer in answers), default=0)
    target = "" if question.target_ms is None else str(question.target_ms)
    return (
        f"| {question.what} | {len(answers)} | {target} | {p50:.0f} | {p95:.0f} | {cpu_ms:.0f} | {largest_kb:,.0f} "
        f"| {marks or ''} |"
    )


def bench(capture: Path, data: Path, rounds: int) -> list[str]:
    """Asks everything; lines of Markdown."""
    rows = [
        "| question | asked | target ms | p50 ms | p95 ms | server CPU ms | largest answer kB | most marks |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with served(data) as product:
        product.open(capture)
        subject = _subject(product, rounds)
        for kind in (_timelines, _one_thing, _packet_pages, _connection_lists, _the_rest):
            for question in kind(subject):
                print(f"Asking: {question.what} …", file=sys.stderr, flush=True)  # noqa: T201
                rows.append(_row(question))
    return rows


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m workers.decode.bench.queries", description=__doc__)
    parser.add_argument("--folder", type=Path, help="keeps the capture and its analysis for the next run")
    parser.add_argument("--packets", type=int, default=10_000_000)
    parser.add_argument("--traffic", choices=("long", "short", "scan"), default="long")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        name = (
            f"{options.packets}.pcap"
            if options.traffic == "long"
            else f"{options.traffic}-{options.packets}.pcap"
        )
        capture, data = folder / name, folder / f"{name}.data"
        if not capture.exists():
            generator = "workers.decode.bench.generate"
            measure([sys.executable, "-m", generator, str(capture), str(options.packets), options.traffic])
        print("\n".join(bench(capture, data, options.rounds)))  # noqa: T201


if __name__ == "__main__":
    main()
