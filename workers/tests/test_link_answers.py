"""Every answer that a link which hides names can get: all routes, kinds of links and captures, and nothing private."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import pytest

from backend.api.tests.running_product import DEMO, Product, running_product
from backend.api.tests.share_links import Link, opened, share
from backend.services.redaction.own_words import is_ordinary
from backend.services.visible_names import visible_name
from workers.decode.tests.hostile_captures import COMMENT, INTERFACE, NAMES, hostile, packets_of, texts_of

PASSWORD = "correct horse"
LABEL = "acme payroll, node-7"
SESSION = "/api/v1/shared/{share_id}/session"
Asked = Callable[["Known"], Iterator[str]]


@dataclass(frozen=True)
class Case:
    """An investigation, and the texts that its links may not show."""

    id: str
    private: frozenset[str]


@dataclass
class Known:
    """What a viewer has learned from the answers so far, by which the other addresses are asked."""

    files: list[str]
    findings: list[str]
    frames: list[tuple[str, int]]
    connections: list[int]
    requests: list[int]
    tables: list[tuple[str, int, str]]
    instances: list[tuple[str, int]]


def plain(*queries: str) -> Asked:
    """The address itself, and with each of these queries."""

    def asked(known: Known) -> Iterator[str]:
        del known
        yield from ("", *(f"?{query}" for query in queries))

    return asked


def of_findings(path: str) -> Asked:
    return lambda known: (path.format(quote(each)) for each in known.findings)


QUESTIONS: dict[str, Asked] = {
    "investigation": plain(),
    "notes": plain(),
    "files": plain(),
    "files/{file_id}/lines": lambda known: (f"{quote(name)}/lines" for name in known.files),
    "report": plain("format=markdown", "format=sarif", "format=junit", "format=unheard-of"),
    "report/outline": plain(),
    "report/findings": plain("offset=1&limit=1"),
    "report/findings/{finding_id}": of_findings("{}"),
    "report/findings/{finding_id}/rows": lambda known: (
        f"{quote(each)}/rows?part={part}"
        for each in known.findings
        for part in ("affected", "events", "0", "1")
    ),
    "findings": plain(),
    "findings/{finding_id}": of_findings("{}"),
    "diagnoses": plain(),
    "timeline": plain("group=pod", "group=connection", "px=4000&gaps=0"),
    "timeline.svg": plain("theme=dark&w=0~1000000000", "finding=syn-retransmission-1", "w=x"),
    "rtt.svg": plain("w=0~1000000000"),
    "connections": plain(
        "limit=2", "sort=packets&order=desc", "q=10.77", "sort=client", "outcome=unanswered", "limit=x"
    ),
    "connections/{cid}/ladder.svg": lambda known: (f"{cid}/ladder.svg" for cid in known.connections[:4]),
    "connections/{cid}": lambda known: (str(cid) for cid in [*known.connections[:4], 10**6]),
    "packets": plain("limit=3", "flags=SYN", "filter=tcp", "filter=ip.addr%3D%3D10.77.3.9", "q=ann"),
    "packets/suggestions": plain("text=http.host%3D%3D", "text=ip.addr%20==%20", "text=dns"),
    "packets/rail": plain("filter=tcp"),
    "packets/place": lambda known: (f"?input={quote(name)}&frame={n}" for name, n in known.frames[:3]),
    "frames/{file_id}/{number}": lambda known: (f"{quote(name)}/{n}" for name, n in known.frames),
    "requests": plain("limit=2", "sort=wait_ms&order=desc", "q=salaries", "method=GET", "line=GET%20/x"),
    "requests/shapes": plain(),
    "requests/{rid}/breakdown.svg": lambda known: (f"{rid}/breakdown.svg" for rid in known.requests[:4]),
    "requests/{rid}": lambda known: (str(rid) for rid in [*known.requests[:4], 10**6]),
    "rtt": plain("limit=2", "sort=rtt_ms&order=desc", "prober=10.77.3.9"),
    "rtt/chart": plain("px=100"),
    "names": plain(),
    "rtt/groups": plain(),
    "rtt/groups/{finding}/{instance}": lambda known: (
        f"{quote(each)}/{n}" for each, n in known.instances[:2]
    ),
    "dumps": plain(),
    "dumps/series": plain(),
    "dumps/{file_id}/{number}/{table}": lambda known: (
        f"{quote(name)}/{number}/{quote(table)}" for name, number, table in known.tables
    ),
}
"""Route below a link -> what is asked of it. A route without parameters that is not here is asked as it is; any other
fails the test: say how it is asked."""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """One for all links."""
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running


class Cases(dict[str, Case]):
    """The captures: hostile names, credentials, and a race in SNAT with its dumps. Each is analyzed when asked for."""

    def __init__(self, product: Product) -> None:
        super().__init__()
        self._product = product

    def __missing__(self, name: str) -> Case:
        case = self._hostile() if name == "hostile" else self._demonstration(name)
        assert self._product.wait_until_over(case.id)["analysis"] == "finished"
        with self._product.client() as client:
            said = {"text": f"Ask {NAMES[0]} why.", "author": "Jane"}
            client.post(f"/investigations/{case.id}/notes", json=said).raise_for_status()
        self[name] = case
        return case

    def _hostile(self) -> Case:
        written = hostile()
        id_ = self._product.new_investigation(LABEL)
        with self._product.client() as client:
            for name, content in written.files.items():
                at = f"/investigations/{id_}/files/{quote(name, safe='')}"
                client.put(at, content=content).raise_for_status()
        return Case(id_, written.private | {LABEL, *map(visible_name, written.files)})

    def _demonstration(self, name: str) -> Case:
        with self._product.client() as client:
            id_ = client.post("/demo", json={"name": name}).json()["id"]
            client.patch(f"/investigations/{id_}", json={"label": LABEL}).raise_for_status()
        return Case(id_, frozenset(_private_of(name) | {LABEL}))


@pytest.fixture(scope="module")
def cases(product: Product) -> Cases:
    return Cases(product)


def _private_of(demo: str) -> set[str]:
    files = [
        path for path in (DEMO / demo).rglob("*") if path.is_file() and path.suffix not in (".json", ".py")
    ]
    found = {path.name for path in files}
    for path in files:
        if ".pcap" in path.name:
            found |= texts_of(packets_of(path))
    return found


LINKS: dict[str, dict[str, Any]] = {
    "all": {"notes": True},
    "all, frozen": {"shows": "frozen"},
    "finding": {"finding": "", "shows": "frozen", "notes": True},
    "view": {"view": {"from": 0, "to": 2 * 10**9}},
    "words shown": {"payload": "headers"},
}
FURTHER_LINKS: dict[str, dict[str, Any]] = {
    "password, chat preview": {"password": PASSWORD, "show_title": True},
    "finding, chat preview": {"finding": "", "show_title": True},
    "view, frozen, narrowed": {
        "view": {"from": 0, "to": 2 * 10**9, "filter": "tcp.flags.syn == 1"},
        "shows": "frozen",
    },
    "addresses shown": {"addresses": "real"},
    "everything": {"addresses": "real", "payload": "headers", "notes": True, "show_title": True},
}
ADDRESS = re.compile(r"[\d.-]+(?::\d+)?|[0-9a-f:]+|[0-9a-f]+(?:-[0-9a-f]*){2,7}")
FILE_NAME = re.compile(r".*\.(?:txt|pcapng|pcap\.gz)")


def hidden_by(options: dict[str, Any], case: Case, other: Case) -> frozenset[str]:
    """What no answer to a link with these options may hold."""
    if options.get("addresses") != "real":
        if options.get("payload") != "headers":
            return case.private
        return frozenset(
            each for each in case.private if ADDRESS.fullmatch(each) or FILE_NAME.fullmatch(each)
        )
    if options.get("payload") == "headers":
        return other.private - case.private - {NAMES[0]}  # which the owner's note holds
    named = {LABEL, INTERFACE, "acme dump"}
    return frozenset(
        each
        for each in case.private
        if not (ADDRESS.fullmatch(each) or FILE_NAME.fullmatch(each) or each in named)
    )


@pytest.mark.promise(
    "No answer behind a share link that hides names holds an address, a name, a path or a file's name."
)
@pytest.mark.parametrize(
    "kind", [*LINKS, *(pytest.param(kind, marks=pytest.mark.long) for kind in FURTHER_LINKS)]
)
@pytest.mark.parametrize(
    "capture",
    ["hostile", *(pytest.param(name, marks=pytest.mark.long) for name in ("imds-burst", "snat-race"))],
)
def test_no_answer_that_a_link_can_get_holds_anything_private(
    product: Product, cases: Cases, capture: str, kind: str
) -> None:
    case, options = cases[capture], dict({**LINKS, **FURTHER_LINKS}[kind])
    with product.client() as client:
        if "finding" in options:
            findings = client.get(f"/investigations/{case.id}/findings").json()["items"]
            assert findings
            options["finding"] = findings[0]["id"]
        made = share(client, case.id, **options)
    other = cases["snat-race" if capture == "hostile" else "hostile"]
    private = hidden_by(options, case, other)
    needles = [each.casefold() for each in private if len(each) > 3 and not is_ordinary(each)]
    assert len(needles) > 10 or capture != "hostile"
    with opened(product, made, case.id, options.get("password")) as link:
        answered = 0
        for address in [
            *pages_of(product, made["id"]),
            *(f"{link.prefix}/{place}" for place in asked_of(link)),
        ]:
            answer = link.client.get(address)
            place = address.removeprefix(f"{link.prefix}/")
            assert answer.status_code < 500, (place, answer.text[:500])
            answered += answer.is_success
            shown = "\n".join(spelled(answer.text, answer.headers.get("content-type", ""))) + str(
                answer.headers
            )
            found = [each for each in needles if each in shown]
            assert not found, (place, found[:3], *(around(shown, each) for each in found[:2]))
        assert answered > 15


def pages_of(product: Product, share_id: str) -> list[str]:
    """What chats fetch."""
    return [f"{product.address}/s/{share_id}{rest}" for rest in ("", "/timeline", "/preview.png")]


def around(text: str, needle: str) -> str:
    at = text.index(needle)
    return text[max(0, at - 80) : at + 120]


def spelled(text: str, media_type: str) -> Iterator[str]:
    """The text as it is, and as who reads it would write it."""
    folded = text.casefold()
    yield folded
    yield unquote(folded)
    yield folded.replace("\\", "")
    if "json" in media_type:
        yield "\n".join(strings_of(json.loads(text))).casefold()


def strings_of(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield key
            yield from strings_of(value)
    elif isinstance(content, list):
        for value in content:
            yield from strings_of(value)
    elif isinstance(content, str):
        yield content


def asked_of(link: Link) -> Iterator[str]:
    """Every address below the link, of every route that there is."""
    api = str(link.client.base_url).removesuffix("/").removesuffix("/api/v1")
    paths = link.client.get(f"{api}/api/openapi.json").json()["paths"]
    routes = [path for path, verbs in paths.items() if "/shared/{" in path and "get" in verbs]
    assert [path for path, verbs in paths.items() if "/shared/{" in path and "get" not in verbs] == [SESSION]
    below = {path.partition("{share_id}/")[2] for path in routes}
    assert {route for route in below if "{" in route} <= set(QUESTIONS), (
        "say in QUESTIONS how a route is asked"
    )
    known = learned(link)
    for route, asked in {**dict.fromkeys(below, plain()), **QUESTIONS}.items():
        stem = route.partition("{")[0].rstrip("/")
        for rest in asked(known):
            yield f"{stem}{rest}" if rest.startswith("?") or not rest else f"{stem}/{rest}"
    for listed in ("packets", "connections", "requests", "rtt"):
        answer = link.get(listed, limit=2)
        cursor = answer.json().get("next_cursor") if answer.is_success else None
        if cursor:
            yield f"{listed}?limit=1000&cursor={quote(cursor)}"


def learned(link: Link) -> Known:
    """By asking the lists."""

    def items(place: str) -> list[dict[str, Any]]:
        answer = link.get(place)
        found: list[dict[str, Any]] = answer.json()["items"] if answer.is_success else []
        return found

    packets, findings = items("packets"), items("findings")
    proof = [(e["input"], n) for f in findings for e in f["evidence"] for n in e["frames"][:2]]
    seen = [(each["input"], each["frame"]) for each in packets[:40:8]]
    return Known(
        files=[each["name"] for each in items("files")],
        findings=[each["id"] for each in findings],
        frames=[*seen, *proof][:12],
        connections=[each["cid"] for each in items("connections")],
        requests=[each["rid"] for each in items("requests")],
        tables=[
            (each["input"], each["number"], table["name"])
            for each in items("dumps")
            for table in each["tables"]
        ],
        instances=[(each["finding"], each["instance"]) for each in items("rtt/groups")],
    )


def test_the_hostile_texts_are_in_what_the_owner_sees(product: Product, cases: Cases) -> None:
    """So that their absence behind links says something."""
    with product.client() as client:
        own = f"/investigations/{cases['hostile'].id}"
        seen = "".join(
            client.get(f"{own}/{place}").text
            for place in ("report", "packets?limit=1000", "requests", "files")
        )
    assert "printer (2nd floor)" in seen
    assert "/salaries(2026),q3/list" in seen
    assert "Wi-Fi (5 GHz)" in seen
    assert COMMENT not in seen


@pytest.mark.promise(
    "Behind a link that hides names no filter, order or word of a question tells what is hidden."
)
@pytest.mark.parametrize(
    "question",
    [
        *(
            "connections?q=10.77.3.9",
            "connections?q=10.99.99.99",
            "connections?sort=client",
            "packets?q=payroll",
        ),
        *(
            "packets?address=10.77.3.9",
            "packets?address=10.99.99.99",
            "packets?filter=ip.addr%3D%3D10.77.3.9",
        ),
        *(
            "requests?q=salaries",
            "requests?method=SECRET",
            "rtt?prober=10.77.3.9",
            "requests?responder=10.77.4.20",
        ),
        *("packets?lane=eth0%230", "packets?filter=dns.qry.name%20contains%20%22ann%22"),
    ],
)
def test_a_guess_is_refused_whether_it_is_right_or_wrong(
    product: Product, cases: Cases, question: str
) -> None:
    with product.client() as client:
        made = share(client, cases["hostile"].id)
    with opened(product, made, cases["hostile"].id) as link:
        assert link.client.get(f"{link.prefix}/{question}").status_code == 400


@pytest.mark.promise("Two links to one investigation have no names in common.")
def test_two_links_share_no_names(product: Product, cases: Cases) -> None:
    shown: list[set[str]] = []
    for _ in range(2):
        with product.client() as client:
            made = share(client, cases["snat-race"].id)
        with opened(product, made, cases["snat-race"].id) as link:
            text = link.get("report").text + link.get("connections", limit=1000).text
            assert text == link.get("report").text + link.get("connections", limit=1000).text
            shown.append(set(re.findall(r"\b(?:pod|server|client|host|capture|dump)-\d{6,}\b", text)))
    assert min(map(len, shown)) > 5
    # Of some 30 names with six digits one pair in a thousand runs is alike by chance.
    assert len(shown[0] & shown[1]) <= 1
