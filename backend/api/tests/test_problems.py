from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI


def test_a_bug_is_named_by_a_number_and_its_values_stay_out_of_the_log(
    app: FastAPI, client: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def __getattr__(self, name: str) -> None:
            evidence = "10.1.2." + str(3)
            raise RuntimeError(f"no such column, {len(evidence)} characters")

    app.state.store = Broken()
    answer = client.get("/api/v1/investigations")
    assert answer.status_code == 500
    number = answer.json()["detail"].split("error ")[1].split(")")[0]
    logged = capsys.readouterr().out
    assert number in logged
    assert "RuntimeError: no such column, 8 characters" in logged
    assert "10.1.2.3" not in logged
