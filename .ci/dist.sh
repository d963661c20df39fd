#!/usr/bin/env bash
# Builds dist/: wheel, source archive, and a bill of materials (CycloneDX) each for the Python and the web part.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/tools.sh
install_tools

rm -rf dist .cache/shipped
# What a user installs and nothing else: the development environment holds more.
"${PYTHON:-python3}" -m venv .cache/shipped
.cache/shipped/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-build.txt
.cache/shipped/bin/python -m hatchling build --directory dist
.cache/shipped/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
.cache/shipped/bin/python -m pip install --quiet --disable-pip-version-check --no-deps dist/*.whl
"$tools/cyclonedx-py" environment --pyproject pyproject.toml --mc-type application --spec-version 1.6 \
    --output-reproducible --output-file dist/stallscope-python.cdx.json .cache/shipped
# npm names the application after the folder that it stands in.
npm sbom --sbom-format cyclonedx --sbom-type application --omit dev |
    node -e '
const sbom = JSON.parse(require("fs").readFileSync(0, "utf8"));
sbom.metadata.component.name = require("./package.json").name;
console.log(JSON.stringify(sbom, null, 2));' >dist/stallscope-page.cdx.json
rm -rf .cache/shipped
ls -l dist
