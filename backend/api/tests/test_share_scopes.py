"""Links of one scope, asked for everything else: every address of the published description, other ids, other times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from backend.api.tests.running_product import Product
from backend.api.tests.share_links import Link, opened, share

Investigation = tuple[str, dict[str, Any]]
"""Its id and its report."""


@pytest.fixture(scope="module")
def investigation(product: Product) -> Investigation:
    with product.client() as client:
        made = client.post("/demo", json={"name": "ipvs-reuse"}).json()["id"]
        product.wait_until_over(made)
        return made, client.get(f"/investigations/{made}/report").json()


@pytest.fixture(scope="module")
def other(product: Product) -> str:
    """Another investigation, with a dump."""
    made = product.new_investigation("another one")
    with product.client() as client:
        client.put(f"/investigations/{made}/files/stats.txt", content=b"cpu=0 found=1 insert_failed=3\n")
    return made


def find_packets(product: Product, investigation: str, **query: Any) -> list[dict[str, Any]]:
    with product.client() as client:
        answer = client.get(f"/investigations/{investigation}/packets", params={"limit": 1000, **query})
        found: list[dict[str, Any]] = answer.raise_for_status().json()["items"]
        return found


def window_of(product: Product, investigation: Investigation) -> dict[str, int]:
    """A stretch in the middle that holds some packets, and leaves more on both sides."""
    rows = find_packets(product, investigation[0])
    return {"from": rows[200]["t"], "to": rows[400]["t"]}


@pytest.fixture(scope="module")
def view(product: Product, investigation: Investigation) -> Iterator[tuple[Link, dict[str, int]]]:
    """A link to a stretch of time, with real addresses, and that stretch."""
    window = window_of(product, investigation)
    with product.client() as client:
        made = share(client, investigation[0], addresses="real", payload="headers", view=window)
    with opened(product, made, investigation[0]) as link:
        yield link, window


def test_a_link_to_a_finding_opens_nothing_else(product: Product, investigation: Investigation) -> None:
    findings = investigation[1]["findings"]
    own, other = findings[0], findings[-1]
    assert own["id"] != other["id"]
    with product.client() as client:
        made = share(client, investigation[0], addresses="real", finding=own["id"])
    with opened(product, made, investigation[0]) as link:
        report = link.get("report").json()
        assert [each["id"] for each in report["findings"]] == [own["id"]]
        assert all(own["id"] in each["findings"] for each in report["diagnoses"])
        assert {mark["finding"] for mark in link.get("timeline").json()["marks"]} <= {own["id"]}
        groups = link.get("timeline", group="connection").json()["lanes"]
        assert {found for lane in groups for found in lane["findings"]} == {own["id"]}
        assert link.get(f"findings/{own['id']}").status_code == 200
        proof = own["evidence"][0]
        assert link.get(f"frames/{quote(proof['input'])}/{proof['frames'][0]}").status_code == 200
        proven = {n for found in findings for each in found["evidence"] for n in each["frames"]}
        strange = next(n for n in range(1, 10_000) if n not in proven)
        rows = link.items("connections", limit=1000)
        assert rows
        assert all(row["finding_ids"] == [own["id"]] for row in rows)
        for place in (
            *(f"findings/{other['id']}", "packets", "packets/place?input=a&frame=1", "requests", "rtt"),
            *("dumps", "dumps/series", "packets/rail", "packets/suggestions", "files/uname-r.txt/lines"),
            f"frames/{quote(proof['input'])}/{strange}",
        ):
            assert link.client.get(f"{link.prefix}/{place}").status_code == 404, place
        everything = "".join(
            link.get(place).text for place in ("report", "investigation", "findings", "diagnoses")
        )
        assert other["title"] not in everything
        assert other["summary"] not in everything
        # What a detector took of memory tells whether it found something.
        assert investigation[1]["timings"]
        assert report["timings"] == []
        assert link.get("investigation").json()["share_count"] == 0


def test_a_view_lists_the_packets_of_its_window_and_no_other(
    product: Product, investigation: Investigation, view: tuple[Link, dict[str, int]]
) -> None:
    link, window = view
    own = find_packets(product, investigation[0], **window)
    rows = link.items("packets", limit=1000)
    assert rows == own
    wide = {"from": 0, "to": 2**52}
    assert link.items("packets", limit=1000, **wide) == own
    assert link.items("packets", limit=1000, filter="tcp || !tcp") == own
    assert link.items("packets", limit=1000, within="frame.number > 0") == own
    assert link.get("packets", offset=0, **wide).json()["total"] == len(own)
    for query in ({}, wide, {"px": 1}, {"group": "pod", "gaps": 0, "fold": "0~1000"}):
        shown = link.get("timeline", **query).json()
        assert shown["gaps"] == []
        assert (shown["from"], shown["to"]) == (window["from"], window["to"])
        assert sum(sum(lane["packets"]) for lane in shown["lanes"]) == len(own)
        assert all(window["from"] <= packet["t"] < window["to"] for packet in shown["packets"])
    for row in link.items("connections", limit=1000):
        packets = link.get(f"connections/{row['cid']}").json()["packets"]
        assert all(window["from"] <= packet["t_rel_ns"] < window["to"] for packet in packets)


def test_a_frame_outside_the_view_is_as_absent_as_one_that_is_not_there(
    product: Product, investigation: Investigation, view: tuple[Link, dict[str, int]]
) -> None:
    link, window = view
    inside = find_packets(product, investigation[0], **window)[0]
    before = find_packets(product, investigation[0], to=window["from"])[-1]
    after = find_packets(product, investigation[0], **{"from": window["to"]})[0]
    name = quote(inside["input"])
    assert link.get(f"frames/{name}/{inside['frame']}").status_code == 200
    assert link.get("packets/place", input=inside["input"], frame=inside["frame"]).json()["offset"] >= 0
    refusals = set()
    for input_name, frame in (
        *((row["input"], row["frame"]) for row in (before, after)),
        (inside["input"], 10**9),
        ("nothing.pcap", 1),
    ):
        for answer in (
            link.get(f"frames/{quote(input_name)}/{frame}"),
            link.get("packets/place", input=input_name, frame=frame),
        ):
            assert answer.status_code == 404
            refusals.add(answer.text)
    assert len(refusals) == 1
    cids = {row["cid"] for row in link.items("connections", limit=1000)}
    all_of_them = investigation_cids(product, investigation[0])
    outside = next(cid for cid in all_of_them if cid not in cids)
    assert link.get(f"connections/{outside}").status_code == 404
    assert link.get("connections/99999999").status_code == 404


def investigation_cids(product: Product, investigation: str) -> list[int]:
    with product.client() as client:
        rows = client.get(f"/investigations/{investigation}/connections", params={"limit": 1000}).json()[
            "items"
        ]
        return [row["cid"] for row in rows]


def test_a_view_with_a_filter_and_lanes_shows_what_passes_both(
    product: Product, investigation: Investigation
) -> None:
    window = window_of(product, investigation)
    lane = next(each["id"] for each in investigation[1]["lanes"] if each["captured"])
    wanted = {"filter": "tcp.flags.syn == 1", "lanes": [lane]}
    own = find_packets(product, investigation[0], **window, filter=wanted["filter"], lane=lane)
    assert 0 < len(own) < len(find_packets(product, investigation[0], **window))
    with product.client() as client:
        made = share(client, investigation[0], addresses="real", payload="headers", view={**window, **wanted})
    with opened(product, made, investigation[0]) as link:
        frames = [(row["input"], row["frame"]) for row in own]
        # A filter that would close the brackets around the view's own, were they joined as text.
        for query in ({}, {"filter": "tcp || !tcp"}, {"filter": "frame.number > 0) || (frame.number > 0"}):
            answer = link.get("packets", limit=1000, **query)
            assert (
                answer.status_code == 422
                or [(e["input"], e["frame"]) for e in answer.json()["items"]] == frames
            )
        shown = link.get("timeline").json()
        assert [each["id"] for each in shown["lanes"]] == [lane]
        assert sum(shown["lanes"][0]["packets"]) == len(own)
        inputs = link.get("report").json()["inputs"]
        assert {point["id"] for part in inputs for point in part["vantage_points"]} == {lane}
        missed = next(
            row for row in find_packets(product, investigation[0], **window) if "SYN" not in row["flags"]
        )
        assert link.get(f"frames/{quote(missed['input'])}/{missed['frame']}").status_code == 404
        for place in (
            "connections",
            "connections/1",
            "requests",
            "requests/shapes",
            "rtt",
            "rtt/chart",
            "dumps",
        ):
            assert link.get(place).status_code == 404, place
        # Mistakes in names of places are answered with the places there are.
        for text in ("lane == x", "file == x", "finding == Z", "missing == x"):
            assert link.get("packets", filter=text).status_code == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"from": 5, "to": 5},
        {"from": 9, "to": 5},
        {"filter": "tcp) || (tcp"},
        {"filter": "no.such.field == 1"},
        {"lanes": ["nowhere#9"]},
    ],
)
def test_a_view_that_shows_nothing_is_refused(
    product: Product, investigation: Investigation, wrong: dict[str, Any]
) -> None:
    with product.client() as client:
        answer = client.post(f"/investigations/{investigation[0]}/shares", json={"view": wrong})
        assert answer.status_code in (400, 422), answer.text


def test_no_address_of_the_description_opens_another_investigation(
    product: Product, investigation: Investigation, other: str, view: tuple[Link, dict[str, int]]
) -> None:
    """Every method and path below a link, with ids of another investigation, of its files, and none at all."""
    link, _ = view
    description = link.client.get(f"{product.address}/api/openapi.json").json()["paths"]
    below = [path.partition("{share_id}/")[2] for path in description if "/shared/{share_id}/" in path]
    assert len(below) > 20
    with product.client() as client:
        own_file = client.get(f"/investigations/{other}/files").json()["items"][0]
        second = share(client, other, addresses="real", payload="headers")
    for value in (own_file["id"], own_file["name"], "1"):
        for path in below:
            if path == "session":
                continue
            for name in ("file_id", "finding_id", "finding", "cid", "rid", "number", "instance", "table"):
                path = path.replace(f"{{{name}}}", value)
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"):
                answer = link.client.request(method, f"{link.prefix}/{path}")
                assert method == "GET" or answer.status_code in (403, 404, 405), (method, path)
                assert "another one" not in answer.text
                assert own_file["id"] not in answer.text.replace(value, "")
    # The token of one link opens no other link.
    assert link.client.get(f"/shared/{second['id']}/investigation").status_code == 403


def test_notes_show_where_they_were_ticked_and_belong(product: Product, investigation: Investigation) -> None:
    finding = investigation[1]["findings"][0]["id"]
    texts = {"at the time": {"from": 1000}, "of the finding": {"finding": finding}, "of all": {}}
    with product.client() as client:
        for text, about in texts.items():
            client.post(
                f"/investigations/{investigation[0]}/notes", json={"text": text, **about}
            ).raise_for_status()

        def noted(**options: Any) -> list[str] | int:
            made = share(client, investigation[0], **options)
            with opened(product, made, investigation[0]) as link:
                answer = link.get("notes")
                return (
                    [note["text"] for note in answer.json()["items"]]
                    if answer.is_success
                    else answer.status_code
                )

        assert noted() == 404
        assert noted(notes=True) == list(texts)
        assert noted(notes=True, finding=finding) == ["of the finding"]
        assert noted(notes=True, view={"from": 0, "to": 1001}) == ["at the time"]
        assert noted(notes=True, view={"from": 1001, "to": 2000}) == []
        assert noted(notes=True, view={"from": 0, "to": 1001}, finding=finding) == [
            "at the time",
            "of the finding",
        ]


def test_a_note_shows_no_name_of_a_pod_that_only_a_listing_holds(product: Product) -> None:
    listing = """NAME                    READY  STATUS   RESTARTS  AGE  IP          NODE
ledger-7d4b9c-xk2lp     1/1    Running  0         4d   10.77.3.9   worker-1
"""
    made = product.new_investigation("pods")
    with product.client() as client:
        client.put(f"/investigations/{made}/files/pods.txt", content=listing.encode()).raise_for_status()
        assert product.wait_until_over(made)["analysis"] == "finished"
        said = {"text": "ledger-7d4b9c-xk2lp is slow."}
        client.post(f"/investigations/{made}/notes", json=said).raise_for_status()
        for addresses in ("names", "real"):
            with opened(product, share(client, made, notes=True, addresses=addresses), made) as link:
                text = link.items("notes")[0]["text"]
                assert text.endswith(" is slow.")
                assert ("ledger" in text) == (addresses == "real")


def test_words_of_messages_show_where_that_was_chosen(product: Product) -> None:
    with product.client() as client:
        made = client.post("/demo", json={"name": "imds-burst"}).json()["id"]
        product.wait_until_over(made)
        seen: dict[tuple[str, str], str] = {}
        for addresses in ("names", "real"):
            for payload in ("removed", "headers"):
                with opened(product, share(client, made, addresses=addresses, payload=payload), made) as link:
                    seen[addresses, payload] = _everything(link)
                    guess = link.get("requests", q="_search").status_code
                    assert guess == (200 if (addresses, payload) == ("real", "headers") else 400)
    for (addresses, payload), text in seen.items():
        assert ("/v1/ads" in text) == ("_search" in text) == (payload == "headers"), (addresses, payload)
        assert ("172.18." in text) == ("app-eth0" in text) == (addresses == "real"), (addresses, payload)
        assert "wJalr" not in text


def _everything(link: Link) -> str:
    places = (
        "report",
        "requests?limit=1000",
        "requests/shapes",
        "requests/1",
        "packets?limit=1000",
        "timeline",
        "rtt",
    )
    answers: list[httpx.Response] = [link.client.get(f"{link.prefix}/{place}") for place in places]
    capture = next(file["name"] for file in link.items("files") if file["kind"] == "capture")
    answers += [link.get(f"frames/{quote(capture)}/{n}") for n in range(1, 60)]
    assert all(answer.is_success for answer in answers[: len(places)])
    return "".join(answer.text for answer in answers)
