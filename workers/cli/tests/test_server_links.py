"""Links to a server as sides of a comparison: what is sent to it, what it answers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from backend.api.tests.running_product import Product
from backend.client import Problem
from backend.forensics.comparison.tests.build_report import report
from workers.cli.compare_subjects import read_subject
from workers.cli.main import main


class _Answers(BaseHTTPRequestHandler):
    """One report behind a secret; one redirect."""

    def do_GET(self) -> None:
        if self.path == "/api/v1/investigations/aa/report" or (
            self.path == "/api/v1/shared/bb/report" and self.headers["X-Stallscope-Share"] == "open"
        ):
            self._answer(200, report().model_dump_json(by_alias=True))
        elif self.path == "/api/v1/investigations/cc/report":
            self.send_response(302)
            self.send_header("Location", "/api/v1/investigations/aa/report")
            self.end_headers()
        else:
            self._answer(404, json.dumps({"detail": "There is no such investigation."}))

    def _answer(self, status: int, body: str) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_arguments: object) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    listening = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_the_report_behind_a_link_is_fetched_and_the_secret_is_not_shown(server: str) -> None:
    assert read_subject(f"{server}/i/aa").report.label == "run"
    shared = read_subject(f"{server}/s/bb#k=open")
    assert (shared.report.label, shared.source) == ("run", f"{server}/s/bb")


def test_a_refusal_is_told_in_the_servers_words_and_is_3(
    server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", f"{server}/i/dd", f"{server}/i/aa"]) == 3
    assert "refused: There is no such investigation. (404)" in capsys.readouterr().err
    with pytest.raises(Problem, match="refused"):
        read_subject(f"{server}/s/bb#k=wrong")


def test_a_redirect_is_not_followed(server: str) -> None:
    with pytest.raises(Problem, match="302"):
        read_subject(f"{server}/i/cc")


def test_a_server_that_is_not_there_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "http://127.0.0.1:9/i/aa", "http://127.0.0.1:9/i/bb"]) == 3
    assert "cannot be reached" in capsys.readouterr().err


def test_the_demonstrations_compared_by_the_api_and_by_their_links(
    shared_product: Product, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict, base, candidate, secret = _compared_by_the_api(shared_product)
    assert verdict == "worse"
    assert main(["compare", base, candidate, "--fail-on", "snat-port-race"]) == 1
    said = capsys.readouterr()
    assert "new: SNAT source-port collision" in said.out
    assert secret not in said.out


def _compared_by_the_api(product: Product) -> tuple[str, str, str, str]:
    """(verdict, share link of the healthy one, link of the incident, the share link's secret)."""
    with product.client() as client:
        ids = [
            client.post("/demo", json={"name": name}).raise_for_status().json()["id"]
            for name in ("snat-race-healthy", "snat-race")
        ]
        for each in ids:
            assert product.wait_until_over(each)["analysis"] == "finished"
        made = client.post(f"/investigations/{ids[1]}/comparisons", json={"base": ids[0]}).raise_for_status()
        share = client.post(f"/investigations/{ids[0]}/shares", json={}).json()
    base, candidate = f"{product.address}{share['url_path']}", f"{product.address}/i/{ids[1]}"
    return made.json()["verdict"], base, candidate, share["secret"]
