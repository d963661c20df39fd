"""The snippets of docs/ci, their shell steps run as written with the shell, variables and folder of each CI system."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from backend.api.tests.running_product import DEMO, Product, running_product

REPOSITORY = Path(__file__).parents[3]
SNIPPETS = REPOSITORY / "docs" / "ci"
EVEN_AFTER_FAILURE = ("${{ !cancelled() }}", "${{ always() }}")


@dataclass
class Step:
    """One script, and the shell that the CI system gives it."""

    shell: list[str]
    script: str
    even_after_failure: bool = False


@dataclass
class Job:
    """What a CI system runs, and the variables that it sets."""

    steps: list[Step]
    variables: dict[str, str] = field(default_factory=dict)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running_product(tmp_path_factory.mktemp("product")) as running:
        yield running


@pytest.fixture(scope="module")
def configured(product: Product) -> dict[str, str]:
    """What the owner of the pipeline sets: the server's address, and a token made on it."""
    with product.client() as client:
        options = {"name": "pipeline", "scope": "upload", "expires_days": 7}
        made = client.post("/tokens", json=options).raise_for_status().json()
    return {"STALLSCOPE_URL": product.address, "STALLSCOPE_TOKEN": made["token"]}


def github_actions(folder: Path, configured: dict[str, str]) -> Job:
    """Steps run with `bash -e` in GITHUB_WORKSPACE; expressions are put in before the shell starts."""
    written = yaml.safe_load((SNIPPETS / "github-actions.yml").read_text())["jobs"]["captures"]
    expression = re.compile(r"\$\{\{ (?:vars|secrets)\.(\w+) \}\}")
    given = {
        name: expression.sub(lambda found: configured[found[1]], value)
        for name, value in written["env"].items()
    }
    steps = [
        Step(["bash", "-e"], step["run"], step.get("if") in EVEN_AFTER_FAILURE)
        for step in written["steps"]
        if "run" in step
    ]
    assert not any("${{" in step.script for step in steps)
    return Job(
        steps,
        {
            **given,
            "GITHUB_WORKSPACE": str(folder),
            "GITHUB_REPOSITORY": "shop/checkout",
            "GITHUB_REF_NAME": "main",
            "GITHUB_STEP_SUMMARY": str(folder / "step_summary"),
        },
    )


def gitlab_ci(folder: Path, configured: dict[str, str]) -> Job:
    """All lines of `script` are one bash script with `set -eo pipefail` in CI_PROJECT_DIR."""
    written = yaml.safe_load((SNIPPETS / "gitlab-ci.yml").read_text())["captures"]
    step = Step(["bash", "-e", "-o", "pipefail"], "\n".join(written["script"]))
    return Job(
        [step],
        {
            **configured,
            "CI_PROJECT_DIR": str(folder),
            "CI_PROJECT_PATH": "shop/checkout",
            "CI_COMMIT_REF_NAME": "main",
        },
    )


def jenkins(folder: Path, configured: dict[str, str]) -> Job:
    """Each `sh` runs with `sh -xe` in WORKSPACE; Groovy reads backslashes in the quotes, so a line's end needs none."""
    written = (SNIPPETS / "Jenkinsfile").read_text()
    assert "STALLSCOPE_TOKEN = credentials('stallscope-token')" in written
    scripts = re.findall(r"sh '''\n(.*?)'''", written, re.DOTALL)
    steps = [Step(["sh", "-xe"], textwrap.dedent(script).replace("\\\n", "")) for script in scripts]
    return Job(steps, {**configured, "WORKSPACE": str(folder), "JOB_NAME": "checkout/main"})


def plain_curl(folder: Path, configured: dict[str, str]) -> Job:
    """The file itself, in the folder that holds captures/."""
    del folder
    return Job([Step(["sh"], (SNIPPETS / "curl.sh").read_text())], {**configured, "LABEL": "checkout main"})


def run(job: Job, folder: Path) -> tuple[int, str]:
    """Exit code of the first step that fails, else 0, and everything that was printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # Nothing else of this process: a variable that only we have would hide one that the snippet lacks.
    environment = {"PATH": path, "PYTHONPATH": str(REPOSITORY), "HOME": str(folder), "CI": "true"}
    code, printed = 0, ""
    for number, step in enumerate(job.steps):
        if code and not step.even_after_failure:
            continue
        script = folder / f"step-{number}.sh"
        script.write_text(step.script)
        done = subprocess.run(
            [*step.shell, str(script)],
            cwd=folder,
            env={**environment, **job.variables},
            text=True,
            capture_output=True,
            check=False,
            timeout=180,
        )
        code = code or done.returncode
        printed += done.stdout + done.stderr
    return code, printed


def captures(folder: Path, demo: str) -> None:
    """As a test of the pipeline's owner leaves them."""
    (folder / "captures").mkdir()
    for file in (DEMO / demo).iterdir():
        if file.name != "demo.json":
            shutil.copy(file, folder / "captures")


@pytest.mark.parametrize(
    ("demo", "code"),
    [("snat-race", 1), pytest.param("snat-race-healthy", 0, marks=pytest.mark.long)],
)
@pytest.mark.parametrize(
    "system",
    [
        github_actions,
        pytest.param(gitlab_ci, marks=pytest.mark.long),
        pytest.param(jenkins, marks=pytest.mark.long),
        plain_curl,
    ],
)
def test_the_incident_fails_the_pipeline_and_its_healthy_twin_does_not(
    tmp_path: Path, product: Product, configured: dict[str, str], system: object, demo: str, code: int
) -> None:
    assert callable(system)
    captures(tmp_path, demo)
    given, printed = run(system(tmp_path, configured), tmp_path)
    assert given == code, printed
    assert f"{product.address}/i/" in printed
    assert configured["STALLSCOPE_TOKEN"] not in printed
    root = ElementTree.parse(tmp_path / "stallscope.xml").getroot()
    assert (int(root.get("failures", "0")) > 0) is bool(code)
    if system is github_actions:
        assert (tmp_path / "step_summary").read_text() == (tmp_path / "stallscope.md").read_text()


@pytest.mark.parametrize("system", [github_actions, gitlab_ci, jenkins, plain_curl])
def test_a_refused_token_is_neither_pass_nor_finding(
    tmp_path: Path, configured: dict[str, str], system: object
) -> None:
    assert callable(system)
    captures(tmp_path, "snat-race-healthy")
    given, printed = run(system(tmp_path, {**configured, "STALLSCOPE_TOKEN": "wrong"}), tmp_path)
    assert given == 3, printed
    assert not (tmp_path / "stallscope.xml").exists()


@pytest.mark.promise("The curl snippet sends labels and file names as they are, whatever they hold")
def test_labels_and_names_reach_the_server_as_they_are(
    tmp_path: Path, product: Product, configured: dict[str, str]
) -> None:
    names = [
        "a b.txt",
        "50%41.txt",
        "[1-3]{x,y}.txt",
        "q?x=1#y.txt",
        'it\'s "quoted".txt',
        "-X.txt",
        "ä$(id).txt",
    ]
    (tmp_path / "captures").mkdir()
    listing = next((DEMO / "snat-race").glob("conntrack*")).read_text()
    for number, name in enumerate(names):
        # Different bytes: a file that is there already keeps the name it came with.
        (tmp_path / "captures" / name).write_text(listing + f"# {number}\n")
    label = 'main", "x": "\\ $(touch made) `touch made`\tend'
    job = plain_curl(tmp_path, {**configured, "LABEL": label})
    code, printed = run(Job(job.steps, {**job.variables, "LABEL": label}), tmp_path)
    assert code in (0, 1), printed
    assert not (tmp_path / "made").exists()
    link = re.search(r"/i/(\w+)", printed)
    assert link
    with product.client() as client:
        made = client.get(f"/investigations/{link[1]}").raise_for_status().json()
        files = client.get(f"/investigations/{link[1]}/files").raise_for_status().json()
    assert made["label"] == label.replace("\t", " ")
    assert sorted(file["name"] for file in files["items"]) == sorted(names)
