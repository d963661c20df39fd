"""docs/security.md lists every promise that a test holds; images and actions that we name are named by digest."""

import re

import pytest
import yaml

from backend.tests.security_page import PAGE, ROOT, page_text

DIGEST = re.compile(r"@sha256:[0-9a-f]{64}\b")
COMMIT = re.compile(r"@[0-9a-f]{40}$")


@pytest.mark.promise("Base images and CI actions are named by digest")
def test_images_and_actions_are_named_by_digest() -> None:
    dockerfile = (ROOT / "docker" / "Dockerfile").read_text(encoding="utf-8")
    images = re.findall(r"^FROM (\S+)", dockerfile, flags=re.MULTILINE)
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    images += [
        service["image"] for service in compose["services"].values() if service["image"] != "stallscope"
    ]
    steps = yaml.safe_load((ROOT / "docs/ci/github-actions.yml").read_text(encoding="utf-8"))["jobs"][
        "captures"
    ]["steps"]
    actions = [step["uses"] for step in steps if "uses" in step]
    assert len(images) >= 4
    assert len(actions) >= 2
    assert [image for image in images if not DIGEST.search(image)] == []
    assert [action for action in actions if not COMMIT.search(action)] == []


@pytest.mark.promise("The containers have no default password")
def test_the_compose_file_has_no_default_password() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    used = re.findall(r"\$\{STALLSCOPE_DATABASE_PASSWORD([^}]*)\}", text)
    assert len(used) == 2
    assert [rest for rest in used if not rest.startswith(":?")] == []


def test_the_table_of_promises_is_current() -> None:
    written = PAGE.read_text(encoding="utf-8")
    current = page_text(written) == written
    assert current, "run: make security"
