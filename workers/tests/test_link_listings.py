"""What a report quotes of listings, behind a link that hides names: not even names made of this program's own words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backend.api.tests.running_product import Product, running_product
from backend.api.tests.share_links import opened, share

NAMES = ("default/search", "edge/gateway", "metrics/silent-probe", "hidden-server", "shared-window")
RULES = """\
*filter
:KUBE-SERVICES - [0:0]
[7:420] -A KUBE-SERVICES -d 10.26.251.99/32 -p tcp -m comment \
--comment "default/search:http has no endpoints" -m tcp --dport 8089 -j REJECT
[9:540] -A KUBE-EXTERNAL-SERVICES -p tcp -m comment \
--comment "edge/gateway:http has no local endpoints" -m tcp --dport 30080 -j DROP
COMMIT
"""
FLOWS = """\
Jun 22 14:24:00.345: metrics/silent-probe:39932 -> edge/gateway:15020 Policy denied DROPPED (TCP Flags: SYN)
Jun 22 14:24:01.345: metrics/silent-probe:39932 -> edge/gateway:15020 Policy denied DROPPED (TCP Flags: SYN)
"""
LOG = """\
E0802 07:11:42.123456       1 main.go:310] Failed to find interface of hidden-server shared-window: timeout
"""
PLACES = ("investigation", "report", "report?format=markdown", "report?format=sarif", "report?format=junit",
          "report/outline", "report/findings", "findings", "diagnoses", "timeline")  # fmt: skip


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running


@pytest.mark.promise("What a report quotes of a listing shows no name behind a link that hides names.")
@pytest.mark.parametrize("text", [RULES, FLOWS, LOG], ids=["rules", "flows", "log"])
def test_no_quoted_listing_shows_a_name(product: Product, text: str) -> None:
    id_ = product.new_investigation("quoted")
    with product.client() as client:
        client.put(f"/investigations/{id_}/files/listing.txt", content=text.encode()).raise_for_status()
        assert product.wait_until_over(id_)["analysis"] == "finished"
        own = client.get(f"/investigations/{id_}/report").text
        assert any(name in own for name in NAMES), "the owner sees the names, or this test shows nothing"
        made = share(client, id_)
    with opened(product, made, id_) as link:
        for place in PLACES:
            answer = link.client.get(f"{link.prefix}/{place}").raise_for_status().text
            assert not [name for name in NAMES if name in answer], place
