"""A bundle uploaded to the running product: its members are files, and the report is that of the command line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from backend.api.tests.running_product import DEMO, Product


def tarball() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for file in sorted((DEMO / "snat-race").iterdir()):
            archive.add(file, f"node-7/{file.name}")
        inner = zip_of(
            {
                "inner/ip-addr.txt": b"2: eth0: <UP> mtu 1500 qdisc fq\n    inet 10.0.0.7/24 scope global eth0\n"
            }
        )
        info = tarfile.TarInfo("../more.zip")
        info.size = len(inner)
        archive.addfile(info, io.BytesIO(inner))
    return written.getvalue()


def zip_of(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


def test_the_members_are_files_and_the_report_is_the_command_lines(product: Product, tmp_path: Path) -> None:
    investigation = product.new_investigation("checkout is slow")
    path = tmp_path / "bundle.tgz"
    path.write_bytes(tarball())
    photo = tmp_path / "broken.pcap.gz"
    photo.write_bytes(b"\x1f\x8b\x08" + bytes(40))
    with product.client() as client:
        for file in (path, photo):
            address = f"/investigations/{investigation}/files/{file.name}"
            assert client.put(address, content=file.read_bytes()).status_code == 201
        assert product.wait_until_over(investigation)["analysis"] == "finished"
        files = {
            file["name"]: file
            for file in client.get(f"/investigations/{investigation}/files").json()["items"]
        }
        report = client.get(f"/investigations/{investigation}/report").json()
        lines = client.get(f"/investigations/{investigation}/files/node-7%2Fip-link.txt/lines").json()
        frame = client.get(
            f"/investigations/{investigation}/frames/node-7%2Fthree-interfaces.pcapng/1"
        ).json()
        content = client.get(f"/investigations/{investigation}/files/node-7%2Fip-link.txt/content").content
    assert (files["bundle.tgz"]["kind"], files["bundle.tgz"]["format"]) == ("bundle", "tar.gzip")
    assert {"node-7/three-interfaces.pcapng", "more.zip/inner/ip-addr.txt"} <= set(files)
    assert content == (DEMO / "snat-race" / "ip-link.txt").read_bytes()
    assert (lines["lines"][0]["n"], frame["frame"]) == (1, 1)
    command = [sys.executable, "-m", "workers.cli.main", "analyze", str(path), str(photo)]
    options = ["--json", "-", "--label", "checkout is slow"]
    expected = json.loads(subprocess.run([*command, *options], capture_output=True, check=True).stdout)
    circumstances = {"created": "", "timings": []}
    assert {**report, **circumstances} == {**expected, **circumstances}
    assert [each["name"] for each in report["not_used"]] == ["broken.pcap.gz", "node-7/demo.json"]


def test_members_go_with_their_bundle(product: Product) -> None:
    # Bytes of its own: what another investigation holds, too, stays.
    counters = (
        "cpu=0 found=0 invalid=0 insert=0 insert_failed={} drop=0 early_drop=0 error=0 search_restart=0\n"
    )
    own = {f"node-{n}/conntrack.txt": counters.format(987_650 + n).encode() for n in range(6)}
    investigation = product.new_investigation()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/b.zip", content=zip_of(own))
        product.wait_until_over(investigation)
        blobs = [blob for blob in (product.data / "blobs").rglob("*") if blob.is_file()]
        files = client.get(f"/investigations/{investigation}/files").json()["items"]
        assert len(files) == len(own) + 1
        bundle = next(file for file in files if file["kind"] == "bundle")
        client.delete(f"/investigations/{investigation}/files/{bundle['id']}")
        assert client.get(f"/investigations/{investigation}/files").json()["items"] == []
    left = [blob for blob in (product.data / "blobs").rglob("*") if blob.is_file()]
    assert len(left) <= len(blobs) - len(files)


def test_an_archive_of_nothing_is_refused_with_the_reason(product: Product) -> None:
    investigation = product.new_investigation()
    with product.client() as client:
        client.put(f"/investigations/{investigation}/files/x.zip", content=zip_of({"a.txt": b"hello\n"}))
        assert product.wait_until_over(investigation)["analysis"] == "failed"
        (file,) = client.get(f"/investigations/{investigation}/files").json()["items"]
    assert (file["status"], "without a capture or a known dump" in file["error"]) == ("refused", True)
