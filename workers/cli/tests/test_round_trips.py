"""Round trips from an uploaded capture to the API's answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backend.api.tests.running_product import running_product
from workers.decode.round_trips.tests.echoes import echo
from workers.decode.tests.capture_bytes import pcap


def _capture() -> bytes:
    """Echoes every 10 ms; those from 400 to 520 ms are answered at the end of that time."""
    asked = [(10 * n, n) for n in range(100)]
    answers = [(520 if 400 <= at < 520 else at + 1, n) for at, n in asked]
    packets = [echo(at, n, ip_id=n + 1) for at, n in asked] + [echo(at, n, back=True) for at, n in answers]
    return pcap(sorted(packets, key=lambda packet: packet[0]))


def test_samples_are_paged_filtered_and_know_their_stall(tmp_path: Path) -> None:
    with running_product(tmp_path) as product, product.client() as client:
        address = f"/investigations/{product.new_investigation()}"
        client.put(f"{address}/files/a.pcap", content=_capture()).raise_for_status()
        assert product.wait_until_over(address.rpartition("/")[2])["analysis"] == "finished"

        def ask(**parameters: str | int) -> dict[str, Any]:
            page: dict[str, Any] = client.get(f"{address}/rtt", params=parameters).raise_for_status().json()
            return page

        first = ask(limit=60)
        rest = ask(limit=60, cursor=first["next_cursor"])
        assert [row["sid"] for row in first["items"] + rest["items"]] == list(range(100))
        assert (first["total"], rest["next_cursor"]) == (100, None)
        held = ask(finding="rtt-backlog-1")
        assert [row["rtt_ms"] for row in held["items"]] == [120.0 - 10 * n for n in range(12)]
        assert {row["instance"] for row in held["items"]} == {1}
        assert ask(**{"from": 400_000_000, "to": 509_000_000})["total"] == 11
        assert ask(kind="syn")["total"] == 0
        assert ask(sort="rtt_ms", order="desc", limit=1)["items"][0]["rtt_ms"] == 120.0
