"""Round trips from an uploaded capture to the API's answer."""

from __future__ import annotations

from typing import Any

from backend.api.tests.running_product import Product
from backend.services import chart_round_trips
from workers.decode.round_trips.tests.echoes import echo
from workers.decode.tests.capture_bytes import pcap


def _capture(echoes: int = 100) -> bytes:
    """Echoes every 10 ms; those from 400 to 520 ms are answered at the end of that time."""
    asked = [(10 * n, n) for n in range(echoes)]
    answers = [(520 if 400 <= at < 520 else at + 1, n) for at, n in asked]
    packets = [echo(at, n, ip_id=n + 1) for at, n in asked] + [echo(at, n, back=True) for at, n in answers]
    return pcap(sorted(packets, key=lambda packet: packet[0]))


def test_samples_are_paged_filtered_and_know_their_stall(shared_product: Product) -> None:
    product = shared_product
    with product.client() as client:
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


def test_the_chart_tells_samples_and_groups(shared_product: Product) -> None:
    product = shared_product
    with product.client() as client:
        address = f"/investigations/{product.new_investigation()}"
        client.put(f"{address}/files/a.pcap", content=_capture()).raise_for_status()
        assert product.wait_until_over(address.rpartition("/")[2])["analysis"] == "finished"

        def ask(path: str, **parameters: str | int | list[str]) -> dict[str, Any]:
            found = client.get(f"{address}/rtt/{path}", params=parameters).raise_for_status().json()
            return dict(found)

        chart = ask("chart")
        (series,) = chart["series"]
        assert (chart["mode"], chart["pairs_total"], series["samples"], series["held"]) == (
            "samples",
            1,
            100,
            12,
        )
        assert series["points"]["group"].count(-1) == 88
        assert chart["groups"] == [{"finding": "rtt-backlog-1", "instance": 1}]
        assert ask("chart", kind=["SYN"])["series"] == []
        narrow = ask("chart", **{"from": 400_000_000, "to": 509_000_000})["series"][0]
        assert (narrow["in_window"], len(narrow["points"]["t"])) == (11, 11)
        assert client.get(f"{address}/rtt/chart", params={"from": 5, "to": 5}).status_code == 400
        (group,) = ask("groups")["items"]
        assert (group["samples"], group["longest_ms"], group["flows_stalled"]) == (12, 120.0, 1)
        assert group["t"] == 400_000_000
        share = ask("groups/rtt-backlog-1/1")
        assert (share["held"], share["sent"], [kind["kind"] for kind in share["kinds"]]) == (
            12,
            12,
            ["ICMP echo"],
        )
        assert client.get(f"{address}/rtt/groups/rtt-backlog-1/2").status_code == 404


def test_of_many_samples_the_spread_is_told_and_each_that_was_held(shared_product: Product) -> None:
    product = shared_product
    with product.client() as client:
        address = f"/investigations/{product.new_investigation()}"
        many = chart_round_trips.SAMPLES_LIMIT + 1
        client.put(f"{address}/files/a.pcap", content=_capture(many)).raise_for_status()
        assert product.wait_until_over(address.rpartition("/")[2])["analysis"] == "finished"
        answer = client.get(f"{address}/rtt/chart", params={"px": 300}).raise_for_status().json()
        (series,) = answer["series"]
        assert answer["mode"] == "ranges"
        assert sum(series["ranges"]["count"]) == many
        assert series["points"]["group"] == [0] * 12
        assert max(series["ranges"]["high_ms"]) == 120.0
        near = {"from": 0, "to": 1_000_000_000, "px": 300}
        assert client.get(f"{address}/rtt/chart", params=near).json()["mode"] == "samples"
