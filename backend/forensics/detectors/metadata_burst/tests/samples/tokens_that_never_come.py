"""Positive. Answers to token requests (v2) never reach the pod; after a second the SDK asks without a token.

The second is botocore's metadata_service_timeout; that the requests are acknowledged and not answered is how a hop
limit of 1 looks from a pod (aws-sdk-java issue 2792, aws-sdk-go issue 2972).
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_http import IMDS, POD, TOKEN, HttpBuilder, load_credentials
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 9)


def build() -> Facts:
    http = HttpBuilder()
    for n in range(3):
        at_ms = 100 + 20_000 * n
        http.exchange(at_ms, f"{POD}:{41_000 + n}", IMDS, TOKEN, took_ms=None)
        load_credentials(http, at_ms + 1_002, caller=f"{POD}:{42_000 + n}", left_s=21_600)
    return gather_facts([http.build()], [])
