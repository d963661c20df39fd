"""Every route, every kind of caller, every sort of strange address: none gives more than the plain one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from backend.access.browser_sign_ins import begin_sign_in
from backend.access.manage_members import add_member
from backend.access.prepare import prepare_sign_in
from backend.access.rights import ROLE_GIVES, SCOPE_GIVES, Need, Role, Scope
from backend.access.rules import RULES
from backend.access.tokens import issue_token
from backend.api.app import create_app
from backend.api.event_broadcaster import EventBroadcaster
from backend.api.plain_addresses import PlainAddresses, is_plain
from backend.api.tests.guarded_server import PASSWORD
from backend.api.tests.in_process import Reply, ask
from backend.api.tests.running_product import Product
from backend.services.share_investigation import ShareOptions, begin_session, share_investigation
from backend.settings import Settings
from backend.storage.records import ShareView
from backend.storage.store import Store, open_store

CONTROLS = [*map(chr, [*range(0x20), *range(0x7F, 0xA0)]), "\u2028", "\u2029"]
STRANGE = ["%2F", "%2e%2e%2F", "/../", "%252F", "//", ";a=b", "%20", "%EF%BB%BF"]
"""Encoded slashes and dots, once and twice; parameters; blanks that are no controls."""
MEMBER, TOKEN, OTHERS = "ann-the-hidden", "token-the-hidden", "somebody-elses-label"
SHARED = "/api/v1/shared/{share_id}/"
LINKS = (
    "redacted",
    "redacted, one finding",
    "redacted, one view",
    "redacted, frozen",
    "everything",
    "everything, frozen, with a password",
    "everything of one finding",
    "everything of one view",
)


@dataclass(frozen=True)
class World:
    """One server that asks for sign-in over one analyzed investigation."""

    store: Store
    app: FastAPI
    values: dict[str, str]
    callers: dict[str, dict[str, str]]
    """Headers of each kind of caller."""
    may: dict[str, frozenset[Need]]
    links: dict[str, tuple[str, dict[str, str]]]
    """(id, headers) of each kind of link."""
    private: tuple[str, ...]
    """What no redacted answer may hold."""
    others: tuple[str, ...]
    """What no link at all may show."""
    known: dict[str, list[str]]
    """Path parameter -> values that there are, and one that there is not at the end."""

    def fill(self, template: str, **values: str) -> str:
        """The plain address."""
        return re.sub(r"\{(\w+)\}", lambda found: {**self.values, **values}[found[1]], template)


@pytest.fixture(scope="module")
def world(product: Product) -> Iterator[World]:
    with product.client() as client:
        investigation = client.post("/demo", json={"name": "ipvs-reuse"}).raise_for_status().json()["id"]
        assert product.wait_until_over(investigation)["analysis"] == "finished"
        client.patch(f"/investigations/{investigation}", json={"label": "label-the-hidden"})
        rows = client.get(f"/investigations/{investigation}/connections?limit=1000").json()["items"]
        files = client.get(f"/investigations/{investigation}/files").json()["items"]
        findings = client.get(f"/investigations/{investigation}/findings").json()["items"]
        finding = findings[0]["id"]
        client.post("/investigations", json={"label": OTHERS})
    settings = {"data": product.data, "database_url": "", "host": "0.0.0.0", "admin_password": PASSWORD}
    store = open_store(Settings.model_validate(settings), migrate=False)
    prepare_sign_in(store)
    ends = {row[end].rpartition(":")[0] for row in rows for end in ("client", "server") if row[end]}
    capture = next(each["id"] for each in files if each["kind"] == "capture")
    others = (OTHERS, MEMBER, TOKEN, "# HELP")
    callers, may = _callers(store)
    app = create_app(store)
    app.state.broadcaster = EventBroadcaster(store)
    yield World(
        store,
        app,
        {
            **dict.fromkeys(re.findall(r"\{(\w+)\}", " ".join(RULES)), "ab"),
            "investigation_id": investigation,
            "finding_id": finding,
            "file_id": capture,
            **dict.fromkeys(("cid", "rid", "number", "instance"), "1"),
        },
        callers,
        may,
        _links(store, investigation, finding),
        (*(ends - {""}), *(each["name"] for each in files), "label-the-hidden", *others),
        others,
        {
            "finding_id": [*(each["id"] for each in findings), "no-such-finding"],
            "finding": [*(each["id"] for each in findings), "no-such-finding"],
            "file_id": [*(each["name"] for each in files), *(each["id"] for each in files), "f" * 16],
            "cid": [*(str(row["cid"]) for row in rows[::50]), "999999"],
            "rid": ["0", "1", "999999"],
            "number": ["1", "2", "50", "999999"],
            "instance": ["0", "1", "999999"],
        },
    )
    store.close()


def _callers(store: Store) -> tuple[dict[str, dict[str, str]], dict[str, frozenset[Need]]]:
    callers: dict[str, dict[str, str]] = {"stranger": {}}
    may: dict[str, frozenset[Need]] = {"stranger": frozenset({Need.OPEN})}
    for role in Role:
        member = add_member(store, f"{MEMBER} {role}", role).member
        callers[role] = {"cookie": f"stallscope={begin_sign_in(store, member.id)}"}
        may[role] = ROLE_GIVES[role]
    for scope in Scope:
        token = issue_token(store, f"{TOKEN} {scope}", scope, expires_days=1, member_id=None).text
        callers[f"{scope} token"] = {"authorization": f"Bearer {token}"}
        may[f"{scope} token"] = SCOPE_GIVES[scope]
    return callers, may


def _links(store: Store, investigation: str, finding: str) -> dict[str, tuple[str, dict[str, str]]]:
    view = ShareView(0, 10**9, "", ())
    everything = ShareOptions(1, addresses="real", payload="headers", with_notes=True, show_title=True)
    wishes = {
        "redacted": ShareOptions(1),
        "redacted, one finding": ShareOptions(1, finding_id=finding),
        "redacted, one view": ShareOptions(1, view=view),
        "redacted, frozen": ShareOptions(1, shows="frozen"),
        "everything": everything,
        "everything, frozen, with a password": replace(everything, shows="frozen", password="correct horse"),
        "everything of one finding": replace(everything, finding_id=finding),
        "everything of one view": replace(everything, view=view),
    }
    found = {}
    for kind, options in wishes.items():
        made = share_investigation(store, investigation, options)
        _, token = begin_session(store, made.share.id, made.secret, options.password or None)
        found[kind] = (made.share.id, {"x-stallscope-share": token})
    return found


def twisted(world: World, template: str, what: str, **values: str) -> list[str]:
    """The plain address with something at the first, a middle and the last place of it and of each parameter."""
    plain = world.fill(template, **values)
    middle = plain.index("/", 1) if "/" in plain[1:] else len(plain) // 2
    found = [f"/{what}{plain[1:]}", plain[:middle] + what + plain[middle:], plain + what]
    for name in re.findall(r"\{(\w+)\}", template):
        value = {**world.values, **values}[name]
        half = len(value) // 2
        for put in (what + value, value[:half] + what + value[half:], value + what):
            found.append(world.fill(template, **{**values, name: put}))
    return found


@pytest.mark.parametrize("character", CONTROLS)
def test_every_control_character_is_found_plain_and_encoded_twice_or_thrice(character: str) -> None:
    encoded = "".join(f"%{byte:02X}" for byte in character.encode())
    for put in (encoded, encoded.lower(), quote(encoded), quote(quote(encoded))):
        assert not is_plain("/", f"/a{put}".encode())
    assert not is_plain(f"/{character}", b"/")
    assert not is_plain("/", b"/%85")  # a line end in Latin-1


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/files/a b.pcap", "/näme", "/À", "/100%25", "/a%2Fb", "/👍", "/\u202e"]
)
def test_other_characters_are_not(path: str) -> None:
    assert is_plain(path, quote(path).encode())


async def _control_replies(world: World, app: FastAPI) -> list[tuple[str, str, Reply]]:
    found = []
    turn = cycle(CONTROLS)
    everybody = {**world.callers, **{kind: headers for kind, (_, headers) in world.links.items()}}
    for route in RULES:
        method, _, template = route.partition(" ")
        for caller, headers in everybody.items():
            share = world.links[caller][0] if caller in world.links else "ab"
            for address in twisted(world, template, quote(next(turn), safe=""), share_id=share):
                found.append((caller, address, await ask(app, method, address, headers)))
    return found


@pytest.mark.promise("An address with a control character is refused before anything else reads it.")
async def test_addresses_with_control_characters_are_refused(world: World) -> None:
    replies = await _control_replies(world, world.app)
    assert len(replies) > 4_000
    assert {reply.status for _, _, reply in replies} == {400}


@pytest.mark.promise("Behind a share link no form of an address gives an answer that is not redacted.")
@pytest.mark.parametrize(
    "kind", [LINKS[0], *(pytest.param(kind, marks=pytest.mark.long) for kind in LINKS[1:])]
)
@pytest.mark.parametrize("guarded", [True, False], ids=["", "even if control characters passed"])
async def test_no_strange_address_takes_the_rules_off_a_link(world: World, kind: str, guarded: bool) -> None:
    app = world.app if guarded else without_first_guard(world.store)
    share, headers = world.links[kind]
    private = world.private if kind.startswith("redacted") else world.others
    answered = 0
    for template in (route.removeprefix("GET ") for route in RULES if route.startswith(f"GET {SHARED}")):
        addresses = [world.fill(template, share_id=share)]
        for what in STRANGE if guarded else ("%0A", "%0D", "%C2%85", "%E2%80%A8"):
            addresses += twisted(world, template, what, share_id=share)
        for address in addresses:
            reply = await ask(app, "GET", address, headers)
            assert not [each for each in private if each in reply.text], (address, reply.text[:200])
            answered += reply.status == 200
    assert answered > 10


@pytest.mark.promise("What a link to one part leaves out is answered like what never was.")
@pytest.mark.parametrize("kind", [kind for kind in LINKS if " one " in kind])
async def test_what_a_link_leaves_out_looks_like_what_never_was(world: World, kind: str) -> None:
    share, headers = world.links[kind]
    compared = 0
    for route in RULES:
        method, _, template = route.partition(" ")
        for name in re.findall(r"\{(\w+)\}", template) if template.startswith(SHARED) else ():
            *known, absent = world.known.get(name, [""])
            expected = await _told_of(world, route, headers, {"share_id": share, name: absent})
            for value in known:
                told = await _told_of(world, route, headers, {"share_id": share, name: value})
                assert told[0] == 200 or told == expected, (method, template, value)
                compared += told[0] != 200
    assert compared > 10


async def _told_of(
    world: World, route: str, headers: dict[str, str], values: dict[str, str]
) -> tuple[int, str, list[tuple[str, str]]]:
    method, _, template = route.partition(" ")
    plain = {name: quote(value, safe="") for name, value in values.items()}
    query = "?part=events" if template.endswith("/rows") else ""
    reply = await ask(world.app, method, world.fill(template, **plain) + query, headers)
    return reply.status, reply.text, reply.headers


def without_first_guard(store: Store) -> FastAPI:
    """The application as if control characters passed its first middleware."""
    app = create_app(store)
    first = app.user_middleware.pop(0)
    assert PlainAddresses.__name__ in repr(first)
    return app


@pytest.mark.promise("Strange forms of an address open nothing that its plain form refuses.")
@pytest.mark.parametrize(
    "guarded",
    [
        pytest.param(True, marks=pytest.mark.long, id=""),
        pytest.param(False, id="even if control characters passed"),
    ],
)
async def test_who_is_refused_at_an_address_is_refused_at_its_strange_forms(
    world: World, guarded: bool
) -> None:
    app = world.app if guarded else without_first_guard(world.store)
    strange = STRANGE if guarded else ["%0A", "%C2%85", "%E2%80%A9"]
    for route, asks in RULES.items():
        method, _, template = route.partition(" ")
        for caller, headers in world.callers.items():
            if asks.need in world.may[caller]:
                continue
            for what in strange:
                for address in twisted(world, template, what):
                    reply = await ask(app, method, address, headers)
                    is_page = method == "GET" and reply.kind.startswith("text/html")
                    assert reply.status >= 400 or is_page, (caller, method, address, reply.text[:200])
                    assert not [each for each in world.private if each in reply.text], (caller, address)


@pytest.mark.promise(
    "A route answers only what the middleware has judged; below a link, only with the link's rules."
)
async def test_no_route_answers_without_a_verdict(world: World) -> None:
    app = create_app(world.store)
    app.user_middleware.clear()
    for route in RULES:
        method, _, template = route.partition(" ")
        reply = await ask(app, method, world.fill(template), world.links["redacted"][1])
        assert reply.status == 404, (route, reply.text[:200])


NUMBERS = ["word", "1e3", "-1", str(2**63), "1" + "0" * 5000]
"""For numbers: none, and too large for 64 bits."""
TEXTS = ["..", "x" * 300, "'", "%F0%9F%98%80"]


@dataclass(frozen=True)
class Asked:
    """One parameter of one route, from the published description."""

    route: str
    name: str
    place: str
    values: tuple[str, ...]

    def address(self, world: World, value: str) -> str:
        """Of the route with this value for the parameter; the others have good ones, or none."""
        template = self.route.partition(" ")[2]
        if self.place == "path":
            return world.fill(template, **{self.name: value})
        return f"{world.fill(template)}?{self.name}={value}"


def asked_of(app: FastAPI) -> list[Asked]:
    """Every parameter of a path or a query."""
    return [
        Asked(
            f"{method.upper()} {template}",
            parameter["name"],
            parameter["in"],
            tuple(NUMBERS if "integer" in str(parameter["schema"]) else TEXTS),
        )
        for template, methods in app.openapi()["paths"].items()
        for method, described in methods.items()
        for parameter in described.get("parameters", ())
        if parameter["in"] in ("path", "query")
    ]


@pytest.mark.promise(
    "Malformed ids, words for numbers and numbers of any size are refused, and never an error of ours."
)
@pytest.mark.long
async def test_no_value_of_any_parameter_is_an_error_of_ours(world: World) -> None:
    wrong = []
    for asked in asked_of(world.app):
        method, _, template = asked.route.partition(" ")
        # Of those who may, the least: what is an admin's is not looked at before it is changed.
        lesser = (who for who in ("viewer", "analyst", "admin") if RULES[asked.route].need in world.may[who])
        headers = world.callers[next(lesser)]
        share = world.links["redacted"]
        if template.startswith(SHARED):
            headers = share[1]
        for value in asked.values:
            address = asked.address(world, quote(value, safe="%"))
            if template.startswith(SHARED) and asked.name != "share_id":
                address = address.replace("/shared/ab/", f"/shared/{share[0]}/")
            if template.endswith("/events"):
                address = address.replace(world.values["investigation_id"], "ab")
            reply = await ask(world.app, method, address, headers)
            if reply.status >= 500:
                wrong.append((asked, value[:30], reply.text[:200]))
    assert wrong == []
