"""What the server writes is not for other users of its machine, and loopback is no sign-in."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from backend.api.tests.running_product import DEMO, running_product

_OTHERS = stat.S_IRWXO
CAPTURE = DEMO / "snat-race" / "three-interfaces.pcapng"


@pytest.mark.promise("Other users of the machine read nothing in the data folder.")
def test_no_file_is_for_other_users(tmp_path: Path) -> None:
    data = tmp_path / "shared by others" / "data"
    data.mkdir(parents=True)
    data.chmod(0o755)
    with running_product(tmp_path, data) as product:
        id_ = product.new_investigation("private")
        with product.client() as client:
            client.put(
                f"/investigations/{id_}/files/x.pcapng", content=CAPTURE.read_bytes()
            ).raise_for_status()
        assert product.wait_until_over(id_)["analysis"] == "finished"
        made = [path for path in data.rglob("*") if not path.is_symlink()]
        assert len([path for path in made if path.is_file()]) > 10
        assert not [path for path in made if path.exists() and path.stat().st_mode & _OTHERS]


@pytest.mark.promise("Other users of the machine read nothing in the data folder.")
def test_a_new_data_folder_is_its_owners(tmp_path: Path) -> None:
    with running_product(tmp_path, tmp_path / "new") as product:
        assert stat.S_IMODE(product.data.stat().st_mode) == 0o700


@pytest.mark.promise("Where a way to sign in is set, nobody is served without it, not even on loopback.")
def test_a_password_counts_on_loopback(tmp_path: Path) -> None:
    with running_product(tmp_path, ADMIN_PASSWORD="correct horse") as product, product.client() as client:
        assert client.get("/investigations").status_code == 401
        answer = client.post("/sign-in", json={"name": "admin", "password": "correct horse"})
        assert answer.json()["role"] == "admin"
        assert client.get("/investigations").status_code == 200
